#include "analyzer/analyses/request_work.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyzer/analyses/call_steps.h"
#include "analyzer/analyses/gc/pauses.h"
#include "analyzer/analyses/method_names.h"

namespace hindsight::analyzer {
namespace {

// For ASP.NET Core 8 to 10.
constexpr std::string_view kServers = "Microsoft.AspNetCore.Server.",
                           kHosting = "Microsoft.AspNetCore.Hosting.HostingApplication";
constexpr std::string_view kServing[] = {"ProcessRequests", "ProcessRequestsAsync",
                                         "ProcessRequestAsync"};
// Methods of DbCommand, whatever class a provider derives from it.
constexpr std::string_view kExecuting[] = {
    "ExecuteReader", "ExecuteReaderAsync", "ExecuteNonQuery",     "ExecuteNonQueryAsync",
    "ExecuteScalar", "ExecuteScalarAsync", "ExecuteDbDataReader", "ExecuteDbDataReaderAsync"};

// What is true of a step and of all steps further in.
struct Beneath {
  bool server = false;   // a server serves a request
  bool command = false;  // a database command is executed
};

// Attributes the time of threads to requests.
class Attribution {
 public:
  Attribution(const Model& model, Places& places, const RequestWorkRules& rules)
      : model_(model),
        places_(places),
        rules_(rules),
        steps_(model.dictionaries, model.samples.calls),
        beneath_(steps_.size()) {
    for (StepId step = 1; step < steps_.size(); ++step) {
      beneath_[step] = beneath_[steps_.parent(step)];
      Mark(beneath_[step], steps_.method(step));
    }
    FindWindows();
  }

  // The route below which the step was certainly seen at this time; -1: none.
  int64_t Seen(uint32_t thread, int64_t at_ns, StepId step) const {
    if (!beneath_[step].server || thread >= windows_.size()) return -1;
    const std::vector<Window>& windows = windows_[thread];
    const auto after = std::upper_bound(
        windows.begin(), windows.end(), at_ns,
        [](int64_t time_ns, const Window& window) { return time_ns < window.from_ns; });
    if (after == windows.begin()) return -1;
    const Window& window = *std::prev(after);
    return at_ns <= window.to_ns ? int64_t{window.route} : -1;
  }

  // Learns which methods of yours are only below one route.
  void Learn(int64_t route, StepId step) {
    if (route < 0) return;
    for (; step != 0 && beneath_[step].server; step = steps_.parent(step)) {
      const MethodId method = steps_.method(step);
      if (!places_.kinds().IsYours(method)) continue;
      ++votes_[Name(method)][static_cast<uint32_t>(route)];
    }
  }

  int64_t RouteOf(uint32_t thread, int64_t at_ns, StepId step) {
    const int64_t seen = Seen(thread, at_ns, step);
    if (seen >= 0 || beneath_[step].server) return seen;
    int64_t route = -1;
    for (; step != 0; step = steps_.parent(step)) {
      const MethodId method = steps_.method(step);
      if (!places_.kinds().IsYours(method)) continue;
      // The outermost conclusive one: what it calls may be called elsewhere, too.
      if (const int64_t reported = ByMethod(method); reported >= 0) route = reported;
    }
    return route;
  }

  bool IsInCommand(StepId step) const { return beneath_[step].command; }
  StepId OfStack(StackId stack) const {
    return stack == 0 ? 0 : model_.samples.calls.size() - 1 + stack;
  }

 private:
  struct Window {
    int64_t from_ns, to_ns;
    uint32_t route;
  };

  void Mark(Beneath& below, MethodId id) const {
    if (id == 0) return;
    const Dictionaries& dictionaries = model_.dictionaries;
    const Method& method = dictionaries.method(id);
    const std::string_view type = dictionaries.String(dictionaries.type(method.type).name);
    const std::string_view name = dictionaries.String(method.name);
    if (ServesRequests(dictionaries, id)) below = {.server = true, .command = false};
    if (type.ends_with("Command") &&
        std::find(std::begin(kExecuting), std::end(kExecuting), name) != std::end(kExecuting)) {
      below.command = true;
    }
  }

  void FindWindows() {
    for (const SingleRequest& request : model_.requests.details.single) {
      if (request.thread == 0) continue;
      if (request.thread >= windows_.size()) windows_.resize(request.thread + 1);
      windows_[request.thread].push_back({request.matched_ns,
                                          request.at_ns + static_cast<int64_t>(request.duration_ns),
                                          request.route});
    }
    for (std::vector<Window>& windows : windows_) {
      std::sort(windows.begin(), windows.end(),
                [](const Window& a, const Window& b) { return a.from_ns < b.from_ns; });
    }
  }

