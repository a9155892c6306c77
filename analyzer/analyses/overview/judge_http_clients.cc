// HttpClient: in the heap snapshot, and what creating it allocates.
//
// Each handler has connections of its own, which stay open, and keep it, until they have been idle
// for a minute or so. A program has a few, and uses them again; a new HttpClient for each request
// leaves many without one, and uses up ports and descriptors.
//
// A call takes a free connection, or opens one unless MaxConnectionsPerServer is reached, and waits
// for the first of both. So many waiting calls, and fewer connections, are a queue.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/heap/base_classes.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr char kHandler[] = "System.Net.Http.SocketsHttpHandler";
constexpr char kKind[] = "http-clients";
// What a handler does at its first request, and the start of each connection. From .NET 10 on, the
// setup itself is a work item of the pool.
constexpr std::string_view kFirstRequest =
    "System.Net.Http.SocketsHttpHandler.SendAsync.CreateHandlerAndSendAsync";
constexpr std::string_view kSetup = "System.Net.Http.SocketsHttpHandler.SetupHandlerChain";
constexpr std::string_view kConnect =
    "System.Net.Http.HttpConnectionPool.ConstructHttp11ConnectionAsync";
constexpr double kBytesPerConnection = 8500;  // two buffers of 4 KiB
// Those that use a handler, and classes derived from them.
constexpr std::string_view kClients[] = {"System.Net.Http.HttpMessageInvoker",
                                         "System.Net.WebSockets.ClientWebSocket"};

struct HttpObjects {
  uint64_t handlers = 0, clients = 0, connections = 0;  // that are reachable
};

class HttpClasses {
 public:
  explicit HttpClasses(const HeapModel& model) : model_(model) {}

  bool IsHandler(ClassIndex index) const { return NameOf(index) == kHandler; }
  bool IsConnection(ClassIndex index) const {
    return NameOf(index) == "System.Net.Http.HttpConnection" ||
           NameOf(index) == "System.Net.Http.Http2Connection";
  }
  bool IsClient(ClassIndex index) const {
    return std::ranges::any_of(
        kClients, [&](std::string_view name) { return IsOrDerivesFrom(model_, index, name); });
  }

 private:
  std::string_view NameOf(ClassIndex index) const {
    const Dictionaries& dictionaries = model_.dictionaries;
    return dictionaries.String(dictionaries.type(model_.graph.classes()[index].type).name);
  }

  const HeapModel& model_;
};

HttpObjects HttpObjectsOf(const HeapReports& heap) {
  enum : uint8_t { kOther, kIsHandler, kIsClient, kIsConnection };
  const HeapGraph& graph = heap.model.graph;
  const HttpClasses names(heap.model);
  std::vector<uint8_t> kinds(graph.classes().size(), kOther);
  for (ClassIndex i = 0; i < kinds.size(); ++i) {
    kinds[i] = names.IsHandler(i)      ? kIsHandler
               : names.IsClient(i)     ? kIsClient
               : names.IsConnection(i) ? kIsConnection
                                       : kOther;
  }
  HttpObjects found;
  const auto is_one = [](uint8_t kind) { return kind != kOther; };
  if (std::ranges::none_of(kinds, is_one)) return found;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const uint8_t kind = kinds[graph.ClassOf(id)];
    if (kind == kOther || !heap.paths.IsReachable(id)) continue;
    (kind == kIsHandler  ? found.handlers
     : kind == kIsClient ? found.clients
                         : found.connections) += 1;
  }
  return found;
}

// Calls that wait for a connection.
struct HttpQueue {
  uint64_t calls = 0;
  uint64_t before = 0;                 // that waited in the previous snapshot, these or others
  const TaskGroup* largest = nullptr;  // of those that wait
  const TaskGroup* users = nullptr;    // of those that have a connection
};

