#include "analyzer/reader/heap_threads.h"

#include <algorithm>

namespace hindsight::analyzer {
namespace {

// The object that begins at `address`.
ObjectId ObjectAt(const HeapColumns& columns, uint64_t address) {
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
    found.object = ObjectAt(columns, monitor.address);
  }
  for (const State& state : states_) {
    HeapThread& found = columns.threads.emplace_back(state.thread_state);
    const auto name = threads_.find(state.thread);
    if (name != threads_.end()) {
      found.os_id = name->second.os_id;
      found.name = name->second.name;
    }
    found.waiting_monitor = ObjectAt(columns, state.waiting_monitor);
    for (const StackObject& object : state.objects) {
      const ObjectId id = ObjectAt(columns, object.address);
      if (id != kNoObject) found.objects.push_back({id, object.offset, object.frame});
    }
  }
  columns.SortThreads();
}

}  // namespace hindsight::analyzer
