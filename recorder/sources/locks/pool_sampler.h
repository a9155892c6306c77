// Samples the thread pool's state, for which there are no events: reads
// System.Threading.ThreadPool.
#pragma once

#include <cstdint>

#include "recorder/sources/waits/thread_snapshots.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

struct PoolSampledEvent {
  EventHeader header;
  uint32_t workers;
  uint64_t queue_length;
  uint64_t completed;  // since the process started
};

class PoolSampler {
 public:
  // `snapshots` is notified of each sample.
  PoolSampler(Emitter& emitter, ThreadSnapshots& snapshots)
      : emitter_(emitter), snapshots_(snapshots) {}

  // The event sessions' thread, every second.
  void Sample();

 private:
  Emitter& emitter_;
  ThreadSnapshots& snapshots_;
  uint32_t workers_ = 0;
  uint64_t queue_length_ = 0, completed_ = 0;
  uint64_t reported_ns_ = 0;  // 0: nothing reported yet
};

}  // namespace hindsight::recorder
