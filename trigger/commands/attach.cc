#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "recorder/contract/text.h"
#include "trigger/commands/commands.h"
#include "trigger/commands/recording_flags.h"
#include "trigger/control_client.h"
#include "trigger/hresult.h"
#include "trigger/ipc/client.h"
#include "trigger/preflight/preflight.h"
#include "trigger/report.h"

namespace hindsight::trigger {
namespace {

constexpr std::chrono::seconds kControlTimeout(5);
constexpr int kFirstRetryMs = 100;
constexpr int kLastRetryMs = 3200;

struct Attach {
  pid_t pid = 0;
  RecordingFlags recording;
  uint32_t attach_timeout_ms = 10'000;
  double send_timeout_s = 20;
  std::string client_data;
  bool raw_client_data = false;
  bool json = false;
};

// A recorder that is there already has the only seat of a profiler. Attaching while one is leaving
// once led to a later detach that never returned, so that is refused whatever the profiler.
Check CheckNobodyRecords(const Process& process) {
  const Result<contract::Reply> status =
      AskRecorder(process, {"status", ""}, Clock::now() + kControlTimeout);
  const std::string pid = std::to_string(process.pid);
  if (!status) {
    if (status.failure().code == ExitCode::kNotRecorded) return std::nullopt;
    return status.failure();
  }
  const std::string_view state = status->Find("state");
  if (state == "arming" || state == "recording") {
    return Failure{ExitCode::kAlreadyRecorded,
                   "Process " + pid + " is being recorded already, into " +
                       std::string(status->Find("output")) + '.',
                   "hindsight-trigger stop " + pid + " ends that recording."};
  }
  return Failure{
      ExitCode::kDetaching,
      "A recorder is just leaving process " + pid + " (" + std::string(state) + ").",
      "Try again when hindsight-trigger status " + pid + " says that it isn't recorded."};
}

// Asks until the answer is final: S_OK, a lasting refusal, or the last passing one in the given
// time.
Check SendAttach(const Attach& attach, const Process& process, const DiagnosticSocket& socket,
                 const ipc::Bytes& question) {
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(attach.send_timeout_s));
  for (int wait_ms = kFirstRetryMs;; wait_ms = std::min(2 * wait_ms, kLastRetryMs)) {
    Result<ipc::Answer> answer = ipc::Ask(socket, process, question, deadline);
    if (!answer) return answer.failure();
    if (answer->ok && answer->hresult == 0) return std::nullopt;
    const HresultInfo* info = FindHresult(answer->hresult);
    const bool passing = info != nullptr && info->passing;
    if (!passing || Clock::now() + std::chrono::milliseconds(wait_ms) >= deadline) {
      return ExplainHresult(answer->hresult,
                            "The attach to process " + std::to_string(process.pid));
    }
    poll(nullptr, 0, wait_ms);
  }
}

// The recorder opens its control socket while it is attached, and records a moment later.
Result<contract::Reply> WaitForRecorder(const Process& process) {
  const auto deadline = Clock::now() + kControlTimeout;
  while (true) {
    Result<contract::Reply> status = AskRecorder(process, {"status", ""}, deadline);
    const bool early = status ? status->Find("state") == "arming"
                              : status.failure().code == ExitCode::kNotRecorded;
    if (!early || Clock::now() >= deadline) {
      if (status) return status;
      return Failure{ExitCode::kRecorderSilent,
                     "The recorder was attached, but can't be asked. " + status.failure().what,
                     "The process's standard error may say why. With --for a recording ends by "
                     "itself."};
    }
    poll(nullptr, 0, 20);
  }
}

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
  const Result<DiagnosticSocket> socket = FindDiagnosticSocket(*process);
  if (!socket) return Report(socket.failure(), attach.json);
  const Result<std::string> library = attach.recording.Library();
  if (!library) return Report(library.failure(), attach.json);
  if (Check wrong = CheckLibrary(*process, *library)) return Report(*wrong, attach.json);
  if (Check wrong = CheckNobodyRecords(*process)) return Report(*wrong, attach.json);

  const std::optional<ipc::Bytes> question =
      ipc::EncodeAttach({attach.attach_timeout_ms, *guid, *library, client_data});
  if (!question) {
    return Report({ExitCode::kRequestTooLarge,
                   "The profiler's path is not UTF-8, or path and client data together are larger "
                   "than a message to the runtime may be (64 KiB).",
                   "Give a shorter path or shorter options."},
                  attach.json);
  }
  if (Check wrong = SendAttach(attach, *process, *socket, *question)) {
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
