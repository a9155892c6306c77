#include "analyzer/analyses/exceptions.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "analyzer/analyses/pattern.h"
#include "analyzer/analyses/places/inlined_places.h"
#include "analyzer/analyses/request_ends.h"
#include "analyzer/analyses/thread_filter.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMaxRouteHops = 256;

// HttpClient reports its own timeout as a cancellation, too: only the message tells.
bool IsTimeoutOfHttpClient(const ExceptionGroup& group) {
  return std::ranges::any_of(group.message_texts, [](const std::string& text) {
    return text.find("configured HttpClient.Timeout") != text.npos;
  });
}

class Analysis {
 public:
  Analysis(const Model& model, const ExceptionQuery& query, const ExceptionRules& rules,
           ExceptionReport& report)
      : model_(model), query_(query), rules_(rules), report_(report), places_(model) {}

  void Run();

 private:
  bool Matches(const ExceptionFinding& finding) const;
  void CollectGroups();
  void FoldPlaces();
  void Rank();
  void AssessOpen(ExceptionFinding& finding, const std::vector<GroupId>& groups);
  bool HasCalledYours(const ExceptionFinding& finding, MethodId handler);
  enum class Keeper : uint8_t { kNone, kTask, kBlock };
  Keeper KeeperOf(MethodId handler) const;
  void AssessSwallowed(ExceptionFinding& finding);
  void FillLists(ExceptionFinding& finding);
  MethodId ThrownAgainIn(const ExceptionFinding& finding);
  void PlacePath(ExceptionFinding& finding);
  std::vector<RouteHop> HopsOf(RouteId id) const;
  template <typename Counter>
  std::vector<Relation> RelationsOf(const Counter& counter) const;

  const Model& model_;
  const ExceptionQuery& query_;
  const ExceptionRules& rules_;
  ExceptionReport& report_;
  Places places_;
  std::vector<std::vector<GroupId>> members_;  // indexed by finding
  std::vector<size_t> rank_of_group_;          // indexed by GroupId; 0: excluded
};

bool Analysis::Matches(const ExceptionFinding& finding) const {
  const MethodNames& names = report_.names;
  if (!query_.type.empty() && !MatchesPattern(query_.type, names.Type(finding.type)) &&
      !MatchesPattern(query_.type, names.RawType(finding.type))) {
    return false;
  }
  if (query_.method.empty()) return true;
  const auto matches = [&](MethodId method) {
    return MatchesPattern(query_.method, names.Display(method)) ||
           MatchesPattern(query_.method, names.Raw(method));
  };
  if (std::any_of(finding.path.begin(), finding.path.end(), matches)) return true;
  const auto& handlers = finding.group.handlers.entries();
  return std::any_of(handlers.begin(), handlers.end(), [&](const auto& entry) {
    return matches(model_.dictionaries.handler(entry.key).method);
  });
}

// One finding per path: merges groups that are separate by thread, and leaves out what the query
// excludes.
void Analysis::CollectGroups() {
  std::map<std::tuple<TypeId, StackId, bool, bool>, size_t> index;
  const auto& groups = model_.exceptions.groups;
  for (size_t i = 0; i < groups.size(); ++i) {
    const ExceptionGroup& group = groups[i];
    if (group.count == 0 || !MatchesThread(model_, group.thread, query_.thread)) continue;
    const auto [place, is_new] = index.try_emplace(
        {group.type, group.stack, group.starts_late, group.is_rest}, report_.findings.size());
    if (is_new) {
      ExceptionFinding& finding = report_.findings.emplace_back();
      finding.type = group.type;
      finding.stack = group.stack;
      finding.path = model_.dictionaries.Path(group.stack);
      finding.starts_late = group.starts_late;
      finding.is_rest = group.is_rest;
      members_.emplace_back();
    }
    report_.findings[place->second].group.Merge(group);
    members_[place->second].push_back(static_cast<GroupId>(i + 1));
  }
}

