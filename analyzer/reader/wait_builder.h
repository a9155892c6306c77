// Packets about waits, thread snapshots and the pool -> model.
#pragma once

#include <cstdint>

#include "analyzer/model/lock_waits.h"
#include "analyzer/model/thinned_rows.h"
#include "analyzer/model/thread_snapshots.h"
#include "analyzer/reader/file_dictionary.h"
#include "analyzer/reader/thread_table.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// Times are nanoseconds from the recording's start.
class WaitBuilder {
 public:
  WaitBuilder(Waits& waits, FileDictionary& file, ThreadTable& threads)
      : waits_(waits), file_(file), threads_(threads) {}

  void OnSegment() { lock_waits_.OnSegment(); }
  void On(const hindsight::ThreadSnapshot& snapshot, int64_t time_ns);
  void On(const ThreadState& state);
  void On(const LockWait& wait, uint64_t id, int64_t time_ns);
  void On(const LockWaitEnd& end);
  void On(const LockWaitTally& tally, int64_t time_ns);
  void On(const PoolAdjustment& adjustment, int64_t time_ns);
  void On(const PoolSample& sample, int64_t time_ns);
  // Completes the waits; no calls may follow.
  void Finish();

 private:
  Waits& waits_;
  FileDictionary& file_;
  ThreadTable& threads_;
  ThreadSnapshotTracker snapshots_;
  LockWaits lock_waits_;
  ThinnedRows<PoolAdjustmentInfo> adjustments_{Waits::kMaxPoolRows};
  ThinnedRows<PoolSampleInfo> samples_{Waits::kMaxPoolRows};
};

}  // namespace hindsight::analyzer
