// The recordings in a folder, by what their names and files tell; nothing in them is read.
#pragma once

#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/model/found_recording.h"

namespace hindsight::analyzer {

// Those whose names end with .hindsight, the newest first. An error where `folder` is none, or may
// not be read; an empty list where it has none.
Result<std::vector<FoundRecording>> FindRecordings(const std::string& folder);

// A folder's, wherever it is; nothing is set but the path if it is none.
FoundRecording DescribeRecording(const std::string& path);

// The newest in `folder`; an error where there is none.
Result<std::string> NewestRecording(const std::string& folder);

}  // namespace hindsight::analyzer