// One finding per place.
void Analysis::FoldPlaces() {
  std::vector<ExceptionFinding> paths = std::exchange(report_.findings, {});
  std::vector<std::vector<GroupId>> groups = std::exchange(members_, {});
  InlinedPlaces inlined(places_);
  for (const ExceptionFinding& path : paths) {
    if (path.is_rest) continue;
    inlined.Add(path.type, path.path, {path.group.count, path.group.first_ns, path.group.last_ns});
  }
  std::map<std::tuple<TypeId, PlaceId, bool, bool>, size_t> index;
  for (size_t i = 0; i < paths.size(); ++i) {
    ExceptionFinding& path = paths[i];
    if (!Matches(path)) continue;
    PathVariant variant{path.stack, std::move(path.path), path.group.count};
    path.place_id = path.is_rest ? places_.Of(variant.path) : inlined.Of(path.type, variant.path);
    const auto [at, is_new] = index.try_emplace(
        {path.type, path.place_id, path.starts_late, path.is_rest}, report_.findings.size());
    if (is_new) {
      report_.findings.push_back(std::move(path));
      members_.push_back(std::move(groups[i]));
    } else {
      report_.findings[at->second].group.Merge(path.group);
      std::vector<GroupId>& members = members_[at->second];
      members.insert(members.end(), groups[i].begin(), groups[i].end());
    }
    report_.findings[at->second].variants.push_back(std::move(variant));
  }
  for (ExceptionFinding& finding : report_.findings) {
    std::stable_sort(finding.variants.begin(), finding.variants.end(),
                     [](const PathVariant& a, const PathVariant& b) { return a.count > b.count; });
    // Prefer variants with the site itself over those in which it was inlined.
    std::stable_partition(
        finding.variants.begin(), finding.variants.end(),
        [&](const PathVariant& variant) { return places_.Of(variant.path) == finding.place_id; });
    finding.stack = finding.variants.front().stack;
    finding.path = finding.variants.front().path;
    // If there is a query, it may exclude all of these.
    finding.place = places_.Of(finding.path) == finding.place_id ? places_.Find(finding.path)
                                                                 : places_[finding.place_id];
  }
}

void Analysis::Rank() {
  std::vector<std::pair<ExceptionFinding, std::vector<GroupId>>> kept;
  for (size_t i = 0; i < report_.findings.size(); ++i) {
    AssessOpen(report_.findings[i], members_[i]);
    kept.emplace_back(std::move(report_.findings[i]), std::move(members_[i]));
  }
  std::stable_sort(kept.begin(), kept.end(), [](const auto& left, const auto& right) {
    const ExceptionFinding& a = left.first;
    const ExceptionFinding& b = right.first;
    return std::make_tuple(!a.is_unhandled(), ~a.group.total_ns, ~a.group.count, a.group.first_ns) <
           std::make_tuple(!b.is_unhandled(), ~b.group.total_ns, ~b.group.count, b.group.first_ns);
  });
  report_.findings.clear();
  rank_of_group_.assign(model_.exceptions.groups.size() + 1, 0);
  for (auto& [finding, members] : kept) {
    report_.findings.push_back(std::move(finding));
    for (const GroupId id : members) rank_of_group_[id] = report_.findings.size();
  }
}

void Analysis::AssessOpen(ExceptionFinding& finding, const std::vector<GroupId>& groups) {
  const RecordingFacts& facts = model_.facts;
  // An unhandled exception ends the process. If the recording ended before the process did, there
  // was a handler after all.
  if (facts.end == EndReason::kStopped || facts.end == EndReason::kDurationOver) {
    uint64_t& unhandled = finding.group.endings[static_cast<size_t>(Ending::kUnhandled)];
    finding.group.endings[static_cast<size_t>(Ending::kInFlight)] +=
        std::exchange(unhandled, uint64_t{0});
  }
  if (finding.group.EndedAs(Ending::kUnhandled) > 0) {
    finding.unhandled_evidence = {Confidence::kHigh, "the runtime found no handler on the stack"};
  }
  if (facts.end != EndReason::kBrokeOff) return;
  // Exceptions that an async method stores never end the process. And if all others from the very
  // same stack were handled, another one is on its way to its handler: where exceptions are
  // frequent, some always are, at the end of a killed process as well as in a recording that
  // continues.
  const OpenException* last = nullptr;
  for (const OpenException& open : model_.exceptions.open) {
    if (std::find(groups.begin(), groups.end(), open.group) == groups.end()) continue;
    const ExceptionGroup& group = model_.exceptions.groups[open.group - 1];
    const uint64_t in_flight = group.EndedAs(Ending::kInFlight);
    const uint64_t handled = group.count - std::min(group.count, in_flight);
    const bool is_usual =
        handled >= rules_.handled_before && group.EndedAs(Ending::kUnhandled) == 0;
    if (open.is_stored || is_usual) continue;
    ++finding.probably_unhandled;
    last = &open;
  }
  if (last == nullptr) return;
  const int64_t before_end = std::max<int64_t>(0, facts.last_ns - last->time_ns);
  const bool has_losses = model_.losses.DroppedEvents() > 0 || model_.losses.segments > 0;
  // An exception that was thrown long ago on a thread that has thrown nothing since is more likely
  // one whose end was lost, or one in a long filter or finally block.
  if (finding.group.EndedAs(Ending::kUnhandled) > 0) return;
  finding.unhandled_evidence.confidence =
      before_end <= rules_.soon_ns && !has_losses ? Confidence::kMedium : Confidence::kLow;
  finding.unhandled_evidence.text = "thrown " + FormatDuration(static_cast<uint64_t>(before_end)) +
                                    " before the end of the recording, and no handler was recorded";
  if (has_losses) finding.unhandled_evidence.text += "; but a handler may be among the lost events";
}

