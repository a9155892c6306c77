// Exceptions: how often each type is thrown, along which path.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "analyzer/analyses/comparison/aligned_names.h"
#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/analyses/comparison/inlined_sites.h"
#include "analyzer/analyses/frame_kind.h"
#include "analyzer/base/shell.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kOwnFrames = 3;      // of the application, from which rows are made
constexpr int kMethodPreference = 1;  // below that of a type and of a path

// A finding, prepared for alignment.
struct Thrown {
  std::string type;
  std::string thrower;            // the site of its place
  std::vector<std::string> path;  // outermost first, of managed methods
  // Methods of the application, innermost first: those among the first kOwnFrames of all paths.
  std::vector<std::string> callers;
  const ExceptionGroup* group = nullptr;
};

// By numbered name: see NamedRow::build.
using Builds = std::map<std::string, std::string>;

std::vector<Thrown> ThrownOf(const EventReports& reports, const InlinedSites& inlined,
                             InlinedSites::Side side, Builds& builds) {
  FrameKinds kinds(reports.model);
  const MethodNames& names = reports.exceptions.names;
  const auto own_frames = [&](const std::vector<MethodId>& path) {
    std::vector<std::string> own;
    for (const MethodId method : path) {
      if (own.size() == kOwnFrames) break;
      if (!kinds.IsYours(method)) continue;
      const std::string& name = names.Display(method);
      if (own.empty() || own.back() != name) own.push_back(name);
    }
    return own;
  };
  std::vector<Thrown> all;
  for (const ExceptionFinding& finding : reports.exceptions.findings) {
    Thrown thrown;
    thrown.group = &finding.group;
    thrown.type =
        finding.is_rest ? "(other exceptions)" : reports.exceptions.names.Type(finding.type);
    for (const MethodId method : finding.path) {
      const CodeKind kind = kinds.CodeOf(method);
      if (IsNative(kind) || IsFolded(kind) || kind == CodeKind::kPool) continue;
      const std::string& name = reports.exceptions.names.Display(method);
      if (IsNumbered(name)) builds.emplace(name, BuildOf(reports.model.dictionaries, method));
      if (!thrown.path.empty() && thrown.path.back() == name) continue;
      thrown.path.push_back(name);
    }
    thrown.callers = own_frames(finding.path);
    for (const PathVariant& variant : finding.variants) {
      const std::vector<std::string> own = own_frames(variant.path);
      std::erase_if(thrown.callers, [&own](const std::string& name) {
        return std::find(own.begin(), own.end(), name) == own.end();
      });
    }
    const MethodId site = finding.place.site;
    thrown.thrower =
        site != 0 ? inlined.Of(side, thrown.type, names.Display(site)) : "(unknown location)";
    std::reverse(thrown.path.begin(), thrown.path.end());
    all.push_back(std::move(thrown));
  }
  return all;
}

// Replaces names by those that both recordings share.
void Align(std::vector<Thrown>& before, const Builds& old_builds, std::vector<Thrown>& after,
           const Builds& new_builds) {
  const auto names_of = [](const std::vector<Thrown>& all, const Builds& builds) {
    std::map<std::string, std::set<std::string>> neighbours;
    for (const Thrown& thrown : all) {
      neighbours[thrown.type];
      neighbours[thrown.thrower];
      for (size_t i = 0; i < thrown.path.size(); ++i) {
        std::set<std::string>& around = neighbours[thrown.path[i]];
        around.insert(thrown.type);
        if (i > 0) around.insert(thrown.path[i - 1]);
        if (i + 1 < thrown.path.size()) around.insert(thrown.path[i + 1]);
      }
    }
    std::vector<NamedRow> rows;
    for (auto& [name, around] : neighbours) {
      const auto build = builds.find(name);
      rows.push_back({name,
                      {around.begin(), around.end()},
                      build == builds.end() ? std::string() : build->second});
    }
    return rows;
  };
  const std::vector<NamedRow> old_names = names_of(before, old_builds);
  const std::vector<NamedRow> new_names = names_of(after, new_builds);
  const AlignedNames aligned = AlignNames(old_names, new_names);
  std::map<std::string, std::string> common;
  for (size_t i = 0; i < old_names.size(); ++i) {
    common[old_names[i].name] = aligned.names[aligned.before[i]];
  }
  for (Thrown& thrown : before) {
    thrown.type = common[thrown.type];
    thrown.thrower = common[thrown.thrower];
    for (std::string& name : thrown.path) name = common[name];
    for (std::string& name : thrown.callers) name = common[name];
  }
}

