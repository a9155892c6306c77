// Recordings made by the real recorder, read by the real analyzer.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/live/harness/process.h"
#include "tests/live/harness/truth.h"

namespace hindsight::live {

using EnvironmentVariables = std::vector<std::pair<std::string, std::string>>;

// The variables for start-up mode. Recordings go into `output`; `options` are further ones, such as
// `match=*;...`.
EnvironmentVariables StartUp(const std::filesystem::path& output, const std::string& options = "");

// `hindsight-trigger` with these arguments; TMPDIR is that of the process it is to find.
Ended Trigger(const std::vector<std::string>& arguments, const std::filesystem::path& tmp);

// Folders of recordings below `output`, by name.
std::vector<std::filesystem::path> RecordingsIn(const std::filesystem::path& output);

// The only recording in `output`, once its recorder receives the runtime's events; it must have the
// source gc or locks. If that does not happen, empty, and the test fails.
std::filesystem::path WhenListening(const std::filesystem::path& output);

// `hindsight COMMAND RECORDING [arguments]`, run to its end.
Ended Hindsight(const std::string& command, const std::filesystem::path& recording,
                const std::vector<std::string>& arguments = {});
// The same with --json. Throws when there is no JSON.
nlohmann::json HindsightJson(const std::string& command, const std::filesystem::path& recording,
                             std::vector<std::string> arguments = {});

// `hindsight exceptions --json`, one group per route.
std::vector<ReportedGroup> Groups(const std::filesystem::path& recording);

}  // namespace hindsight::live
