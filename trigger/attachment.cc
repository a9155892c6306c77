#include "trigger/attachment.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "trigger/control_client.h"
#include "trigger/hresult.h"
#include "trigger/ipc/client.h"
#include "trigger/preflight/preflight.h"
#include "trigger/target/mapped_library.h"
#include "trigger/target/walk.h"

namespace hindsight::trigger {
namespace {

constexpr std::chrono::seconds kControlTimeout(5);
// Time for the recorder to start.
constexpr std::chrono::seconds kStartTimeout(30);
constexpr int kFirstRetryMs = 100;
constexpr int kLastRetryMs = 3200;

// A recorder that is already loaded occupies the runtime's only profiler slot. Attaching while one
// is leaving once led to a later detach that never returned, so that is refused for any profiler.
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
                   "Process " + pid + " is already being recorded, into " +
                       std::string(status->Find("output")) + '.',
                   "hindsight-trigger stop " + pid + " ends that recording."};
  }
  return Failure{
      ExitCode::kDetaching,
      "A recorder is currently leaving process " + pid + " (" + std::string(state) + ").",
      "Try again when `hindsight-trigger status " + pid + "` says that it is not being recorded."};
}

// Repeats the request until the reply is final: S_OK, a permanent error, or the last temporary one
// before the timeout.
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

// Ids of the process's threads that belong to a recorder.
std::set<std::string> RecorderThreads(const Process& process) {
  const std::string folder = "/proc/" + std::to_string(process.pid) + "/task/";
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(opendir(folder.c_str()), closedir);
  std::set<std::string> ids;
  while (threads != nullptr) {
    const dirent* entry = readdir(threads.get());
    if (entry == nullptr) break;
    std::string name;
    if (entry->d_name[0] != '.' && ReadProcFile(folder + entry->d_name + "/comm", name) &&
        name.starts_with("hindsight-")) {
      ids.insert(entry->d_name);
    }
  }
  return ids;
}

// Errors that a merely slow recorder may cause.
bool IsPassing(const Failure& failure) {
  return failure.code == ExitCode::kNotRecorded || failure.code == ExitCode::kRecorderSilent ||
         failure.code == ExitCode::kSendTimeout;
}

// After an attach of our recorder: returns its first status. It opens its control socket during the
// attach and starts to record a moment later; in a process short of CPU time that may take long,
// and its threads may not even have started. One whose threads came and are gone has given up;
// `earlier` are those of a previous recorder, which may still be ending.
Result<contract::Reply> WaitForRecorder(const Process& process,
                                        const std::set<std::string>& earlier) {
  const auto deadline = Clock::now() + kStartTimeout;
  bool came = false;
  while (true) {
    Result<contract::Reply> status =
        AskRecorder(process, {"status", ""}, Clock::now() + kControlTimeout);
    if (status ? status->Find("state") != "arming" : !IsPassing(status.failure())) return status;
    const std::set<std::string> threads = RecorderThreads(process);
    const bool is_there = !std::ranges::includes(earlier, threads);
    const bool left = !status && came && !is_there;
    came |= is_there;
    if (left) {
      return Failure{
          ExitCode::kRecorderSilent,
          "The recorder was attached to process " + std::to_string(process.pid) +
              ", but could not be reached, so it ended its recording and left.",
          "The process needs a folder for its control socket: check that its user can write to " +
              contract::TemporaryFolder(process.environment) +
              " there. The process's stderr and the recording have details."};
    }
    if (Clock::now() >= deadline) {
      if (status) return status;
      return Failure{ExitCode::kRecorderSilent,
                     "The recorder was attached, but does not respond. " + status.failure().what,
                     "It may just be slow; end it with hindsight-trigger stop " +
                         std::to_string(process.pid) + "."};
    }
    poll(nullptr, 0, 20);
  }
}

// /proc/PID/maps shows paths as we see them, including the root folder of a chroot or container.
std::string AsItSees(const Process& process, const std::string& path) {
  char text[PATH_MAX];
  const std::string link = "/proc/" + std::to_string(process.pid) + "/root";
  const ssize_t size = readlink(link.c_str(), text, sizeof text);
  const std::string_view root(text, size > 0 ? static_cast<size_t>(size) : 0);
  const bool inside = root.size() > 1 && path.starts_with(root) && path[root.size()] == '/';
  return inside ? path.substr(root.size()) : path;
}

