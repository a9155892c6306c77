#include "recorder/heap/thread_tables.h"

#include <algorithm>
#include <span>
#include <vector>

#include "recorder/base/thread.h"
#include "recorder/base/thread_run.h"

namespace hindsight::recorder {
namespace {

constexpr uint32_t kMonitorsInPacket = 16u << 10;
static_assert(kMaxStackObjects <= kMaxThreadObjects);  // as readers require

const char* Sentence(MonitorFault fault) {
  switch (fault) {
    case MonitorFault::kNone:
      return "";
    case MonitorFault::kNotLooked:
      break;
    case MonitorFault::kNoTable:
      return "The runtime's lock table was not found.";
    case MonitorFault::kManyTables:
      return "The runtime's lock table could not be identified uniquely.";
    case MonitorFault::kHeadersDiffer:
      return "The runtime's lock table and the object headers disagree.";
    case MonitorFault::kBlockLayout:
      return "The layout of the runtime's lock data differs from .NET 8 to 10.";
    case MonitorFault::kOwner:
      return "A lock's owner ids belong to different threads.";
    case MonitorFault::kTooMany:
      return "Too many locks are held; some are missing.";
  }
  return "Locks are read from a copy of the process; there was none, or it ended early.";
}

}  // namespace

std::string WhyUnknown(const ThreadMemory* memory) {
  if (memory == nullptr) return Sentence(MonitorFault::kNotLooked);
  std::string why = Sentence(memory->fault);
  const bool looked =
      memory->fault == MonitorFault::kNone || memory->fault == MonitorFault::kTooMany;
  if (looked && !memory->waits_known) {
    if (!why.empty()) why += ' ';
    why += "The runtime's wait records differ from .NET 8 to 10.";
  }
  return why;
}

void ThreadTables::Room() {
  if (packets_.full()) packets_.End(SegmentKind::kHeapTables);
  packets_.Begin();
}

uint32_t ThreadTables::Entry(clr::ThreadID thread, uint32_t os_id) {
  if (thread == 0) return 0;
  const auto [place, is_new] = ids_.try_emplace(thread, next_id_);
  if (!is_new) return place->second;
  ++next_id_;
  by_os_id_.try_emplace(os_id, place->second);
  WriteEntry(place->second, os_id);
  return place->second;
}

uint32_t ThreadTables::EntryOf(uint32_t os_id) {
  if (os_id == 0) return 0;
  const auto [place, is_new] = by_os_id_.try_emplace(os_id, next_id_);
  if (is_new) WriteEntry(next_id_++, os_id);
  return place->second;
}

void ThreadTables::WriteEntry(uint32_t id, uint32_t os_id) {
  const uint32_t name = dictionaries_.Text(KernelNameOfThread(os_id));
  packets_.Write(wire::Packet::kThread, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    entry.Set(entry.kOsId, os_id);
    if (name != 0) entry.Set(entry.kName, name);
    if (IsOwnThread(os_id)) entry.Set(entry.kIsRecorder, true);
  });
}

void ThreadTables::WriteMonitors(const ThreadMemory* memory) {
  const std::string why = WhyUnknown(memory);
  const std::span monitors(memory != nullptr ? memory->monitors : nullptr,
                           memory != nullptr ? memory->monitor_count : 0);
  size_t first = 0;
  do {
    const auto part =
        monitors.subspan(first, std::min<size_t>(kMonitorsInPacket, monitors.size() - first));
    Room();
    std::vector<int64_t> deltas;
    std::vector<uint32_t> owner_os_ids, owner_managed_ids, recursions;
    std::vector<bool> waited_for;
    uint64_t before = 0;
    for (const FoundMonitor& monitor : part) {
      deltas.push_back(static_cast<int64_t>(monitor.object - before));
      before = monitor.object;
      owner_os_ids.push_back(monitor.owner_os_id);
      owner_managed_ids.push_back(monitor.owner_managed_id);
      recursions.push_back(monitor.recursion);
      waited_for.push_back(monitor.waited_for);
    }
    packets_.Write(wire::Packet::kHeapMonitors, kNoTime, [&](auto& entry) {
      entry.Set(entry.kObjectDelta, deltas);
      entry.Set(entry.kOwnerOsId, owner_os_ids);
      entry.Set(entry.kOwnerManagedId, owner_managed_ids);
      entry.Set(entry.kRecursion, recursions);
      entry.Set(entry.kWaitedFor, waited_for);
      if (!why.empty()) entry.Set(entry.kUnknownBecause, why);
    });
    first += part.size();
  } while (first < monitors.size());
}

void ThreadTables::WriteThreads(const WalkedThreads& walked, uint64_t as_of_ns,
                                const ThreadMemory* memory) {
  dictionaries_.AsOf(as_of_ns);
  const std::span<const WalkedThread> threads = walked.threads();
  for (size_t i = 0; i < threads.size(); ++i) {
    Room();
    const ScannedThread* const scanned = memory != nullptr ? &memory->threads[i] : nullptr;
    WriteThread(threads[i], walked.frames(threads[i]), scanned, memory);
  }
}

void ThreadTables::WriteThread(const WalkedThread& thread, std::span<const uintptr_t> frames,
                               const ScannedThread* scanned, const ThreadMemory* memory) {
  const uint32_t id = Entry(thread.clr_thread, thread.os_id);
  const uint32_t stack = dictionaries_.Stack(frames);
  std::vector<uint32_t> place_of;  // of each frame in that stack
  for (uint32_t kept = 0; const uintptr_t frame : frames) {
    place_of.push_back(kept);
    kept += dictionaries_.IsFrame(frame) ? 1 : 0;
  }
  std::vector<int64_t> deltas;
  std::vector<uint32_t> offsets, places;
  if (scanned != nullptr && thread.stood_still) {
    uint64_t before = 0;
    for (const ScannedObject& object :
         std::span(memory->objects + scanned->first_object, scanned->object_count)) {
      deltas.push_back(static_cast<int64_t>(object.address - before));
      before = object.address;
      offsets.push_back(object.offset);
      places.push_back(object.frame < place_of.size() ? place_of[object.frame] : object.frame);
    }
  }
  packets_.Write(wire::Packet::kHeapThread, kNoTime, [&](auto& entry) {
    entry.Set(entry.kThread, id);
    entry.Set(entry.kClrThread, thread.clr_thread);
    if (scanned != nullptr) entry.Set(entry.kManagedId, scanned->managed_id);
    entry.Set(entry.kStack, stack);
    entry.Set(entry.kCpuNs, thread.run.cpu_ns);
    entry.Set(entry.kState, thread.run.state);
    entry.Set(entry.kObjectDelta, deltas);
    entry.Set(entry.kObjectOffset, offsets);
    entry.Set(entry.kObjectFrame, places);
    if (scanned != nullptr && scanned->waiting_monitor != 0) {
      entry.Set(entry.kWaitingMonitor, scanned->waiting_monitor);
    }
  });
}

}  // namespace hindsight::recorder
