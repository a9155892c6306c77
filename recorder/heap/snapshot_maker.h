// Takes one snapshot:
//
//   file and buffers -> arm -> collection (pause: roots, clone) -> names for the child's classes
//   -> the child writes the objects -> end packet
//
// A failure is recorded in the snapshot's end packet, or, if there is no file yet, in its status. A
// child that hangs, dies or grows too large is killed and reaped; the application continues in any
// case.
//
// One thread takes snapshots; callbacks of the runtime are marked as such.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "recorder/contract/options.h"
#include "recorder/heap/class_tables.h"
#include "recorder/heap/gc_mask.h"
#include "recorder/heap/heap_file.h"
#include "recorder/heap/snapshot_pause.h"
#include "recorder/heap/static_fields.h"
#include "recorder/heap/value_rules.h"
#include "recorder/heap/walked_threads.h"
#include "recorder/names/runtime_metadata.h"
#include "recorder/sources/gc/gc.h"
#include "recorder/sources/process_packet.h"
#include "recorder/sources/waits/thread_snapshots.h"
#include "recorder/stack/stack_table.h"
#include "recorder/stream/waker.h"

namespace hindsight::recorder {

using SnapshotTrigger = wire::HeapSnapshot::Trigger;
using SnapshotMethod = wire::HeapSnapshot::Method;

struct SnapshotStatus {
  uint32_t number = 0;  // of the last one started; 0: none yet
  bool running = false;
  bool complete = false;
  const char* phase = "";  // while it runs
  std::string path;        // empty: it has no file
  SnapshotMethod method = SnapshotMethod::kUnknown;
  std::string reason;  // a sentence, if it is not complete
  uint64_t objects = 0, object_bytes = 0, pause_ns = 0, wall_ns = 0, file_bytes = 0;
  // Of the application while it was prepared and taken, the one above included.
  uint64_t pauses = 0, all_pauses_ns = 0;
  std::vector<uint32_t> kept_files;  // once it does not run: HeapFile::kept
};

class SnapshotMaker {
 public:
  struct Order {
    uint32_t number = 0;
    SnapshotTrigger trigger = SnapshotTrigger::kRequested;
    bool hurries = false;                  // as in SnapshotTask
    std::function<OpenedFolder()> folder;  // of the recording
    uint64_t recording_id = 0;
    const ProcessPacket* process = nullptr;
    const std::atomic<bool>* stop = nullptr;
    std::function<void(const SnapshotStatus&)> publish;
  };

  SnapshotMaker(clr::ICorProfilerInfo10* info, CodeGate& gate, ThreadGate& threads,
                const contract::Options& options, const StackTable& stacks, const Gc& gc,
                Waker& waker);

  GcMask& mask() { return mask_; }
  void SetMaskReason(std::string why) { mask_why_ = std::move(why); }
  // Before the first Make; without it there are no stacks.
  void UseThreads(ThreadSnapshots& threads) { thread_snapshots_ = &threads; }
  void UseSurvivors(SurvivorTracker& survivors) { pause_.UseSurvivors(survivors); }

  void Make(const Order& order);
  // Releases memory and metadata.
  void Release();

  // ---- Callbacks of the runtime ----
  SnapshotPause& pause() { return pause_; }

 private:
  struct Attempt;

  void TryToMake(Attempt& attempt);
  bool Prepare(Attempt& attempt);
  bool Take(Attempt& attempt);
  bool CollectAndTake(Attempt& attempt, SnapshotMethod method);
  void WalkThreads(Attempt& attempt);
  clr::ClassID StringClass();
  bool WaitForPause(Attempt& attempt, uint64_t until_ns);
  void FindFrozen(SnapshotShared& shared);
  void WriteTables(Attempt& attempt);
  std::vector<WalkedRange> Ranges(const SnapshotShared& shared);
  bool AwaitClasses(Attempt& attempt);
  void AwaitEnd(Attempt& attempt);
  void CountSegments(Attempt& attempt);
  bool Supervise(Attempt& attempt);
  void EndChild(Attempt& attempt);
  void Explain(Attempt& attempt);
  void Certify(Attempt& attempt);
  void Publish(Attempt& attempt, const char* phase);

  clr::ICorProfilerInfo10* const info_;
  const contract::HeapOptions& options_;
  const uint64_t file_limit_bytes_;
  const Gc& gc_;
  Waker& waker_;

  GcMask mask_;
  std::string mask_why_;
  SnapshotPause pause_;
  ObjectBatch batch_;
  CallbackWalk callbacks_;
  HeapFile file_;
  RuntimeMetadata names_;
  PacketWriter packets_;
  DictionaryWriter dictionaries_;
  StaticFields statics_;
  const ValueRules rules_;
  ThreadSnapshots* thread_snapshots_ = nullptr;
  WalkedThreads walked_;
  uint64_t walked_ns_ = 0;  // before it
  CollectibleFlagProof flag_;
};

}  // namespace hindsight::recorder
