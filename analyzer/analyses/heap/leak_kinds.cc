#include "analyzer/analyses/heap/leak_kinds.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "analyzer/analyses/heap/accumulation_contents.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/naming/type_names.h"

namespace hindsight::analyzer {
namespace {

// By part of the type's name, first match.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kNouns = {{
    {"Dictionary", "dictionary"},
    {"Hashtable", "dictionary"},
    {"ConditionalWeakTable", "dictionary"},
    {"Cache", "dictionary"},
    {"LinkedList", "linked list"},
    {"List", "list"},
    {"Queue", kQueueName},
    {"Channel", kQueueName},
    {"BlockingCollection", kQueueName},
    {"Stack", "stack"},
    {"Bag", "bag"},
    {"Set", "set"},
    {"Lookup", "dictionary"},
    {"Collection", "collection"},
    {"Immutable", "collection"},
}};

class Classifier {
 public:
  Classifier(const HeapModel& model, const SlotNames& names, const Accumulation& accumulation,
             const OwnerPath& path, size_t place, size_t nested)
      : model_(model),
        names_(names),
        accumulation_(accumulation),
        path_(path),
        place_(place),
        nested_end_(std::min(place + nested, path.steps.size())) {}

  AccumulationTraits Classify() {
    FindContainer();
    if (const auto event = Event()) {
      traits_.subject = *event;
      return As(LeakKind::kEventHandlers, "event handlers");
    }
    if (const auto timer = Timer()) {
      const size_t state = std::min(*timer + 1, path_.steps.size() - 1);
      // The latter of Task.Delay.
      const bool is_timeout = Is(state, "System.Threading.CancellationTokenSource") ||
                              TypeAt(state).starts_with("System.Threading.Tasks.Task+DelayPromise");
      if (!is_timeout) return As(LeakKind::kTimers, "timers");
      const bool has_contents = state + 1 < path_.steps.size();
      return As(has_contents ? LeakKind::kTimeoutCallbacks : LeakKind::kTimeouts, "timeouts");
    }
    for (size_t i = place_; i < nested_end_; ++i) {
      if (Is(i, "System.Threading.CancellationTokenSource+CallbackNode")) {
        return As(LeakKind::kRegistrations, "token registrations");
      }
    }
    if (const auto context = DbContext()) {
      traits_.subject = *context;
      return As(LeakKind::kChangeTracker, "change tracker");
    }
    for (size_t i = place_; i < nested_end_; ++i) {
      if (IsClosure(model_.dictionaries, path_.steps[i].to)) {
        return As(LeakKind::kClosures, "closures");
      }
    }
    if (accumulation_.owner == kSuperRoot && accumulation_.root != nullptr &&
        IsHandle(accumulation_.root->kind)) {
      return As(LeakKind::kHandles, "handles");
    }
    const OwnerStep& first = path_.steps[0];
    if (IsTableOfStrings()) return As(LeakKind::kInterned, "the table of interned strings");
    if (first.kind == OwnerStep::Kind::kRoot && first.root == RootKind::kFinalizerQueue) {
      return As(LeakKind::kFinalizerQueue, "finalizer queue");
    }
    const bool is_nameless_stack =
        first.kind == OwnerStep::Kind::kRoot && first.root == RootKind::kStack && first.method == 0;
    // On .NET 8, the runtime reports an array of thread statics as a root that belongs to no
    // method.
    if (first.kind == OwnerStep::Kind::kThreadStatic ||
        (is_nameless_stack && IsArray(path_.objects[0]) && place_ > 0)) {
      return As(LeakKind::kThreadStatics, "thread statics");
    }
    for (size_t i = nested_end_; i < path_.objects.size(); ++i) {
      if (IsDelegate(model_, model_.graph.ClassOf(path_.objects[i]))) {
        return As(LeakKind::kSubscriptions, "subscriptions");
      }
    }
    if (traits_.subject == "ServiceProviderEngineScope._disposables") {
      return As(LeakKind::kDisposables, "the service container");
    }
    if (IsInPoolQueue()) return As(LeakKind::kCollection, std::string(kQueueName));
    const std::string_view noun = Noun();
    if (noun == "dictionary") return As(LeakKind::kCache, "cache");
    const bool is_static = first.kind == OwnerStep::Kind::kStatic && IsHeldByRoot();
    return As(LeakKind::kCollection, (is_static ? "static " : "") + std::string(noun));
  }

