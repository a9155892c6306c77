#include "analyzer/commands/options.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

#include "analyzer/base/path_text.h"
#include "analyzer/base/text.h"
#include "analyzer/cli/usual_folder.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/time_option.h"
#include "analyzer/reader/files.h"
#include "analyzer/reader/find_recordings.h"

namespace hindsight::analyzer {

Result<TimeWindow> WindowOf(const TimeOptions& times) {
  TimeWindow window;
  if (!times.from.empty()) window.from_ns = *ParseTime(times.from);
  if (!times.to.empty()) window.to_ns = *ParseTime(times.to);
  if (window.to_ns <= window.from_ns) {
    return Error{"--to " + times.to + " is not after --from " + times.from + ".", ExitCode::kUsage};
  }
  return window;
}

ExitCode UseNewest(std::vector<std::string>& paths) {
  const std::string folder = paths.empty() ? cli::UsualFolder() : paths.front();
  Result<std::string> newest = NewestRecording(folder);
  if (!newest) {
    const std::string hint = paths.empty() ? " Give a recording, or a folder of recordings." : "";
    return Fail({newest.error().sentence + hint, newest.error().exit_code});
  }
  std::cerr << "hindsight: the newest recording is " << Printable(*newest) << "\n";
  paths = {std::move(*newest)};
  return ExitCode::kOk;
}

void AcceptFolders(cli::Command& command, std::vector<std::string>& paths) {
  command.Before([&paths] {
    for (std::string& path : paths) {
      if (IsRecording(path)) continue;
      const Result<std::vector<FoundRecording>> found = FindRecordings(path);
      if (found && found->size() == 1) path = found->front().path;
    }
    return 0;
  });
}

cli::Option& AddLatest(cli::Command& command, std::function<ExitCode()> use,
                       const std::string& help) {
  const auto is_latest = std::make_shared<bool>(false);
  command.Before([is_latest, use = std::move(use)] {
    return static_cast<int>(*is_latest ? use() : ExitCode::kOk);
  });
  return command.Flag("--latest", *is_latest, help);
}

cli::Option& AddRecording(cli::Command& command, std::vector<std::string>& paths) {
  AddLatest(command, [&paths] { return UseNewest(paths); });
  AcceptFolders(command, paths);
  return command.Argument("RECORDING", paths, "A recording: its folder or files")
      .Offers(cli::Offer::kRecording)
      .Unless("--latest");
}

cli::Option& AddJson(cli::Command& command, bool& json) {
  return command.Flag(
      "--json", json,
      "Print JSON (nanoseconds, bytes); described by: hindsight schema " + command.name());
}

cli::Option& AddTop(cli::Command& command, size_t& top, const std::string& what) {
  return command.Value("--top", "N", top, what + " to show; 0: all");
}

cli::Option& AddFrames(cli::Command& command, size_t& frames) {
  return command.Value("--frames", "N", frames, "Frames of a stack to show; 0: all");
}

cli::Option& AddFrom(cli::Command& command, TimeOptions& times) {
  return command
      .Value("--from", "TIME", times.from,
             "Start here, measured from the start of the recording: 10s, 1m30s")
      .Verify(CheckTime);
}

void AddTimes(cli::Command& command, TimeOptions& times) {
  AddFrom(command, times);
  command.Value("--to", "TIME", times.to, "End here, measured from the start of the recording")
      .Verify(CheckTime);
}

cli::Option& AddThread(cli::Command& command, std::string& thread, const std::string& only) {
  return command.Value("--thread", "THREAD", thread,
                       only + " this thread: its name (* and ? match any text) or OS id");
}

cli::Option& AddType(cli::Command& command, std::string& type) {
  return command.Value("--type", "TYPE", type,
                       "Only types that contain this text, or match this pattern (*, ?)");
}

cli::Option& AddFocus(cli::Command& command, std::string& focus) {
  return command.Value(
      "--focus", "METHOD", focus,
      "Only paths through methods that contain this text, or match this pattern (*, ?)");
}

cli::Option& AddBottomUp(cli::Command& command, bool& bottom_up) {
  return command.Flag("--bottom-up", bottom_up, "Inverted call tree: callers under callees");
}

cli::Option& AddPlumbing(cli::Command& command, bool& plumbing) {
  return command.Flag("--plumbing", plumbing,
                      "Show the frames of tasks and async methods, and stacks as they were");
}

cli::Option& AddSnapshot(cli::Command& command, std::optional<uint32_t>& snapshot) {
  return command.Value("--snapshot", "N", snapshot, "Heap snapshot to use").Default("the newest");
}

cli::Option& AddSymbols(cli::Command& command, std::vector<std::string>& symbols) {
  return command
      .Value("--symbols", "FOLDER", symbols,
             "A folder with debug files of native libraries, for the names of their functions")
      .Verify(CheckFolder)
      .Offers(cli::Offer::kFolder);
}

cli::Option& AddMinShare(cli::Command& command, double& percent, const std::string& what) {
  return command.Value("--min-share", "PERCENT", percent, what).Range(0, 100);
}

cli::Option& AddMinBytes(cli::Command& command, uint64_t& bytes, const std::string& what) {
  return command.Size("--min-bytes", bytes, what);
}

std::string CheckTime(const std::string& text) {
  return ParseTime(text) ? std::string() : "must be a time such as 500ms, 10s or 1m30s";
}

std::string CheckFolder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(PathOf(path), error) ? std::string()
                                                            : "must be an existing folder";
}

}  // namespace hindsight::analyzer