  // Instantiations, and an async method before and after an await, are the same.
  PlaceId Name(MethodId method) { return places_.Of(std::span(&method, 1)); }

  int64_t ByMethod(MethodId method) {
    const auto votes = votes_.find(Name(method));
    if (votes == votes_.end()) return -1;
    uint64_t all = 0;
    std::pair<uint32_t, uint64_t> most = {0, 0};
    for (const auto& vote : votes->second) {
      all += vote.second;
      if (vote.second > most.second) most = vote;
    }
    const bool is_clear =
        all >= rules_.route_samples &&
        static_cast<double>(most.second) >= rules_.route_part * static_cast<double>(all);
    return is_clear ? int64_t{most.first} : -1;
  }

  const Model& model_;
  Places& places_;
  const RequestWorkRules& rules_;
  const CallSteps steps_;
  std::vector<Beneath> beneath_;                                               // indexed by step
  std::vector<std::vector<Window>> windows_;                                   // indexed by thread
  std::unordered_map<PlaceId, std::unordered_map<uint32_t, uint64_t>> votes_;  // counts by route
};

// The time of collection pauses before a moment.
class PauseTime {
 public:
  explicit PauseTime(const Model& model) {
    uint64_t sum_ns = 0;
    int64_t to_ns = INT64_MIN;
    for (const Pause& pause :
         FindPauses(model.collections, model.facts.first_ns, model.facts.last_ns + 1)) {
      if (!pause.is_collection()) continue;
      const int64_t from_ns = std::max(pause.suspension->at_ns, to_ns);
      if (pause.end_ns() <= from_ns) continue;
      to_ns = pause.end_ns();
      pauses_.push_back({from_ns, to_ns, sum_ns});
      sum_ns += static_cast<uint64_t>(to_ns - from_ns);
    }
  }

  uint64_t Before(int64_t at_ns) const {
    const auto after =
        std::upper_bound(pauses_.begin(), pauses_.end(), at_ns,
                         [](int64_t time_ns, const Row& row) { return time_ns < row.from_ns; });
    if (after == pauses_.begin()) return 0;
    const Row& row = *std::prev(after);
    return row.before_ns + static_cast<uint64_t>(std::min(at_ns, row.to_ns) - row.from_ns);
  }

