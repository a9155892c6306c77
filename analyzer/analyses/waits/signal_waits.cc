#include "analyzer/analyses/waits/signal_waits.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/waits/lock_names.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

using Call = BlockingCall::Kind;
using For = SignalWait::For;

// Barrier._currentTotalCount: those that have arrived, and all participants.
constexpr int64_t kArrivedMask = 0x7fff0000, kParticipantsMask = 0x7fff;
constexpr int kArrivedShift = 16;

class Finder {
 public:
  explicit Finder(const HeapWaits& heap)
      : heap_(heap),
        model_(heap.model()),
        kinds_(model_.dictionaries, model_.application),
        fields_(model_) {}

  std::vector<SignalWait> Find() {
    const std::vector<bool> stuck = heap_.waits().graph.Stuck(false);
    for (uint32_t i = 0; i < heap_.waits().threads.size(); ++i) {
      if (!stuck[i]) Add(i);
    }
    std::unordered_set<ObjectId> objects;
    for (const auto& [place, wait] : waits_) objects.insert(place.signal.object);
    LockNames names(model_, std::move(objects));
    std::vector<SignalWait> out;
    for (auto& [place, wait] : waits_) {
      Describe(place, names, wait);
      out.push_back(std::move(wait));
    }
    std::ranges::stable_sort(out, [](const SignalWait& a, const SignalWait& b) {
      return std::tie(a.is_main, a.threads) > std::tie(b.is_main, b.threads);
    });
    return out;
  }

 private:
  struct Signal {
    For what = For::kEvent;
    ObjectId object = kNoObject;
    auto operator<=>(const Signal&) const = default;
  };
  struct Place {
    Signal signal;
    MethodId at = 0;
    auto operator<=>(const Place&) const = default;
  };

  void Add(uint32_t index) {
    const WaitModel::Thread& thread = heap_.waits().threads[index];
    const MethodId at = kinds_.InnermostYours(thread.path);
    if (at == 0) return;
    const std::optional<Signal> signal = SignalOf(index);
    if (!signal) return;
    SignalWait& wait = waits_[{*signal, at}];
    ++wait.threads;
    wait.is_main = wait.is_main || thread.os_id == model_.pid;
    if (wait.thread_name.empty()) wait.thread_name = model_.dictionaries.String(thread.name);
  }

  std::optional<Signal> SignalOf(uint32_t index) {
    const WaitModel::Thread& thread = heap_.waits().threads[index];
    if (IsForProcess(thread)) return Signal{For::kProcess};
    switch (thread.call.kind) {
      case Call::kEventSlim:
        return EventOf(index);
      case Call::kMonitorWait: {
        const HeapWaits::Nearest nearest = heap_.FindNearest(
            index, [this](ObjectId object) { return !Is(object, RuntimeType::kThread); });
        return Signal{For::kPulse, nearest.is_only ? nearest.object : kNoObject};
      }
      case Call::kSemaphore:
        if (HasOwner(index) || IsForItem(thread)) return std::nullopt;
        return Signal{For::kSemaphore, Nearest(index, RuntimeType::kSemaphore)};
      case Call::kWaitHandle:
      case Call::kWaitHandles: {
        if (HasOwner(index)) return std::nullopt;
        const ObjectId handle = heap_.WaitHandleOf(index);
        return Signal{Is(handle, RuntimeType::kMutex) ? For::kMutex : For::kHandle, handle};
      }
      case Call::kJoin:
        return Signal{For::kThread, heap_.JoinedThread(index).object};
      default:
        return std::nullopt;
    }
  }

  bool Is(ObjectId object, RuntimeType type) const {
    return object != kNoObject && heap_.types().Of(object) == type;
  }

  ObjectId Nearest(uint32_t index, RuntimeType type) const {
    return heap_.FindNearest(index, type).object;
  }

  // Process.WaitForExit waits for an event of its own.
  bool IsForProcess(const WaitModel::Thread& thread) const {
    if (thread.call.kind == Call::kNone) return false;
    const MethodId caller = heap_.calls().Site(thread.path, thread.call.frames);
    const Dictionaries& names = model_.dictionaries;
    return names.String(names.type(names.method(caller).type).name)
        .starts_with("System.Diagnostics.Process");
  }

  bool IsForItem(const WaitModel::Thread& thread) const {
    return heap_.calls().CollectionOf(thread.path, thread.call) != BlockingCalls::Collection::kNone;
  }

  // Whether something has to happen first that the wait graph knows.
  bool HasOwner(uint32_t index) const {
    const WaitGraph& graph = heap_.waits().graph;
    return std::ranges::any_of(graph.EdgesOf(index), [&graph](const WaitEdge& edge) {
      return !graph.EdgesOf(edge.to).empty();
    });
  }

  Signal EventOf(uint32_t index) {
    const ObjectId countdown = Nearest(index, RuntimeType::kCountdown);
    if (countdown != kNoObject) return {For::kCountdown, countdown};
    const ObjectId barrier = Nearest(index, RuntimeType::kBarrier);
    if (barrier != kNoObject) return {For::kBarrier, barrier};
    const ObjectId event = Nearest(index, RuntimeType::kEventSlim);
    if (event == kNoObject) return {For::kEvent, event};
    // Both wait for events of their own, and are not always on the stack.
    const auto owner = Events().find(event);
    if (owner == Events().end()) return {For::kEvent, event};
    const bool is_barrier = Is(owner->second, RuntimeType::kBarrier);
    return {is_barrier ? For::kBarrier : For::kCountdown, owner->second};
  }

