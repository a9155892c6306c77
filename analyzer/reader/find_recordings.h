// The recordings in a folder, described by their names and files; no file is read.
#pragma once

#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/model/found_recording.h"

namespace hindsight::analyzer {

// Those whose names end with .hindsight, newest first. An error if `folder` is not a folder or
// cannot be read; an empty list if it has no recordings.
Result<std::vector<FoundRecording>> FindRecordings(const std::string& folder);

// Describes a recording's folder, wherever it is; only the path is set if it is not one.
FoundRecording DescribeRecording(const std::string& path);

// The newest in `folder`; an error if there is none.
Result<std::string> NewestRecording(const std::string& folder);

}  // namespace hindsight::analyzer
