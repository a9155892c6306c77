// A recording's packets as they stand in its files, read with nothing but the standard tools: what
// the recorder has written is tested without the analyzer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "proto/recording.pb.h"

namespace hindsight::live {

// An allocation with its names: "System.String", "AllocationHot.Program.Strings" innermost first.
struct RawAllocation {
  std::string type;
  std::vector<std::string> stack;
  uint64_t size = 0, amount = 0;
  AllocationSamples::Sampling sampling = AllocationSamples::UNKNOWN;
  AllocationSamples::Heap heap = AllocationSamples::SMALL;
};

struct RawRecording {
  std::vector<RawAllocation> allocations;
  std::vector<GarbageCollection> collections;
  std::vector<Suspension> suspensions;
  std::vector<JitSample> jit;
  uint64_t lost = 0;
  uint64_t compressed_bytes = 0;

  explicit RawRecording(const std::filesystem::path& folder);
};

}  // namespace hindsight::live