// Whether the library that catches an exception has called your code on its own, as for each job.
// If it catches the exception below your code, that is not concerned. If code of yours has passed
// it a delegate, the exception is handed back to that code.
bool Analysis::HasCalledYours(const ExceptionFinding& finding, MethodId handler) {
  return std::ranges::none_of(finding.variants, [&](const PathVariant& variant) {
    const std::span<const MethodId> path = places_.BeforeResume(variant.path);
    const auto site = std::ranges::find(path, places_.Find(path).site);
    const auto caught = std::ranges::find(path, handler);
    if (caught == path.end()) return false;  // it awaited your code
    if (caught < site) return true;
    const auto yours = std::find_if(
        caught, path.end(), [&](MethodId method) { return places_.kinds().IsYours(method); });
    // Main, or a thread of yours, may be what runs the library.
    return std::any_of(yours, path.end(), [&](MethodId method) {
      return places_.kinds().Of(method) == FrameKind::kPackage;
    });
  });
}

// Whether the framework stores what the method catches in a task: that of a delegate which it runs,
// or of a dataflow block. The latter takes no more messages, except after a cancellation.
Analysis::Keeper Analysis::KeeperOf(MethodId handler) const {
  const Dictionaries& dictionaries = model_.dictionaries;
  const Method& method = dictionaries.method(handler);
  const std::string_view type = dictionaries.String(dictionaries.type(method.type).name);
  if (type == "System.Threading.Tasks.Task") {
    const bool runs = dictionaries.String(method.name) == "ExecuteWithThreadLocal";
    return runs ? Keeper::kTask : Keeper::kNone;
  }
  return type.starts_with("System.Threading.Tasks.Dataflow.") ? Keeper::kBlock : Keeper::kNone;
}

void Analysis::AssessSwallowed(ExceptionFinding& finding) {
  // Several handlers of one method are one catcher for the reader.
  std::map<MethodId, CatchSite> sites;
  std::map<MethodId, uint64_t> most;
  for (const auto& entry : finding.group.handlers.entries()) {
    const Handler& handler = model_.dictionaries.handler(entry.key);
    CatchSite& site = sites[handler.method];
    site.method = handler.method;
    site.count += entry.at_least();
    if (entry.at_least() <= most[handler.method]) continue;
    most[handler.method] = entry.at_least();
    site.il_offset = handler.il_offset;
  }
  for (const auto& [method, site] : sites) finding.catchers.push_back(site);
  std::stable_sort(finding.catchers.begin(), finding.catchers.end(),
                   [](const CatchSite& a, const CatchSite& b) { return a.count > b.count; });

  const Dictionaries& dictionaries = model_.dictionaries;
  uint64_t& requests =
      IsFailureOfClient(dictionaries, report_.names.RawType(finding.type), finding.path) &&
              !IsTimeoutOfHttpClient(finding.group)
          ? finding.ended_by_client
          : finding.ended_requests;
  std::map<MethodId, uint64_t> in_packages;
  for (const auto& entry : finding.group.swallowers.entries()) {
    const Handler& handler = dictionaries.handler(entry.key);
    const TypeId type = dictionaries.method(handler.method).type;
    if (EndsRequests(dictionaries.String(dictionaries.type(type).name))) {
      requests += entry.at_least();
      continue;
    }
    if (places_.kinds().Of(handler.method) == FrameKind::kPackage &&
        HasCalledYours(finding, handler.method)) {
      finding.ended_in_packages += entry.at_least();
      in_packages[handler.method] += entry.at_least();
    }
    const Keeper keeper = KeeperOf(handler.method);
    if (keeper != Keeper::kNone) finding.never_awaited += entry.at_least();
    if (keeper == Keeper::kBlock) finding.faulted_blocks += entry.at_least();
    if (keeper != Keeper::kNone || !report_.names.IsStateMachine(handler.method)) continue;
    // A handler whose other exceptions were rethrown by an await is the one that stores them in the
    // task. Without an offset, it cannot be distinguished from a catch block of the same method.
    const bool stores = handler.il_offset >= 0 && model_.exceptions.RestoredFrom(entry.key);
    (stores ? finding.never_awaited : finding.swallowed_async) += entry.at_least();
  }
  uint64_t most_in_packages = 0;
  for (const auto& [method, count] : in_packages) {
    if (count <= most_in_packages) continue;
    most_in_packages = count;
    finding.package_handler = method;
  }
  finding.swallowed = finding.group.EndedAs(Ending::kSwallowed) - finding.ended_requests -
                      finding.ended_by_client - finding.never_awaited - finding.swallowed_async;
}