HttpQueue HttpQueueOf(const TaskReport& report) {
  HttpQueue queue;
  uint64_t moved = 0;  // all are at the same await, whatever the group
  for (const TaskGroup& group : report.groups) {
    if (AwaitsHttpConnection(group)) {
      queue.calls += group.count;
      queue.before += group.unchanged;
      moved = std::max(moved, group.moved);
      if (queue.largest == nullptr || group.count > queue.largest->count) queue.largest = &group;
    } else if (AwaitsHttpAnswer(group)) {
      if (queue.users == nullptr || group.count > queue.users->count) queue.users = &group;
    }
  }
  queue.before += moved;
  return queue;
}

// The nearest method of yours that leads to the node; 0: there is none.
FrameId CallerOfYours(const CallPaths& paths, const PathNode& node, FrameKinds& kinds) {
  for (uint32_t i = node.parent; i != 0; i = paths.nodes[i].parent) {
    const MethodId method = paths.frames[paths.nodes[i].frame].method;
    if (method != 0 && kinds.IsYours(method)) return paths.nodes[i].frame;
  }
  return 0;
}

// What was allocated for new handlers and connections.
struct NewHttp {
  PathWeight setup, connections;
  std::string place;  // of yours, that leads to most of it; empty: none
};

NewHttp NewHttpOf(const AllocationReport& report) {
  const CallPaths& paths = report.paths;
  NewHttp made;
  FrameKinds kinds(*report.model);
  WeightByFrame by_owner;
  for (const PathNode& node : paths.nodes) {
    const std::string_view name = paths.frames[node.frame].name;
    if (name == kSetup) made.setup += node.total;
    if (name == kConnect) made.connections += node.total;
    if (name != kSetup && name != kConnect && name != kFirstRequest) continue;
    if (const FrameId owner = CallerOfYours(paths, node, kinds); owner != 0) {
      by_owner[owner] += node.total;
    }
  }
  if (const FrameId owner = Heaviest(by_owner).first; owner != 0) {
    made.place = paths.frames[owner].name;
  }
  return made;
}

// Whether connections are much of what is allocated, in the last third of the recording as well: a
// client that starts opens those that it keeps.
bool OpensConnections(const PathWeight& connections, const AllocationReport& report,
                      const OverviewRules& rules) {
  const auto are_many = [&rules](const PathWeight& some, const PathWeight& whole,
                                 uint64_t samples) {
    return some.samples >= samples && ShareOf(some, whole).value >= rules.new_connections_share;
  };
  if (!are_many(connections, report.whole, rules.new_connections_samples)) return false;
  const RecordingFacts& facts = report.model->facts;
  AllocationQuery query;
  query.from_ns = facts.last_ns - static_cast<int64_t>(facts.length_ns() / 3);
  const AllocationReport last = AnalyzeAllocations(*report.model, query);
  return are_many(NewHttpOf(last).connections, last.whole, rules.new_connections_samples / 3);
}

}  // namespace

bool AwaitsHttpConnection(const TaskGroup& group) {
  return group.awaits.starts_with("System.Net.Http.HttpConnectionWaiter<");
}

bool AwaitsHttpAnswer(const TaskGroup& group) {
  return group.kind == TaskGroup::Awaits::kSource &&
         std::ranges::any_of(group.stack, [](const std::string& method) {
           return method.starts_with("System.Net.Http.") && method.ends_with("SendAsync");
         });
}

void JudgeHttpQueue(const HeapReports& heap, const OverviewRules& rules,
                    std::vector<Finding>& findings) {
  const TaskReport& report = heap.tasks;
  const HttpQueue queue = HttpQueueOf(report);
  if (queue.calls < rules.queued_calls) return;
  const uint64_t connections = HttpObjectsOf(heap).connections;
  const double enough = rules.queued_calls_share * static_cast<double>(connections);
  if (static_cast<double>(queue.calls) < enough) return;
  Finding finding;
  const bool lasts = report.between_ns >= rules.stuck_ns && queue.before >= rules.queued_calls;
  finding.severity = lasts ? Severity::kWarning : Severity::kNote;
  finding.kind = "http-queue";
  finding.subject = queue.largest->place;
  finding.title = FormatCount(queue.calls) + " HTTP calls wait for a connection, " +
                  (queue.largest->count == queue.calls ? "all" : "most") + " of them in " +
                  finding.subject;
  finding.evidence = (connections == 0 ? "None is open"
                                       : Plural(connections, "connection") +
                                             (connections == 1 ? " is open" : " are open")) +
                     ": ";
  finding.evidence +=
      connections == 0
          ? "the server does not accept new ones."
          : "MaxConnectionsPerServer limits them, or the server accepts new ones slowly.";
  if (report.before != 0) {
    finding.evidence += " " + FormatDuration(report.between_ns) + " earlier, " +
                        FormatCount(queue.before) + (queue.before == 1 ? " call" : " calls") +
                        " waited.";
  } else {
    finding.evidence += ' ';
    finding.evidence += kOneSnapshot;
  }
  if (queue.users != nullptr) {
    finding.evidence += " Most of those that await an answer are in " + queue.users->place + " (" +
                        FormatCount(queue.users->count) + ").";
  }
  finding.command = "tasks";
  finding.impact = std::min(
      1.0, static_cast<double>(queue.calls) / std::max(1.0, static_cast<double>(report.chains)));
  findings.push_back(std::move(finding));
}

