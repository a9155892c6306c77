// A recording in a folder, as described by its name and its files.
#pragma once

#include <cstdint>
#include <string>

namespace hindsight::analyzer {

struct FoundRecording {
  std::string path;
  std::string application;       // empty if the name is not one that the recorder gives
  uint32_t pid = 0;              // 0 likewise
  uint64_t started_unix_ns = 0;  // by the name, in whole seconds; else the last write
  uint64_t bytes = 0;            // of all files
  uint64_t snapshots = 0;        // heap snapshots
};

}  // namespace hindsight::analyzer
