// CPU and allocation samples, and the JIT's activity.
//
// Samples are kept one by one, in the order of their times as far as the recorder had it, at most
// kMaxSamples of each kind; see ThinnedSamples. Totals stay what they were but for the error of
// sampling.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/call_tree.h"
#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

inline constexpr size_t kMaxSamples = size_t{4} << 20;

// Times are nanoseconds from the recording's start unless they say otherwise.

struct CpuSample {
  int64_t at_ns = 0;
  uint32_t thread = 0;    // ThreadIndex
  CallId call = 0;        // the place that ran; 0 not known
  uint64_t cpu_ns = 0;    // CPU time that it stands for
  bool unrooted = false;  // the walk did not reach the thread's root: outer frames are missing

  void Scale(uint64_t times) { cpu_ns *= times; }
};

struct CpuProfile {
  uint64_t period_ns = 0;  // CPU time between two samples of a thread; 0: there are none
  std::vector<CpuSample> samples;
  // Of all samples, also those dropped by the limit.
  uint64_t count = 0, unrooted = 0, cpu_ns = 0;
  // What taking them cost the application.
  uint64_t handler_ns = 0;
  std::vector<uint64_t> handler_histogram;  // by 250 ns; the last and all beyond
};

enum class AllocationHeap : uint8_t { kSmall, kLarge, kPinned, kUnknown };

struct AllocationSample {
  int64_t at_ns = 0;
  uint32_t thread = 0;  // ThreadIndex
  CallId call = 0;
  TypeId type = 0;
  AllocationHeap heap = AllocationHeap::kSmall;
  uint64_t size = 0;   // bytes of the object
  double objects = 0;  // that it stands for
  double bytes = 0;    // that they have

  void Scale(uint64_t times) {
    objects *= static_cast<double>(times);
    bytes *= static_cast<double>(times);
  }
};

struct AllocationProfile {
  enum class Sampling : uint8_t { kUnknown, kBytes, kTick };
  Sampling sampling = Sampling::kUnknown;
  uint64_t mean_bytes = 0;  // kBytes: a byte in so many is sampled. kTick: the mean of the amounts
  std::vector<AllocationSample> samples;
  uint64_t count = 0;  // of all, also those dropped by the limit
  double bytes = 0;    // that they stand for
};

struct JitState {
  int64_t at_ns = 0;
  uint64_t methods = 0, il_bytes = 0, time_ns = 0;  // since the process began
  uint64_t background_ns = 0;                       // since the recording began, as the rest
  uint64_t r2r_rejected = 0;
  std::vector<uint64_t> tiers;  // by proto JitSample.Tier
};

struct Samples {
  CallTree calls;  // of CPU samples, allocations and throws
  CpuProfile cpu;
  AllocationProfile allocations;
  // At most kMaxJitStates, thinned out evenly beyond; the first and the last are there.
  static constexpr size_t kMaxJitStates = 4096;
  std::vector<JitState> jit;
};

}  // namespace hindsight::analyzer
