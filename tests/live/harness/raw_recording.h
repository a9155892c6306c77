// A recording's packets as they are in its files, read only with the standard tools: what the
// recorder writes is tested without the analyzer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
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

// In a heap snapshot: an allocation that was followed and whose object is alive.
struct RawSurvivor {
  std::vector<std::string> stack;
  uint64_t size = 0, amount = 0;
  uint64_t address = 0;
  uint32_t thread_os_id = 0;
};

struct RawSnapshot {
  bool has_survivors = false;
  AllocationSamples::Sampling sampling = AllocationSamples::UNKNOWN;
  uint32_t stride = 0;
  std::vector<RawSurvivor> survivors;
  uint64_t weak_handles = 0;  // to objects that are alive

  explicit RawSnapshot(const std::filesystem::path& file);
};

// As in its last entry.
struct RawThread {
  std::string name;
  uint32_t os_id = 0;
  bool is_recorder = false;
  std::vector<std::string> creator;  // innermost first; empty: not reported
};

// A wait of one of the application's threads.
struct RawLockWait {
  uint32_t thread = 0, owner = 0;  // keys of RawRecording.threads; owner 0: not reported
  std::vector<std::string> stack;
};

// A call for a collection.
struct RawCollectCall {
  std::vector<std::string> stack;  // innermost first
};

struct RawRecording {
  std::map<uint32_t, RawThread> threads;  // by id
  std::vector<RawLockWait> lock_waits;
  uint64_t not_seen_ns = 0;
  std::vector<RawAllocation> allocations;
  std::vector<GarbageCollection> collections;
  std::vector<RawCollectCall> collect_calls;
  std::vector<Suspension> suspensions;
  std::vector<JitSample> jit;
  std::vector<RequestCounts> requests;
  uint64_t thread_snapshots = 0;
  uint64_t lost = 0;
  uint64_t compressed_bytes = 0;

  explicit RawRecording(const std::filesystem::path& folder);
};

}  // namespace hindsight::live
