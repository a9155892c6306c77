#include "analyzer/analyses/comparison/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/compare_compiling.h"
#include "analyzer/analyses/comparison/compare_levels.h"
#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/analyses/comparison/consequences.h"
#include "analyzer/analyses/comparison/recording_facts.h"
#include "analyzer/analyses/comparison/states.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/base/text.h"
#include "analyzer/model/process_age.h"
#include "analyzer/model/runtime_work.h"

namespace hindsight::analyzer {
namespace {

class Run {
 public:
  Run(const Reports& before, const Reports& after, const ComparisonRules& rules)
      : before_(before), after_(after), rules_(rules) {
    comparison_.per = rules.per;
  }

  Comparison Compare() {
    comparison_.notes = NotesOn(before_, after_, rules_);
    comparison_.coverage = CoverageOf(before_, after_);
    comparison_.only_before = RecordedOnlyIn(before_, after_);
    comparison_.only_after = RecordedOnlyIn(after_, before_);
    CompareStates(
        before_, after_, [this](Signal signal) { return AreStatesCompared(signal); }, rules_,
        comparison_);
    if (before_.events && after_.events) CompareEvents();
    DropStatesOfLocksThatChanged();
    if (before_.heap && after_.heap) CompareHeapsIfComplete();
    FoldConsequences(comparison_.differences, rules_);
    std::stable_sort(comparison_.differences.begin(), comparison_.differences.end(),
                     [](const Difference& a, const Difference& b) {
                       return std::pair(!IsWorse(a), -a.impact) < std::pair(!IsWorse(b), -b.impact);
                     });
    return std::move(comparison_);
  }

 private:
  // A uniform change of a signal.
  struct Common {
    const ComparedSignal* signal = nullptr;
    CommonFactor found;
  };

  // CoverageOf returns all of them, in order.
  Coverage& CoverageAt(Signal signal) { return comparison_.coverage[static_cast<size_t>(signal)]; }

  bool IsCompared(Signal signal) {
    return CoverageAt(signal).state != Coverage::State::kNotRecorded;
  }

  // Requests are compared by route, but fewer are served, or pile up, whatever was recorded of them;
  // the latter says something unless it is known how long requests take.
  void NoteRequests() {
    const Model &before = before_.events->model, &after = after_.events->model;
    NoteFewerServed(before, after, rules_, comparison_);
    const bool is_known = IsCompared(Signal::kRequests) ||
                          std::ranges::any_of(comparison_.differences, [](const Difference& found) {
                            return found.signal == Signal::kRequests;
                          });
    if (is_known) return;
    NoteMeanRequests(before, after, rules_, comparison_);
    const std::optional<std::string> title = CompareRequestsInProgress(before, after, rules_);
    if (title) {
      comparison_.Note(*title, "They take as much longer, unless clients keep some of them open.",
                       true);
    }
  }

  bool AreStatesCompared(Signal signal) {
    // What shows without a heap snapshot.
    if (signal == Signal::kHeap) return before_.events && after_.events;
    if (signal != Signal::kRequests) return IsCompared(signal);
    return before_.events && after_.events && before_.events->model.facts.requests_on &&
           after_.events->model.facts.requests_on;
  }

  // What is missing in an incomplete snapshot would be an improvement.
  void CompareHeapsIfComplete() {
    const bool was_complete = before_.heap->model.graph.facts.complete();
    if (was_complete && after_.heap->model.graph.facts.complete()) {
      SetLookedAt(Signal::kHeap,
                  CompareSnapshots(*before_.heap, *after_.heap, rules_, comparison_));
      return;
    }
    CoverageAt(Signal::kHeap).state = Coverage::State::kNotRecorded;
    comparison_.notes.push_back(
        std::string("The heaps are not compared: the snapshot of the ") +
        (was_complete ? "second" : "first") +
        " recording is incomplete. `hindsight heap` of that recording says why.");
  }

