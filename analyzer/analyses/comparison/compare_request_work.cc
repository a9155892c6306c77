// What single requests of a route did: how many database commands and calls each made. How long
// they took is compared only by CompareRequestTimes, which can tell it from the load.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// One kind of work of a route's requests.
struct Parts {
  double mean = 0;
  double squares = 0, weight = 0;  // of the requests that are known individually

  // Standard error of the mean over `count` requests.
  double ErrorOf(uint64_t count) const {
    if (!(weight > 0)) return 0;
    const double variance = std::max(0.0, squares / weight - mean * mean);
    return std::sqrt(variance / static_cast<double>(count));
  }
};

struct RouteWork {
  const RequestRoute* route = nullptr;
  Parts commands, calls;
};

std::map<std::string, RouteWork> WorkByRoute(const RequestDetails& details) {
  std::vector<RouteWork> works(details.routes.size());
  for (size_t i = 0; i < works.size(); ++i) {
    const RequestRoute& route = details.routes[i];
    const auto count = static_cast<double>(std::max<uint64_t>(1, route.count));
    works[i].route = &route;
    works[i].commands.mean = static_cast<double>(route.commands) / count;
    works[i].calls.mean = static_cast<double>(route.calls) / count;
  }
  const auto add = [](Parts& parts, uint64_t count, double weight) {
    parts.squares += weight * static_cast<double>(count) * static_cast<double>(count);
    parts.weight += weight;
  };
  for (const SingleRequest& single : details.single) {
    add(works[single.route].commands, single.commands, single.weight);
    add(works[single.route].calls, single.calls, single.weight);
  }
  std::map<std::string, RouteWork> by_name;
  for (RouteWork& work : works) {
    if (!work.route->name.empty()) by_name.emplace(work.route->name, work);
  }
  return by_name;
}

double ShareOfTime(const RequestRoute& route, const RequestDetails& details) {
  double all_ns = 0;
  for (const RequestRoute& other : details.routes) all_ns += static_cast<double>(other.total_ns);
  return all_ns > 0 ? static_cast<double>(route.total_ns) / all_ns : 0;
}

bool Differ(const Parts& was, uint64_t before, const Parts& is, uint64_t after,
            const ComparisonRules& rules) {
  const double more = std::max(was.mean, is.mean), less = std::min(was.mean, is.mean);
  const double error = std::hypot(was.ErrorOf(before), is.ErrorOf(after));
  return more >= rules.min_work_factor * less &&
         more - less >= std::max(rules.min_work, rules.sure_work * error);
}

std::string TitleOf(const std::string& route, double was, double is, std::string_view what) {
  const std::string amounts = FromTo(AmountKind::kCount, Per::kNothing, was, is);
  const std::string much =
      was == 0 || is == 0 ? (is == 0 ? "no " : "") + std::string(what) : HowMuch(was, is, what);
  return route + " makes " + much + " per request: " + amounts;
}

}  // namespace

std::vector<Difference> CompareRequestWork(const Model& old_model, const Model& new_model,
                                           const ComparisonRules& rules) {
  struct Kind {
    Parts RouteWork::*parts;
    std::string_view measure, what;
  };
  constexpr Kind kKinds[] = {{&RouteWork::commands, "requests.commands.mean", "database commands"},
                             {&RouteWork::calls, "requests.calls.mean", "HttpClient calls"}};
  const RequestDetails &old_details = old_model.requests.details,
                       &new_details = new_model.requests.details;
  std::vector<Difference> differences;
  const std::map<std::string, RouteWork> before = WorkByRoute(old_details);
  for (const auto& [name, after] : WorkByRoute(new_details)) {
    const auto found = before.find(name);
    if (found == before.end()) continue;
    const uint64_t old_count = found->second.route->count, new_count = after.route->count;
    if (std::min(old_count, new_count) < rules.few_requests) continue;
    for (const Kind& kind : kKinds) {
      const Parts &was = found->second.*kind.parts, &is = after.*kind.parts;
      if (!Differ(was, old_count, is, new_count, rules)) continue;
      Difference difference;
      difference.signal = Signal::kRequests;
      difference.level = Difference::Level::kRoute;
      difference.direction =
          is.mean > was.mean ? Difference::Direction::kWorse : Difference::Direction::kBetter;
      difference.measure = kind.measure;
      difference.subject = name;
      difference.before = was.mean;
      difference.after = is.mean;
      difference.error = 1.96 * std::hypot(was.ErrorOf(old_count), is.ErrorOf(new_count));
      difference.confidence = rules.confidence_of_finding;
      difference.amounts = FromTo(AmountKind::kCount, Per::kNothing, was.mean, is.mean);
      difference.title = TitleOf(name, was.mean, is.mean, kind.what);
      difference.evidence = FormatCount(old_count) + " -> " + Plural(new_count, "request");
      difference.command = "requests";
      const double share = std::max(ShareOfTime(*found->second.route, old_details),
                                    ShareOfTime(*after.route, new_details));
      difference.impact = share * (1 - std::min(was.mean, is.mean) / std::max(was.mean, is.mean));
      differences.push_back(std::move(difference));
    }
  }
  return differences;
}

}  // namespace hindsight::analyzer