void Analysis::PlacePath(ExceptionFinding& finding) {
  const CallTree& calls = model_.samples.calls;
  for (const auto& entry : finding.group.places.entries()) {
    if (entry.at_least() == 0) continue;
    PlacedPath placed{std::vector<int32_t>(finding.path.size(), -1), entry.at_least()};
    const std::vector<CallId> path = calls.Path(entry.key);
    placed.is_other = path.size() != finding.path.size();
    for (size_t i = 0; i < std::min(path.size(), finding.path.size()); ++i) {
      const CallNode& call = calls.node(path[i]);
      if (call.method != finding.path[i]) {
        placed.is_other = true;  // or one of the two was truncated by a limit
        break;
      }
      placed.il_offsets[i] = call.il_offset;
    }
    finding.places.push_back(std::move(placed));
  }
  std::stable_sort(
      finding.places.begin(), finding.places.end(), [](const PlacedPath& a, const PlacedPath& b) {
        return std::make_tuple(a.is_other, ~a.count) < std::make_tuple(b.is_other, ~b.count);
      });
}

std::vector<RouteHop> Analysis::HopsOf(RouteId id) const {
  std::vector<RouteHop> hops;
  const auto& routes = model_.exceptions.routes;
  while (id != 0 && id <= routes.size() && hops.size() < kMaxRouteHops) {
    const RouteStep& step = routes[id - 1];
    hops.push_back(
        {step.hop, step.thrower, step.outcome, model_.dictionaries.handler(step.handler).method});
    id = step.previous;
  }
  std::reverse(hops.begin(), hops.end());
  return hops;
}

template <typename Counter>
std::vector<Relation> Analysis::RelationsOf(const Counter& counter) const {
  std::vector<Relation> relations;
  for (const auto& entry : counter.entries()) {
    const ExceptionGroup& group = model_.exceptions.groups[entry.key - 1];
    const size_t rank = rank_of_group_[entry.key];
    const auto same = std::find_if(relations.begin(), relations.end(), [&](const Relation& r) {
      return rank != 0 && r.finding == rank;
    });
    if (same != relations.end()) {
      same->count += entry.at_least();
    } else {
      relations.push_back(
          {rank, group.type, model_.dictionaries.stack(group.stack).site, entry.at_least()});
    }
  }
  std::stable_sort(relations.begin(), relations.end(),
                   [](const Relation& a, const Relation& b) { return a.count > b.count; });
  return relations;
}

