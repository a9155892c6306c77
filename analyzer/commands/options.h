// Options shared by commands: each has one name, one help text and one meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/cli/command.h"

namespace hindsight::analyzer {

// Part of a recording, as given on the command line; empty: no limit.
struct TimeOptions {
  std::string from, to;
};

// Nanoseconds from the recording's start.
struct TimeWindow {
  int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;
};

// An error if --to is not after --from.
Result<TimeWindow> WindowOf(const TimeOptions& times);

// --latest: `use`, which must end with UseNewest, is called before the command runs.
cli::Option& AddLatest(
    cli::Command& command, std::function<ExitCode()> use,
    const std::string& help =
        "Use the newest recording in the folder given, or in the recorder's usual folder");

// The variables must outlive the parsing; their values are the defaults. Includes --latest.
cli::Option& AddRecording(cli::Command& command, std::vector<std::string>& paths);
// Replaces `paths` - a folder, or nothing for the recorder's usual one - by the newest recording
// there, and reports on stderr which one that is.
ExitCode UseNewest(std::vector<std::string>& paths);
// Before the command runs, each folder that is no recording, but has exactly one in it, is replaced
// by that one.
void AcceptFolders(cli::Command& command, std::vector<std::string>& paths);
cli::Option& AddJson(cli::Command& command, bool& json);
// `what`: what is counted: "Methods and threads".
cli::Option& AddTop(cli::Command& command, size_t& top, const std::string& what);
cli::Option& AddFrames(cli::Command& command, size_t& frames);
void AddTimes(cli::Command& command, TimeOptions& times);
cli::Option& AddFrom(cli::Command& command, TimeOptions& times);  // --from alone
// `only`: "Only exceptions first thrown on".
cli::Option& AddThread(cli::Command& command, std::string& thread,
                       const std::string& only = "Only");
cli::Option& AddType(cli::Command& command, std::string& type);
cli::Option& AddFocus(cli::Command& command, std::string& focus);
cli::Option& AddBottomUp(cli::Command& command, bool& bottom_up);
cli::Option& AddPlumbing(cli::Command& command, bool& plumbing);
// Selects a heap snapshot by its number.
cli::Option& AddSnapshot(cli::Command& command, std::optional<uint32_t>& snapshot);
// Folders with the names of native functions; see LoadModel.
cli::Option& AddSymbols(cli::Command& command, std::vector<std::string>& symbols);
// In percent. `what`: what is left out or merged below it.
cli::Option& AddMinShare(cli::Command& command, double& percent, const std::string& what);
cli::Option& AddMinBytes(cli::Command& command, uint64_t& bytes, const std::string& what);

// For Option::Verify.
std::string CheckTime(const std::string& text);
std::string CheckFolder(const std::string& path);

}  // namespace hindsight::analyzer