  // A lock that stops everything now and then is a state: its waits come in bursts, which may be
  // chance. Where waits have changed for certain, that says more.
  void DropStatesOfLocksThatChanged() {
    std::set<bool> changed;  // for better, for worse
    const auto is_state = [](const Difference& difference) {
      return difference.measure == kStateMeasure;
    };
    for (const Difference& difference : comparison_.differences) {
      if (difference.signal != Signal::kLocks || is_state(difference)) continue;
      changed.insert(IsWorse(difference));
    }
    std::erase_if(comparison_.differences, [&](const Difference& difference) {
      return difference.signal == Signal::kLocks && is_state(difference) &&
             changed.contains(IsWorse(difference));
    });
  }

  void CompareEvents() {
    const Work old_work = WorkOf(before_.events->model, rules_.per);
    const Work new_work = WorkOf(after_.events->model, rules_.per);
    using Make = ComparedSignal (*)(const EventReports&, const Work&, const EventReports&,
                                    const Work&, const ComparisonRules&);
    constexpr std::pair<Signal, Make> kSignals[] = {{Signal::kCpu, CompareCpu},
                                                    {Signal::kExceptions, CompareExceptions},
                                                    {Signal::kAllocations, CompareAllocations},
                                                    {Signal::kLocks, CompareLocks},
                                                    {Signal::kPauses, ComparePauses},
                                                    {Signal::kThreads, CompareThreads},
                                                    {Signal::kRequests, CompareRequestTimes},
                                                    {Signal::kRequests, CompareRequestFailures}};
    std::vector<ComparedSignal> signals;
    for (const auto& [signal, make] : kSignals) {
      if (!IsCompared(signal)) continue;
      const bool is_scaled = signal != Signal::kRequests;  // those are per request in any case
      if (is_scaled && (old_work.Scale() == 0 || new_work.Scale() == 0)) {
        LeaveOut(signal);
        continue;
      }
      signals.push_back(make(*before_.events, old_work, *after_.events, new_work, rules_));
      SetLookedAt(signal, signals.back().looked_at, signals.back().is_empty);
      for (std::string& note : signals.back().notes) comparison_.notes.push_back(std::move(note));
      if (signals.back().difference) {
        comparison_.differences.push_back(*std::move(signals.back().difference));
      }
    }
    std::vector<Common> commons;
    for (ComparedSignal& signal : signals) {
      commons.push_back({&signal, TakeOutCommonFactor(signal.changes, rules_.changes)});
    }
    // Each signal has its share of the error probability, so that the many rows of one do not drown
    // the few of another.
    const double alpha = (1 - rules_.confidence) / static_cast<double>(signals.size());
    std::vector<double> limits;
    std::vector<size_t> tests;  // parallel to limits, for all signals together
    std::vector<Difference> of_processors;
    for (size_t i = 0; i < signals.size(); ++i) {
      const ComparedSignal& signal = signals[i];
      std::vector<double> p_values;
      AppendPValues(signal.changes, p_values, rules_.changes);
      tests.push_back(p_values.size() * signals.size());
      limits.push_back(HolmLimit(std::move(p_values), alpha));
      for (Change& change : ExplainChanges(signal.changes, limits.back(), rules_.changes)) {
        if (!SetMeasured(change, commons[i])) continue;
        Difference difference = DifferenceOf(signal, change, tests.back());
        if (NoteOnlyEnd(change, difference.title)) continue;
        if (NoteWarmUp(difference, signal.changes.is_one_build)) continue;
        MentionScale(commons[i], difference);
        if (MayBeOfProcessors(difference)) {
          of_processors.push_back(std::move(difference));
          continue;
        }
        if (MayBeFixedCost(difference, old_work, new_work)) {
          if (difference.level == Difference::Level::kWhole) {
            comparison_.Note(difference.title,
                             "It is not so per second: with fewer requests, start-up and other "
                             "fixed costs weigh more.",
                             true);
            continue;
          }
          difference.impact *= rules_.weights.fixed_cost;
          difference.evidence += "; not per second";
        }
        comparison_.differences.push_back(std::move(difference));
      }
    }
    AddOfProcessors(std::move(of_processors));
    std::vector comparisons = {CompareServed};
    if (!IsCompared(Signal::kRequests)) {
      comparisons.insert(comparisons.end(), {CompareMeanRequests, CompareFailingRequests});
    } else {
      comparison_.routes = PairRoutes(*before_.events, *after_.events, comparison_.differences);
      CompareLongerRoutes(before_.events->model, after_.events->model, rules_, comparison_);
    }
    for (const auto compare : comparisons) {
      std::optional<Difference> found =
          compare(before_.events->model, after_.events->model, rules_);
      if (found) comparison_.differences.push_back(std::move(*found));
    }
    NoteRequests();
    for (Difference& difference :
         CompareRequestWork(before_.events->model, after_.events->model, rules_)) {
      comparison_.differences.push_back(std::move(difference));
    }
    ReportCommonFactors(commons, old_work, new_work);
    if (rules_.per == Per::kSecond) NoteWhatFollowsLoad(comparison_);
    CompareLevels(before_.events->model, after_.events->model, rules_, comparison_);
    for (size_t i = 0; i < signals.size(); ++i) {
      for (Change& burst : FindBursts(signals[i].changes, limits[i], rules_.changes)) {
        if (!SetMeasured(burst, commons[i])) continue;
        const std::string title = DifferenceOf(signals[i], burst, tests[i]).title;
        if (IsReported(burst) || NoteOnlyEnd(burst, title)) continue;
        const bool is_yours = burst.row->least == 0;
        comparison_.Note(title,
                         "This may be chance, as it varies much or was seen rarely; longer "
                         "recordings would show.",
                         is_yours);
      }
    }
  }

