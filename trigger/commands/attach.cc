#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "recorder/contract/text.h"
#include "trigger/attachment.h"
#include "trigger/commands/commands.h"
#include "trigger/commands/recording_flags.h"
#include "trigger/preflight/preflight.h"
#include "trigger/report.h"

namespace hindsight::trigger {
namespace {

struct Attach {
  pid_t pid = 0;
  RecordingFlags recording;
  uint32_t attach_timeout_ms = 10'000;
  double send_timeout_s = 20;
  std::optional<std::string> client_data;  // in the place of our options
  bool json = false;
};

void PrintStarted(const Attach& attach, const Process& process, const contract::Reply& status) {
  const std::string pid = std::to_string(process.pid);
  const std::string output(status.Find("output"));
  if (attach.json) {
    PrintJson({{"ok", true}, {"pid", process.pid}, {"status", ToJson(status)}});
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

ExitCode Run(const Attach& attach) {
  std::string client_data;
  if (attach.client_data) {
    client_data = *attach.client_data;
  } else {
    Result<std::string> options = attach.recording.Options();
    if (!options) return Report(options.failure(), attach.json);
    client_data = *std::move(options);
  }
  const Result<ipc::Guid> guid = attach.recording.Profiler();
  if (!guid) return Report(guid.failure(), attach.json);
  const Result<Process> process = InspectProcess(attach.pid);
  if (!process) return Report(process.failure(), attach.json);
  if (Check wrong = CheckProcess(*process)) return Report(*wrong, attach.json);
  const Result<std::string> library = attach.recording.Library();
  if (!library) return Report(library.failure(), attach.json);
  if (Check wrong = AttachLibrary(*process, {*library, *guid, client_data, attach.attach_timeout_ms,
                                             attach.send_timeout_s})) {
    return Report(*wrong, attach.json);
  }
  if (!attach.recording.OwnRecorder()) {
    if (attach.json) {
      PrintJson({{"ok", true}, {"pid", attach.pid}});
    } else {
      std::printf("The profiler %s is attached to process %d.\n", library->c_str(), attach.pid);
    }
    return ExitCode::kOk;
  }
  const Result<contract::Reply> status = WaitForRecorder(*process);
  if (!status) return Report(status.failure(), attach.json);
  PrintStarted(attach, *process, *status);
  return ExitCode::kOk;
}

}  // namespace

void DescribeAttach(cli::Command& command) {
  const auto attach = std::make_shared<Attach>();
  AddPid(command, attach->pid);
  attach->recording.AddTo(command);
  command.Value("--attach-timeout", "MS", attach->attach_timeout_ms,
                "How long the runtime may wait for a background garbage collection");
  AddTimeout(command, "--send-timeout", attach->send_timeout_s,
             "How long to wait for the runtime's answer, tries again included");
  command
      .Value("--client-data", "RAW", attach->client_data,
             "Exactly this for the profiler, instead of our options")
      .Excludes("--for")
      .Excludes("--output")
      .Excludes("--sources")
      .Excludes("--set");
  AddJson(command, attach->json);
  command.Note("The exit code tells every outcome apart: hindsight-trigger exit-codes.");
  command.Example("hindsight-trigger attach 4242", "record until it is stopped, or ends");
  command.Example("hindsight-trigger attach 4242 --for 30s --sources cpu,gc --output /var/tmp",
                  "half a minute of CPU time and collections, into that folder");
  command.SeeAlso({"hindsight-trigger sources", "hindsight-trigger stop", "hindsight summary"});
  command.Runs([attach] { return Run(*attach); });
}

}  // namespace hindsight::trigger
