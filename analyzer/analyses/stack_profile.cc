#include "analyzer/analyses/stack_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyzer/analyses/code_kinds.h"
#include "analyzer/analyses/exceptions.h"
#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/pair_table.h"
#include "analyzer/analyses/path_frames.h"
#include "analyzer/analyses/path_tree.h"
#include "analyzer/analyses/thread_filter.h"
#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/analyses/waits/wall_time.h"

namespace hindsight::analyzer {
namespace {

constexpr uint32_t kNoNode = std::numeric_limits<uint32_t>::max();
constexpr std::string_view kUnrooted = "[outer frames unknown]";
constexpr std::string_view kNoPath = "[path unknown]";
constexpr double kMostAmount = 9e18;  // the largest signed 64-bit number, which the formats use

class ProfileBuilder {
 public:
  ProfileBuilder(const Model& model, const StackProfileQuery& query)
      : model_(model), query_(query), names_(model.dictionaries), kinds_(model) {
    profile_.signal = query.signal;
    profile_.from_ns = std::max(query.from_ns, model.facts.first_ns);
    profile_.to_ns = std::max(profile_.from_ns, std::min(query.to_ns, model.facts.last_ns));
  }

  StackProfile Build() {
    switch (query_.signal) {
      case ProfileSignal::kCpu:
        AddCpu();
        break;
      case ProfileSignal::kAllocations:
        AddAllocations();
        break;
      case ProfileSignal::kExceptions:
        AddExceptions();
        break;
      case ProfileSignal::kLocks:
        AddLocks();
        break;
      case ProfileSignal::kWall:
        AddWall();
        break;
    }
    Merge();
    return std::move(profile_);
  }

 private:
  struct Raw {
    int64_t at_ns = 0;
    ThreadIndex thread = 0;
    uint32_t node = 0;
    TypeId type = 0;
    double values[2] = {};
  };

  bool IsAskedFor(int64_t at_ns, ThreadIndex thread) {
    return at_ns >= query_.from_ns && at_ns < query_.to_ns && IsAskedFor(thread);
  }
  bool IsAskedFor(ThreadIndex thread) {
    if (query_.thread.empty()) return true;
    if (thread_matches_.empty()) {
      for (ThreadIndex i = 0; i < model_.threads.size(); ++i) {
        thread_matches_.push_back(MatchesThread(model_, i, query_.thread));
      }
    }
    return thread_matches_[thread];
  }

  void AddCpu() {
    const CpuProfile& cpu = model_.samples.cpu;
    profile_.measures = {{"cpu", ProfileUnit::kNanoseconds}, {"samples", ProfileUnit::kCount}};
    profile_.period = cpu.period_ns;
    for (const CpuSample& sample : cpu.samples) {
      if (!IsAskedFor(sample.at_ns, sample.thread)) continue;
      const double time = static_cast<double>(sample.cpu_ns);
      AddRow({sample.at_ns, sample.thread, CallNodeOf(sample.call, sample.unrooted), 0, {time, 1}});
    }
  }

  void AddAllocations() {
    const AllocationProfile& allocations = model_.samples.allocations;
    profile_.measures = {{"allocated", ProfileUnit::kBytes}, {"objects", ProfileUnit::kCount}};
    profile_.period = allocations.mean_bytes;
    for (const AllocationSample& sample : allocations.samples) {
      if (!IsAskedFor(sample.at_ns, sample.thread)) continue;
      const uint32_t node = WithType(CallNodeOf(sample.call, false), sample.type);
      AddRow({sample.at_ns, sample.thread, node, sample.type, {sample.bytes, sample.objects}});
    }
  }

  void AddExceptions() {
    profile_.measures = {{"exceptions", ProfileUnit::kCount}};
    std::optional<ExceptionReport> own;
    if (query_.exceptions == nullptr) {
      const ExceptionQuery query{.type = {}, .method = {}, .thread = query_.thread};
      own = AnalyzeExceptions(model_, query, query_.from_ns, query_.to_ns);
    }
    for (const ExceptionFinding& finding : (own ? *own : *query_.exceptions).findings) {
      for (const PathVariant& variant : finding.variants) {
        const uint32_t node = WithType(PathNode(variant.path), finding.type);
        AddRow({0, 0, node, finding.type, {static_cast<double>(variant.count), 0}});
      }
    }
  }

