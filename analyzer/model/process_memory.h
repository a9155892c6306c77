// The memory and the open files of a process over its recording, in a few numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct ProcessMemory {
  uint64_t first_bytes = 0, last_bytes = 0, most_bytes = 0;  // resident
  uint32_t first_files = 0, last_files = 0, most_files = 0;  // 0: not counted
};

// None: nothing was measured. `samples`: ordered by time.
inline std::optional<ProcessMemory> ProcessMemoryOf(const std::vector<MemorySample>& samples) {
  if (samples.empty()) return std::nullopt;
  ProcessMemory memory = {.first_bytes = samples.front().resident_bytes,
                          .last_bytes = samples.back().resident_bytes,
                          .most_bytes = 0,
                          .first_files = samples.front().open_files,
                          .last_files = 0,
                          .most_files = 0};
  for (const MemorySample& sample : samples) {
    memory.most_bytes = std::max(memory.most_bytes, sample.resident_bytes);
    memory.most_files = std::max(memory.most_files, sample.open_files);
    if (sample.open_files != 0) memory.last_files = sample.open_files;
  }
  return memory;
}

}  // namespace hindsight::analyzer
