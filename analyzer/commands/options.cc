#include "analyzer/commands/options.h"

#include <filesystem>
#include <system_error>

#include "analyzer/commands/time_option.h"

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

cli::Option& AddRecording(cli::Command& command, std::vector<std::string>& paths) {
  return command.Argument("RECORDING", paths, "Folder or files of one recording")
      .Offers(cli::Offer::kRecording);
}

cli::Option& AddJson(cli::Command& command, bool& json) {
  return command.Flag(
      "--json", json,
      "Print JSON, in nanoseconds and bytes; its keys: hindsight schema " + command.name());
}

cli::Option& AddTop(cli::Command& command, size_t& top, const std::string& what) {
  return command.Value("--top", "N", top, what + " to show; 0: all");
}

cli::Option& AddFrames(cli::Command& command, size_t& frames) {
  return command.Value("--frames", "N", frames, "Frames of a stack to show; 0: all");
}

void AddTimes(cli::Command& command, TimeOptions& times) {
  command.Value("--from", "TIME", times.from, "Only from this time after the start on, as 10s")
      .Verify(CheckTime);
  command.Value("--to", "TIME", times.to, "Only before this time after the start, as 1m30s")
      .Verify(CheckTime);
}

cli::Option& AddThread(cli::Command& command, std::string& thread, const std::string& only) {
  return command.Value("--thread", "THREAD", thread,
                       only + " this thread: its name, * and ? stand for any text; or its OS id");
}

cli::Option& AddType(cli::Command& command, std::string& type) {
  return command.Value("--type", "TYPE", type,
                       "Only types that contain this, or match it with * and ?");
}

cli::Option& AddFocus(cli::Command& command, std::string& focus) {
  return command.Value("--focus", "METHOD", focus,
                       "Only paths through methods that contain this, or match it with * and ?");
}

cli::Option& AddBottomUp(cli::Command& command, bool& bottom_up) {
  return command.Flag("--bottom-up", bottom_up,
                      "Callers below what they called, in the place of paths from the root");
}

cli::Option& AddPlumbing(cli::Command& command, bool& plumbing) {
  return command.Flag("--plumbing", plumbing,
                      "Show tasks' and async methods' machinery, and stacks as they really were");
}

cli::Option& AddSnapshot(cli::Command& command, std::optional<uint32_t>& snapshot) {
  return command.Value("--snapshot", "N", snapshot, "Number of the heap snapshot")
      .Default("the newest");
}

cli::Option& AddMinShare(cli::Command& command, double& percent, const std::string& what) {
  return command.Value("--min-share", "PERCENT", percent, what).Range(0, 100);
}

cli::Option& AddMinBytes(cli::Command& command, uint64_t& bytes, const std::string& what) {
  return command.Value("--min-bytes", "BYTES", bytes, what);
}

std::string CheckTime(const std::string& text) {
  return ParseTime(text) ? std::string() : "is not a time from the start: 500ms, 10s or 1m30s";
}

std::string CheckFolder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? std::string() : "is no folder";
}

}  // namespace hindsight::analyzer
