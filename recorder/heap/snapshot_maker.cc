#include "recorder/heap/snapshot_maker.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "recorder/base/clock.h"
#include "recorder/base/own_cost.h"
#include "recorder/base/pages.h"
#include "recorder/base/thread_hold.h"
#include "recorder/heap/snapshot_making.h"
#include "recorder/heap/snapshot_packets.h"
#include "recorder/heap/survivor_tables.h"
#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

// Time to copy the page tables of this much memory in a fork (measured on x64, 4 KiB pages).
constexpr uint64_t kForkNsPerMiB = 40'000;
// A child needs about this much memory of its own, and the application as much in addition.
constexpr uint64_t kLeastRoomBytes = 64 * kMiB;
constexpr uint32_t kMaxFrozen = 1024;

}  // namespace

SnapshotMaker::SnapshotMaker(clr::ICorProfilerInfo10* info, CodeGate& gate, ThreadGate& threads,
                             const contract::Options& options, const StackTable& stacks,
                             const Gc& gc, Waker& waker)
    : info_(info),
      options_(options.heap),
      file_limit_bytes_(options.disk_limit_bytes / 2),
      gc_(gc),
      waker_(waker),
      pause_(info, mask_, waker),
      callbacks_(info),
      names_(info, gate),
      packets_(file_),
      dictionaries_(names_, stacks, gc.suspended(), packets_),
      statics_(names_, threads, info),
      rules_(options.heap.values) {}

void SnapshotMaker::Release() {
  pause_.Release();
  walked_.Clear();
  batch_.Unmap();
  callbacks_.Release();
  names_.Release();
}

void SnapshotMaker::Make(const Order& order) {
  Attempt attempt(order);
  attempt.started_ns = MonotonicNs();
  attempt.deadline_ns = attempt.started_ns + options_.timeout_ns;
  attempt.status.number = order.number;
  attempt.status.running = true;
  Publish(attempt, "preparing");
  TryToMake(attempt);
  EndChild(attempt);
  UnmapPages(attempt.shared, sizeof(SnapshotShared));
  Release();
  attempt.status.running = false;
  attempt.status.kept_files = file_.kept();
  attempt.status.complete = attempt.result == SnapshotResult::kComplete;
  Publish(attempt, "");
}

void SnapshotMaker::TryToMake(Attempt& attempt) {
  if (!Prepare(attempt)) {
    file_.Close(false);
    attempt.status.path.clear();
    return;
  }
  Publish(attempt, "waiting for a collection");
  const uint64_t pauses = OwnCost::Instance().pauses;
  const uint64_t paused_ns = OwnCost::Instance().paused_ns;
  const bool taken = Take(attempt);
  attempt.status.pauses = OwnCost::Instance().pauses - pauses;
  attempt.status.all_pauses_ns =
      OwnCost::Instance().paused_ns - paused_ns + pause_.of_application_ns();
  if (!taken) {
    batch_.Forget();
    file_.Close(false);
    attempt.status.path.clear();
    return;
  }
  if (batch_.keeps()) batch_.WriteKept(file_.identity().IsOf(file_.file()) ? file_.file() : -1);
  if (attempt.status.method == SnapshotMethod::kCallbacks) {
    callbacks_.FillClasses(*attempt.shared, names_.gate(), attempt.heap_as_of_ns);
  }
  Publish(attempt, "finding classes");
  const bool found = AwaitClasses(attempt);
  Publish(attempt, "naming classes");
  CountSegments(attempt);
  WriteTables(attempt);
  ThreadHold::Instance().NothingMoreNeeded();
  attempt.shared->first_sequence = file_.next_sequence();
  attempt.shared->plan_ready.store(found ? 1 : 0, std::memory_order_release);
  Publish(attempt, "writing objects");
  if (attempt.status.method == SnapshotMethod::kCallbacks) {
    batch_.Start(*attempt.shared, file_.file());
    callbacks_.Write(*attempt.shared, batch_, attempt.deadline_ns);
    if (callbacks_.overflowed()) {
      attempt.End(SnapshotResult::kStoppedByMemory, kTooManyObjects);
    }
  }
  AwaitEnd(attempt);
  Explain(attempt);
  Certify(attempt);
  attempt.status.objects = attempt.shared->counters.objects;
  attempt.status.object_bytes = attempt.shared->counters.object_bytes;
  attempt.status.file_bytes = file_.written_bytes();
  file_.Close(true);
}