  // Rows are tested, and shown, relative to what most of them have in common. Of the whole, which
  // is no such row, and of allocations, which do not depend on the machine's speed, amounts are
  // shown as measured.
  static bool IsShownAsMeasured(Signal signal, Difference::Level level) {
    return level == Difference::Level::kWhole || signal == Signal::kAllocations;
  }
  // Returns false if it did not change in that way.
  bool SetMeasured(Change& change, const Common& common) const {
    if (!IsShownAsMeasured(common.signal->changes.signal, change.row->level)) return true;
    const double relative = change.test.after - change.test.before;
    change.test.before /= common.found.factor;
    const double measured = change.test.after - change.test.before;
    return relative * measured > 0 && std::abs(measured) >= rules_.min_change * change.test.before;
  }

  // Appends to the evidence that the first amount is not the measured one.
  void MentionScale(const Common& common, Difference& difference) const {
    if (IsShownAsMeasured(difference.signal, difference.level) || difference.before == 0 ||
        Away(common.found.factor) < rules_.noted_factor) {
      return;
    }
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(),
                  "; the first amount is %.2f times the measured one, as most rows changed so",
                  common.found.factor);
    difference.evidence += text.data();
  }

  bool IsReported(const Change& change) const {
    return std::ranges::any_of(comparison_.differences, [&](const Difference& difference) {
      return !change.row->subject.empty() && difference.subject == change.row->subject;
    });
  }

  // What the runtime does for code that runs for the first time, such as to load its types; and
  // code that is slower at first.
  bool NoteWarmUp(const Difference& difference, bool is_one_build) {
    if (difference.signal != Signal::kCpu ||
        AreOfOneAge(*before_.events, *after_.events, rules_) != false) {
      return false;
    }
    const bool is_second_older =
        AgeAtStart(before_.events->model.facts) < AgeAtStart(after_.events->model.facts);
    const bool is_less_when_older = is_second_older == (difference.after < difference.before);
    const bool is_warm_up = is_one_build && is_less_when_older &&
                            Away(difference.after / difference.before) < rules_.most_warm_up;
    if (!IsPreparingCode(difference.subject) && !is_warm_up) return false;
    comparison_.Note(difference.title,
                     "One recording began closer to its process's start, where more code runs for "
                     "the first time, and is slower.",
                     is_warm_up);
    return true;
  }

