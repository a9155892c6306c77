#include "trigger/attachment.h"

#include <poll.h>

#include <algorithm>

#include "trigger/control_client.h"
#include "trigger/hresult.h"
#include "trigger/ipc/client.h"
#include "trigger/preflight/preflight.h"

namespace hindsight::trigger {
namespace {

constexpr std::chrono::seconds kControlTimeout(5);
constexpr int kFirstRetryMs = 100;
constexpr int kLastRetryMs = 3200;

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
Check SendAttach(const Attachment& attach, const Process& process, const DiagnosticSocket& socket,
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

}  // namespace

Check AttachLibrary(const Process& process, const Attachment& attach) {
  const Result<DiagnosticSocket> socket = FindDiagnosticSocket(process);
  if (!socket) return socket.failure();
  if (Check wrong = CheckLibrary(process, attach.library)) return wrong;
  if (Check wrong = CheckNobodyRecords(process)) return wrong;
  const std::optional<ipc::Bytes> question = ipc::EncodeAttach(
      {attach.attach_timeout_ms, attach.guid, attach.library, attach.client_data});
  if (!question) {
    return Failure{ExitCode::kRequestTooLarge,
                   "The profiler's path is not UTF-8, or path and client data together are larger "
                   "than a message to the runtime may be (64 KiB).",
                   "Give a shorter path or shorter options."};
  }
  return SendAttach(attach, process, *socket, *question);
}

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

}  // namespace hindsight::trigger
