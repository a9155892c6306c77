// Samples of CPU time, of allocations and of the compiler -> model.
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/model/recording_facts.h"
#include "analyzer/model/samples.h"
#include "analyzer/model/thinned_rows.h"
#include "analyzer/model/thinned_samples.h"
#include "analyzer/reader/file_dictionary.h"
#include "analyzer/reader/thread_table.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// What a sampled allocation stands for: objects, and their bytes.
struct SampleWeight {
  double objects = 0, bytes = 0;
};

// Remembers what it computed: most objects have one of a few hundred sizes. One thread.
class SampleWeights {
 public:
  // `amount`: bytes allocated since the sample before it, where that is how samples are taken.
  SampleWeight Of(AllocationSamples::Sampling sampling, uint64_t mean_bytes, uint64_t size,
                  uint64_t amount);

 private:
  struct Known {
    uint64_t size = 0, mean_bytes = 0;  // 0: none
    double objects = 0;
  };
  std::array<Known, 1024> known_{};  // by size
};

// Times are nanoseconds from the recording's start, within kMaxTimeNs of it. Packets have passed
// CheckPacket. `file` puts its paths of calls into `samples.calls`.
class SampleBuilder {
 public:
  SampleBuilder(Samples& samples, FileDictionary& file, ThreadTable& threads)
      : samples_(samples), file_(file), threads_(threads) {}

  void On(const CpuSamples& packet, int64_t time_ns);
  void On(const AllocationSamples& packet, int64_t time_ns);
  void On(const JitSample& packet, int64_t time_ns);
  // Counters run from the recording's start: the last one holds.
  void On(const RecorderCost& cost);
  // Ends it; nothing may come afterwards.
  void Finish();

 private:
  Samples& samples_;
  FileDictionary& file_;
  ThreadTable& threads_;
  ThinnedSamples<CpuSample> cpu_{samples_.cpu.samples, kMaxSamples};
  ThinnedSamples<AllocationSample> allocations_{samples_.allocations.samples, kMaxSamples};
  SampleWeights weights_;
  ThinnedRows<JitState> jit_{Samples::kMaxJitStates - 1};
  JitState last_jit_;
  bool has_jit_ = false;
};

AllocationProfile::Sampling SamplingOf(AllocationSamples::Sampling sampling);

// How many objects of `size` bytes a sample stands for that was taken where a byte in `mean_bytes`
// is sampled (1 or more): the inverse of the probability that one of its bytes is. Then the sum
// over all samples is right on average, whatever the sizes.
double ObjectsPerSample(uint64_t size, uint64_t mean_bytes);

}  // namespace hindsight::analyzer
