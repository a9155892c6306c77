#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

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
  std::string client_data;
  bool raw_client_data = false;
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
  std::printf("  read  hindsight exceptions %s\n", shown.c_str());
}

ExitCode Run(const Attach& attach) {
  std::string client_data = attach.client_data;
  if (!attach.raw_client_data) {
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

void AddAttach(CLI::App& program, ExitCode& result) {
  CLI::App* command = program.add_subcommand("attach", "Start to record a running process");
  auto attach = std::make_shared<Attach>();
  command->add_option("PID", attach->pid, "The process")->required();
  attach->recording.AddTo(*command);
  command
      ->add_option("--attach-timeout", attach->attach_timeout_ms,
                   "How long the runtime may wait for a background garbage collection")
      ->type_name("MS")
      ->capture_default_str();
  command
      ->add_option("--send-timeout", attach->send_timeout_s,
                   "How long to wait for the runtime's answer, tries again included")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.05, 3600.0))
      ->capture_default_str();
  CLI::Option* raw = command->add_option("--client-data", attach->client_data,
                                         "Exactly this for the profiler, instead of our options");
  raw->type_name("RAW")->excludes("--for", "--output", "--sources", "--set");
  command->add_flag("--json", attach->json, "Print JSON");
  command->footer("The exit code tells every outcome apart: hindsight-trigger exit-codes.");
  command->callback([attach, raw, &result] {
    attach->raw_client_data = raw->count() > 0;
    result = Run(*attach);
  });
}

}  // namespace hindsight::trigger
