// Which paths on a command line belong to one recording.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// Paths in groups, each as Recording::Open takes them, in the order in which recordings come first.
// By the id in the first header of each path: what has none is a group by itself, and opening it
// shows what is wrong. An error: a path does not exist, or a folder holds no files.
Result<std::vector<std::vector<std::string>>> GroupByRecording(std::span<const std::string> paths);

}  // namespace hindsight::analyzer