  void AddLocks() {
    profile_.measures = {{"waited", ProfileUnit::kNanoseconds}, {"waits", ProfileUnit::kCount}};
    std::optional<LockReport> own;
    if (query_.locks == nullptr) own = AnalyzeLocks(model_);
    for (const WaitPlace& place : (own ? *own : *query_.locks).locks) {
      for (const WaitVariant& variant : place.variants) {
        const auto time = static_cast<double>(variant.total_ns);
        AddRow({0, 0, PathNode(variant.path), 0, {time, static_cast<double>(variant.count)}});
      }
    }
  }

  void AddWall() {
    profile_.measures = {{"time", ProfileUnit::kNanoseconds}};
    std::optional<WallReport> own;
    if (query_.wall == nullptr) {
      own = AnalyzeWallTime(model_, {.from_ns = query_.from_ns, .to_ns = query_.to_ns});
    }
    const WallReport& wall = own ? *own : *query_.wall;
    if (!wall.is_seen) return;  // CPU samples alone are a different profile
    for (const WallStack& stack : wall.stacks) {
      if (!IsAskedFor(stack.thread)) continue;
      const auto time = static_cast<double>(stack.total_ns);
      AddRow({0, stack.thread, PathNode(stack.path), 0, {time, 0}});
    }
    for (const CpuSample& sample : model_.samples.cpu.samples) {
      if (!IsAskedFor(sample.at_ns, sample.thread)) continue;
      const auto time = static_cast<double>(sample.cpu_ns);
      AddRow({0, sample.thread, CallNodeOf(sample.call, sample.unrooted), 0, {time, 0}});
    }
  }

  // ---- The tree

  // An inlined method is a different frame from one that was not inlined.
  uint32_t FrameOf(MethodId method, int32_t il_offset, bool inlined = false) {
    if (!query_.call_sites) il_offset = -1;
    const auto [place, is_new] = frames_.try_emplace(std::tuple(method, il_offset, inlined), 0);
    if (is_new) {
      std::string name = names_.Display(method);
      if (inlined) name += kInlinedMark;
      place->second =
          AddFrame({std::move(name), names_.Raw(method), method, il_offset, kinds_.Of(method)});
    }
    return place->second;
  }

  uint32_t AddFrame(ProfileFrame frame) {
    profile_.frames.push_back(std::move(frame));
    return static_cast<uint32_t>(profile_.frames.size() - 1);
  }

  // Parents have smaller ids than their children, so the loop ends; results are cached.
  uint32_t CallNodeOf(CallId call, bool unrooted) {
    const CallTree& calls = model_.samples.calls;
    std::vector<uint32_t>& known = unrooted ? unrooted_nodes_ : call_nodes_;
    if (known.empty()) {
      known.assign(calls.size(), kNoNode);
      if (unrooted) {
        unrooted_frame_ = AddFrame({std::string(kUnrooted), {}, 0, -1, FrameKind::kUnknown});
      }
      known[0] = unrooted ? tree_.Child(0, unrooted_frame_) : 0;
    }
    if (call == 0 || call >= known.size()) return NoPath();
    std::vector<CallId> missing;
    CallId at = call;
    for (; known[at] == kNoNode; at = calls.node(at).parent) missing.push_back(at);
    uint32_t node = known[at];
    for (auto id = missing.rbegin(); id != missing.rend(); ++id) {
      const CallNode& made = calls.node(*id);
      node = known[*id] = tree_.Child(node, FrameOf(made.method, made.il_offset, made.inlined));
    }
    return node;
  }

  uint32_t NoPath() {
    if (no_path_frame_ == 0) {
      no_path_frame_ = AddFrame({std::string(kNoPath), {}, 0, -1, FrameKind::kUnknown});
    }
    return tree_.Child(0, no_path_frame_);
  }

  uint32_t PathNode(const std::vector<MethodId>& path) {
    uint32_t node = 0;
    for (auto method = path.rbegin(); method != path.rend(); ++method) {
      node = tree_.Child(node, FrameOf(*method, -1));
    }
    return path.empty() ? NoPath() : node;
  }

  uint32_t WithType(uint32_t node, TypeId type) {
    if (!query_.type_frames) return node;
    const auto [place, is_new] = type_frames_.try_emplace(type, 0);
    if (is_new) {
      place->second = AddFrame({names_.Type(type), names_.RawType(type), 0, -1, FrameKind::kType});
    }
    return tree_.Child(node, place->second);
  }

  // ---- The rows