  bool NoteOnlyEnd(const Change& change, const std::string& title) {
    const std::string_view end = OnlyEndOf(change);
    if (end.empty()) return false;
    comparison_.Note(title,
                     "That was only at the " + std::string(end) +
                         " of the process, which the other recording does not have.",
                     false);
    return true;
  }

  // "start" or "end", if it occurred almost only at that end of the process's life, and only one of
  // the recordings has it; otherwise empty.
  std::string_view OnlyEndOf(const Change& change) const {
    const bool is_before = change.test.before > change.test.after;
    const Amounts& amounts = is_before ? change.before : change.after;
    const RecordingFacts& facts = (is_before ? before_ : after_).events->model.facts;
    const RecordingFacts& others = (is_before ? after_ : before_).events->model.facts;
    const auto is_in = [&](size_t from, size_t to) {
      const double there =
          std::accumulate(amounts.slices.begin() + static_cast<ptrdiff_t>(from),
                          amounts.slices.begin() + static_cast<ptrdiff_t>(to), 0.0);
      return there >= rules_.almost_all * amounts.total;
    };
    const std::optional<uint64_t> age = AgeAtStart(facts), others_age = AgeAtStart(others);
    const double start_ns = static_cast<double>(facts.length_ns()) *
                            static_cast<double>(rules_.slices_of_start) / Amounts::kSlices;
    if (age && others_age &&
        static_cast<double>(*others_age) >= static_cast<double>(*age) + start_ns / 2 &&
        is_in(0, rules_.slices_of_start)) {
      return "start";
    }
    const bool has_end = facts.end == EndReason::kProcessExit;
    if (has_end && others.end != EndReason::kProcessExit &&
        is_in(Amounts::kSlices - rules_.slices_of_end, Amounts::kSlices)) {
      return "end";
    }
    return {};
  }

  // What the load or the machine does to all of a signal is not caused by a method.
  void ReportCommonFactors(const std::vector<Common>& commons, const Work& before,
                           const Work& after) {
    for (const Common& common : commons) {
      const double factor = common.found.factor;
      if (!common.found.is_sure || Away(factor) < rules_.noted_factor) continue;
      Difference whole = DifferenceOf(common);
      // If the whole stayed the same, one row took what the others lost.
      if (Away(whole.after / whole.before) < rules_.noted_factor ||
          MayBeFixedCost(whole, before, after) || !IsInformative(common, commons, before, after) ||
          Away(factor / LoadBeside(common, commons, before, after)) < rules_.common_factor) {
        comparison_.notes.push_back("Most rows changed by " +
                                    HowMuch(1, factor, common.signal->common) +
                                    " alike: the load, the machine's speed or the age of the "
                                    "processes differs. Methods and "
                                    "types are listed only where they deviate from that.");
        continue;
      }
      comparison_.differences.push_back(std::move(whole));
    }
  }

  // What does not depend on the load, such as start-up or a timer, is more per request when there
  // are fewer requests: then it is no more per second.
  bool MayBeFixedCost(const Difference& difference, const Work& before, const Work& after) const {
    if (rules_.per != Per::kRequest || difference.signal == Signal::kRequests) return false;
    const double load = after.RequestsPerSecond() / before.RequestsPerSecond();
    if (Away(load) < rules_.other_load) return false;
    const double now = difference.after * load;
    return IsWorse(difference) ? now <= difference.before * (1 + rules_.min_change)
                               : now >= difference.before * (1 - rules_.min_change);
  }

  // Whether threads waited longer for a lock where they also waited for a processor: so did its
  // owner.
  bool MayBeOfProcessors(const Difference& difference) const {
    const bool was_delayed = before_.events->pool.processors.delays_work();
    const bool is_delayed = after_.events->pool.processors.delays_work();
    const bool is_in_both = difference.before > 0 && difference.after > 0;
    return difference.signal == Signal::kLocks && is_in_both && was_delayed != is_delayed &&
           is_delayed == IsWorse(difference);
  }

