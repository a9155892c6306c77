#include "analyzer/reader/heap_threads.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {
namespace {

// The object that begins at `address`.
ObjectId ObjectBeginningAt(const HeapColumns& columns, uint64_t address) {
  const ObjectId id = columns.index.FindAtOrBefore(address);
  return id != ObjectIndex::kNone && columns.index.Address(id) == address ? id : kNoObject;
}

ThreadRunState RunState(ThreadState::State state) {
  switch (state) {
    case ThreadState::RUNNING:
      return ThreadRunState::kRunning;
    case ThreadState::SLEEPING:
      return ThreadRunState::kSleeping;
    case ThreadState::BLOCKED:
      return ThreadRunState::kBlocked;
    case ThreadState::STOPPED:
      return ThreadRunState::kStopped;
    default:
      return ThreadRunState::kUnknown;
  }
}

}  // namespace

void HeapThreads::Add(const hindsight::Thread& thread) {
  threads_[thread.id()] = {thread.os_id(), names_.Name(thread.name())};
}

void HeapThreads::Add(const hindsight::HeapThread& thread) {
  State& state = states_.emplace_back();
  state.thread = thread.thread();
  state.waiting_monitor = thread.waiting_monitor();
  state.thread_state.clr_thread = thread.clr_thread();
  state.thread_state.managed_id = thread.managed_id();
  state.thread_state.stack = names_.StackOf(thread.stack());
  state.thread_state.cpu_ns = thread.cpu_ns();
  state.thread_state.state = RunState(thread.state());
  const std::vector<uint32_t> places = names_.PlacesOf(thread.stack());
  uint64_t address = 0;
  for (int i = 0; i < thread.object_delta_size(); ++i) {
    address += static_cast<uint64_t>(thread.object_delta(i));
    uint32_t frame = thread.object_frame(i) - 1;  // 0 becomes kRuntime
    static_assert(HeapStackObject::kRuntime == UINT32_MAX);
    if (frame < places.size()) frame = places[frame];
    state.objects.push_back({address, thread.object_offset(i), frame});
  }
}

void HeapThreads::Add(const HeapMonitors& monitors) {
  if (monitors_unknown_because_.empty()) monitors_unknown_because_ = monitors.unknown_because();
  uint64_t address = 0;
  for (int i = 0; i < monitors.object_delta_size(); ++i) {
    address += static_cast<uint64_t>(monitors.object_delta(i));
    monitors_.push_back({address,
                         {.object = kNoObject,
                          .owner_os_id = monitors.owner_os_id(i),
                          .owner_managed_id = monitors.owner_managed_id(i),
                          .recursion = monitors.recursion(i),
                          .waited_for = monitors.waited_for(i)}});
  }
}

uint32_t HeapThreads::OsId(uint32_t thread) const {
  const auto found = threads_.find(thread);
  return found == threads_.end() ? 0 : found->second.os_id;
}

void HeapThreads::Resolve(HeapColumns& columns) const {
  columns.monitors_unknown_because = monitors_unknown_because_;
  for (const Monitor& monitor : monitors_) {
    HeapMonitor& found = columns.monitors.emplace_back(monitor.state);
    found.object = ObjectBeginningAt(columns, monitor.address);
  }
  for (const State& state : states_) {
    HeapThread& found = columns.threads.emplace_back(state.thread_state);
    const auto name = threads_.find(state.thread);
    if (name != threads_.end()) {
      found.os_id = name->second.os_id;
      found.name = name->second.name;
    }
    found.waiting_monitor = ObjectBeginningAt(columns, state.waiting_monitor);
    for (const StackObject& object : state.objects) {
      const ObjectId id = ObjectBeginningAt(columns, object.address);
      if (id != kNoObject) found.objects.push_back({id, object.offset, object.frame});
    }
  }
  columns.SortThreads();
}

namespace {

// The fields of a class that hold what is recorded about a thread's object.
struct ThreadFields {
  std::optional<uint32_t> clr_thread, managed_id, name;

  ThreadFields(const HeapClass& type, const Dictionaries& dictionaries) {
    for (uint32_t i = 0; i < type.value_fields.size(); ++i) {
      const std::string_view field = dictionaries.String(type.value_fields[i].name);
      if (field == "_DONT_USE_InternalThread") clr_thread = i;
      if (field == "_managedThreadId") managed_id = i;
      if (field == "_name") name = i;
    }
  }
};

}  // namespace

void NameThreads(HeapColumns& columns, Dictionaries& dictionaries) {
  std::vector<ThreadFields> fields;  // indexed by class
  bool any = false;
  for (const HeapClass& type : columns.classes) {
    any |= fields.emplace_back(type, dictionaries).clr_thread.has_value();
  }
  if (!any || columns.threads.empty()) return;
  std::unordered_map<uint64_t, HeapThread> by_clr_thread;  // what the thread objects contain
  HeapGraph graph(std::move(columns));
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const ThreadFields& at = fields[graph.ClassOf(id)];
    if (!at.clr_thread) continue;
    const int64_t clr_thread = graph.Value(id, *at.clr_thread).value_or(0);
    if (clr_thread == 0) continue;  // it has ended
    HeapThread& thread = by_clr_thread[static_cast<uint64_t>(clr_thread)];
    if (at.managed_id) {
      thread.managed_id = static_cast<uint32_t>(graph.Value(id, *at.managed_id).value_or(0));
    }
    if (!at.name) continue;
    if (const auto name = graph.Text(id, *at.name)) thread.name = dictionaries.AddString(*name);
  }
  columns = std::move(graph).TakeColumns();
  for (HeapThread& thread : columns.threads) {
    const auto found = by_clr_thread.find(thread.clr_thread);
    if (found == by_clr_thread.end()) continue;
    if (thread.managed_id == 0) thread.managed_id = found->second.managed_id;
    if (found->second.name != 0) thread.name = found->second.name;
  }
}

}  // namespace hindsight::analyzer