 private:
  struct Row {
    int64_t from_ns, to_ns;
    uint64_t before_ns;
  };
  std::vector<Row> pauses_;
};

// Pauses in the requests of each route, excluding those during commands and calls.
std::vector<double> PausesOf(const Model& model) {
  const RequestDetails& details = model.requests.details;
  std::vector<double> sums(details.routes.size());
  const PauseTime pauses(model);
  for (const SingleRequest& request : details.single) {
    if (request.route >= sums.size() || request.duration_ns == 0) continue;
    const int64_t end_ns = request.at_ns + static_cast<int64_t>(request.duration_ns);
    const auto paused = static_cast<double>(pauses.Before(end_ns) - pauses.Before(request.at_ns));
    const double elsewhere = static_cast<double>(request.database_ns + request.calls_ns) /
                             static_cast<double>(request.duration_ns);
    sums[request.route] += paused * (1 - std::min(1.0, elsewhere)) * request.weight;
  }
  return sums;
}

RequestPartRow PartRow(const Model& model, const RequestPartGroup& group, Places& places,
                       const MethodNames& names) {
  RequestPartRow row;
  row.group = &group;
  if (!row.is_outside()) row.route = model.requests.details.routes[group.route].name;
  if (group.requests > 0) {
    row.per_request = static_cast<double>(group.count) / static_cast<double>(group.requests);
    row.most_per_request = group.per_request.max();
    row.often_per_request = group.per_request.Quantile(0.9);
  }
  std::unordered_map<PlaceId, uint64_t> counts;
  uint64_t most = 0;
  for (const auto& [stack, count] : group.stacks) {
    const std::vector<MethodId> path = model.dictionaries.Path(stack);
    const Place place = places.Find(path);
    if (place.site == 0) continue;
    // If no code of yours is on the stack, nothing shows who made the request.
    const uint64_t sum = counts[places.Of(path)] += count;
    if (sum > most || (place.is_yours && !row.place.is_yours)) {
      most = sum;
      row.place = place;
    }
  }
  if (row.place.site != 0) row.place_name = names.Display(row.place.site);
  return row;
}

}  // namespace

bool ServesRequests(const Dictionaries& dictionaries, MethodId id) {
  const Method& method = dictionaries.method(id);
  const std::string_view type = dictionaries.String(dictionaries.type(method.type).name);
  if (!type.starts_with(kServers) && !type.starts_with(kHosting)) return false;
  const std::string_view name = dictionaries.String(method.name);
  return std::any_of(std::begin(kServing), std::end(kServing), [&](std::string_view serving) {
    return name.starts_with(serving) || type.find(serving) != type.npos;
  });
}

uint64_t RequestWork::total_ns() const {
  uint64_t sum = 0;
  for (const RequestWorkRow& row : routes) sum += row.times.total_ns;
  return sum;
}

RequestWork AnalyzeRequestWork(const Model& model, const RequestWorkRules& rules) {
  RequestWork work;
  const RequestDetails& details = model.requests.details;
  if (details.routes.empty() && details.parts.empty()) return work;
  Places places(model);
  const MethodNames names(model.dictionaries);
  for (const RequestPartGroup& group : details.parts) {
    std::vector<RequestPartRow>& rows =
        group.kind == RequestPartKind::kCall ? work.calls : work.commands;
    rows.push_back(PartRow(model, group, places, names));
  }
  for (std::vector<RequestPartRow>* rows : {&work.commands, &work.calls}) {
    std::stable_sort(rows->begin(), rows->end(),
                     [](const RequestPartRow& a, const RequestPartRow& b) {
                       return a.group->total_ns > b.group->total_ns;
                     });
  }

  std::vector<uint64_t> cpu_ns(details.routes.size()), samples(details.routes.size()),
      lock_ns(details.routes.size());
  Attribution attribution(model, places, rules);
  const PackedRows<CpuSample>& cpu = model.samples.cpu.samples;
  for (const CpuSample& sample : cpu) {
    attribution.Learn(attribution.Seen(sample.thread, sample.at_ns, sample.call), sample.call);
  }
  const int64_t from_ns = details.from_ns.value_or(INT64_MIN);
  for (const CpuSample& sample : cpu) {
    if (sample.at_ns < from_ns || attribution.IsInCommand(sample.call)) continue;
    const int64_t route = attribution.RouteOf(sample.thread, sample.at_ns, sample.call);
    if (route < 0) continue;
    cpu_ns[static_cast<size_t>(route)] += sample.cpu_ns;
    ++samples[static_cast<size_t>(route)];
  }
  for (const WaitRow& wait : model.waits.rows) {
    if (wait.kind != WaitKind::kMonitor && wait.kind != WaitKind::kLock) continue;
    const StepId step = attribution.OfStack(wait.stack);
    if (wait.at_ns < from_ns || attribution.IsInCommand(step)) continue;
    const int64_t route = attribution.RouteOf(wait.thread, wait.at_ns, step);
    if (route >= 0) lock_ns[static_cast<size_t>(route)] += wait.duration_ns;
  }
  const std::vector<double> pauses = PausesOf(model);

  for (size_t i = 0; i < details.routes.size(); ++i) {
    const RequestRoute& route = details.routes[i];
    RequestWorkRow row;
    row.route = &route;
    row.p50_ns = route.durations.Quantile(0.5);
    row.p95_ns = route.durations.Quantile(0.95);
    row.p99_ns = route.durations.Quantile(0.99);
    row.slowest_ns = route.durations.max();
    row.cpu_samples = samples[i];
    RequestTimes& times = row.times;
    times.total_ns = route.total_ns;
    times.database_ns = route.database_ns;
    times.calls_ns = route.calls_ns;
    if (model.facts.cpu_on) times.cpu_ns = cpu_ns[i];
    if (model.facts.locks_on) times.lock_ns = lock_ns[i];
    if (model.facts.gc_on) times.pause_ns = static_cast<uint64_t>(pauses[i]);
    const uint64_t known = times.database_ns + times.calls_ns + times.cpu_ns.value_or(0) +
                           times.lock_ns.value_or(0) + times.pause_ns.value_or(0);
    times.unknown_ns = times.total_ns - std::min(times.total_ns, known);
    work.routes.push_back(std::move(row));
  }
  std::stable_sort(work.routes.begin(), work.routes.end(),
                   [](const RequestWorkRow& a, const RequestWorkRow& b) {
                     return a.times.total_ns > b.times.total_ns;
                   });
  return work;
}

}  // namespace hindsight::analyzer