  // A number for the row's node and type. In most profiles each node has one type.
  uint32_t PlaceOf(const Raw& row) {
    const bool has_types =
        query_.signal == ProfileSignal::kAllocations || query_.signal == ProfileSignal::kExceptions;
    if (!has_types || query_.type_frames) return row.node;
    uint32_t& place = typed_places_.At(row.node, row.type);
    if (place == 0) place = ++last_place_;
    return place;
  }

  // In order of time, neighbors are merged at the end; otherwise rows of one key at once.
  void AddRow(const Raw& row) {
    if (query_.in_time_order) {
      rows_.push_back(row);
      return;
    }
    uint32_t& end = row_ends_.At(PlaceOf(row), row.thread);
    if (end == 0) {
      rows_.push_back(row);
      end = static_cast<uint32_t>(rows_.size());
      return;
    }
    Raw& known = rows_[end - 1];
    known.at_ns = std::min(known.at_ns, row.at_ns);
    for (size_t k = 0; k < 2; ++k) known.values[k] += row.values[k];
  }

  void Merge() {
    const auto key = [](const Raw& row) { return std::tie(row.thread, row.node, row.type); };
    if (query_.in_time_order) {
      std::ranges::stable_sort(rows_, [](const Raw& a, const Raw& b) {
        return std::tie(a.thread, a.at_ns) < std::tie(b.thread, b.at_ns);
      });
    } else {
      std::ranges::sort(rows_, [key](const Raw& a, const Raw& b) { return key(a) < key(b); });
    }
    double exact[2] = {};
    for (size_t i = 0; i < rows_.size();) {
      ProfileRow row{rows_[i].at_ns, rows_[i].thread, rows_[i].node, rows_[i].type, {}};
      const size_t first = i;
      for (; i < rows_.size() && key(rows_[i]) == key(rows_[first]); ++i) {
        for (size_t k = 0; k < 2; ++k) exact[k] += rows_[i].values[k];
        row.at_ns = std::min(row.at_ns, rows_[i].at_ns);
      }
      for (size_t k = 0; k < 2; ++k) {
        const auto upto = static_cast<uint64_t>(std::llround(std::min(exact[k], kMostAmount)));
        row.values[k] = upto - profile_.totals[k];
        profile_.totals[k] = upto;
      }
      profile_.rows.push_back(row);
    }
  }

  const Model& model_;
  const StackProfileQuery& query_;
  MethodNames names_;
  FrameKinds kinds_;
  StackProfile profile_;
  std::vector<Raw> rows_;
  // Unless in order of time: by place and thread, 1 + the row's index in `rows_`.
  PairTable<uint32_t> row_ends_;
  PairTable<uint32_t> typed_places_;  // by node and type
  uint32_t last_place_ = 0;
  std::vector<bool> thread_matches_;  // indexed by ThreadIndex
  std::map<std::tuple<MethodId, int32_t, bool>, uint32_t> frames_;
  PathTree<ProfileNode> tree_{profile_.nodes};
  std::unordered_map<TypeId, uint32_t> type_frames_;
  std::vector<uint32_t> call_nodes_, unrooted_nodes_;  // indexed by CallId
  uint32_t unrooted_frame_ = 0, no_path_frame_ = 0;
};

}  // namespace

std::string_view UnitName(ProfileUnit unit) {
  switch (unit) {
    case ProfileUnit::kNanoseconds:
      return "nanoseconds";
    case ProfileUnit::kBytes:
      return "bytes";
    case ProfileUnit::kCount:
      break;
  }
  return "count";
}

std::vector<uint32_t> StackProfile::PathOf(uint32_t node) const {
  std::vector<uint32_t> path;
  for (; node != 0; node = nodes[node].parent) path.push_back(nodes[node].frame);
  return path;
}

StackProfile BuildStackProfile(const Model& model, const StackProfileQuery& query) {
  return ProfileBuilder(model, query).Build();
}

std::string ThreadTitle(const Model& model, ThreadIndex thread) {
  if (thread == 0) return "an unknown thread";
  const ThreadInfo& info = model.threads[thread];
  const std::string os_id =
      info.os_id == 0 ? "#" + std::to_string(info.id) : std::to_string(info.os_id);
  const std::string name(model.dictionaries.String(info.name));
  return name.empty() ? "thread " + os_id : name + " (" + os_id + ")";
}

}  // namespace hindsight::analyzer
