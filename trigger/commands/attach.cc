#include <cstdio>
#include <memory>
#include <optional>

#include "recorder/contract/text.h"
#include "trigger/answers.h"
#include "trigger/attachment.h"
#include "trigger/commands/commands.h"
#include "trigger/commands/recording_flags.h"
#include "trigger/commands/target.h"
#include "trigger/report.h"

namespace hindsight::trigger {
namespace {

struct Attach {
  Target target;
  RecordingFlags recording;
  uint32_t attach_timeout_ms = 10'000;
  double send_timeout_s = 20;
  std::optional<std::string> client_data;  // instead of our options
  bool json = false;
};

void PrintStarted(const Attach& attach, const Process& process, const contract::Reply& status) {
  const std::string pid = std::to_string(process.pid);
  const std::string output(status.Find("output"));
  if (attach.json) {
    std::fputs(StatusJson({process.pid, &status}).c_str(), stdout);
    return;
  }
  const std::string shown =
      contract::Printable(process.other_mounts ? "/proc/" + pid + "/root" + output : output);
  std::printf("Recording process %s: %s\n", pid.c_str(),
              contract::Printable(process.CommandLine(), 120).c_str());
  std::printf("  into  %s\n", shown.c_str());
  std::printf("  stop  hindsight-trigger stop %s\n", pid.c_str());
  std::printf("  read  hindsight summary %s\n", shown.c_str());
}

TriggerExit Run(const Attach& attach) {
  std::string client_data;
  if (attach.client_data) {
    client_data = *attach.client_data;
  } else {
    Expected<std::string> options = attach.recording.Options();
    if (!options) return Report(options.failure(), attach.json);
    client_data = *std::move(options);
  }
  const Expected<ipc::Guid> guid = attach.recording.Profiler();
  if (!guid) return Report(guid.failure(), attach.json);
  const Expected<Process> process = attach.target.Find();
  if (!process) return Report(process.failure(), attach.json);
  const Expected<ChosenLibrary> library = ChooseLibrary(*process, attach.recording.GivenLibrary());
  if (!library) return Report(library.failure(), attach.json);
  const Attachment attachment = {*library, *guid, client_data, attach.attach_timeout_ms,
                                 attach.send_timeout_s};
  if (!attach.recording.OwnRecorder()) {
    if (Check wrong = AttachLibrary(*process, attachment)) return Report(*wrong, attach.json);
    if (attach.json) {
      std::fputs(StatusJson({process->pid, nullptr}).c_str(), stdout);
    } else {
      std::printf("The profiler %s is attached to process %d.\n",
                  contract::Printable(library->path).c_str(), process->pid);
    }
    return TriggerExit::kOk;
  }
  const Expected<contract::Reply> status = StartRecorder(*process, attachment);
  if (!status) return Report(status.failure(), attach.json);
  PrintStarted(attach, *process, *status);
  return TriggerExit::kOk;
}

}  // namespace

void DescribeAttach(cli::Command& command) {
  const auto attach = std::make_shared<Attach>();
  attach->target.AddTo(command, true);
  attach->recording.AddTo(command);
  constexpr uint64_t kMillisecond = 1'000'000;
  command.Duration(
      "--attach-timeout", "How long the runtime may wait for a background GC", kMillisecond,
      3'600'000 * kMillisecond,
      [attach = attach.get()](uint64_t ns) {
        attach->attach_timeout_ms = static_cast<uint32_t>(ns / kMillisecond);
      },
      "10s");
  AddTimeout(command, "--send-timeout", attach->send_timeout_s,
             "How long to wait for the runtime's answer, retries included");
  command
      .Value("--client-data", "RAW", attach->client_data,
             "Pass exactly this to the profiler, instead of options")
      .Excludes("--for")
      .Excludes("--output")
      .Excludes("--sources")
      .Excludes("--set");
  AddJson(command, attach->json);
  command.Note(
      "If the process has its own mounts (a container) and does not see the library, the trigger "
      "copies the library into a private folder there and removes it afterwards.");
  command.Note("Every outcome has its own exit code: hindsight-trigger exit-codes.");
  command.Example("hindsight-trigger attach 4242",
                  "record until stopped, or until the process ends");
  command.Example("hindsight-trigger attach 4242 --for 30s --sources cpu,gc --output /var/tmp",
                  "CPU time and collections for 30 seconds, into that folder");
  command.Example("hindsight-trigger attach --name Shop --wait",
                  "the application Shop, as soon as it is running");
  command.SeeAlso({"hindsight-trigger sources", "hindsight-trigger stop", "hindsight summary"});
  command.Runs([attach] { return Run(*attach); });
}

}  // namespace hindsight::trigger