 private:
  // The runtime keeps interned strings in arrays of its own, as it does statics, whose fields are
  // known.
  bool IsTableOfStrings() const {
    const OwnerStep& first = path_.steps[0];
    return path_.steps.size() == 2 && first.kind == OwnerStep::Kind::kRoot &&
           IsHandle(first.root) && IsArray(path_.objects[0]) && Is(1, "System.String");
  }

  // Work of the thread pool that has not run.
  bool IsInPoolQueue() const {
    return std::ranges::any_of(path_.steps, [this](const OwnerStep& step) {
      return model_.dictionaries.String(model_.dictionaries.type(step.to).name)
          .starts_with("System.Threading.ThreadPoolWorkQueue");
    });
  }

  AccumulationTraits As(LeakKind kind, std::string name) {
    traits_.kind = kind;
    traits_.name = std::move(name);
    return std::move(traits_);
  }

  static bool IsHandle(RootKind kind) {
    return kind == RootKind::kStrongHandle || kind == RootKind::kPinnedHandle ||
           kind == RootKind::kRefcountedHandle;
  }

  bool IsArray(ObjectId id) const {
    return model_.graph.classes()[model_.graph.ClassOf(id)].kind == HeapClass::Kind::kArray;
  }

  std::string Field(const OwnerStep& step) const {
    if (step.kind == OwnerStep::Kind::kField) {
      return JoinSlot(TypeBriefName(model_.dictionaries, step.from), names_.Name(step.key));
    }
    const bool is_static =
        step.kind == OwnerStep::Kind::kStatic || step.kind == OwnerStep::Kind::kThreadStatic;
    return is_static ? names_.Name(step.key) : std::string();
  }

  // The event's field, if the accumulation is the invocation list of a delegate.
  std::optional<std::string> Event() const {
    if (!IsDelegate(model_, accumulation_.type)) return std::nullopt;
    for (size_t i = 1; i <= place_; ++i) {
      const OwnerStep& step = path_.steps[i];
      if (step.kind == OwnerStep::Kind::kField && names_.Name(step.key) == "._invocationList") {
        return Field(path_.steps[i - 1]);
      }
    }
    return std::nullopt;
  }

  std::string_view TypeAt(size_t step) const {
    return RawTypeName(model_.dictionaries, path_.steps[step].to);
  }
  bool Is(size_t step, std::string_view type) const { return TypeAt(step) == type; }

  // The step to a timer, if they are timers or what these call. What a timer's owner accumulates
  // does not count.
  std::optional<size_t> Timer() const {
    for (size_t i = place_ + 1; i-- > 0;) {
      if (Is(i, "System.Threading.TimerQueueTimer")) return i;
      const bool is_call = IsDelegate(model_, model_.graph.ClassOf(path_.objects[i]));
      if (i < place_ && !is_call) return std::nullopt;
    }
    return std::nullopt;
  }

  // The type of the DbContext that tracks the objects.
  std::optional<std::string> DbContext() const {
    for (size_t i = 0; i < place_; ++i) {
      if (!IsChangeTracker(model_.dictionaries, path_.steps[i].to)) continue;
      size_t context = i;
      while (context > 0 && TypeAt(context).starts_with("Microsoft.EntityFrameworkCore.")) {
        --context;
      }
      return TypeBriefName(model_.dictionaries, path_.steps[context].to);
    }
    return std::nullopt;
  }

