// CPU and allocation samples, and the JIT's activity.
//
// Samples are kept individually, ordered by time as far as the recorder could, at most kMaxSamples
// of each kind; see ThinnedSamples. Totals stay the same, except for the sampling error.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "analyzer/model/call_tree.h"
#include "analyzer/model/dictionaries.h"
#include "analyzer/model/packed_rows.h"

namespace hindsight::analyzer {

inline constexpr size_t kMaxSamples = size_t{4} << 20;

// Times are nanoseconds from the recording's start unless noted otherwise.

struct CpuSample {
  int64_t at_ns = 0;
  uint32_t thread = 0;    // ThreadIndex
  CallId call = 0;        // the code that ran; 0: unknown
  uint64_t cpu_ns = 0;    // CPU time that it represents
  bool unrooted = false;  // the walk did not reach the thread's root: outer frames are missing

  void Scale(uint64_t times) { cpu_ns *= times; }
  static constexpr auto Fields() {
    return std::tuple(&CpuSample::at_ns, &CpuSample::thread, &CpuSample::call, &CpuSample::cpu_ns,
                      &CpuSample::unrooted);
  }
};

struct CpuProfile {
  uint64_t period_ns = 0;  // CPU time between two samples of a thread; 0: there are no samples
  PackedRows<CpuSample> samples;
  // Of all samples, including those dropped by the limit.
  uint64_t count = 0, unrooted = 0, cpu_ns = 0;
  // What sampling cost the application.
  uint64_t handler_ns = 0;
  std::vector<uint64_t>
      handler_histogram;  // in steps of 250 ns; the last one includes everything beyond
};

enum class AllocationHeap : uint8_t { kSmall, kLarge, kPinned, kUnknown };

struct AllocationSample {
  int64_t at_ns = 0;
  uint32_t thread = 0;  // ThreadIndex
  CallId call = 0;
  TypeId type = 0;
  AllocationHeap heap = AllocationHeap::kSmall;
  uint64_t size = 0;   // bytes of the object
  double objects = 0;  // that it represents
  double bytes = 0;    // of those objects

  void Scale(uint64_t times) {
    objects *= static_cast<double>(times);
    bytes *= static_cast<double>(times);
  }
  static constexpr auto Fields() {
    return std::tuple(&AllocationSample::at_ns, &AllocationSample::thread, &AllocationSample::call,
                      &AllocationSample::type, &AllocationSample::heap, &AllocationSample::size,
                      &AllocationSample::objects, &AllocationSample::bytes);
  }
};

struct AllocationProfile {
  enum class Sampling : uint8_t { kUnknown, kBytes, kTick };
  Sampling sampling = Sampling::kUnknown;
  uint64_t mean_bytes = 0;  // kBytes: one byte in this many is sampled. kTick: the mean amount
  PackedRows<AllocationSample> samples;
  uint64_t count = 0;  // of all samples, including those dropped by the limit
  double bytes = 0;    // that they represent
};

struct JitState {
  int64_t at_ns = 0;
  uint64_t methods = 0, il_bytes = 0, time_ns = 0;  // since the process began
  uint64_t background_ns = 0;  // since the recording began, as are the following
  uint64_t r2r_rejected = 0;
  std::vector<uint64_t> tiers;  // indexed by JitSample.Tier of the schema
};

struct Samples {
  CallTree calls;  // of CPU samples, allocations and throws
  CpuProfile cpu;
  AllocationProfile allocations;
  // At most kMaxJitStates, thinned out evenly beyond; the first and the last are always included.
  static constexpr size_t kMaxJitStates = 4096;
  std::vector<JitState> jit;
};

}  // namespace hindsight::analyzer
