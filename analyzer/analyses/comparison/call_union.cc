#include "analyzer/analyses/comparison/call_union.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analyzer/analyses/comparison/aligned_names.h"
#include "analyzer/analyses/dynamic_names.h"
#include "analyzer/analyses/places/own_methods.h"

namespace hindsight::analyzer {
namespace {

// For each row, whether one recording has almost none of it.
std::vector<bool> OneSidedFrames(const SignalChanges& changes, const std::vector<ChangeRow>& rows,
                                 const ChangeRules& rules) {
  std::vector<bool> one_sided(rows.size());
  for (size_t i = 1; i < rows.size(); ++i) {
    const ChangeCell sum = SumOf(changes, rows[i].cells);
    const double before = sum.before.total * changes.before_scale;
    const double after = sum.after.total * changes.after_scale;
    one_sided[i] = rules.IsInOneAlone(before, after);
  }
  return one_sided;
}

CallPaths PathsOf(const Model& model, const std::vector<CallUnion::Sample>& samples) {
  CallPathOptions options;
  options.logical_callers = false;
  options.places = true;
  CallPathsBuilder builder(model, options);
  for (const CallUnion::Sample& sample : samples) {
    builder.Add(sample.call, sample.weight);
  }
  return builder.Build();
}

// Frames from 1 on; those with a number also have the names around them.
std::vector<NamedRow> FramesOf(const CallPaths& paths, const Dictionaries& dictionaries) {
  std::vector<NamedRow> rows(paths.frames.size() - 1);
  for (FrameId id = 1; id < paths.frames.size(); ++id) {
    rows[id - 1].name = WithoutDynamicNumber(paths.frames[id].name);
    if (IsNumbered(rows[id - 1].name)) {
      rows[id - 1].build = BuildOf(dictionaries, paths.frames[id].method);
    }
  }
  const auto meet = [&](FrameId id, FrameId neighbour) {
    if (id == 0 || neighbour == 0 || !IsNumbered(rows[id - 1].name)) return;
    rows[id - 1].neighbours.push_back(rows[neighbour - 1].name);
  };
  for (size_t i = 1; i < paths.nodes.size(); ++i) {
    const FrameId own = paths.nodes[i].frame;
    const FrameId parent = paths.nodes[paths.nodes[i].parent].frame;
    meet(own, parent);
    meet(parent, own);
  }
  return rows;
}

std::vector<uint32_t> WithRoot(const std::vector<uint32_t>& ids) {
  std::vector<uint32_t> frames{0};
  for (const uint32_t id : ids) frames.push_back(id + 1);
  return frames;
}

}  // namespace

CallUnion::CallUnion(const Model& before, const std::vector<Sample>& before_samples,
                     const Model& after, const std::vector<Sample>& after_samples) {
  const CallPaths old_paths = PathsOf(before, before_samples);
  const CallPaths new_paths = PathsOf(after, after_samples);
  const AlignedNames aligned =
      AlignNames(FramesOf(old_paths, before.dictionaries), FramesOf(new_paths, after.dictionaries));
  frames_.resize(aligned.names.size() + 1);
  for (size_t i = 0; i < aligned.names.size(); ++i) {
    frames_[i + 1].name = aligned.names[i];
    frame_of_.emplace(aligned.names[i], static_cast<uint32_t>(i + 1));
  }
  NearbyCalls::Paths old_calls, new_calls;
  const auto old_nodes = AddPaths(old_paths, WithRoot(aligned.before), before, old_calls);
  const auto new_nodes = AddPaths(new_paths, WithRoot(aligned.after), after, new_calls);
  AddSamples(before_samples, old_paths, old_nodes, WithRoot(aligned.before), &ChangeCell::before,
             old_calls);
  AddSamples(after_samples, new_paths, new_nodes, WithRoot(aligned.after), &ChangeCell::after,
             new_calls);
  nearby_.emplace(std::move(old_calls), std::move(new_calls));
}

std::vector<uint32_t> CallUnion::AddPaths(const CallPaths& paths,
                                          const std::vector<uint32_t>& frame_ids,
                                          const Model& model, NearbyCalls::Paths& nearby) {
  FrameKinds kinds(model);
  for (FrameId id = 1; id < paths.frames.size(); ++id) {
    const PathFrame& frame = paths.frames[id];
    FrameKind& kind = frames_[frame_ids[id]].kind;
    if (frame.method != 0) {
      kind = kinds.Of(frame.method);
    } else if (frame.kind == PathFrame::Kind::kNative) {
      kind = FrameKind::kRuntime;
    }
  }
  Places places(model);
  const std::vector<uint32_t> owners = OwnersOf(paths, places);
  std::vector<uint32_t> images(paths.nodes.size());
  for (size_t i = 1; i < paths.nodes.size(); ++i) {
    const uint32_t frame = frame_ids[paths.nodes[i].frame];
    // A pipeline's frames have no owner, so what it calls is attached to the root.
    const uint32_t above = owners[paths.nodes[i].parent];
    nearby.nodes.push_back({paths.nodes[i].parent, frame, owners[i] == i});
    if (owners[i] == i) {
      images[i] = Below(above == 0 ? 0 : images[above], frame);
      frames_[frame].is_yours = true;
    } else if (owners[i] != 0 && !IsForNobody(frames_[frame].name)) {
      images[i] = images[owners[i]];
    } else {
      images[i] = Below(0, frame);
    }
  }
  return images;
}

uint32_t CallUnion::Below(uint32_t parent, uint32_t frame) {
  // Repeated on the same path: a method has one node.
  for (uint32_t at = parent; at != 0; at = nodes_[at].parent) {
    if (nodes_[at].frame == frame) return at;
  }
  const uint32_t child = tree_.Child(parent, frame);
  nodes_[child].depth = nodes_[parent].depth + 1;
  return child;
}

void CallUnion::AddSamples(const std::vector<Sample>& samples, const CallPaths& paths,
                           const std::vector<uint32_t>& nodes,
                           const std::vector<uint32_t>& frame_ids, Amounts ChangeCell::*amounts,
                           NearbyCalls::Paths& nearby) {
  for (size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    const std::string& name = frames_[nodes_[nodes[paths.places[i]]].frame].name;
    if (name == kCompilingFrame) {
      (compiling_.*amounts).Add(sample.slice, sample.weight.amount, sample.weight.variance);
      continue;
    }
    if (IsOfStartOrMachine(name)) continue;
    const uint32_t cell = CellOf(nodes[paths.places[i]], sample.type);
    (amounts_[cell].*amounts).Add(sample.slice, sample.weight.amount, sample.weight.variance);
    const FrameId innermost = paths.nodes[paths.places[i]].frame;
    if (paths.frames[innermost].kind == PathFrame::Kind::kNative) {
      (natives_[frame_ids[innermost]][cell].*amounts).total += sample.weight.amount;
    }
    nearby.samples.push_back({paths.places[i], cell, static_cast<uint32_t>(sample.slice),
                              sample.weight.amount, sample.weight.variance});
  }
}

uint32_t CallUnion::CellOf(uint32_t node, std::string_view type) {
  const auto [known, is_new_type] =
      type.empty()
          ? std::pair(type_index_.end(), false)
          : type_index_.try_emplace(std::string(type), static_cast<uint32_t>(types_.size()));
  if (is_new_type) types_.emplace_back(type);
  const uint32_t type_id = type.empty() ? 0 : known->second;
  const uint64_t key = uint64_t{node} << 32 | type_id;
  const auto found = cell_index_.find(key);
  if (found != cell_index_.end()) return found->second;
  if (cells_.size() >= kMostCells) return 0;
  const auto id = static_cast<uint32_t>(cells_.size());
  cell_index_.emplace(key, id);
  cells_.push_back({node, type_id});
  amounts_.emplace_back();
  return id;
}

// The programmer's own methods first, and among these the innermost.
int CallUnion::PreferenceOf(uint32_t frame) const {
  constexpr int kStep = 1000;
  const int depth = static_cast<int>(std::min<uint32_t>(frame_depths_[frame], kStep - 1));
  switch (frames_[frame].kind) {
    case FrameKind::kApplication:
      return 4 * kStep + depth;
    case FrameKind::kPackage:
    case FrameKind::kFramework:
      return 3 * kStep + depth;
    case FrameKind::kNative:
    case FrameKind::kRuntime:
      return 2 * kStep + depth;
    default:
      return depth;
  }
}

void CallUnion::Fill(SignalChanges& changes, const ComparisonRules& rules) {
  changes.cells = std::move(amounts_);
  const ChangeCell all = WholeOf(changes);
  const double most =
      std::max(all.before.total * changes.before_scale, all.after.total * changes.after_scale);
  const bool has_yours = std::any_of(nodes_.begin(), nodes_.end(), [this](const Node& node) {
    return frames_[node.frame].is_yours;
  });
  frame_depths_.assign(frames_.size(), UINT32_MAX);
  for (const Node& node : nodes_) {
    frame_depths_[node.frame] = std::min(frame_depths_[node.frame], node.depth);
  }
  std::vector<ChangeRow> selves(frames_.size()), totals(frames_.size()), types(types_.size());
  for (uint32_t cell = 1; cell < cells_.size(); ++cell) {
    types[cells_[cell].type].cells.push_back(cell);
    selves[nodes_[cells_[cell].node].frame].cells.push_back(cell);
    for (uint32_t node = cells_[cell].node; node != 0; node = nodes_[node].parent) {
      std::vector<uint32_t>& of_frame = totals[nodes_[node].frame].cells;
      if (of_frame.empty() || of_frame.back() != cell) of_frame.push_back(cell);
    }
  }
  std::vector<bool> one_sided = OneSidedFrames(changes, selves, rules.changes);
  const std::vector<bool> is_inlined = changes.is_one_build ? InlinedInOne(changes, totals, rules)
                                                            : std::vector<bool>(frames_.size());
  for (uint32_t frame = 1; frame < frames_.size(); ++frame) {
    if (is_inlined[frame]) continue;
    if (totals[frame].cells == selves[frame].cells) totals[frame].cells.clear();
    selves[frame].is_part = true;
    for (ChangeRow* row : {&selves[frame], &totals[frame]}) {
      if (row->cells.empty()) continue;
      row->level = Difference::Level::kMethod;
      row->subject = frames_[frame].name;
      row->preference = PreferenceOf(frame);
      if (has_yours && !frames_[frame].is_yours) row->least = rules.min_share_of_others * most;
      changes.rows.push_back(std::move(*row));
    }
  }
  for (uint32_t type = 1; type < types_.size(); ++type) {
    types[type].level = Difference::Level::kType;
    types[type].subject = types_[type];
    types[type].preference = -1;
    changes.rows.push_back(std::move(types[type]));
  }
  ChangeRow whole;
  whole.preference = -2;
  for (uint32_t cell = 0; cell < cells_.size(); ++cell) whole.cells.push_back(cell);
  changes.rows.push_back(std::move(whole));
  changes.surroundings = [this](const ChangeRow& row, int reach) -> std::vector<uint32_t> {
    if (row.level != Difference::Level::kMethod) return {};
    return Surroundings(frame_of_.at(row.subject), reach);
  };
  changes.elsewhere = [this](const ChangeRow& row) -> std::vector<uint32_t> {
    if (row.level != Difference::Level::kMethod) return {};
    return Elsewhere(frame_of_.at(row.subject));
  };
  changes.one_sided_callees = [this, one_sided = std::move(one_sided)](const ChangeRow& row) {
    if (row.level != Difference::Level::kMethod || !row.is_part) return std::vector<uint32_t>();
    return OneSidedCallees(frame_of_.at(row.subject), one_sided);
  };
  changes.in_native = [this](const SignalChanges& all, const std::vector<uint32_t>& cells) {
    return InNative(all, cells);
  };
  changes.nearby = [this](const ChangeRow& row, int reach,
                          const std::function<bool(uint32_t)>& is_left_out) -> ChangeCell {
    if (row.level != Difference::Level::kMethod) return {};
    const uint32_t subject = frame_of_.at(row.subject);
    return nearby_->Around(subject, CalleesOf(subject), reach, is_left_out);
  };
}

// That is so if most of it is in methods that it calls and that both recordings have, and if
// callers that both have did not change with it.
std::vector<bool> CallUnion::InlinedInOne(const SignalChanges& changes,
                                          const std::vector<ChangeRow>& totals,
                                          const ComparisonRules& rules) const {
  const std::vector<bool> one_sided = OneSidedFrames(changes, totals, rules.changes);
  std::vector<double> change(frames_.size());
  for (uint32_t frame = 1; frame < frames_.size(); ++frame) {
    change[frame] = ChangeOf(changes, SumOf(changes, totals[frame].cells));
  }
  std::vector<std::set<uint32_t>> callers(frames_.size());
  for (const Node& node : nodes_) {
    if (node.frame == 0 || !one_sided[node.frame]) continue;
    for (uint32_t caller = node.parent; caller != 0; caller = nodes_[caller].parent) {
      const uint32_t frame = nodes_[caller].frame;
      if (frames_[frame].is_yours && !one_sided[frame]) callers[node.frame].insert(frame);
    }
  }
  std::vector<bool> is_inlined(frames_.size());
  for (uint32_t frame = 1; frame < frames_.size(); ++frame) {
    if (callers[frame].empty()) continue;
    double passed_on = 0;
    for (const uint32_t cell : totals[frame].cells) {
      const uint32_t place = nodes_[cells_[cell].node].frame;
      if (!one_sided[place]) passed_on += ChangeOf(changes, changes.cells[cell]);
    }
    const double own = change[frame];
    const auto is_unlike = [&](uint32_t caller) {
      return change[caller] / own < rules.most_of_change;
    };
    is_inlined[frame] =
        passed_on / own >= rules.most_of_change && std::ranges::any_of(callers[frame], is_unlike);
  }
  return is_inlined;
}

std::vector<std::string> CallUnion::PathTo(uint32_t cell, const std::string& subject) const {
  std::vector<std::string> path;
  for (uint32_t node = cells_[cell].node; node != 0; node = nodes_[node].parent) {
    const std::string& name = frames_[nodes_[node].frame].name;
    if (name == subject) path.clear();
    path.push_back(name);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

// What the callers do themselves, the nearest `reach`, and what the method calls: where the time of
// a method goes if the JIT inlines it, or what it calls, into another one.
std::vector<uint32_t> CallUnion::Surroundings(uint32_t subject, int reach) const {
  std::vector<bool> is_caller(nodes_.size()), is_below(nodes_.size());
  for (uint32_t i = 1; i < nodes_.size(); ++i) {
    is_below[i] = nodes_[i].frame == subject || is_below[nodes_[i].parent];
    if (nodes_[i].frame != subject) continue;
    uint32_t caller = nodes_[i].parent;
    for (int k = 0; k < reach && caller != 0; ++k, caller = nodes_[caller].parent) {
      is_caller[caller] = true;
    }
  }
  std::vector<uint32_t> cells;
  for (uint32_t cell = 1; cell < cells_.size(); ++cell) {
    const uint32_t node = cells_[cell].node;
    if (is_caller[node] || is_below[node]) cells.push_back(cell);
  }
  return cells;
}

std::vector<uint32_t> CallUnion::Elsewhere(uint32_t subject) const {
  std::vector<bool> is_below(nodes_.size()), is_called(frames_.size());
  for (uint32_t i = 1; i < nodes_.size(); ++i) {
    const bool is_called_here = is_below[nodes_[i].parent];
    is_below[i] = nodes_[i].frame == subject || is_called_here;
    if (is_called_here) is_called[nodes_[i].frame] = true;
  }
  std::vector<bool> is_elsewhere(nodes_.size());
  for (uint32_t i = 1; i < nodes_.size(); ++i) {
    is_elsewhere[i] =
        !is_below[i] && (is_called[nodes_[i].frame] || is_elsewhere[nodes_[i].parent]);
  }
  std::vector<uint32_t> cells;
  for (uint32_t cell = 1; cell < cells_.size(); ++cell) {
    if (is_elsewhere[cells_[cell].node]) cells.push_back(cell);
  }
  return cells;
}

std::vector<uint32_t> CallUnion::OneSidedCallees(uint32_t subject,
                                                 const std::vector<bool>& one_sided) const {
  std::vector<bool> is_called(nodes_.size());
  for (uint32_t i = 1; i < nodes_.size(); ++i) {
    const uint32_t caller = nodes_[i].parent;
    is_called[i] =
        one_sided[nodes_[i].frame] && (nodes_[caller].frame == subject || is_called[caller]);
  }
  std::vector<uint32_t> cells;
  for (uint32_t cell = 1; cell < cells_.size(); ++cell) {
    if (is_called[cells_[cell].node]) cells.push_back(cell);
  }
  return cells;
}

double CallUnion::InNative(const SignalChanges& changes, const std::vector<uint32_t>& cells) const {
  std::vector<bool> is_own(cells_.size());
  for (const uint32_t cell : cells) is_own[cell] = true;
  double sum = 0;
  for (const auto& [function, its_cells] : natives_) {
    double own = 0, all = 0;
    for (const auto& [cell, amounts] : its_cells) {
      const double change = ChangeOf(changes, amounts);
      all += change;
      if (is_own[cell]) own += change;
    }
    if (own * all > 0) sum += std::abs(own) < std::abs(all) ? own : all;
  }
  return sum;
}

std::vector<bool> CallUnion::CalleesOf(uint32_t subject) const {
  std::vector<bool> callees(frames_.size());
  for (const Node& node : nodes_) {
    if (node.parent != 0 && nodes_[node.parent].frame == subject) callees[node.frame] = true;
  }
  return callees;
}

}  // namespace hindsight::analyzer
