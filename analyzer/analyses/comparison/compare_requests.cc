// Requests: how long they take and how many fail, by route and by called server. Counts and sums of
// times are exact, so chance is only in how requests differ.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kFailureMeasure = ".failed.share";

// The time in which requests were recorded by route.
TimeSlices RecordedTime(const Model& model) {
  const int64_t from_ns =
      std::max(model.facts.begin_ns(), model.requests.kinds_from_ns.value_or(0));
  return {from_ns, std::max(from_ns, model.facts.last_ns)};
}

double PerSecond(uint64_t amount, const TimeSlices& time) {
  return time.seconds() > 0 ? static_cast<double>(amount) / time.seconds() : 0;
}

// A route, or a server.
struct Pair {
  bool is_served = false;
  const RequestRow* before = nullptr;  // null: none
  const RequestRow* after = nullptr;

  const RequestRow& any() const { return after != nullptr ? *after : *before; }
  std::string Name() const { return any().Name(is_served ? "(no route)" : "(unknown server)"); }
  std::string MeasureOf(std::string_view what) const {
    return (is_served ? "requests" : "calls") + std::string(what);
  }
  Difference::Level level() const {
    return is_served ? Difference::Level::kRoute : Difference::Level::kServer;
  }
};

// Those of the later recording first.
void AppendPairs(const std::vector<RequestRow>& before, const std::vector<RequestRow>& after,
                 bool is_served, std::vector<Pair>& pairs) {
  std::map<std::pair<std::string_view, std::string_view>, const RequestRow*> old_rows;
  for (const RequestRow& row : before) old_rows[{row.method, row.target}] = &row;
  for (const RequestRow& row : after) {
    const auto old = old_rows.find({row.method, row.target});
    pairs.push_back({is_served, old == old_rows.end() ? nullptr : old->second, &row});
    if (old != old_rows.end()) old_rows.erase(old);
  }
  for (const RequestRow& row : before) {
    if (old_rows.contains({row.method, row.target})) pairs.push_back({is_served, &row, nullptr});
  }
}

std::vector<Pair> PairsOf(const EventReports& before, const EventReports& after) {
  std::vector<Pair> pairs;
  AppendPairs(before.requests.served, after.requests.served, true, pairs);
  AppendPairs(before.requests.made, after.requests.made, false, pairs);
  return pairs;
}

// All requests of a recording, served or made.
struct Totals {
  uint64_t count = 0, total_ns = 0;
  TimeSlices time{0, 0};
};

Totals TotalsOf(const EventReports& reports, bool is_served) {
  Totals totals{.time = RecordedTime(reports.model)};
  for (const RequestRow& row : is_served ? reports.requests.served : reports.requests.made) {
    totals.count += row.count;
    totals.total_ns += row.total_ns;
  }
  return totals;
}

// The amount per request, in slices that show how it varies: each has its part of the mean, plus
// what its own requests had in excess of the average for these. The number of requests in a slice
// is not variability.
Amounts MeanOf(uint64_t sum, const TimeSeries& sums, const RequestRow& row,
               const TimeSlices& time) {
  const auto parts = static_cast<uint32_t>(Amounts::kSlices);
  const std::vector<double> sum_in = sums.Resampled(time.from_ns(), time.to_ns(), parts);
  const std::vector<double> count_in = row.counts.Resampled(time.from_ns(), time.to_ns(), parts);
  const auto count = static_cast<double>(row.count);
  Amounts amounts;
  amounts.total = static_cast<double>(sum) / count;
  for (size_t i = 0; i < Amounts::kSlices; ++i) {
    const double more = (sum_in[i] - amounts.total * count_in[i]) / count;
    amounts.slices[i] = static_cast<float>(amounts.total / Amounts::kSlices + more);
  }
  return amounts;
}

Amounts TimeOf(const RequestRow& row, const TimeSlices& time) {
  Amounts amounts = MeanOf(row.total_ns, row.times, row, time);
  amounts.samples = row.count;
  amounts.variance = row.variance_ns2 / static_cast<double>(row.count);
  return amounts;
}

Amounts FailuresOf(const RequestRow& row, const TimeSlices& time) {
  Amounts amounts = MeanOf(row.failed, row.failures, row, time);
  amounts.samples = row.failed;
  amounts.variance = amounts.total / static_cast<double>(row.count);
  return amounts;
}

// The routes and servers that can be judged, each with one cell and one row.
class Judged {
 public:
  using Of = Amounts (*)(const RequestRow& row, const TimeSlices& time);

  Judged(const EventReports& before, const EventReports& after, const ComparisonRules& rules)
      : rules_(rules) {
    for (const Pair& pair : PairsOf(before, after)) {
      if (pair.before == nullptr || pair.after == nullptr) continue;
      if (std::min(pair.before->count, pair.after->count) >= rules.few_requests) {
        pairs_.push_back(pair);
      }
    }
    for (const bool is_served : {false, true}) {
      before_[is_served] = TotalsOf(before, is_served);
      after_[is_served] = TotalsOf(after, is_served);
    }
  }