bool SnapshotMaker::Prepare(Attempt& attempt) {
  const auto refuse = [&](std::string why) {
    attempt.status.reason = std::move(why);
    return false;
  };
  if (mask_.way() == GcMask::Way::kNone) {
    return refuse(mask_why_ +
                  " Roots are not available without it; attach with heap.roots=documented.");
  }
  attempt.concurrent_gc = mask_.IsGcConcurrent();
  attempt.memory = ReadMemoryUse();
  const uint64_t fork_ns = attempt.memory.anonymous_bytes / kMiB * kForkNsPerMiB;
  if (fork_ns > options_.max_pause_ns) {
    return refuse("The pause would be about " + Milliseconds(fork_ns) + " for " +
                  MiBs(attempt.memory.anonymous_bytes) + " of memory, and heap.max_pause is " +
                  Milliseconds(options_.max_pause_ns) + "; raise it.");
  }
  const uint64_t room = ReadAvailableMemory();
  const uint64_t tables = attempt.memory.anonymous_bytes / 256;  // of the copy's page tables
  if (room < kLeastRoomBytes + tables) {
    return refuse("Only " + MiBs(room) + " of memory are left under the limit; a snapshot needs " +
                  MiBs(kLeastRoomBytes + tables) + ".");
  }
  attempt.memory_limit_bytes = std::min(options_.max_memory_bytes, room / 2);
  if (!SnapshotChild::CanBeMade()) attempt.no_copy = "This system does not copy processes. ";
  // At worst the application writes to all of its memory while the copy holds the old contents.
  const uint64_t worst = attempt.memory.anonymous_bytes + tables + kLeastRoomBytes;
  if (room < worst && IsKilledAsGroup()) {
    attempt.no_copy =
        "The container ends as a whole if it runs out of memory (memory.oom.group), " + MiBs(room) +
        " are left, and a copy of the process may take " + MiBs(worst) + ". ";
  }

  void* shared = MapSharedPages(sizeof(SnapshotShared));
  if (shared == nullptr) return refuse("No memory for the snapshot: " + ErrorText(errno) + ".");
  attempt.shared = new (shared) SnapshotShared;
  if (!batch_.Map() || !pause_.Prepare()) {
    return refuse("No memory for the snapshot's buffers: " + ErrorText(errno) + ".");
  }
  std::string why;
  if (!file_.Create(attempt.order.folder(), attempt.order.recording_id, attempt.order.number,
                    file_limit_bytes_, &why)) {
    return refuse("The snapshot " + why + ".");
  }
  attempt.status.path = file_.path();
  attempt.shared->text_units = options_.text_chars;
  attempt.shared->recording_id = attempt.order.recording_id;
  attempt.shared->snapshot_number = attempt.order.number;
  uint16_t major = 0;
  info_->GetRuntimeInformation(nullptr, nullptr, &major, nullptr, nullptr, nullptr, 0, nullptr,
                               nullptr);
  attempt.shared->collectible_flag = CollectibleFlag(major);
  flag_.Seek(attempt.shared->collectible_flag, names_, info_);
  attempt.shared->file_limit_bytes = file_.room_bytes();
  attempt.heap_as_of_ns = gc_.heap_as_of_ns();
  statics_.Learn();
  return true;
}

void SnapshotMaker::FindFrozen(SnapshotShared& shared) {
  clr::ICorProfilerInfo14* info = nullptr;
  shared.frozen_count = 0;
  if (clr::Succeeded(
          info_->QueryInterface(clr::ICorProfilerInfo14::kIid, reinterpret_cast<void**>(&info)))) {
    std::vector<clr::COR_PRF_NONGC_HEAP_RANGE> bounds(kMaxFrozen);
    uint32_t count = 0;
    if (clr::Succeeded(info->GetNonGCHeapBounds(kMaxFrozen, &count, bounds.data()))) {
      for (uint32_t i = 0; i < std::min(count, kMaxFrozen); ++i) {
        if (bounds[i].used_bytes == 0) continue;
        shared.frozen[shared.frozen_count++] = {bounds[i].start, bounds[i].used_bytes,
                                                bounds[i].reserved_bytes, kFrozenGeneration};
      }
    }
    info->Release();
  }
}

// The ranges of the snapshot: the collector's own, and the frozen ones.
std::vector<WalkedRange> SnapshotMaker::Ranges(const SnapshotShared& shared) {
  const auto collected = pause_.ranges();
  std::vector<WalkedRange> ranges(collected.begin(), collected.end());
  ranges.insert(ranges.end(), shared.frozen, shared.frozen + shared.frozen_count);
  std::sort(ranges.begin(), ranges.end(),
            [](const WalkedRange& a, const WalkedRange& b) { return a.start < b.start; });
  return ranges;
}