// A library copied in by an earlier attach is still mapped, and is reused: each new copy would also
// stay mapped. Nothing: there is none, or it is of a different build.
std::optional<ChosenLibrary> FindBrought(const Process& process, const std::string& own) {
  const UniqueFd file(open(own.c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd memory(
      open(("/proc/" + std::to_string(process.pid) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || !memory) return std::nullopt;
  const std::string name = own.substr(own.rfind('/') + 1);
  for (const MappedLibrary& mapped : FindMapped(process, name)) {
    // The headers and the build id are in the first page.
    std::array<char, 4096> theirs{};
    std::array<char, 4096> ours{};
    const auto begin = static_cast<off_t>(mapped.parts.front().begin);
    const size_t folder = mapped.path.rfind(std::string("/") + kBroughtPrefix);
    if (folder == std::string::npos || !DamageOf(process, mapped, true).empty() ||
        pread(memory.get(), theirs.data(), theirs.size(), begin) != ssize_t{theirs.size()} ||
        pread(file.get(), ours.data(), ours.size(), 0) != ssize_t{ours.size()} || theirs != ours) {
      continue;
    }
    return ChosenLibrary{AsItSees(process, mapped.path), nullptr, true};
  }
  return std::nullopt;
}

}  // namespace

Result<ChosenLibrary> ChooseLibrary(const Process& process, const std::string& given) {
  if (!given.empty()) return ChosenLibrary{given, nullptr, false};
  Result<std::string> own = FindLibrary();
  if (!own) return own.failure();
  if (!process.other_mounts || WalkFrom(process.root.get(), *own).target) {
    return ChosenLibrary{*own, nullptr, false};
  }
  if (std::optional<ChosenLibrary> brought = FindBrought(process, *own)) return *std::move(brought);
  // Nothing is copied to where nobody can attach.
  if (const Result<DiagnosticSocket> socket = FindDiagnosticSocket(process); !socket) {
    return socket.failure();
  }
  Result<std::shared_ptr<BroughtLibrary>> brought = BroughtLibrary::Bring(process, *own);
  if (!brought) return brought.failure();
  return ChosenLibrary{(*brought)->path(), *brought, false};
}

Check AttachLibrary(const Process& process, const Attachment& attach) {
  const Result<DiagnosticSocket> socket = FindDiagnosticSocket(process);
  if (!socket) return socket.failure();
  if (!attach.library.is_mapped) {
    if (Check wrong = CheckLibrary(process, attach.library.path)) return wrong;
  }
  if (Check wrong = CheckMapped(process, attach.library.path)) return wrong;
  if (Check wrong = CheckNobodyRecords(process)) return wrong;
  const std::optional<ipc::Bytes> question = ipc::EncodeAttach(
      {attach.attach_timeout_ms, attach.guid, attach.library.path, attach.client_data});
  if (!question) {
    return Failure{ExitCode::kRequestTooLarge,
                   "The profiler's path is not UTF-8, or path and client data together exceed the "
                   "runtime's message limit (64 KiB).",
                   "Give a shorter path or shorter options."};
  }
  return SendAttach(attach, process, *socket, *question);
}

Result<contract::Reply> StartRecorder(const Process& process, const Attachment& attach) {
  const std::set<std::string> earlier = RecorderThreads(process);
  if (Check wrong = AttachLibrary(process, attach)) return *wrong;
  Result<contract::Reply> status = WaitForRecorder(process, earlier);
  if (!status || status->Find("state") == "recording") return status;
  // It stays only to report the error, and leaves by itself soon; the next attach need not wait for
  // that.
  const std::string state(status->Find("state"));
  const std::string error(status->Find("last_error"));
  const auto deadline = Clock::now() + kControlTimeout;
  if (AskRecorder(process, {"stop", ""}, deadline)) WaitForDetach(process, deadline);
  return Failure{ExitCode::kRecorderRefused,
                 error.empty()
                     ? "The recorder was attached, but does not record (" + state + ")."
                     : "The recorder cannot record: " + error + (error.ends_with('.') ? "" : "."),
                 "It has left process " + std::to_string(process.pid) + " again."};
}

}  // namespace hindsight::trigger
