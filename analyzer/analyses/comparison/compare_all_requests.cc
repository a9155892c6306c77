// Requests, whatever their route, by the recorder's own counts; and routes that take many times as
// long, by the same rules.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/analyses/mean_request.h"
#include "analyzer/analyses/waits/processor_wait.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kServedMeasure = ".per_second";

TimeSlices WholeTime(const Model& model) { return {model.facts.begin_ns(), model.facts.last_ns}; }

// What makes requests longer without being the program's doing: waits of its threads for a
// processor, and the compiler's time; per request, in nanoseconds. Workers without work wait, too:
// how much of that requests waited is between the two.
struct Delay {
  double least = 0, most = 0;
};
// nullopt: not known.
std::optional<Delay> DelayOf(const Model& model) {
  const std::vector<JitState>& jit = model.samples.jit;
  const ProcessorWait wait = ProcessorWaitOf(model);
  if (jit.empty() || wait.used == 0 || model.requests.finished == 0) return {};
  const double recorded_ns = WholeTime(model).seconds() * 1e9;
  const auto compiling_ns = static_cast<double>(jit.back().time_ns - jit.front().time_ns);
  const auto of = [&](double ready) {
    return (ready * recorded_ns + compiling_ns) / static_cast<double>(model.requests.finished);
  };
  return Delay{of(wait.ready_for_work), of(wait.ready)};
}

// Whether requests take longer in one of two recordings than in the other.
class LongerRequests {
 public:
  LongerRequests(const Model& one, const Model& other, const ComparisonRules& rules)
      : rules_(rules), delay_(DelayOf(one)), other_delay_(DelayOf(other)) {
    // A server with much more to do may be slower for that.
    const double load = ServedPerSecond(one) / ServedPerSecond(other);
    if (Away(load) >= rules.other_load) delay_.reset();
  }

  bool Holds(const MeanRequest& mean, const MeanRequest& other) const {
    const auto is = static_cast<double>(mean.least_ns), was = static_cast<double>(other.most_ns);
    if (is < rules_.min_mean_factor * was) return false;
    return delay_ && other_delay_ ? IsSure(is, was)
                                  : is - was >= static_cast<double>(rules_.min_mean_ns);
  }

 private:
  // Even without all the time for which they may have waited for a processor; or if that has grown
  // by much less.
  bool IsSure(double is, double was) const {
    const auto least = static_cast<double>(rules_.min_known_mean_ns);
    if (is - was < least) return false;
    if (is - delay_->most >= rules_.min_mean_factor * was + least) return true;
    const double explained =
        std::max({0.0, delay_->least - other_delay_->least, delay_->most - other_delay_->most});
    return is - was >= rules_.sure_mean * explained;
  }

  const ComparisonRules& rules_;
  std::optional<Delay> delay_, other_delay_;
};

// Of all requests, in nanoseconds; nullopt: not known in both.
struct MeanChange {
  MeanRequest was, is;
};
std::optional<MeanChange> MeansOf(const Model& before, const Model& after,
                                  const ComparisonRules& rules) {
  if (MayKeepRequestsOpen(before.dictionaries) || MayKeepRequestsOpen(after.dictionaries)) {
    return {};
  }
  const std::optional<MeanRequest> was = MeanRequestOf(before.requests);
  const std::optional<MeanRequest> is = MeanRequestOf(after.requests);
  const uint64_t fewest = std::min(before.requests.finished, after.requests.finished);
  if (!was || !is || fewest < rules.many_requests) return {};
  return MeanChange{*was, *is};
}

// Of one route in both recordings.
bool AreMany(const RouteChange& route, const ComparisonRules& rules) {
  return route.before && route.after &&
         std::min(route.before->count, route.after->count) >= rules.many_requests &&
         std::min(route.before->mean_ns, route.after->mean_ns) > 0;
}

double TotalTimeOf(const RouteNumbers& numbers) {
  return static_cast<double>(numbers.mean_ns) * static_cast<double>(numbers.count);
}

