// Source `heap`: decides when a snapshot is taken, and reports the result of the last one.
//
// Its thread lives as long as the recording; snapshots are taken one at a time. In a recording
// without this source, everything is created at the first request (Join), so that it costs nothing
// before.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "recorder/base/worker.h"
#include "recorder/heap/snapshot_maker.h"

namespace hindsight::recorder {

class Snapshotter {
 public:
  Snapshotter(clr::ICorProfilerInfo10* info, CodeGate& gate, ThreadGate& threads,
              const contract::Options& options, const StackTable& stacks, const Gc& gc);

  // Inside Initialize or InitializeForAttach, instead of SetEventMask2; sets the mask that the
  // runtime must have when that returns. False: the runtime refused it.
  bool SetMask(clr::EventMask mask);
  // ProfilerAttachComplete. There is no such callback after startup: the first collection is used.
  void SettleMask() {
    if (unsettled_.exchange(false)) maker_.mask().Settle();
  }

  // Instead of SetMask, on the control thread, while the recording runs. Snapshots are then taken
  // only on request. False: a sentence in `why`; the recording continues unchanged.
  bool Join(clr::EventMask mask, std::string* why);
  bool joined() const { return joined_; }
  // On the control thread, after SetMask or Join: these callbacks are no longer needed.
  void Drop(clr::EventMask callbacks) { maker_.mask().Drop(callbacks); }

  // Before Start.
  void UseThreads(ThreadSnapshots& threads) { maker_.UseThreads(threads); }
  void UseSurvivors(SurvivorTracker& survivors) { maker_.UseSurvivors(survivors); }
  // Starts the thread, which runs until Stop. `folder` is called for the recording's folder at each
  // snapshot. False: the thread could not be started.
  bool Start(std::shared_ptr<void> owner, std::function<OpenedFolder()> folder,
             uint64_t recording_id, const ProcessPacket& process);
  // Snapshots can be taken from now on: startup or attach is complete. What is due or requested
  // earlier waits for this. Any thread, before or after Start.
  void Ready();
  bool ready() const { return ready_; }
  // Calls `report` at the end of each snapshot, on its thread, once its status says so. Any thread.
  void OnEnd(std::function<void()> report) {
    const std::lock_guard lock(mutex_);
    on_end_ = std::move(report);
  }
  // Ends the snapshot in progress, and the thread. False: it has not ended within `timeout_ns`.
  bool Stop(uint64_t timeout_ns);

  // Any thread. The number of the snapshot that was started; 0: one is in progress, or the
  // recording is ending. `hurries`: a thread of the application is held until it is over.
  uint32_t Request(bool hurries = false);
  SnapshotStatus Status() const;
  // Numbers of the snapshots with a complete file. Any thread.
  std::vector<uint32_t> KeptFiles() const;
  // Any thread: total size of all snapshots' files, at most.
  uint64_t file_bytes() const { return file_bytes_; }

  // ---- Callbacks of the runtime ----
  void CollectionStarted(uint32_t number, uint32_t generation, bool inside_another) {
    SettleMask();
    maker_.pause().CollectionStarted(number, generation, inside_another);
  }
  void CollectionFinished();
  SnapshotPause& pause() { return maker_.pause(); }

 private:
  void Run();
  // Time until the next snapshot may be due, if none is requested earlier.
  uint64_t NextLookNs() const;
  bool IsDue(SnapshotTrigger* trigger);

  clr::ICorProfilerInfo10* const info_;
  const contract::HeapOptions& options_;
  Waker waker_;
  SnapshotMaker maker_;
  SnapshotMaker::Order order_;

  std::atomic<bool> unsettled_{false};  // the mask still contains what only initialization needs
  std::atomic<bool> ready_{false}, requested_{false}, stopping_{false};
  std::atomic<bool> hurries_{false};  // what is requested
  std::atomic<bool> joined_{false};   // by Join
  std::atomic<uint64_t> file_bytes_{0};
  // With heap.growth: the heap's size after the last collection, and at the last snapshot.
  std::atomic<uint64_t> heap_bytes_{0};
  std::vector<clr::COR_PRF_GC_GENERATION_RANGE> ranges_;
  std::atomic<bool> measuring_{false};
  uint64_t base_bytes_ = 0;
  uint64_t last_ns_ = 0;

  mutable std::mutex mutex_;
  SnapshotStatus status_;
  std::vector<uint32_t> kept_files_;
  std::function<void()> on_end_;
  Worker worker_;
};

}  // namespace hindsight::recorder
