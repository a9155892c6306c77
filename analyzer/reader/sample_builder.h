// Samples of CPU time, allocations and the JIT -> model.
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/model/recording_facts.h"
#include "analyzer/model/samples.h"
#include "analyzer/model/thinned_rows.h"
#include "analyzer/model/thinned_samples.h"
#include "analyzer/reader/file_dictionary.h"
#include "analyzer/reader/recorder_activity.h"
#include "analyzer/reader/thread_table.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// What a sampled allocation represents: objects, and their bytes.
struct SampleWeight {
  double objects = 0, bytes = 0;
};

// Caches its results: most objects have one of a few hundred sizes. Not thread-safe.
class SampleWeights {
 public:
  // `amount`: bytes allocated since the previous sample, for the kind of sampling that counts them.
  SampleWeight Of(AllocationSamples::Sampling sampling, uint64_t mean_bytes, uint64_t size,
                  uint64_t amount);

 private:
  struct Known {
    uint64_t size = 0, mean_bytes = 0;  // 0: none
    double objects = 0;
  };
  std::array<Known, 1024> known_{};  // hashed by size
};

// Times are nanoseconds from the recording's start, within kMaxTimeNs of it. CheckPacket has
// accepted the packets. `file` adds its call paths to `samples.calls`.
class SampleBuilder {
 public:
  SampleBuilder(Samples& samples, FileDictionary& file, ThreadTable& threads,
                RecorderActivity& activity)
      : samples_(samples), file_(file), threads_(threads), activity_(activity) {}

  void On(const CpuSamples& packet, int64_t time_ns);
  void On(const AllocationSamples& packet, int64_t time_ns);
  void On(const JitSample& packet, int64_t time_ns);
  // Counters run from the recording's start, so the last one counts.
  void On(const RecorderCost& cost);
  // Completes the samples; no calls may follow.
  void Finish();

 private:
  Samples& samples_;
  FileDictionary& file_;
  ThreadTable& threads_;
  RecorderActivity& activity_;
  ThinnedSamples<CpuSample> cpu_{samples_.cpu.samples, kMaxSamples};
  ThinnedSamples<AllocationSample> allocations_{samples_.allocations.samples, kMaxSamples};
  SampleWeights weights_;
  ThinnedRows<JitState> jit_{Samples::kMaxJitStates - 1};
  JitState last_jit_;
  bool has_jit_ = false;
};

AllocationProfile::Sampling SamplingOf(AllocationSamples::Sampling sampling);

// How many objects of `size` bytes a sample represents if one byte in `mean_bytes` (at least 1) is
// sampled: the inverse of the probability that one of the object's bytes is sampled. So the sum
// over all samples is right on average, whatever the sizes.
double ObjectsPerSample(uint64_t size, uint64_t mean_bytes);

}  // namespace hindsight::analyzer
