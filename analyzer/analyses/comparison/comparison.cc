#include "analyzer/analyses/comparison/comparison.h"

#include <algorithm>
#include <utility>

#include "analyzer/analyses/comparison/change_words.h"
#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/analyses/comparison/recording_facts.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// What changed alike by less than this may be the machine's doing.
constexpr double kMachine = 1.1;

class Run {
 public:
  Run(const Reports& before, const Reports& after, const ComparisonRules& rules)
      : before_(before), after_(after), rules_(rules) {
    comparison_.per = rules.per;
  }

  Comparison Compare() {
    comparison_.notes = NotesOn(before_, after_, rules_);
    comparison_.coverage = CoverageOf(before_, after_);
    if (before_.events && after_.events) CompareEvents();
    std::stable_sort(comparison_.differences.begin(), comparison_.differences.end(),
                     [](const Difference& a, const Difference& b) {
                       return std::pair(!IsWorse(a), -a.impact) < std::pair(!IsWorse(b), -b.impact);
                     });
    return std::move(comparison_);
  }

 private:
  bool IsCompared(Signal signal) const {
    return std::any_of(comparison_.coverage.begin(), comparison_.coverage.end(),
                       [signal](const Coverage& coverage) {
                         return coverage.signal == signal &&
                                coverage.state != Coverage::State::kNotRecorded;
                       });
  }

  void CompareEvents() {
    const Work old_work = WorkOf(before_.events->model, rules_.per);
    const Work new_work = WorkOf(after_.events->model, rules_.per);
    if (old_work.Scale() == 0 || new_work.Scale() == 0) return;
    using Make = ComparedSignal (*)(const EventReports&, const Work&, const EventReports&,
                                    const Work&, const ComparisonRules&);
    const std::pair<Signal, Make> kSignals[] = {{Signal::kCpu, CompareCpu},
                                                {Signal::kExceptions, CompareExceptions},
                                                {Signal::kAllocations, CompareAllocations}};
    std::vector<ComparedSignal> signals;
    for (const auto& [signal, make] : kSignals) {
      if (!IsCompared(signal)) continue;
      signals.push_back(make(*before_.events, old_work, *after_.events, new_work, rules_));
    }
    std::vector<double> p_values;
    for (ComparedSignal& signal : signals) {
      TakeOutCommonFactor(signal);
      AppendPValues(signal.changes, p_values);
    }
    const double limit = HolmLimit(p_values, 1 - rules_.confidence);
    for (const ComparedSignal& signal : signals) {
      for (const Change& change : ExplainChanges(signal.changes, limit)) {
        comparison_.differences.push_back(DifferenceOf(signal, change, p_values.size()));
      }
      SetLookedAt(signal);
    }
  }

  // What the work or the machine does is no method's doing.
  void TakeOutCommonFactor(ComparedSignal& signal) {
    const CommonFactor common = FindCommonFactor(signal.changes);
    signal.changes.before_scale *= common.factor;
    if (std::max(common.factor, 1 / common.factor) < kMachine) return;
    comparison_.notes.push_back("Most of the " + signal.common +
                                " changed alike: " + HowMuch(1, common.factor, "of it") +
                                ". So does the load, or a slower machine. What is " +
                                "told of methods and types is what differs from that.");
  }

  static Difference DifferenceOf(const ComparedSignal& signal, const Change& change, size_t tests) {
    Difference difference;
    difference.signal = signal.changes.signal;
    difference.level = change.row->level;
    difference.subject = change.row->subject;
    difference.before = change.test.before;
    difference.after = change.test.after;
    difference.error = change.test.error;
    difference.direction = DirectionOf(difference.before, difference.after);
    difference.confidence =
        1 - std::min(0.5, change.test.p * static_cast<double>(std::max<size_t>(1, tests)));
    signal.describe(signal.changes, change, difference);
    return difference;
  }

  void SetLookedAt(const ComparedSignal& signal) {
    for (Coverage& coverage : comparison_.coverage) {
      if (coverage.signal == signal.changes.signal) coverage.looked_at = signal.looked_at;
    }
  }

  const Reports& before_;
  const Reports& after_;
  const ComparisonRules& rules_;
  Comparison comparison_;
};

}  // namespace

bool IsWorse(const Difference& difference) {
  return difference.direction == Difference::Direction::kWorse ||
         difference.direction == Difference::Direction::kNew;
}

std::string VerdictOf(const Comparison& comparison) {
  const auto worse = static_cast<size_t>(
      std::count_if(comparison.differences.begin(), comparison.differences.end(), IsWorse));
  const size_t better = comparison.differences.size() - worse;
  const auto things = [](size_t count) {
    return count == 1 ? std::string("1 thing") : FormatCount(count) + " things";
  };
  if (comparison.is_empty()) {
    const auto compared = static_cast<size_t>(std::count_if(
        comparison.coverage.begin(), comparison.coverage.end(),
        [](const Coverage& coverage) { return coverage.state != Coverage::State::kNotRecorded; }));
    return "No difference: " + Plural(compared, "signal") + " compared.";
  }
  const std::string& first = comparison.differences.front().title;
  if (worse == 0) return "Nothing got worse, " + things(better) + " got better: " + first;
  return things(worse) + " got worse: " + first;
}

Comparison Compare(const Reports& before, const Reports& after, const ComparisonRules& rules) {
  return Run(before, after, rules).Compare();
}

}  // namespace hindsight::analyzer
