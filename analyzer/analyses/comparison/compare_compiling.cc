#include "analyzer/analyses/comparison/compare_compiling.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/significance.h"
#include "analyzer/base/text.h"
#include "analyzer/model/process_age.h"
#include "analyzer/model/runtime_work.h"

namespace hindsight::analyzer {
std::optional<bool> AreOfOneAge(const EventReports& before, const EventReports& after,
                                const ComparisonRules& rules) {
  const std::optional<uint64_t> old_age = AgeAtStart(before.model.facts);
  const std::optional<uint64_t> new_age = AgeAtStart(after.model.facts);
  if (!old_age || !new_age) return std::nullopt;
  const double a = static_cast<double>(*old_age) / 1e9, b = static_cast<double>(*new_age) / 1e9;
  return std::abs(a - b) <= rules.same_age_seconds + rules.same_age * std::max(a, b);
}

namespace {

bool AreOfOneLength(const Work& before, const Work& after, const ComparisonRules& rules) {
  return Away(before.slices.seconds() / after.slices.seconds()) <= 1 + rules.same_age;
}

}  // namespace

CompilingChange CompareCompiling(const ChangeCell& compiling, const EventReports& before,
                                 const Work& before_work, const EventReports& after,
                                 const Work& after_work, const ComparisonRules& rules) {
  const auto per_core = [](const Work& work) {
    return 1e-9 / std::max(1e-9, work.slices.seconds());
  };
  const ChangeTest test =
      TestChange({compiling.before, per_core(before_work)}, {compiling.after, per_core(after_work)},
                 0, rules.changes.chance);
  const double more = std::max(test.before, test.after), less = std::min(test.before, test.after);
  if (more < rules.much_compiling || more < rules.compiling_factor * less) return {};
  const std::string amounts = FromTo(AmountKind::kCpuTime, Per::kSecond, test.before, test.after);
  const auto note = [&](std::string_view why) {
    return CompilingChange{.difference = {},
                           .note = "The JIT compiler took " + amounts + std::string(why)};
  };
  const std::optional<bool> is_same_age = AreOfOneAge(before, after, rules);
  if (is_same_age == false) {
    return note(
        ", which is not compared: one recording began closer to its process's start, where code is "
        "also slower.");
  }
  if (!is_same_age || !AreOfOneLength(before_work, after_work, rules)) {
    return note(", which is not compared: most is compiled near a process's start.");
  }
  if (more < rules.sure_compiling_factor * less || test.p > 1 - rules.confidence) {
    return note(". This may be chance: how much is compiled when varies.");
  }
  Difference difference;
  difference.signal = Signal::kCpu;
  difference.measure = "cpu.cores";
  difference.subject = kCompilingFrame;
  difference.unit = Unit::kCores;
  difference.before = test.before;
  difference.after = test.after;
  difference.error = test.error;
  difference.direction = DirectionOf(test.before, test.after);
  difference.confidence = 1 - std::min(0.5, test.p);
  difference.amounts = amounts;
  difference.title =
      "The JIT compiler uses " + HowMuch(test.before, test.after, "CPU time") + ": " + amounts;
  difference.evidence = FormatCount(compiling.before.samples) + " -> " +
                        Plural(compiling.after.samples, "sample") +
                        ", at the same age of the process";
  if (IsWorse(difference)) {
    difference.evidence +=
        ". Code that is created anew each time is compiled each time: "
        "expressions, regular expressions, serializer options";
  }
  difference.command = "cpu";
  const double all = std::max({before.cpu.cores, after.cpu.cores, more});
  difference.impact =
      std::abs(test.after - test.before) / all * std::min(1.0, all / rules.weights.busy_cores);
  return {.difference = std::move(difference), .note = {}};
}

}  // namespace hindsight::analyzer