  // Unless more CPU time is used in it as well.
  void AddOfProcessors(std::vector<Difference> waits) {
    for (Difference& wait : waits) {
      const auto is_in_it = [&wait](const Difference& other) {
        return other.signal == Signal::kCpu && IsWorse(other) == IsWorse(wait) &&
               std::ranges::find(other.path, wait.subject) != other.path.end();
      };
      if (std::ranges::any_of(comparison_.differences, is_in_it)) {
        comparison_.differences.push_back(std::move(wait));
      } else {
        comparison_.Note(
            wait.title,
            "Threads waited for a processor there, and the owners of locks are among them.", true);
      }
    }
  }

  // Whether a uniform change can be distinguished from the load: always if requests were counted;
  // otherwise only for CPU time, by what else the process did with it. A process from which others
  // take the processors also uses less of them.
  static bool IsInformative(const Common& common, const std::vector<Common>& commons,
                            const Work& before, const Work& after) {
    if (KnowsRequests(before, after)) return true;
    if (common.signal->changes.signal != Signal::kCpu) return false;
    return std::any_of(commons.begin(), commons.end(), [&common](const Common& other) {
      return other.signal != common.signal && other.signal->changes.has_common;
    });
  }

  static bool KnowsRequests(const Work& before, const Work& after) {
    return before.requests > 0 && after.requests > 0;
  }

  // The factor by which the work changed, as far as anything other than the signal shows it.
  double LoadBeside(const Common& common, const std::vector<Common>& commons, const Work& before,
                    const Work& after) const {
    if (KnowsRequests(before, after)) {
      // Per request it is 1.
      return after.requests * after.Scale() / (before.requests * before.Scale());
    }
    double load = 1;
    for (const Common& other : commons) {
      if (&other == &common) continue;
      if (Away(common.found.factor / other.found.factor) < Away(common.found.factor / load)) {
        load = other.found.factor;
      }
    }
    return Away(common.found.factor / load) < rules_.load_factor ? load : 1;
  }

  Difference DifferenceOf(const Common& common) const {
    const ComparedSignal& signal = *common.signal;
    ChangeRow row;
    for (uint32_t i = 0; i < signal.changes.cells.size(); ++i) row.cells.push_back(i);
    const ChangeCell whole = WholeOf(signal.changes);
    Change change{.row = &row, .before = whole.before, .after = whole.after, .cells = row.cells};
    change.test = TestChange(
        {whole.before, signal.changes.before_scale / common.found.factor, &whole.before},
        {whole.after, signal.changes.after_scale, &whole.after}, 0, rules_.changes.chance);
    Difference difference = DifferenceOf(signal, change, 1);
    difference.title =
        "Everything: " + HowMuch(difference.before, difference.after, signal.common) + ": " +
        difference.amounts;
    difference.evidence = FormatCount(common.found.alike) + " of " +
                          FormatCount(common.found.rows) + " methods alike; " + difference.evidence;
    difference.path.clear();
    return difference;
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

  void SetLookedAt(Signal signal, const std::string& what, bool is_empty = false) {
    Coverage& coverage = CoverageAt(signal);
    coverage.looked_at = what;
    if (is_empty) coverage.state = Coverage::State::kNothingThere;
  }

  void LeaveOut(Signal signal) {
    Coverage& coverage = CoverageAt(signal);
    coverage.state = Coverage::State::kNotRecorded;
    coverage.note = "There is nothing to divide by.";
  }

  const Reports& before_;
  const Reports& after_;
  const ComparisonRules& rules_;
  Comparison comparison_;
};

}  // namespace

std::string_view DirectionName(Difference::Direction direction) {
  switch (direction) {
    case Difference::Direction::kWorse:
      return "worse";
    case Difference::Direction::kBetter:
      return "better";
    case Difference::Direction::kNew:
      return "new";
    case Difference::Direction::kGone:
      break;
  }
  return "gone";
}

bool IsWorse(const Difference& difference) {
  return difference.direction == Difference::Direction::kWorse ||
         difference.direction == Difference::Direction::kNew;
}

Comparison Compare(const Reports& before, const Reports& after, const ComparisonRules& rules) {
  return Run(before, after, rules).Compare();
}

}  // namespace hindsight::analyzer