// Whether other routes take as long as before: then a route is not longer because of the machine.
bool AreOthersTheSame(const std::vector<RouteChange>& routes, const RouteChange& but,
                      const ComparisonRules& rules) {
  double before = 0, after = 0;  // sums of means: how many requests there were does not matter
  size_t count = 0;
  for (const RouteChange& route : routes) {
    if (&route == &but || !AreMany(route, rules)) continue;
    before += static_cast<double>(route.before->mean_ns);
    after += static_cast<double>(route.after->mean_ns);
    ++count;
  }
  return count >= rules.few_other_routes && Away(after / before) < rules.common_factor;
}

}  // namespace

Difference OfAllRequests(std::string_view measure, AmountKind kind, double before, double after,
                         const ComparisonRules& rules) {
  Difference difference;
  difference.signal = Signal::kRequests;
  difference.direction =
      after > before ? Difference::Direction::kWorse : Difference::Direction::kBetter;
  difference.measure = "requests" + std::string(measure);
  difference.unit = UnitOf(kind, Per::kNothing);
  difference.before = before;
  difference.after = after;
  difference.confidence = rules.confidence_of_finding;
  difference.amounts = FromTo(kind, Per::kNothing, before, after);
  difference.command = "requests";
  return difference;
}

double ServedPerSecond(const Model& model) {
  const double seconds = WholeTime(model).seconds();
  return seconds > 0 ? static_cast<double>(model.requests.finished) / seconds : 0;
}

std::optional<Difference> CompareMeanRequests(const Model& old_model, const Model& new_model,
                                              const ComparisonRules& rules) {
  const std::optional<MeanChange> means = MeansOf(old_model, new_model, rules);
  if (!means) return {};
  const Requests &before = old_model.requests, &after = new_model.requests;
  const auto& [was, is] = *means;
  const bool is_worse = LongerRequests(new_model, old_model, rules).Holds(is, was);
  if (!is_worse && !LongerRequests(old_model, new_model, rules).Holds(was, is)) return {};
  // Where the means are known within bounds, so is the change.
  Difference difference =
      OfAllRequests(kTimeOfRequests, AmountKind::kWaiting,
                    static_cast<double>(is_worse ? was.most_ns : was.least_ns),
                    static_cast<double>(is_worse ? is.least_ns : is.most_ns), rules);
  difference.impact = 1 - std::min(difference.before, difference.after) /
                              std::max(difference.before, difference.after);
  difference.title =
      std::string("Requests take ") + (was.is_known() && is.is_known() ? "" : "at least ") +
      HowLong(difference.before, difference.after) + " on average: " + difference.amounts;
  difference.evidence = FormatCount(before.finished) + " -> " + Plural(after.finished, "request") +
                        ", " +
                        FromTo(AmountKind::kCount, Per::kSecond, ServedPerSecond(old_model),
                               ServedPerSecond(new_model)) +
                        "; which ones was not recorded (requests.routes=on)";
  return difference;
}

void NoteMeanRequests(const Model& before, const Model& after, const ComparisonRules& rules,
                      Comparison& comparison) {
  const std::optional<MeanChange> means = MeansOf(before, after, rules);
  if (!means) return;
  const auto was = static_cast<double>(means->was.most_ns);
  const auto is = static_cast<double>(means->is.least_ns);
  if (is < rules.perhaps_mean_factor * was ||
      is - was < static_cast<double>(rules.min_known_mean_ns)) {
    return;
  }
  comparison.Note("Requests take " + HowLong(was, is) +
                      " on average: " + FromTo(AmountKind::kWaiting, Per::kNothing, was, is),
                  "Whether waits for a processor explain it is not known.", true);
}

void NoteFewerServed(const Model& before, const Model& after, const ComparisonRules& rules,
                     Comparison& comparison) {
  if (!before.facts.requests_on || !after.facts.requests_on) return;
  const double was = ServedPerSecond(before), is = ServedPerSecond(after);
  const uint64_t fewest = std::min(before.requests.finished, after.requests.finished);
  if (fewest < rules.many_requests || was < rules.fewer_requests * is) return;
  comparison.fewer_served = FromTo(AmountKind::kCount, Per::kSecond, was, is);
  comparison.Note(
      "Fewer requests were served: " + comparison.fewer_served,
      "If clients sent as many, the others wait; what is gone may not have been reached.", false);
}