void Analysis::FillLists(ExceptionFinding& finding) {
  const ExceptionGroup& group = finding.group;
  const auto by_count = [](const auto& a, const auto& b) { return a.count > b.count; };

  for (const auto& entry : group.routes.entries()) {
    if (entry.key == 0 || entry.at_least() == 0) continue;
    Route route{HopsOf(entry.key), entry.at_least()};
    const auto same =
        std::find_if(finding.routes.begin(), finding.routes.end(), [&](const Route& r) {
          return std::equal(r.hops.begin(), r.hops.end(), route.hops.begin(), route.hops.end(),
                            [](const RouteHop& a, const RouteHop& b) {
                              return a.hop == b.hop && a.thrower == b.thrower &&
                                     a.outcome == b.outcome && a.catcher == b.catcher;
                            });
        });
    if (same != finding.routes.end()) {
      same->count += route.count;
    } else {
      finding.routes.push_back(std::move(route));
    }
  }
  std::stable_sort(finding.routes.begin(), finding.routes.end(), by_count);

  finding.messages_exact = group.messages.exact();
  uint64_t listed = 0;
  for (size_t i = 0; i < group.messages.entries().size(); ++i) {
    const uint64_t count = group.messages.entries()[i].at_least();
    if (count == 0) continue;
    finding.messages.push_back({group.message_texts[i], count});
    listed += count;
  }
  finding.other_messages = group.messages.total() - listed;
  std::stable_sort(finding.messages.begin(), finding.messages.end(), by_count);

  for (const auto& entry : group.threads.entries()) {
    if (entry.at_least() > 0) finding.threads.push_back({entry.key, entry.at_least()});
  }
  std::stable_sort(finding.threads.begin(), finding.threads.end(), by_count);

  finding.causes = RelationsOf(group.causes);
  finding.wrappers = RelationsOf(group.wrappers);
  finding.replacers = RelationsOf(group.replacers);
  finding.thrown_during = RelationsOf(group.thrown_during);
}

MethodId Analysis::ThrownAgainIn(const ExceptionFinding& finding) {
  if (finding.place.is_yours) return 0;
  for (const Route& route : finding.routes) {
    const auto yours = std::ranges::find_if(
        route.hops, [this](const RouteHop& hop) { return places_.kinds().IsYours(hop.thrower); });
    if (yours != route.hops.end()) return yours->thrower;
  }
  return 0;
}

void Analysis::Run() {
  const std::optional<FatalError>& error = model_.fatal_error;
  if (error && error->at_ns >= report_.from_ns && error->at_ns <= report_.to_ns) {
    report_.fatal_error = {&*error, places_.Find(model_.dictionaries.Path(error->stack))};
  }
  CollectGroups();
  FoldPlaces();
  Rank();
  for (ExceptionFinding& finding : report_.findings) {
    AssessSwallowed(finding);
    FillLists(finding);
    PlacePath(finding);
    finding.thrown_again_in = ThrownAgainIn(finding);
    if (finding.ended_requests + finding.ended_by_client > 0) {
      finding.request_handlers = RouteHandlersOf(model_, finding, places_);
    }
    report_.ended_requests += finding.ended_requests;
    report_.ended_by_client += finding.ended_by_client;
    report_.count += finding.group.count;
    report_.throws += finding.group.Throws();
    report_.total_ns += finding.group.total_ns;
    report_.counted.Add(finding.group.counted);
    report_.probably_unhandled += finding.probably_unhandled;
    for (size_t i = 0; i < kEndingCount; ++i) report_.endings[i] += finding.group.endings[i];
  }
}

}  // namespace

std::string_view FatalErrorTitle(FatalError::Kind kind) {
  switch (kind) {
    case FatalError::Kind::kFailFast:
      return "Environment.FailFast ended the process";
    case FatalError::Kind::kStackOverflow:
      return "A stack overflow ended the process";
    case FatalError::Kind::kAccessViolation:
      return "An access violation ended the process";
    case FatalError::Kind::kRuntime:
      return "A failure of the runtime ended the process";
    case FatalError::Kind::kOther:
      break;
  }
  return "A fatal error ended the process";
}

ExceptionReport AnalyzeExceptions(const Model& model, const ExceptionQuery& query, int64_t from_ns,
                                  int64_t to_ns, const ExceptionRules& rules) {
  ExceptionReport report(model);
  report.from_ns = std::max(from_ns, std::min<int64_t>(model.facts.first_ns, 0));
  report.to_ns = std::min(to_ns, model.facts.last_ns);
  report.is_filtered = !query.type.empty() || !query.method.empty() || !query.thread.empty() ||
                       from_ns != INT64_MIN || to_ns != INT64_MAX;
  Analysis(model, query, rules, report).Run();
  return report;
}

}  // namespace hindsight::analyzer
