// Determines which paths on a command line belong to the same recording.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// Paths in groups, each as Recording::Open takes them, in the order of the first path of each.
// Grouped by the id in the first header of each path; a path without one is its own group, and
// opening it shows what is wrong. An error: a path does not exist, or a folder has no files.
Result<std::vector<std::vector<std::string>>> GroupByRecording(std::span<const std::string> paths);

}  // namespace hindsight::analyzer
