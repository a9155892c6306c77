#include "recorder/heap/monitor_table.h"

#include <algorithm>

namespace hindsight::recorder {
namespace {

constexpr uint64_t kEntryBytes = 16;
// Offsets in a block.
constexpr uint64_t kState = 0, kEntered = 4, kOwner = 8, kOwnerOsId = 16, kIndex = 28;
constexpr uint32_t kIndexFlag = 0x80000000;
constexpr uint32_t kLocked = 1, kWaiterShift = 6;
constexpr uint64_t kMaxOsId = 1u << 22;  // PID_MAX_LIMIT

}  // namespace

const ScannedThread* ThreadOfOsId(const ThreadMemory& memory, uint64_t os_id) {
  const ScannedThread* const end = memory.threads + memory.thread_count;
  const ScannedThread* const found =
      std::lower_bound(memory.threads, end, os_id,
                       [](const ScannedThread& thread, uint64_t id) { return thread.os_id < id; });
  return found != end && found->os_id == os_id ? found : nullptr;
}

const ScannedThread* ThreadOfManagedId(const ThreadMemory& memory, uint32_t managed_id) {
  for (uint32_t i = 0; i < memory.thread_count; ++i) {
    if (memory.threads[i].managed_id == managed_id) return &memory.threads[i];
  }
  return nullptr;
}

bool MonitorTable::ReadEntry(uint64_t table, uint32_t index, Entry& entry) {
  const uint64_t address = table + index * kEntryBytes;
  return reader_.Read(address, entry.block) && reader_.Read(address + 8, entry.object);
}

bool MonitorTable::NamesIndex(uint64_t block, uint32_t index) {
  uint32_t named;
  return reader_.Read(block + kIndex, named) && (named & ~kIndexFlag) == index;
}

bool MonitorTable::Fits(uint64_t table, const MarkedObject& object) {
  Entry entry;
  const uint32_t index = ObjectHeader{object.header}.index();
  return ReadEntry(table, index, entry) && entry.object == object.object;
}

MonitorFault MonitorTable::Find() {
  const HeaderNotes& notes = memory_.notes;
  table_ = 0;
  if (notes.with_block == 0) return MonitorFault::kNone;
  const std::span samples(notes.samples, notes.sample_count);
  for (uint32_t i = 0; i < memory_.runtime_range_count; ++i) {
    const MemoryRange& range = memory_.runtime_ranges[i];
    for (uint64_t at = range.start; at + 8 <= range.start + range.bytes; at += 8) {
      uint64_t table;
      if (!reader_.Read(at, table) || table % 8 != 0 || table == table_) continue;
      const bool fits = std::all_of(samples.begin(), samples.end(),
                                    [&](const MarkedObject& each) { return Fits(table, each); });
      if (!fits) continue;
      if (table_ != 0) return MonitorFault::kManyTables;
      table_ = table;
    }
  }
  return table_ == 0 ? MonitorFault::kNoTable : CheckAll();
}

// Checks that every object in the table has a matching header, and that there are as many of them
// as in the heap.
MonitorFault MonitorTable::CheckAll() {
  uint64_t same = 0;
  for (uint32_t index = 1; index <= memory_.notes.highest_index; ++index) {
    Entry entry;
    if (!ReadEntry(table_, index, entry)) return MonitorFault::kHeadersDiffer;
    if (entry.object == 0 || (entry.object & 1) != 0 || !walk_.MayBeObject(entry.object)) continue;
    if (ObjectHeader{HeapWalk::HeaderOf(entry.object)}.index() != index) continue;
    ++same;
    if (entry.block != 0 && !NamesIndex(entry.block, index)) return MonitorFault::kBlockLayout;
  }
  return same == memory_.notes.with_block ? MonitorFault::kNone : MonitorFault::kHeadersDiffer;
}

uint64_t MonitorTable::ObjectOfBlock(uint64_t block) {
  uint32_t index;
  if (table_ == 0 || block % 8 != 0 || !reader_.Read(block + kIndex, index)) return 0;
  index &= ~kIndexFlag;
  Entry entry;
  if (index == 0 || index > memory_.notes.highest_index || !ReadEntry(table_, index, entry) ||
      entry.block != block || !walk_.MayBeObject(entry.object)) {
    return 0;
  }
  return entry.object;
}

MonitorFault MonitorTable::ReadMonitors() {
  memory_.monitor_count = 0;
  for (uint32_t index = 1; table_ != 0 && index <= memory_.notes.highest_index; ++index) {
    Entry entry;
    if (!ReadEntry(table_, index, entry) || entry.block == 0) continue;
    if ((entry.object & 1) != 0 || !walk_.MayBeObject(entry.object)) continue;
    if (ObjectHeader{HeapWalk::HeaderOf(entry.object)}.index() != index) continue;
    const MonitorFault fault = ReadBlock(entry);
    if (fault != MonitorFault::kNone) return fault;
  }
  ReadThinLocks();
  const bool all = memory_.monitor_count < kMaxMonitors && !memory_.notes.thin_overflow;
  return all ? MonitorFault::kNone : MonitorFault::kTooMany;
}

MonitorFault MonitorTable::ReadBlock(const Entry& entry) {
  uint32_t state, entered;
  uint64_t owner, owner_os_id;
  if (!reader_.Read(entry.block + kState, state) ||
      !reader_.Read(entry.block + kEntered, entered) ||
      !reader_.Read(entry.block + kOwner, owner) ||
      !reader_.Read(entry.block + kOwnerOsId, owner_os_id)) {
    return MonitorFault::kBlockLayout;
  }
  const bool is_locked = (state & kLocked) != 0;
  FoundMonitor monitor = {entry.object, 0, 0, 0, state >> kWaiterShift != 0};
  if (!is_locked && !monitor.waited_for) return MonitorFault::kNone;
  // Between taking the lock and recording the owner, which is not a safepoint, there is no owner.
  if (is_locked && owner_os_id != 0) {
    if (owner_os_id > kMaxOsId) return MonitorFault::kOwner;
    monitor.owner_os_id = static_cast<uint32_t>(owner_os_id);
    monitor.recursion = entered == 0 ? 0 : entered - 1;
    // An unknown thread has ended while holding the lock.
    if (const ScannedThread* const thread = ThreadOfOsId(memory_, owner_os_id)) {
      const auto id = static_cast<uint32_t>(owner);
      const bool agrees =
          owner == thread->clr_thread || thread->managed_id == 0 || id == thread->managed_id;
      if (!agrees) return MonitorFault::kOwner;
      monitor.owner_managed_id = thread->managed_id;
    }
  }
  Add(monitor);
  return MonitorFault::kNone;
}

void MonitorTable::ReadThinLocks() {
  for (uint32_t i = 0; i < memory_.notes.thin_count; ++i) {
    const MarkedObject& object = memory_.notes.thin[i];
    const ObjectHeader header{object.header};
    const ScannedThread* const thread = ThreadOfManagedId(memory_, header.owner());
    Add({object.object, thread != nullptr ? thread->os_id : 0, header.owner(), header.recursion(),
         false});
  }
}

bool MonitorTable::Add(const FoundMonitor& monitor) {
  if (memory_.monitor_count == kMaxMonitors) return false;
  memory_.monitors[memory_.monitor_count++] = monitor;
  return true;
}

}  // namespace hindsight::recorder
