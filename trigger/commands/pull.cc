// pull: copies recordings out of a container, into a folder here or as a tar stream.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "proto/file_names.h"
#include "recorder/contract/application.h"
#include "recorder/contract/options.h"
#include "recorder/contract/text.h"
#include "trigger/answers.h"
#include "trigger/commands/commands.h"
#include "trigger/commands/target.h"
#include "trigger/control_client.h"
#include "trigger/pull/pull.h"
#include "trigger/recorder_connection.h"
#include "trigger/report.h"

namespace hindsight::trigger {
namespace {

struct Pull {
  Target target;
  std::string output = ".";
  std::string from;
  bool json = false;

  bool IsStream() const { return output == "-"; }
};

// Where the process is recording or has last recorded, the folder in its environment, and the
// default folder.
std::vector<std::string> FoldersOf(const Process& process) {
  std::vector<std::string> folders;
  const Expected<contract::Reply> status =
      AskRecorder(process, {"status", ""}, Clock::now() + kAnswerTimeout);
  const std::string recording =
      status ? std::string(status->Find("output")) : LastRecordingOf(process);
  if (const size_t slash = recording.rfind('/'); slash != std::string::npos && slash != 0) {
    folders.push_back(recording.substr(0, slash));
  }
  contract::Options options;
  const std::string_view text = process.Environment("HINDSIGHT_OPTIONS");
  if (!text.empty() && contract::ParseOptions(text, options).empty() && !options.output.empty()) {
    folders.push_back(options.output);
  }
  folders.push_back(
      contract::DefaultOutput(contract::TemporaryFolder(process.environment), process.uid));
  return folders;
}

Check CheckOutput(const Pull& pull) {
  if (pull.IsStream() && pull.json) {
    return Failure{TriggerExit::kUsage, "--output - and --json both need standard output.",
                   "Pull into a folder."};
  }
  if (pull.IsStream()) {
    if (isatty(STDOUT_FILENO) == 0) return std::nullopt;
    return Failure{TriggerExit::kUsage, "A terminal cannot take a tar stream.",
                   "Send it to a file or into tar: hindsight-trigger pull PID -o - | tar -x"};
  }
  struct stat info = {};
  if (stat(pull.output.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return std::nullopt;
  return Failure{TriggerExit::kInternal,
                 "There is no folder " + contract::Printable(pull.output) + " here.",
                 "Create it, or choose another one with --output."};
}

std::string Others(uint32_t count) {
  return std::to_string(count) + (count == 1 ? " recording" : " recordings") +
         " of other applications";
}

void Print(const Pull& pull, const Process& process, const std::string& application,
           const Pulled& pulled) {
  const auto own = std::count_if(pulled.recordings.begin(), pulled.recordings.end(),
                                 [&](const PulledRecording& recording) {
                                   const auto pid = PidInFolderName(recording.name, application);
                                   return pid && *pid == static_cast<uint32_t>(process.inner_pid);
                                 });
  std::string of = "process " + std::to_string(process.pid);
  if (own == 0) {
    of = application + ", none of " + of;
  } else if (static_cast<size_t>(own) < pulled.recordings.size()) {
    of += " and of other processes of " + application;
  }
  if (pull.from.empty()) {
    std::printf("Recordings of %s:\n", of.c_str());
  } else {
    std::printf("Recordings in %s:\n", contract::Printable(pull.from).c_str());
  }
  for (const PulledRecording& recording : pulled.recordings) {
    const std::string what =
        recording.files == 0 ? "nothing new" : HumanBytes(recording.bytes) + " copied";
    std::printf("  %s/%s (%s)\n", contract::Printable(pull.output).c_str(), recording.name.c_str(),
                what.c_str());
  }
  if (pulled.others != 0) {
    std::printf("%s were not copied; --from FOLDER copies everything.\n",
                Others(pulled.others).c_str());
  }
}

TriggerExit NothingFound(const Pull& pull, const Process& process, const std::string& application,
                         const PullRequest& request, const Pulled& pulled) {
  std::string places;
  for (const std::string& folder : request.folders) {
    places += (places.empty() ? "" : ", ") + contract::Printable(folder);
  }
  const std::string of =
      pull.from.empty() ? " of " + application + " (process " + std::to_string(process.pid) + ")"
                        : "";
  const std::string others = pulled.others != 0 ? ", only " + Others(pulled.others) : "";
  return Report(
      {TriggerExit::kNotRecorded,
       "There are no recordings" + of + " in " + places + ", as it sees them" + others + ".",
       "Name another folder with --from."},
      pull.json);
}

TriggerExit Run(const Pull& pull) {
  if (Check wrong = CheckOutput(pull)) return Report(*wrong, pull.json);
  const Expected<Process> process = pull.target.Find();
  if (!process) return Report(process.failure(), pull.json);
  const std::string application =
      SanitizedApplication(contract::ApplicationName(process->arguments));
  PullRequest request;
  request.root = process->root.get();
  request.owner = process->uid;
  if (pull.from.empty()) {
    request.folders = FoldersOf(*process);
    request.application = application;
  } else {
    request.folders = {pull.from};
  }
  const std::unique_ptr<PullTarget> target =
      pull.IsStream() ? std::unique_ptr<PullTarget>(std::make_unique<TarTarget>(STDOUT_FILENO))
                      : std::make_unique<FolderTarget>(pull.output);
  const Expected<Pulled> pulled = PullRecordings(request, *target);
  if (!pulled) return Report(pulled.failure(), pull.json);
  if (pulled->recordings.empty()) {
    return NothingFound(pull, *process, application, request, *pulled);
  }
  if (pull.json) {
    PullAnswer answer = {process->pid, {}};
    for (const PulledRecording& recording : pulled->recordings) {
      answer.recordings.push_back(
          {pull.output + '/' + recording.name, recording.files, recording.bytes});
    }
    std::fputs(PullJson(answer).c_str(), stdout);
  } else if (!pull.IsStream()) {
    Print(pull, *process, application, *pulled);
  }
  return TriggerExit::kOk;
}

std::string CheckFrom(const std::string& text) {
  return text.starts_with('/') ? "" : "must be an absolute path, as the process sees it";
}

}  // namespace

void DescribePull(cli::Command& command) {
  const auto pull = std::make_shared<Pull>();
  pull->target.AddTo(command, false);
  command.Value("--output", "FOLDER", pull->output, "Folder for the recordings; -: a tar stream")
      .Letter('o')
      .Offers(cli::Offer::kFolder);
  command.Value("--from", "FOLDER", pull->from, "Folder with recordings, as the process sees it")
      .Default("where the process records")
      .Verify(CheckFrom);
  AddJson(command, pull->json);
  command.Note(
      "Copies the recordings of the process's application, also those of earlier processes, out of "
      "the process's container: from where it records or has recorded last, from where "
      "HINDSIGHT_OPTIONS says, and from the usual folder. With --from, all recordings in that "
      "folder. A recording that was pulled before is completed; nothing here is deleted.");
  command.Example("hindsight-trigger pull 4242 -o /var/tmp", "the recordings, into that folder");
  command.Example(
      "kubectl exec POD -c hindsight -- hindsight-trigger pull --name Shop -o - | tar -x",
      "the same from a sidecar of a pod");
  command.SeeAlso({"hindsight-trigger keep", "hindsight list"});
  command.Runs([pull] { return Run(*pull); });
}

}  // namespace hindsight::trigger