void JudgeHttpClients(const HeapReports& heap, const OverviewRules& rules,
                      std::vector<Finding>& findings) {
  const HttpObjects found = HttpObjectsOf(heap);
  if (found.handlers < found.clients + rules.unused_http_handlers) return;
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.kind = kKind;
  finding.subject = kHandler;
  finding.title = FormatCount(found.handlers) +
                  " HttpClient handlers with connections of their own, " +
                  (found.clients == 0 ? std::string("none of which has a client any more")
                                      : "but only " + Plural(found.clients, "client"));
  finding.evidence =
      "A new HttpClient for each request leaves its connections open until they have been idle for "
      "a minute or more, which uses up ports and open files. Share one HttpClient, or use "
      "IHttpClientFactory.";
  finding.command = "heap";
  finding.impact = 0.3;  // what it costs shows only when there are no more ports
  findings.push_back(std::move(finding));
}

void JudgeNewHttpClients(const AllocationReport& report, const OverviewRules& rules,
                         std::vector<Finding>& findings) {
  const NewHttp made = NewHttpOf(report);
  const bool is_sure =
      made.setup.samples >= kFewSamples &&
      made.setup.amount >= rules.new_http_handlers_per_second * SecondsOf(*report.model);
  const Share share = ShareOf(made.connections, report.whole);
  if (!is_sure && !OpensConnections(made.connections, report, rules)) return;
  const auto known = std::ranges::find(findings, kKind, &Finding::kind);
  if (known != findings.end()) {
    if (!made.place.empty()) known->evidence += " Most are created in " + made.place + ".";
    return;
  }
  Finding finding;
  finding.WarnUnlessDoubt(!is_sure);
  finding.kind = kKind;
  finding.subject = made.place.empty() ? kHandler : made.place;
  finding.title = is_sure ? "HttpClient is created again and again"
                          : "HttpClient opens connections again and again";
  if (!made.place.empty()) finding.title += ", in " + made.place;
  const std::string connections_share = ShareText(share) + " of all bytes";
  if (is_sure) {
    finding.evidence = Plural(made.setup.samples, "sample") + " of " +
                       FormatCount(report.whole.samples) + " of what was allocated (" +
                       FormatBytes(static_cast<uint64_t>(made.setup.amount)) +
                       ") are in the setup of new handlers";
    if (made.connections.samples != 0) {
      finding.evidence += "; " + connections_share + " are for new connections";
    }
    finding.evidence +=
        ". Each handler has connections of its own, which take up a port for a minute or more, "
        "even if it is disposed of. Share one HttpClient, or use IHttpClientFactory.";
  } else {
    finding.evidence =
        connections_share + " that were allocated are for new connections, some " +
        FormatRate(made.connections.amount / kBytesPerConnection / SecondsOf(*report.model)) +
        " a second, until the end of the recording. Each takes up a port for a minute or more. A "
        "new HttpClient for each call does that (share one, or use IHttpClientFactory), and so "
        "does a server that closes its connections.";
  }
  finding.command = CommandWith("allocations --focus", is_sure ? kSetup : kConnect);
  finding.impact = std::max(0.3, share.value);
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