  // The framework's collection whose arrays, tables and nodes lead to the accumulation.
  void FindContainer() {
    container_ = place_;
    for (size_t i = place_; i-- > 0;) {
      const std::string_view name = TypeAt(i);
      if (IsArray(path_.objects[i])) {
        container_ = i;
        continue;
      }
      if (!name.starts_with("System.Collections.") &&
          !name.starts_with("Microsoft.Extensions.Caching.") &&
          !name.starts_with("System.Threading.Channels.")) {
        break;
      }
      container_ = i;
      if (name.find('+') != std::string_view::npos || name.ends_with("Node`1") ||
          name.ends_with("Segment`1")) {
        continue;
      }
      traits_.container = path_.objects[i];
      break;
    }
    if (container_ + 1 <= path_.steps.size()) traits_.subject = Field(path_.steps[container_]);
    traits_.is_local = container_ < place_ && IsOfRunningMethod(path_.steps[container_]);
  }

  // Whether it belongs to a frame, or to an async method while it awaits something.
  bool IsOfRunningMethod(const OwnerStep& step) const {
    if (step.kind == OwnerStep::Kind::kRoot) return step.method != 0;
    if (step.kind != OwnerStep::Kind::kField) return false;
    const std::string_view raw = RawTypeName(model_.dictionaries, step.from);
    if (raw.starts_with("System.Runtime.CompilerServices.") &&
        raw.find("StateMachineBox") != std::string_view::npos) {
      return true;
    }
    return naming::IsStateMachineType(raw);
  }

  // Whether a root holds the collection, or the first of linked objects.
  bool IsHeldByRoot() const {
    return container_ == 0 || path_.steps[0].to == path_.steps[place_].to;
  }

  std::string_view Noun() const {
    for (size_t i = 0; i < place_; ++i) {
      const std::string_view name = TypeAt(i);
      if (name.find("MemoryCache") != std::string_view::npos) return "dictionary";
    }
    if (traits_.container == kNoObject) {
      if (container_ < place_) return "array";
      return accumulation_.direct < accumulation_.count ? "linked objects" : "collection";
    }
    const TypeId type = path_.steps[container_].to;
    const std::string_view full = RawTypeName(model_.dictionaries, type);
    const std::string_view name = full.substr(full.rfind('.') + 1);
    for (const auto& [part, noun] : kNouns) {
      if (name.find(part) != std::string_view::npos) return noun;
    }
    return "collection";
  }

  const HeapModel& model_;
  const SlotNames& names_;
  const Accumulation& accumulation_;
  const OwnerPath& path_;
  const size_t place_;
  const size_t nested_end_;
  size_t container_ = 0;  // step that leads to the collection, or to the array instead of it
  AccumulationTraits traits_;
};

}  // namespace

std::string AccumulationTraits::Subject() const {
  if (!subject.empty()) return subject;
  const bool has_vowel = std::string_view("aeiou").find(name[0]) != std::string_view::npos;
  return (has_vowel ? "an " : "a ") + name;
}

AccumulationTraits ClassifyAccumulation(const HeapModel& model, const SlotNames& names,
                                        const Accumulation& accumulation, const OwnerPath& path,
                                        size_t place, size_t nested) {
  return Classifier(model, names, accumulation, path, place, nested).Classify();
}

std::string CollectionPast::Clause() const {
  std::string clause = sentence;
  if (clause.ends_with('.')) clause.pop_back();
  if (!clause.empty() && clause[0] >= 'A' && clause[0] <= 'Z') clause[0] += 'a' - 'A';
  return clause;
}