void CompareLongerRoutes(const Model& before, const Model& after, const ComparisonRules& rules,
                         Comparison& comparison) {
  if (MayKeepRequestsOpen(before.dictionaries) || MayKeepRequestsOpen(after.dictionaries)) return;
  const LongerRequests is_longer(after, before, rules), was_longer(before, after, rules);
  std::vector<RouteChange>& routes = comparison.routes->served;
  double old_ns = 0, new_ns = 0;  // of all of them
  for (const RouteChange& route : routes) {
    if (route.before) old_ns += TotalTimeOf(*route.before);
    if (route.after) new_ns += TotalTimeOf(*route.after);
  }
  for (RouteChange& route : routes) {
    if (route.time || !AreMany(route, rules)) continue;
    const MeanRequest was{route.before->mean_ns, route.before->mean_ns};
    const MeanRequest is{route.after->mean_ns, route.after->mean_ns};
    const bool is_worse = is.most_ns > was.most_ns;
    const auto old_mean = static_cast<double>(was.most_ns), mean = static_cast<double>(is.most_ns);
    Difference difference =
        OfAllRequests(kTimeOfRequests, AmountKind::kWaiting, old_mean, mean, rules);
    difference.level = Difference::Level::kRoute;
    difference.subject = route.name;
    difference.title =
        route.name + " takes " + HowLong(old_mean, mean) + " per request: " + difference.amounts;
    if (is_worse ? is_longer.Holds(is, was) : was_longer.Holds(was, is)) {
      route.time = is_worse ? RouteChange::Change::kWorse : RouteChange::Change::kBetter;
      difference.impact = is_worse ? (1 - old_mean / mean) * TotalTimeOf(*route.after) / new_ns
                                   : (1 - mean / old_mean) * TotalTimeOf(*route.before) / old_ns;
      difference.evidence = FormatCount(route.before->count) + " -> " +
                            Plural(route.after->count, "request") +
                            "; waits for a processor and the compiler do not explain it";
      comparison.differences.push_back(std::move(difference));
      continue;
    }
    if (Away(mean / old_mean) >= rules.min_mean_factor &&
        std::abs(mean - old_mean) >= static_cast<double>(rules.min_known_mean_ns) &&
        AreOthersTheSame(routes, route, rules)) {
      comparison.Note(difference.title,
                      "Other routes take as long as before; but it varies much within a recording.",
                      true);
    }
  }
  PutChangedFirst(routes);
}

std::optional<Difference> CompareServed(const Model& old_model, const Model& new_model,
                                        const ComparisonRules& rules) {
  if (!old_model.facts.requests_on || !new_model.facts.requests_on) return {};
  const uint64_t before = old_model.requests.finished, after = new_model.requests.finished;
  const double was = ServedPerSecond(old_model), is = ServedPerSecond(new_model);
  if (std::max(before, after) < rules.many_requests ||
      std::min(before, after) >= rules.many_requests ||
      std::max(was, is) < rules.much_fewer_requests * std::min(was, is)) {
    return {};
  }
  Difference difference = OfAllRequests(kServedMeasure, AmountKind::kCount, was, is, rules);
  difference.direction = is < was ? Difference::Direction::kWorse : Difference::Direction::kBetter;
  difference.unit = Unit::kPerSecond;
  difference.amounts = FromTo(AmountKind::kCount, Per::kSecond, was, is);
  difference.impact = 1;
  difference.title = std::string(is < was ? "Far fewer" : "Far more") +
                     " requests are served: " + difference.amounts;
  difference.evidence = FormatCount(before) + " -> " + Plural(after, "request") +
                        "; with so little work in one recording, other amounts say little";
  return difference;
}

}  // namespace hindsight::analyzer