struct ThrownCells {
  std::vector<Thrown> examples;  // parallel to the cells
};

class Builder {
 public:
  Builder(SignalChanges& changes, ThrownCells& cells) : changes_(changes), cells_(cells) {}

  void Add(const Thrown& thrown, Amounts ChangeCell::*amounts, const Work& work) {
    const std::string key = thrown.type + '\n' + thrown.thrower;
    const auto [place, is_new] = index_.try_emplace(key, changes_.cells.size());
    if (is_new) {
      changes_.cells.emplace_back();
      cells_.examples.push_back(thrown);
    }
    Amounts added;
    const ExceptionGroup& group = *thrown.group;
    added.total = added.variance = static_cast<double>(group.count);
    added.samples = group.count;
    const std::vector<double> parts = group.times.Resampled(
        work.slices.from_ns(), work.slices.to_ns(), static_cast<uint32_t>(Amounts::kSlices));
    for (size_t i = 0; i < Amounts::kSlices; ++i) added.slices[i] = static_cast<float>(parts[i]);
    changes_.cells[place->second].*amounts += added;
  }

  void AddRows() {
    std::map<std::string, std::vector<uint32_t>> types, methods;
    ChangeRow whole;
    for (uint32_t cell = 0; cell < cells_.examples.size(); ++cell) {
      const Thrown& thrown = cells_.examples[cell];
      types[thrown.type].push_back(cell);
      const std::set<std::string> own(thrown.callers.begin(), thrown.callers.end());
      for (const std::string& method : own) methods[method].push_back(cell);
      whole.cells.push_back(cell);
      ChangeRow row;
      row.level = Difference::Level::kPath;
      row.subject = thrown.type;
      row.preference = kMethodPreference + 2;
      row.is_part = true;
      row.cells = {cell};
      changes_.rows.push_back(std::move(row));
    }
    whole.preference = 0;
    changes_.rows.push_back(std::move(whole));
    AddRowsOf(types, Difference::Level::kType, kMethodPreference + 1);
    AddRowsOf(methods, Difference::Level::kMethod, kMethodPreference);
  }

 private:
  void AddRowsOf(std::map<std::string, std::vector<uint32_t>>& groups, Difference::Level level,
                 int preference) {
    for (auto& [name, cells] : groups) {
      if (cells.size() < 2) continue;  // the path says the same
      ChangeRow row;
      row.level = level;
      row.subject = name;
      row.preference = preference;
      row.cells = std::move(cells);
      changes_.rows.push_back(std::move(row));
    }
  }

  SignalChanges& changes_;
  ThrownCells& cells_;
  std::map<std::string, size_t> index_;
};

std::string Title(const Change& change, const Thrown& example, Per per) {
  const double before = change.test.before, after = change.test.after;
  const ChangeRow& row = *change.row;
  std::string subject = row.level == Difference::Level::kMethod ? "What " + row.subject + " throws"
                        : row.subject.empty()                   ? std::string("All exceptions")
                                                                : row.subject;
  if (row.level == Difference::Level::kPath) subject += " in " + example.thrower;
  const std::string amounts = FromTo(AmountKind::kCount, per, before, after);
  switch (DirectionOf(before, after)) {
    case Difference::Direction::kNew:
      return subject + " is new: " + AmountText(AmountKind::kCount, per, after);
    case Difference::Direction::kGone:
      return subject + " is gone: " + amounts;
    default:
      return subject + ": " + HowMuch(before, after, "exceptions") + ": " + amounts;
  }
}

}  // namespace

