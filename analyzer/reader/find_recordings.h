// The recordings in a folder, by what their names and files tell; nothing in them is read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

struct FoundRecording {
  std::string path;
  std::string application;       // empty where the name is not one that the recorder gives
  uint32_t pid = 0;              // likewise 0
  uint64_t started_unix_ns = 0;  // by the name, in whole seconds; else when it was last written
  uint64_t bytes = 0;            // of all files
  uint64_t snapshots = 0;        // of the heap
};

// Those whose names end with .hindsight, the newest first. An error where `folder` is none, or may
// not be read; an empty list where it has none.
Result<std::vector<FoundRecording>> FindRecordings(const std::string& folder);

// A folder's, wherever it is; nothing is set but the path if it is none.
FoundRecording DescribeRecording(const std::string& path);

// The newest in `folder`; an error where there is none.
Result<std::string> NewestRecording(const std::string& folder);

}  // namespace hindsight::analyzer
