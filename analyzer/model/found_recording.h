// A recording in a folder, by what names and files tell.
#pragma once

#include <cstdint>
#include <string>

namespace hindsight::analyzer {

struct FoundRecording {
  std::string path;
  std::string application;       // empty where the name is not one that the recorder gives
  uint32_t pid = 0;              // likewise 0
  uint64_t started_unix_ns = 0;  // by the name, in whole seconds; else when it was last written
  uint64_t bytes = 0;            // of all files
  uint64_t snapshots = 0;        // of the heap
};

}  // namespace hindsight::analyzer