  void AddTo(SignalChanges& changes, Of amounts_of) const {
    for (const Pair& pair : pairs_) {
      ChangeRow row;
      row.level = pair.level();
      row.subject = pair.Name();
      row.cells = {static_cast<uint32_t>(changes.cells.size())};
      changes.rows.push_back(std::move(row));
      changes.cells.push_back({.before = amounts_of(*pair.before, before_[0].time),
                               .after = amounts_of(*pair.after, after_[0].time)});
    }
  }

  const Pair& PairOf(const Change& change) const { return pairs_[change.cells.front()]; }

  // The additional time of requests, as a share of the time of all requests in the recording in
  // which they take longer.
  double ImpactOfTime(const Change& change) const {
    const Pair& pair = PairOf(change);
    const bool is_longer = change.test.after > change.test.before;
    const Totals& all = (is_longer ? after_ : before_)[pair.is_served];
    const RequestRow& row = is_longer ? *pair.after : *pair.before;
    const double moved =
        std::abs(change.test.after - change.test.before) * static_cast<double>(row.count);
    return Weighted(moved / static_cast<double>(std::max<uint64_t>(1, all.total_ns)), all);
  }

  double ImpactOfFailures(const Change& change) const {
    const bool are_more = change.test.after > change.test.before;
    const Totals& all = (are_more ? after_ : before_)[PairOf(change).is_served];
    const double moved = std::abs(change.test.after - change.test.before);
    return Weighted(moved / rules_.weights.failing, all);
  }

 private:
  double Weighted(double share, const Totals& all) const {
    const double rate = PerSecond(all.count, all.time);
    return std::min(1.0, share) * std::min(1.0, rate / rules_.weights.busy_requests);
  }

  const ComparisonRules rules_;
  std::vector<Pair> pairs_;
  Totals before_[2], after_[2];  // indexed by whether they were served
};

std::string FromToDuration(uint64_t before, uint64_t after) {
  return FromTo(AmountKind::kWaiting, Per::kNothing, static_cast<double>(before),
                static_cast<double>(after));
}

std::string TitleOfTime(const Pair& pair, const Change& change, const std::string& amounts) {
  return pair.Name() + " takes " + HowLong(change.test.before, change.test.after) +
         (pair.is_served ? " per request: " : " per call: ") + amounts;
}

std::string TitleOfFailures(const Pair& pair, const Change& change) {
  const std::string before = FormatPercent(change.test.before);
  if (change.test.after == 0) return pair.Name() + " no longer fails, was " + before;
  return pair.Name() + " fails " + FormatPercent(change.test.after) + " of the time, was " + before;
}

// How most of the failed ones ended; empty: unknown.
std::string MostlyFailedBy(const RequestRow& row) {
  const std::string how =
      row.endings.empty() || !row.endings.front().is_failure ? "" : row.endings.front().How();
  return how.empty() ? "" : "; mostly with " + how;
}

std::string LookedAt(const EventReports& before, const EventReports& after) {
  const auto both = [&](bool is_served, std::string_view noun) {
    return FormatCount(TotalsOf(before, is_served).count) + " and " +
           Plural(TotalsOf(after, is_served).count, noun);
  };
  const bool has_made = !before.requests.made.empty() || !after.requests.made.empty();
  return both(true, "request") + (has_made ? ", " + both(false, "call") : "");
}

ComparedSignal Begin(const EventReports& before, const EventReports& after) {
  ComparedSignal signal;
  signal.changes.signal = Signal::kRequests;
  signal.looked_at = LookedAt(before, after);
  signal.is_empty = PairsOf(before, after).empty();
  return signal;
}

void NoteMissing(const char* which, const Requests& requests, std::vector<std::string>& notes) {
  if (!requests.lacks_kinds && !requests.is_refused) return;
  notes.push_back(std::string("The ") + which +
                  " recording does not know all kinds of requests: a route that is missing there "
                  "may have been served.");
}

// Rows are not tested relative to it: clients wait, whatever the reason is.
void NoteCommonFactor(SignalChanges changes, const ComparisonRules& rules,
                      std::vector<std::string>& notes) {
  for (ChangeRow& row : changes.rows) row.is_part = true;
  const CommonFactor common = FindCommonFactor(changes, rules.changes);
  if (!common.is_sure || std::max(common.factor, 1 / common.factor) < rules.noted_factor) return;
  notes.push_back("Most routes and servers changed by " + HowMuch(1, common.factor, "time") +
                  " per request alike: the load, the machine's speed or what they share differs.");
}

