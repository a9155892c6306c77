// pull: copies recordings out of a container, into a folder here or as a tar stream.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "recorder/contract/options.h"
#include "recorder/contract/text.h"
#include "trigger/answers.h"
#include "trigger/commands/commands.h"
#include "trigger/commands/target.h"
#include "trigger/control_client.h"
#include "trigger/pull/pull.h"
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

// Where the process records now, where its environment says, and the usual folder.
std::vector<std::string> FoldersOf(const Process& process) {
  std::vector<std::string> folders;
  const Expected<contract::Reply> status =
      AskRecorder(process, {"status", ""}, Clock::now() + kAnswerTimeout);
  if (status) {
    const std::string recording(status->Find("output"));
    if (const size_t slash = recording.rfind('/'); slash != std::string::npos && slash != 0) {
      folders.push_back(recording.substr(0, slash));
    }
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

void Print(const Pull& pull, pid_t pid, const std::vector<PulledRecording>& pulled) {
  std::printf("Recordings of process %d:\n", pid);
  for (const PulledRecording& recording : pulled) {
    const std::string what =
        recording.files == 0 ? "nothing new" : HumanBytes(recording.bytes) + " copied";
    std::printf("  %s/%s (%s)\n", contract::Printable(pull.output).c_str(), recording.name.c_str(),
                what.c_str());
  }
}

TriggerExit Run(const Pull& pull) {
  if (Check wrong = CheckOutput(pull)) return Report(*wrong, pull.json);
  const Expected<Process> process = pull.target.Find();
  if (!process) return Report(process.failure(), pull.json);
  PullRequest request;
  request.root = process->root.get();
  request.owner = process->uid;
  request.folders = pull.from.empty() ? FoldersOf(*process) : std::vector{pull.from};
  const std::unique_ptr<PullTarget> target =
      pull.IsStream() ? std::unique_ptr<PullTarget>(std::make_unique<TarTarget>(STDOUT_FILENO))
                      : std::make_unique<FolderTarget>(pull.output);
  const Expected<std::vector<PulledRecording>> pulled = PullRecordings(request, *target);
  if (!pulled) return Report(pulled.failure(), pull.json);
  if (pulled->empty()) {
    std::string places;
    for (const std::string& folder : request.folders) {
      places += (places.empty() ? "" : ", ") + contract::Printable(folder);
    }
    return Report({TriggerExit::kNotRecorded,
                   "There are no recordings of process " + std::to_string(process->pid) + " in " +
                       places + ", as it sees them.",
                   "Name another folder with --from."},
                  pull.json);
  }
  if (pull.json) {
    PullAnswer answer = {process->pid, {}};
    for (const PulledRecording& recording : *pulled) {
      answer.recordings.push_back(
          {pull.output + '/' + recording.name, recording.files, recording.bytes});
    }
    std::fputs(PullJson(answer).c_str(), stdout);
  } else if (!pull.IsStream()) {
    Print(pull, process->pid, *pulled);
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
      "Copies all recordings in the folders that the process records into, also those of earlier "
      "processes, out of the process's container. A recording that was pulled before is completed; "
      "nothing here is deleted.");
  command.Example("hindsight-trigger pull 4242 -o /var/tmp", "the recordings, into that folder");
  command.Example(
      "kubectl exec POD -c hindsight -- hindsight-trigger pull --name Shop -o - | tar -x",
      "the same from a sidecar of a pod");
  command.SeeAlso({"hindsight-trigger keep", "hindsight list"});
  command.Runs([pull] { return Run(*pull); });
}

}  // namespace hindsight::trigger