  // Countdowns and barriers, by their events.
  const std::unordered_map<ObjectId, ObjectId>& Events() {
    if (!events_) {
      events_.emplace();
      const ObjectFields::SlotName event = fields_.Slot("_event"), odd = fields_.Slot("_oddEvent"),
                                   even = fields_.Slot("_evenEvent");
      for (ObjectId id = 0; id < model_.graph.size(); ++id) {
        if (Is(id, RuntimeType::kCountdown)) {
          events_->emplace(fields_.Get(id, event), id);
        } else if (Is(id, RuntimeType::kBarrier)) {
          events_->emplace(fields_.Get(id, odd), id);
          events_->emplace(fields_.Get(id, even), id);
        }
      }
    }
    return *events_;
  }

  void Describe(const Place& place, LockNames& names, SignalWait& wait) {
    const Dictionaries& dictionaries = model_.dictionaries;
    const auto [what, object] = place.signal;
    wait.what = what;
    wait.at = MethodDisplayName(dictionaries, place.at);
    if (object == kNoObject) return;
    const HeapGraph& graph = model_.graph;
    wait.address = graph.Address(object);
    if (what == For::kThread) {
      const auto& threads = heap_.waits().threads;
      const auto other = std::ranges::find(threads, object, &WaitModel::Thread::object);
      if (other != threads.end()) wait.object = dictionaries.String(other->name);
      return;
    }
    wait.object = names.Of(object);
    if (wait.object.empty()) {
      wait.object = TypeDisplayName(dictionaries, graph.classes()[graph.ClassOf(object)].type);
    }
    if (what == For::kCountdown) {
      wait.missing = fields_.Get(object, fields_.Value("_currentCount"));
      const auto all = fields_.Get(object, fields_.Value("_initialCount"));
      if (wait.missing && all >= wait.missing) wait.of = all;  // AddCount does not raise it
    }
    if (what == For::kBarrier) {
      const auto counts = fields_.Get(object, fields_.Value("_currentTotalCount"));
      if (!counts) return;
      const int64_t all = *counts & kParticipantsMask;
      const int64_t arrived = (*counts & kArrivedMask) >> kArrivedShift;
      if (arrived > all) return;
      wait.of = all;
      wait.missing = all - arrived;
    }
  }

  const HeapWaits& heap_;
  const HeapModel& model_;
  FrameKinds kinds_;
  ObjectFields fields_;
  std::map<Place, SignalWait> waits_;
  std::optional<std::unordered_map<ObjectId, ObjectId>> events_;
};

std::string_view NameOf(For what) {
  switch (what) {
    case For::kEvent:
      return "event";
    case For::kCountdown:
      return "countdown";
    case For::kBarrier:
      return "barrier";
    case For::kPulse:
      return "a pulse of";
    case For::kSemaphore:
      return "semaphore";
    case For::kHandle:
      return "wait handle";
    case For::kMutex:
      return "mutex";
    case For::kThread:
      return "thread";
    case For::kProcess:
      break;
  }
  return "a child process to exit";
}

std::string ObjectText(const SignalWait& wait) {
  const std::string name(NameOf(wait.what));
  if (wait.what == For::kProcess) return name;
  if (wait.what == For::kThread) {
    return wait.object.empty() ? "a thread to end" : name + " \"" + wait.object + "\" to end,";
  }
  if (wait.object.empty()) return wait.what == For::kPulse ? "a pulse" : "a signal";
  return name + " " + wait.object;
}

std::string WhoText(const SignalWait& wait) {
  if (wait.threads > 1) {
    return wait.is_main ? "Main and " + Plural(wait.threads - 1, "more thread") + " wait"
                        : Plural(wait.threads, "thread") + " wait";
  }
  if (wait.is_main) return "Main waits";
  return wait.thread_name.empty() ? "1 thread waits" : "Thread \"" + wait.thread_name + "\" waits";
}

}  // namespace

std::vector<SignalWait> FindSignalWaits(const HeapWaits& heap) { return Finder(heap).Find(); }

std::string SignalWaitText(const SignalWait& wait) {
  std::string out = WhoText(wait) + " for " + ObjectText(wait) + " in " + wait.at;
  if (!wait.missing) return out;
  const bool is_one = *wait.missing == 1;
  const bool is_barrier = wait.what == For::kBarrier;
  const std::string_view noun = is_barrier ? " participant" : " signal";
  out += ": " + std::to_string(*wait.missing);
  if (wait.of) out += " of " + std::to_string(*wait.of);
  out += noun;
  if (wait.of.value_or(*wait.missing) != 1) out += 's';
  return out + (is_barrier ? is_one ? " has not arrived" : " have not arrived"
                : is_one   ? " is missing"
                           : " are missing");
}

}  // namespace hindsight::analyzer
