#include "analyzer/analyses/waits/lock_contention.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace hindsight::analyzer {
namespace {

bool TellsOfWaits(const Dictionaries& dictionaries, MethodId id) {
  const Method& method = dictionaries.method(id);
  const std::string_view type = dictionaries.String(dictionaries.type(method.type).name);
  return type == "System.Diagnostics.Tracing.NativeRuntimeEventSource" ||
         type == "System.Threading.Tasks.TplEventSource";
}

uint64_t Age(const OpenWait& wait, int64_t end_ns) {
  return end_ns > wait.start_ns ? static_cast<uint64_t>(end_ns - wait.start_ns) : 0;
}

class Places {
 public:
  explicit Places(const Model& model) : model_(model), calls_(model.dictionaries) {}

  WaitPlace& Of(WaitKind kind, StackId stack) {
    const auto [at, is_new] = index_.try_emplace({kind, stack}, places_.size());
    if (is_new) {
      WaitPlace place;
      place.group.kind = kind;
      place.group.stack = stack;
      place.path = WaitPath(model_.dictionaries, stack);
      place.call = calls_.Find(place.path);
      place.site = calls_.Site(place.path, place.call.frames);
      place.end_ns = model_.facts.last_ns;
      places_.push_back(std::move(place));
    }
    return places_[at->second];
  }

  std::vector<WaitPlace> Take() {
    std::stable_sort(places_.begin(), places_.end(), [](const WaitPlace& a, const WaitPlace& b) {
      return a.total_ns() > b.total_ns();
    });
    return std::move(places_);
  }

  LockHolder HolderOf(const HolderGroup& group) const {
    LockHolder holder{group, model_.dictionaries.Path(group.stack), 0};
    holder.site = calls_.Site(holder.path, 0);
    return holder;
  }

 private:
  const Model& model_;
  BlockingCalls calls_;
  std::map<std::pair<WaitKind, StackId>, size_t> index_;
  std::vector<WaitPlace> places_;
};

// Locks with the waits for them that have not ended, as long as they are.
std::vector<LockGroup> WithOpenWaits(const Model& model) {
  std::vector<LockGroup> locks = model.waits.locks;
  std::unordered_map<uint64_t, size_t> index;
  for (size_t i = 0; i < locks.size(); ++i) index.emplace(locks[i].lock, i);
  for (const OpenWait& wait : model.waits.open) {
    const auto at = index.find(wait.lock);
    if (at == index.end()) continue;
    LockGroup& lock = locks[at->second];
    const uint64_t age = Age(wait, model.facts.last_ns);
    ++lock.count;
    lock.total_ns += age;
    lock.longest_ns = std::max(lock.longest_ns, age);
  }
  return locks;
}

}  // namespace

uint64_t WaitPlace::longest_ns() const {
  return open.empty() ? group.longest_ns : std::max(group.longest_ns, Age(*open.front(), end_ns));
}

std::vector<MethodId> WaitPath(const Dictionaries& dictionaries, StackId stack) {
  return WaitPath(dictionaries, dictionaries.Path(stack));
}

std::vector<MethodId> WaitPath(const Dictionaries& dictionaries, std::vector<MethodId> path) {
  const auto first = std::find_if(path.begin(), path.end(), [&](MethodId method) {
    return method != 0 && !TellsOfWaits(dictionaries, method);
  });
  path.erase(path.begin(), first);
  return path;
}

LockReport AnalyzeLocks(const Model& model) {
  LockReport report(model);
  Places places(model);
  for (const WaitGroup& group : model.waits.groups) {
    places.Of(group.kind, group.stack).group = group;
  }
  for (const OpenWait& wait : model.waits.open) {
    WaitPlace& place = places.Of(wait.kind, wait.stack);
    place.open.push_back(&wait);
    place.open_ns += Age(wait, model.facts.last_ns);
  }
  for (const HolderGroup& group : model.waits.holders) {
    report.holders.push_back(places.HolderOf(group));
  }
  for (WaitPlace& place : places.Take()) {
    if (place.is_lock()) {
      report.lock_waits += place.count();
      report.lock_ns += place.total_ns();
      report.lock_open += place.open.size();
    }
    (place.is_lock() ? report.locks : report.signals).push_back(std::move(place));
  }
  std::stable_sort(
      report.holders.begin(), report.holders.end(),
      [](const LockHolder& a, const LockHolder& b) { return a.group.total_ns > b.group.total_ns; });
  report.hottest = WithOpenWaits(model);
  std::stable_sort(report.hottest.begin(), report.hottest.end(),
                   [](const LockGroup& a, const LockGroup& b) { return a.total_ns > b.total_ns; });
  return report;
}

std::string_view WaitName(WaitKind kind, BlockingCall::Kind call) {
  using Call = BlockingCall::Kind;
  switch (kind) {
    case WaitKind::kMonitor:
      return "monitor";
    case WaitKind::kLock:
      return "lock";
    case WaitKind::kTask:
      return "task";
    default:
      break;
  }
  switch (call) {
    case Call::kReaderWriter:
      return "reader-writer lock";
    case Call::kSemaphore:
      return "semaphore";
    case Call::kTask:
    case Call::kTasks:
      return "task";
    case Call::kEventSlim:
      return "event";
    case Call::kJoin:
      return "thread";
    default:
      return kind == WaitKind::kMonitorWait  ? "pulse"
             : kind == WaitKind::kWaitHandle ? "wait handle"
                                             : "unknown";
  }
}

}  // namespace hindsight::analyzer