CollectionPast PastOf(const HeapModel& model, ObjectId container) {
  if (container == kNoObject) return {};
  const auto value = [&](std::string_view field) {
    return model.graph.Value(model.dictionaries, container, field);
  };
  const auto first = [&](std::string_view a, std::string_view b) {
    const std::optional<int64_t> found = value(a);
    return found ? found : value(b);
  };
  const std::optional<int64_t> free = value("_freeCount");
  std::optional<int64_t> count = first("_size", "_count");
  if (!count) count = value("count");
  const std::optional<int64_t> version = first("_version", "version");
  if (!count || *count <= 0) return {};
  const int64_t live = *count - free.value_or(0);
  if (free && *free > 0) {
    return {CollectionPast::Kind::kEntriesLeft,
            "Entries have been removed: " + Plural(static_cast<uint64_t>(*free), "place") +
                " of their slots are still free."};
  }
  if (!version) return {};
  // Clearing, and changes of the comparer, count as well, so a few more mean nothing.
  const int64_t slack = live / 100 + 16;
  if (*version > live + slack) {
    return {CollectionPast::Kind::kEntriesLeft,
            "It was changed " + FormatCount(static_cast<uint64_t>(*version)) + " times and has " +
                FormatCount(static_cast<uint64_t>(live)) +
                " entries: entries are removed or replaced."};
  }
  if (*version >= live) {
    return {CollectionPast::Kind::kOnlyGrew,
            "It was changed " + FormatCount(static_cast<uint64_t>(*version)) + " times and has " +
                FormatCount(static_cast<uint64_t>(live)) + " entries: none was ever removed."};
  }
  return {};
}

std::string AdviceFor(LeakKind kind, std::string_view name) {
  switch (kind) {
    case LeakKind::kEventHandlers:
      return "Unsubscribe (-=) when a subscriber is done, or use weak events.";
    case LeakKind::kTimers:
      return "Dispose each timer when its owner is done: until then, the runtime keeps both alive.";
    case LeakKind::kClosures:
      return "Remove each callback once it has run or is no longer needed (dispose the "
             "registration).";
    case LeakKind::kHandles:
      return "Free each GCHandle; free those passed to native code when it is done with them.";
    case LeakKind::kRegistrations:
      return "Dispose each CancellationTokenRegistration, and each linked CancellationTokenSource "
             "(`using`): until then, the token keeps it, and all that its callback needs.";
    case LeakKind::kTimeoutCallbacks:
      return "Dispose each CancellationTokenSource (`using`): until its time is over, a timer "
             "keeps "
             "it, and all that its callbacks need.";
    case LeakKind::kThreadStatics:
      return "Clear it when the thread's work is done: pool threads live on.";
    case LeakKind::kSubscriptions:
      return "Dispose each subscription when its subscriber is done.";
    case LeakKind::kTimeouts:
      return "Dispose each CancellationTokenSource (`using`), and cancel each Task.Delay that "
             "nobody awaits any more: until its time is over, a timer keeps it, and all that "
             "waits for it. A loop that awaits one needs an end.";
    case LeakKind::kChangeTracker:
      return "A DbContext keeps every entity that it has read or added until it is disposed: use "
             "one for each unit of work, or AsNoTracking() for what is only read.";
    case LeakKind::kFinalizerQueue:
      return "Finalizers must not block: look at the finalizer thread (`hindsight threads`, "
             "`hindsight wall`). Dispose objects that have one, so that they need it no more.";
    case LeakKind::kCache:
      return "Give it a size limit or an expiry, and check that its keys are ever looked up again.";
    case LeakKind::kDisposables:
      return "A scope keeps every disposable service that it has created until it is disposed, and "
             "the root lasts as long as the application: resolve them in a scope of their own, or "
             "create and dispose them yourself.";
    case LeakKind::kInterned:
      return "string.Intern keeps a string until the process ends: do not intern what differs from "
             "request to request, or use a collection that can be cleared.";
    case LeakKind::kCollection:
      if (name == kQueueName) {
        return "Take them out faster, or limit what it holds, so that producers wait.";
      }
      return "Remove entries that are no longer needed.";
  }
  return {};
}

}  // namespace hindsight::analyzer
