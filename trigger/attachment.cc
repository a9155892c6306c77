#include "trigger/attachment.h"

#include <algorithm>
#include <set>
#include <thread>

#include "trigger/control_client.h"
#include "trigger/hresult.h"
#include "trigger/ipc/client.h"
#include "trigger/preflight/preflight.h"
#include "trigger/recorder_threads.h"

namespace hindsight::trigger {
namespace {

constexpr std::chrono::seconds kControlTimeout(5);
// Time for the recorder to start.
constexpr std::chrono::seconds kStartTimeout(30);
constexpr std::chrono::milliseconds kFirstRetry(100);
constexpr std::chrono::milliseconds kLastRetry(3200);
constexpr std::chrono::milliseconds kLook(20);

// A recorder that is already loaded occupies the runtime's only profiler slot. Attaching while one
// is leaving once led to a later detach that never returned, so that is refused for any profiler.
Check CheckNobodyRecords(const Process& process) {
  const Expected<contract::Reply> status =
      AskRecorder(process, {"status", ""}, Clock::now() + kControlTimeout);
  const std::string pid = std::to_string(process.pid);
  if (!status) {
    if (status.failure().code == TriggerExit::kNotRecorded) return std::nullopt;
    return status.failure();
  }
  const std::string_view state = status->Find("state");
  if (state == "arming" || state == "recording") {
    return Failure{TriggerExit::kAlreadyRecorded,
                   "Process " + pid + " is already being recorded, into " +
                       std::string(status->Find("output")) + '.',
                   "hindsight-trigger stop " + pid + " ends that recording."};
  }
  return Failure{
      TriggerExit::kDetaching,
      "A recorder is currently leaving process " + pid + " (" + std::string(state) + ").",
      "Try again when `hindsight-trigger status " + pid + "` says that it is not being recorded."};
}

// Repeats the request until the reply is final: S_OK, a permanent error, or the last temporary one
// before the timeout.
Check SendAttach(const Attachment& attach, const Process& process, const DiagnosticSocket& socket,
                 const ipc::Bytes& question) {
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(attach.send_timeout_s));
  for (auto wait = kFirstRetry;; wait = std::min(2 * wait, kLastRetry)) {
    Expected<ipc::Answer> answer = ipc::Ask(socket, process, question, deadline);
    if (!answer) return answer.failure();
    if (answer->ok && answer->hresult == 0) return std::nullopt;
    const HresultInfo* info = FindHresult(answer->hresult);
    const bool passing = info != nullptr && info->passing;
    if (!passing || Clock::now() + wait >= deadline) {
      return ExplainHresult(answer->hresult,
                            "The attach to process " + std::to_string(process.pid));
    }
    std::this_thread::sleep_for(wait);
  }
}

// Errors that a merely slow recorder may cause.
bool IsPassing(const Failure& failure) {
  return failure.code == TriggerExit::kNotRecorded ||
         failure.code == TriggerExit::kRecorderSilent || failure.code == TriggerExit::kSendTimeout;
}

// After an attach of our recorder: returns its first status. It opens its control socket during the
// attach and starts to record a moment later; in a process short of CPU time that may take long,
// and its threads may not even have started. One whose threads have appeared and gone has given up;
// `earlier` are those of a previous recorder, which may still be ending.
Expected<contract::Reply> WaitForRecorder(const Process& process,
                                          const std::set<std::string>& earlier) {
  const auto deadline = Clock::now() + kStartTimeout;
  bool came = false;
  while (true) {
    Expected<contract::Reply> status =
        AskRecorder(process, {"status", ""}, Clock::now() + kControlTimeout);
    if (status ? status->Find("state") != "arming" : !IsPassing(status.failure())) return status;
    const std::set<std::string> threads = RecorderThreads(process);
    const bool is_there = !std::ranges::includes(earlier, threads);
    const bool left = !status && came && !is_there;
    came |= is_there;
    if (left) return RecorderLeft(process);
    if (Clock::now() >= deadline) {
      if (status) return status;
      return Failure{TriggerExit::kRecorderSilent,
                     "The recorder was attached, but does not respond. " + status.failure().what,
                     "It may just be slow; end it with hindsight-trigger stop " +
                         std::to_string(process.pid) + "."};
    }
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace

Check AttachLibrary(const Process& process, const Attachment& attach) {
  const Expected<DiagnosticSocket> socket = FindDiagnosticSocket(process);
  if (!socket) return socket.failure();
  if (!attach.library.is_mapped) {
    if (Check wrong = CheckLibrary(process, attach.library.path)) return wrong;
  }
  if (Check wrong = CheckMapped(process, attach.library.path)) return wrong;
  if (Check wrong = CheckNobodyRecords(process)) return wrong;
  const std::optional<ipc::Bytes> question = ipc::EncodeAttach(
      {attach.attach_timeout_ms, attach.guid, attach.library.path, attach.client_data});
  if (!question) {
    return Failure{TriggerExit::kRequestTooLarge,
                   "The profiler's path is not UTF-8, or path and client data together exceed the "
                   "runtime's message limit (64 KiB).",
                   "Give a shorter path or shorter options."};
  }
  return SendAttach(attach, process, *socket, *question);
}

Expected<contract::Reply> StartRecorder(const Process& process, const Attachment& attach) {
  const std::set<std::string> earlier = RecorderThreads(process);
  if (Check wrong = AttachLibrary(process, attach)) return *wrong;
  Expected<contract::Reply> status = WaitForRecorder(process, earlier);
  if (!status || status->Find("state") == "recording") return status;
  // It stays only to report the error, and leaves by itself soon; the next attach need not wait for
  // that.
  const std::string state(status->Find("state"));
  const std::string error(status->Find("last_error"));
  const auto deadline = Clock::now() + kControlTimeout;
  if (AskRecorder(process, {"stop", ""}, deadline)) WaitForDetach(process, deadline);
  return Failure{TriggerExit::kRecorderRefused,
                 error.empty()
                     ? "The recorder was attached, but does not record (" + state + ")."
                     : "The recorder cannot record: " + error + (error.ends_with('.') ? "" : "."),
                 "It has left process " + std::to_string(process.pid) + " again."};
}

}  // namespace hindsight::trigger