ComparedSignal CompareExceptions(const EventReports& before, const Work& before_work,
                                 const EventReports& after, const Work& after_work,
                                 const ComparisonRules& rules) {
  const Per per = before_work.per;
  ComparedSignal signal;
  SignalChanges& changes = signal.changes;
  changes.signal = Signal::kExceptions;
  changes.before_scale = before_work.Scale();
  changes.after_scale = after_work.Scale();
  changes.margin = rules.min_change;
  const auto cells = std::make_shared<ThrownCells>();
  const InlinedSites inlined(before, after);
  Builds old_builds, new_builds;
  std::vector<Thrown> old_thrown =
      ThrownOf(before, inlined, InlinedSites::Side::kBefore, old_builds);
  std::vector<Thrown> new_thrown = ThrownOf(after, inlined, InlinedSites::Side::kAfter, new_builds);
  Align(old_thrown, old_builds, new_thrown, new_builds);
  Builder builder(changes, *cells);
  for (const Thrown& thrown : old_thrown) builder.Add(thrown, &ChangeCell::before, before_work);
  for (const Thrown& thrown : new_thrown) builder.Add(thrown, &ChangeCell::after, after_work);
  builder.AddRows();

  const ChangeCell whole = WholeOf(changes);
  const double most =
      std::max(whole.before.total * changes.before_scale, whole.after.total * changes.after_scale);
  changes.least = rules.min_share * most;
  const auto rate = [](double count, const Work& work) {
    return work.slices.seconds() > 0 ? count / work.slices.seconds() : 0;
  };
  const double weight = std::min(
      1.0, std::max(rate(whole.before.total, before_work), rate(whole.after.total, after_work)) /
               rules.weights.busy_throws);
  signal.is_empty = whole.is_empty();
  signal.common = "exceptions";
  signal.looked_at =
      FormatCount(whole.before.samples) + " and " + Plural(whole.after.samples, "exception");
  signal.describe = [cells, most, weight, per](const SignalChanges& all, const Change& change,
                                               Difference& difference) {
    // Your own code says more than what throws on its way.
    const auto yours = std::ranges::find_if(
        change.cells, [&](uint32_t cell) { return !cells->examples[cell].callers.empty(); });
    const uint32_t cell = yours == change.cells.end() ? change.cells.front() : *yours;
    const Thrown& example = cells->examples[cell];
    const ChangeRow& row = *change.row;
    const bool is_method = row.level == Difference::Level::kMethod;
    difference.measure = "exceptions.per_second";
    difference.unit = UnitOf(AmountKind::kCount, per);
    difference.amounts = FromTo(AmountKind::kCount, per, change.test.before, change.test.after);
    difference.path = example.path;
    difference.title = Title(change, example, per);
    difference.evidence = FormatCount(change.before.samples) + " -> " +
                          Plural(change.after.samples, "exception") + ", +-" +
                          AmountText(AmountKind::kCount, per, change.test.error);
    if (row.level == Difference::Level::kType && yours != change.cells.end()) {
      const ChangeCell& most_of_yours = all.cells[cell];
      difference.evidence += ", " + FormatCount(most_of_yours.before.samples) + " -> " +
                             FormatCount(most_of_yours.after.samples) + " of them in " +
                             example.thrower;
    }
    difference.command =
        row.subject.empty()
            ? "exceptions"
            : (is_method ? "exceptions --method " : "exceptions --type ") + ShellWord(row.subject);
    if (most > 0) {
      difference.impact =
          std::min(1.0, std::abs(change.test.after - change.test.before) / most) * weight;
    }
  };
  return signal;
}

}  // namespace hindsight::analyzer