void SnapshotMaker::WriteTables(Attempt& attempt) {
  SnapshotShared& shared = *attempt.shared;
  // First the ones that a collection would move.
  std::vector<StaticSlot> statics;
  statics_.FindThreadStatics(
      [&] { return gc_.collections().load(std::memory_order_relaxed) == pause_.collection(); },
      statics);

  ThreadTables threads(dictionaries_, packets_);
  std::vector<clr::ModuleID> permanent = PermanentModules(names_, info_);
  const bool only_permanent = permanent.size() == LoadedModules(info_).size();
  ClassTables tables(
      names_, dictionaries_, packets_, rules_, threads,
      {std::move(permanent), only_permanent, pause_.taken_ns(), attempt.heap_as_of_ns, flag_});
  dictionaries_.StartFile();
  packets_.Begin();
  attempt.order.process->Write(packets_);
  SnapshotHead head;
  head.number = attempt.order.number;
  head.trigger = attempt.order.trigger;
  head.method = attempt.status.method;
  head.roots_method = mask_.way() == GcMask::Way::kCalibrated
                          ? wire::HeapSnapshot::RootsMethod::kCalibrated
                          : wire::HeapSnapshot::RootsMethod::kDocumented;
  head.fallback =
      mask_.way() == GcMask::Way::kDocumented ? mask_why_ + attempt.fallback : attempt.fallback;
  if (head.fallback.ends_with(' ')) head.fallback.pop_back();
  head.collection = pause_.collection();
  head.taken_ns = pause_.taken_ns();
  head.concurrent_gc = attempt.concurrent_gc;
  head.resident_bytes = attempt.memory.resident_bytes;
  head.value_rules = options_.values;
  WriteSnapshotHead(head, packets_);
  WriteSnapshotRanges(Ranges(shared), packets_);
  const bool looked = attempt.child_lives && shared.phase.load(std::memory_order_acquire) ==
                                                 SnapshotShared::kWaitingForPlan;
  const ThreadMemory* const memory = looked ? &shared.threads : nullptr;
  threads.WriteMonitors(memory);
  threads.WriteThreads(walked_, walked_ns_, memory);
  if (pause_.survivors() != nullptr) {
    WriteSurvivors(*pause_.survivors(), dictionaries_, packets_, threads);
  }
  tables.WriteClasses(shared, attempt.child_lives);
  tables.WriteRoots(pause_.roots().roots(), pause_.roots().dependents());
  std::vector<AliveClass> classes;
  for (const SnapshotClass& type : std::span(shared.classes, shared.class_count.load())) {
    if (type.is_array || type.is_free || !tables.IsNamed(type)) continue;
    if (!tables.IsPermanent(type)) continue;  // may be unloaded: not queried
    classes.push_back({type.method_table, tables.AsOf(type)});
  }
  statics_.FindStatics(classes, statics);
  tables.WriteStatics(statics);
  packets_.End(SegmentKind::kHeapTables);
}

void SnapshotMaker::Certify(Attempt& attempt) {
  OwnCost::Instance().Add(&OwnCost::children_ns, attempt.shared->counters.cpu_ns);
  SnapshotCertificate certificate;
  certificate.result = attempt.result;
  certificate.reason = attempt.status.reason;
  for (const WalkedRange& range : pause_.ranges()) certificate.gc_bytes += range.used_bytes;
  certificate.roots = pause_.roots().roots().size();
  certificate.times = pause_.times();
  certificate.pauses = attempt.status.pauses;
  certificate.all_pauses_ns = attempt.status.all_pauses_ns;
  certificate.child_wall_ns = attempt.child_wall_ns;
  certificate.child_private_bytes = attempt.child_private_bytes;
  certificate.written_bytes = file_.written_bytes();
  WriteSnapshotEnd(certificate, attempt.shared->counters, packets_);
}

bool SnapshotMaker::AwaitClasses(Attempt& attempt) {
  SnapshotShared& shared = *attempt.shared;
  if (!attempt.child_lives) return true;
  FindFrozen(shared);
  shared.frozen_ready.store(1, std::memory_order_release);
  while (shared.phase.load(std::memory_order_acquire) < SnapshotShared::kWaitingForPlan) {
    if (!Supervise(attempt)) return false;
    waker_.Wait(kMillisecond);
  }
  return shared.phase.load(std::memory_order_acquire) == SnapshotShared::kWaitingForPlan;
}

void SnapshotMaker::Publish(Attempt& attempt, const char* phase) {
  attempt.status.phase = phase;
  attempt.status.pause_ns = pause_.times().pause_ns;
  attempt.status.wall_ns = MonotonicNs() - attempt.started_ns;
  attempt.order.publish(attempt.status);
}

}  // namespace hindsight::recorder
