// Handlers of HttpClient in the heap snapshot. Each has connections of its own, which stay open,
// and keep it, until they have been idle for a minute or so. A program has a few, and uses them
// again; a new HttpClient for each request leaves many without one, and uses up ports and
// descriptors.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr char kHandler[] = "System.Net.Http.SocketsHttpHandler";
// Those that use a handler, and classes derived from them.
constexpr std::string_view kClients[] = {"System.Net.Http.HttpMessageInvoker",
                                         "System.Net.WebSockets.ClientWebSocket"};

struct HttpObjects {
  uint64_t handlers = 0, clients = 0;  // that are reachable
};

class HttpClasses {
 public:
  explicit HttpClasses(const HeapModel& model) : model_(model) {}

  bool IsHandler(ClassIndex index) const { return NameOf(index) == kHandler; }
  bool IsClient(ClassIndex index) const {
    constexpr int kMostBases = 16;
    const auto classes = model_.graph.classes();
    for (int i = 0; i < kMostBases && index < classes.size(); ++i) {
      if (std::ranges::find(kClients, NameOf(index)) != std::end(kClients)) return true;
      if (classes[index].base == 0) return false;  // there is none
      index = classes[index].base;
    }
    return false;
  }

 private:
  std::string_view NameOf(ClassIndex index) const {
    const Dictionaries& dictionaries = model_.dictionaries;
    return dictionaries.String(dictionaries.type(model_.graph.classes()[index].type).name);
  }

  const HeapModel& model_;
};

HttpObjects HttpObjectsOf(const HeapReports& heap) {
  enum : uint8_t { kOther, kIsHandler, kIsClient };
  const HeapGraph& graph = heap.model.graph;
  const HttpClasses names(heap.model);
  std::vector<uint8_t> kinds(graph.classes().size(), kOther);
  for (ClassIndex i = 0; i < kinds.size(); ++i) {
    kinds[i] = names.IsHandler(i) ? kIsHandler : names.IsClient(i) ? kIsClient : kOther;
  }
  HttpObjects found;
  if (std::ranges::find(kinds, kIsHandler) == kinds.end()) return found;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const uint8_t kind = kinds[graph.ClassOf(id)];
    if (kind == kOther || !heap.paths.IsReachable(id)) continue;
    (kind == kIsHandler ? found.handlers : found.clients) += 1;
  }
  return found;
}

}  // namespace

void JudgeHttpClients(const HeapReports& heap, const OverviewRules& rules,
                      std::vector<Finding>& findings) {
  const HttpObjects found = HttpObjectsOf(heap);
  if (found.handlers < found.clients + rules.unused_http_handlers) return;
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.kind = "http-clients";
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

}  // namespace hindsight::analyzer
