#include "trigger/commands/recording_flags.h"

#include <filesystem>
#include <system_error>

#include "analyzer/cli/paths.h"
#include "recorder/contract/options.h"
#include "trigger/preflight/preflight.h"

namespace hindsight::trigger {
namespace {

// Processes have their own working directories: relative paths are relative to ours.
std::string Absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(cli::PathOf(path), error);
  return error ? path : absolute.lexically_normal().string();
}

std::vector<std::string> SourceNames() {
  std::vector<std::string> words = {"all"};
  for (const contract::SourceInfo& source : contract::Catalogue()) words.emplace_back(source.name);
  return words;
}

std::vector<std::string> OptionTexts() {
  std::vector<std::string> words;
  for (const std::string_view key : contract::OptionKeys()) words.push_back(std::string(key) + "=");
  return words;
}

}  // namespace

void RecordingFlags::AddTo(cli::Command& command) {
  command.Value("--for", "TIME", duration, "Stop automatically after this time: 30s, 5m, 1h30m");
  command.Value("--output", "FOLDER", output, "Folder in which the recording's folder is created")
      .Letter('o')
      .Offers(cli::Offer::kFolder);
  command
      .Value("--sources", "LIST", sources,
             "What to record: comma-separated names from `hindsight-trigger sources`, or all; "
             "+NAME adds one to the default, -NAME excludes one")
      .Suggests(SourceNames(), true);
  command.Value("--set", "KEY=VALUE", settings, "Any recording option").Suggests(OptionTexts());
  command
      .Value("--profiler", "FILE", library, "The profiler library; relative to the current folder")
      .Offers(cli::Offer::kFile);
  command.Value("--profiler-guid", "GUID", guid, "The profiler's class id");
}

Expected<std::string> RecordingFlags::Options() const {
  std::string text;
  const auto append = [&text](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    if (!text.empty()) text += ';';
    text += key;
    text += '=';
    text += contract::EscapeOption(value);
  };
  append("for", duration);
  append("sources", sources);
  if (!output.empty()) append("output", Absolute(output));
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (!text.empty()) text += ';';
    text += contract::EscapeOption(setting.substr(0, equals));
    if (equals != std::string::npos)
      text += '=' + contract::EscapeOption(setting.substr(equals + 1));
  }
  contract::Options options;
  if (std::string wrong = contract::ParseOptions(text, options); !wrong.empty()) {
    return Failure{TriggerExit::kBadOptions, wrong, "See hindsight-trigger sources."};
  }
  return contract::FormatOptions(options);
}

Expected<ipc::Guid> RecordingFlags::Profiler() const {
  if (const std::optional<ipc::Guid> parsed = ipc::ParseGuid(guid)) return *parsed;
  return Failure{TriggerExit::kUsage, guid + " is not a GUID.",
                 std::string("Write it as ") + contract::kProfilerGuid + "."};
}

std::string RecordingFlags::GivenLibrary() const {
  return library.empty() ? std::string() : Absolute(library);
}

bool RecordingFlags::OwnRecorder() const {
  return ipc::ParseGuid(guid) == ipc::ParseGuid(contract::kProfilerGuid);
}

}  // namespace hindsight::trigger