RouteNumbers NumbersOf(const RequestRow& row, const TimeSlices& time) {
  return {.count = row.count,
          .failed = row.failed,
          .per_second = PerSecond(row.count, time),
          .failed_share =
              row.count == 0 ? 0 : static_cast<double>(row.failed) / static_cast<double>(row.count),
          .mean_ns = row.mean_ns(),
          .p95_ns = row.p95_ns,
          .p99_ns = row.p99_ns};
}

}  // namespace

ComparedSignal CompareRequestTimes(const EventReports& before, const Work&,
                                   const EventReports& after, const Work&,
                                   const ComparisonRules& rules) {
  ComparedSignal signal = Begin(before, after);
  signal.changes.margin = std::max(rules.min_change, rules.min_change_of_requests);
  signal.changes.least = rules.min_request_ns;
  const auto judged = std::make_shared<Judged>(before, after, rules);
  judged->AddTo(signal.changes, TimeOf);
  NoteMissing("first", before.model.requests, signal.notes);
  NoteMissing("second", after.model.requests, signal.notes);
  NoteCommonFactor(signal.changes, rules, signal.notes);
  signal.describe = [judged](const SignalChanges&, const Change& change, Difference& difference) {
    const Pair& pair = judged->PairOf(change);
    difference.measure = pair.MeasureOf(kTimeOfRequests);
    difference.unit = UnitOf(AmountKind::kWaiting, Per::kNothing);
    difference.amounts =
        FromTo(AmountKind::kWaiting, Per::kNothing, change.test.before, change.test.after);
    difference.title = TitleOfTime(pair, change, difference.amounts);
    difference.evidence = FormatCount(pair.before->count) + " -> " +
                          Plural(pair.after->count, pair.is_served ? "request" : "call") + ", +-" +
                          AmountText(AmountKind::kWaiting, Per::kNothing, change.test.error) +
                          "; p95 " + FromToDuration(pair.before->p95_ns, pair.after->p95_ns) +
                          ", p99 " + FromToDuration(pair.before->p99_ns, pair.after->p99_ns);
    difference.command = "requests";
    difference.impact = judged->ImpactOfTime(change);
  };
  return signal;
}

ComparedSignal CompareRequestFailures(const EventReports& before, const Work&,
                                      const EventReports& after, const Work&,
                                      const ComparisonRules& rules) {
  ComparedSignal signal = Begin(before, after);
  signal.changes.margin = rules.min_change;
  signal.changes.least = rules.min_failures;
  const auto judged = std::make_shared<Judged>(before, after, rules);
  judged->AddTo(signal.changes, FailuresOf);
  signal.describe = [judged](const SignalChanges&, const Change& change, Difference& difference) {
    const Pair& pair = judged->PairOf(change);
    const auto part = [](const RequestRow& row) {
      return FormatCount(row.failed) + " of " + FormatCount(row.count);
    };
    difference.measure = pair.MeasureOf(kFailureMeasure);
    difference.unit = UnitOf(AmountKind::kShare, Per::kNothing);
    difference.amounts =
        FromTo(AmountKind::kShare, Per::kNothing, change.test.before, change.test.after);
    difference.title = TitleOfFailures(pair, change);
    difference.evidence =
        part(*pair.before) + " -> " + part(*pair.after) +
        (pair.is_served ? " requests, +-" : " calls, +-") +
        AmountText(AmountKind::kShare, Per::kNothing, std::min(1.0, change.test.error)) +
        MostlyFailedBy(change.test.after > change.test.before ? *pair.after : *pair.before);
    difference.command = "requests";
    difference.impact = judged->ImpactOfFailures(change);
  };
  return signal;
}

RouteChanges PairRoutes(const EventReports& before, const EventReports& after,
                        const std::vector<Difference>& differences) {
  std::map<std::pair<std::string, std::string>, RouteChange::Change> judged;
  for (const Difference& difference : differences) {
    if (difference.signal != Signal::kRequests) continue;
    judged[{difference.measure, difference.subject}] =
        IsWorse(difference) ? RouteChange::Change::kWorse : RouteChange::Change::kBetter;
  }
  const auto judgement = [&](const Pair& pair, std::string_view measure) {
    const auto found = judged.find({pair.MeasureOf(measure), pair.Name()});
    return found == judged.end() ? std::nullopt : std::optional(found->second);
  };
  const TimeSlices old_time = RecordedTime(before.model), new_time = RecordedTime(after.model);
  RouteChanges changes;
  for (const Pair& pair : PairsOf(before, after)) {
    RouteChange change;
    change.name = pair.Name();
    if (pair.before != nullptr) change.before = NumbersOf(*pair.before, old_time);
    if (pair.after != nullptr) change.after = NumbersOf(*pair.after, new_time);
    change.time = judgement(pair, kTimeOfRequests);
    change.failures = judgement(pair, kFailureMeasure);
    (pair.is_served ? changes.served : changes.made).push_back(std::move(change));
  }
  PutChangedFirst(changes.served);
  PutChangedFirst(changes.made);
  return changes;
}

}  // namespace hindsight::analyzer
