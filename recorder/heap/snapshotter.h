// Source `heap`: decides when a snapshot is taken, and says what became of the last one.
//
// Its thread lives as long as the recording; one snapshot is made at a time. In a recording without
// that source all of this begins with the first request (Join), so that it costs nothing before.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "recorder/base/condition.h"
#include "recorder/heap/snapshot_maker.h"

namespace hindsight::recorder {

class Snapshotter {
 public:
  Snapshotter(clr::ICorProfilerInfo10* info, CodeGate& gate, const contract::Options& options,
              const StackTable& stacks, const Gc& gc);
  ~Snapshotter() { waker_.Close(); }

  // Inside Initialize or InitializeForAttach, instead of SetEventMask2; leaves the mask that the
  // runtime has to have when that returns. False: the runtime refused it.
  bool SetMask(clr::EventMask mask);
  // ProfilerAttachComplete. After a start-up there is no such moment: the first collection is.
  void SettleMask() {
    if (unsettled_.exchange(false)) maker_.mask().Settle();
  }

  // Instead of SetMask, on the control thread, once the recording runs. Snapshots are then made on
  // request only. False: a sentence in `why`; the recording goes on as it was.
  bool Join(clr::EventMask mask, std::string* why);
  bool joined() const { return joined_; }

  // Before Run.
  void UseThreads(ThreadSnapshots& threads) { maker_.UseThreads(threads); }
  void UseSurvivors(Survivors& survivors) { maker_.UseSurvivors(survivors); }
  // Before Run. `folder` is asked for the recording's folder at each snapshot. False: no descriptor
  // for its waker.
  bool Open(std::function<OpenedFolder()> folder, uint64_t recording_id,
            const ProcessPacket& process);
  // The snapshot's thread, until Stop.
  void Run();
  // Snapshots can be made from now on: after a start-up or an attach is complete. What is due or
  // asked for before waits for this. Any thread; Run need not have begun.
  void Ready();
  // Run will not be called after all.
  void NoRun();
  // Ends the snapshot that is being made, and Run. False: it has not ended within `timeout_ns`.
  bool Stop(uint64_t timeout_ns);

  // Control thread. The number of the snapshot that was begun; 0: one is being made already, or the
  // recording ends.
  uint32_t Request();
  SnapshotStatus Status() const;
  // Numbers of the snapshots that have a file which was written to its end. Any thread.
  std::vector<uint32_t> KeptFiles() const;
  // Any thread: of all snapshots' files together, at most.
  uint64_t file_bytes() const { return file_bytes_; }

  // ---- Callbacks of the runtime ----
  void CollectionStarted(uint32_t number, uint32_t generation, bool inside_another) {
    SettleMask();
    maker_.pause().CollectionStarted(number, generation, inside_another);
  }
  void CollectionFinished();
  SnapshotPause& pause() { return maker_.pause(); }

 private:
  // After how long a snapshot may be due, if nobody asks for one before.
  uint64_t NextLookNs() const;
  bool IsDue(SnapshotTrigger* trigger);

  clr::ICorProfilerInfo10* const info_;
  const contract::HeapOptions& options_;
  Waker waker_;
  SnapshotMaker maker_;
  SnapshotMaker::Order order_;

  std::atomic<bool> unsettled_{false};  // the mask still holds what only the initialisation needs
  std::atomic<bool> ready_{false}, requested_{false}, stopping_{false};
  std::atomic<bool> joined_{false};  // by Join
  std::atomic<uint64_t> file_bytes_{0};
  // With heap.growth: what the last collection left, and what the last snapshot held.
  std::atomic<uint64_t> heap_bytes_{0};
  std::vector<clr::COR_PRF_GC_GENERATION_RANGE> ranges_;
  std::atomic<bool> measuring_{false};
  uint64_t base_bytes_ = 0;
  uint64_t last_ns_ = 0;

  mutable std::mutex mutex_;
  Condition changed_;
  SnapshotStatus status_;
  std::vector<uint32_t> kept_files_;
  bool running_ = false;
};

}  // namespace hindsight::recorder
