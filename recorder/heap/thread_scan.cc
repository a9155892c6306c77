#include "recorder/heap/thread_scan.h"

#include <algorithm>
#include <iterator>

namespace hindsight::recorder {
namespace {

// A Thread is smaller; what follows it does not pass the checks.
constexpr uint64_t kThreadBytes = 4096;
// In the managed object, the field follows the references; its class is small.
constexpr uint64_t kFirstField = 8, kLastField = 96;
constexpr uint32_t kHighestPriority = 4;  // System.Threading.ThreadPriority
constexpr uint32_t kHighestManagedId = 1u << 24;
// Size of the runtime's own frames above the managed ones, at most.
constexpr uint64_t kMaxRuntimeBytes = 256u << 10;
// Assumed for the outermost managed frame, whose size is not known.
constexpr uint64_t kOutermostBytes = 512;
constexpr uint64_t kMaxStackBytes = 8u << 20;

}  // namespace

void ThreadScan::FindManagedIds() {
  for (uint32_t i = 0; i < memory_.thread_count; ++i) {
    ScannedThread& thread = memory_.threads[i];
    thread.managed_id = 0;
    uint64_t id = 0;
    if (handle_offset_ != 0) {
      id = ManagedIdAt(thread.clr_thread, handle_offset_);
    } else {
      for (uint64_t offset = 8; id == 0 && offset < kThreadBytes; offset += 8) {
        id = ManagedIdAt(thread.clr_thread, offset);
        if (id != 0) handle_offset_ = offset;
      }
    }
    thread.managed_id = static_cast<uint32_t>(id);
  }
}

// 0: there is no handle of the managed thread.
uint64_t ThreadScan::ManagedIdAt(uint64_t thread, uint64_t handle_offset) {
  uint64_t handle, object, field;
  if (!reader_.Read(thread + handle_offset, handle) || !reader_.Read(handle, object) ||
      !walk_.MayBeObject(object)) {
    return 0;
  }
  for (uint64_t at = object + kFirstField; at <= object + kLastField; at += 8) {
    uint32_t priority, id;
    if (!reader_.Read(at, field) || field != thread) continue;
    if (!reader_.Read(at + 8, priority) || !reader_.Read(at + 12, id)) return 0;
    return priority <= kHighestPriority && id <= kHighestManagedId ? id : 0;
  }
  return 0;
}

bool ThreadScan::FindWaits(MonitorTable& monitors) {
  if (!FindItemOffset(monitors)) return false;
  uint64_t app_domain = 0;
  for (uint32_t i = 0; i < memory_.thread_count; ++i) {
    ScannedThread& thread = memory_.threads[i];
    thread.waiting_monitor = 0;
    if (item_offset_ == 0) continue;
    const Item item = ItemAt(thread, item_offset_, monitors);
    if (item.object == 0) continue;
    if (app_domain == 0) app_domain = item.app_domain;
    if (item.app_domain != app_domain) {
      for (uint32_t k = 0; k <= i; ++k) memory_.threads[k].waiting_monitor = 0;
      return false;
    }
    thread.waiting_monitor = item.object;
  }
  return true;
}

// Other words of a Thread also point to its stack, and may by chance point to the remains of an old
// item there. So the offset where most threads have an item is used. False: two offsets are equally
// likely.
bool ThreadScan::FindItemOffset(MonitorTable& monitors) {
  constexpr uint32_t kEnoughThreads = 64;
  uint16_t found[kThreadBytes / 8] = {};
  uint32_t threads = 0;
  for (uint32_t i = 0; i < memory_.thread_count && threads < kEnoughThreads; ++i) {
    bool any = false;
    for (uint64_t offset = 8; offset < kThreadBytes; offset += 8) {
      if (ItemAt(memory_.threads[i], offset, monitors).object == 0) continue;
      ++found[offset / 8];
      any = true;
    }
    threads += any ? 1 : 0;
  }
  const uint16_t* const most = std::max_element(std::begin(found), std::end(found));
  item_offset_ = *most == 0 ? 0 : static_cast<uint64_t>(most - found) * 8;
  return *most == 0 || std::count(std::begin(found), std::end(found), *most) == 1;
}

// The item that the word of the Thread at `offset` points to; without an object if there is none.
ThreadScan::Item ThreadScan::ItemAt(const ScannedThread& thread, uint64_t offset,
                                    MonitorTable& monitors) {
  uint64_t address;
  if (thread.pointer_count == 0 || !reader_.Read(thread.clr_thread + offset, address)) return {};
  // It is in the runtime's part of the stack, above the managed frames.
  const uint64_t innermost = memory_.stack_pointers[thread.first_pointer];
  const auto is_place = [&](uint64_t place) {
    return place < innermost && place >= innermost - kMaxRuntimeBytes && place % 8 == 0;
  };
  uint64_t block, app_domain, next, word;
  uint32_t kind;
  if (!is_place(address) || !reader_.Read(address, block) ||
      !reader_.Read(address + 8, app_domain) || !reader_.Read(address + 16, kind) ||
      !reader_.Read(address + 24, next)) {
    return {};
  }
  if (kind > 1 || (next != 0 && !is_place(next)) || !reader_.Read(app_domain, word)) return {};
  return {monitors.ObjectOfBlock(block), app_domain};
}

void ThreadScan::FindObjects() {
  memory_.object_count = 0;
  for (uint32_t i = 0; i < memory_.thread_count; ++i) {
    memory_.threads[i].object_count = 0;
    if (!walk_.IsLate()) ScanOne(memory_.threads[i]);
  }
}

bool ThreadScan::IsNew(const ScannedThread& thread, uint64_t address) const {
  const ScannedObject* const first = memory_.objects + thread.first_object;
  return std::none_of(first, first + thread.object_count,
                      [address](const ScannedObject& each) { return each.address == address; });
}

void ThreadScan::ScanOne(ScannedThread& thread) {
  thread.first_object = memory_.object_count;
  if (thread.pointer_count == 0) return;
  const uint64_t* const pointers = memory_.stack_pointers + thread.first_pointer;
  const uint64_t innermost = pointers[0];
  const uint64_t outermost = pointers[thread.pointer_count - 1];
  uint64_t begin = innermost;
  if (thread.stack_pointer != 0 && thread.stack_pointer <= innermost &&
      innermost - thread.stack_pointer <= kMaxRuntimeBytes) {
    begin = thread.stack_pointer;
  }
  const uint64_t end = std::min(outermost + kOutermostBytes, begin + kMaxStackBytes);
  uint32_t frame = 0;  // 1 + the index of the frame that contains `at`
  for (uint64_t at = (begin + 7) & ~uint64_t{7}; at < end; at += 8) {
    while (frame < thread.pointer_count && pointers[frame] <= at) ++frame;
    uint64_t word;
    if (!reader_.Read(at, word)) return;
    if (!walk_.MayBeObject(word) || !IsNew(thread, word)) continue;
    if (thread.object_count == kMaxStackObjects || memory_.object_count == kMaxScannedObjects) {
      return;
    }
    memory_.objects[memory_.object_count++] = {word, static_cast<uint32_t>(at - begin), frame};
    ++thread.object_count;
  }
}

void ReadThreads(ThreadMemory& memory, const HeapWalk& walk) {
  ThreadScan scan(memory, walk);
  MonitorTable monitors(memory, walk);
  scan.FindManagedIds();
  memory.fault = monitors.Find();
  if (memory.fault == MonitorFault::kNone) {
    memory.fault = monitors.ReadMonitors();
    memory.waits_known = scan.FindWaits(monitors);
  }
  if (memory.fault != MonitorFault::kNone && memory.fault != MonitorFault::kTooMany) {
    memory.monitor_count = 0;
  }
  scan.FindObjects();
}

}  // namespace hindsight::recorder
