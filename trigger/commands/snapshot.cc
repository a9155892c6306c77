// snapshot: takes a snapshot of a process's heap or threads now. Attaches the recorder if the
// process has none.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "analyzer/cli/streams.h"
#include "recorder/contract/text.h"
#include "trigger/answers.h"
#include "trigger/attachment.h"
#include "trigger/commands/commands.h"
#include "trigger/commands/recording_flags.h"
#include "trigger/commands/target.h"
#include "trigger/control_client.h"
#include "trigger/report.h"

namespace hindsight::trigger {
namespace {

// The recorder gives up after 10 s.
constexpr std::chrono::seconds kThreadsTimeout(15);
// Time between two snapshots of the threads of a process that is not recorded, to see which ran.
constexpr std::chrono::seconds kBetweenLooks(1);

struct Snapshot {
  Target target;
  RecordingFlags recording;
  double timeout_s = 150;
  bool threads = false;
  bool json = false;
};

std::string Shown(const Process& process, std::string_view path) {
  const std::string prefix =
      process.other_mounts ? "/proc/" + std::to_string(process.pid) + "/root" : std::string();
  return contract::Printable(prefix + std::string(path));
}

// A snapshot in a running recording uses that recording's options: which user data it may keep was
// decided when it began.
Check CheckJoins(const Snapshot& snapshot, const Process& process, const contract::Reply& status) {
  const RecordingFlags& flags = snapshot.recording;
  if (flags.settings.empty() && flags.sources.empty()) return std::nullopt;
  const std::string pid = std::to_string(process.pid);
  return Failure{
      TriggerExit::kBadOptions,
      "Process " + pid + " is being recorded, into " + std::string(status.Find("output")) +
          ", and a snapshot joins that recording with its options.",
      "Omit --set and --sources, or give them when starting a recording: hindsight-trigger stop " +
          pid + " ends this one."};
}

// Whether there is a recorder that takes snapshots; if there is none, attaches one and sets
// `attached`.
Check EnsureRecorder(const Snapshot& snapshot, const Process& process, bool& attached) {
  const Expected<contract::Reply> status =
      AskRecorder(process, {"status", ""}, Clock::now() + kAnswerTimeout);
  attached = false;
  if (status) return CheckJoins(snapshot, process, *status);
  if (status.failure().code != TriggerExit::kNotRecorded) return status.failure();
  RecordingFlags flags = snapshot.recording;
  // Nothing that starts a session of the runtime's events: that takes a managed lock, which would
  // show up in the snapshot, and which a hanging process may hold for good.
  if (flags.sources.empty()) flags.sources = snapshot.threads ? "waits,threads" : "heap";
  const Expected<std::string> options = flags.Options();
  if (!options) return options.failure();
  const Expected<ipc::Guid> guid = flags.Profiler();
  if (!guid) return guid.failure();
  const Expected<ChosenLibrary> library = ChooseLibrary(process, flags.GivenLibrary());
  if (!library) return library.failure();
  const Expected<contract::Reply> ready = StartRecorder(process, {*library, *guid, *options});
  if (!ready) return ready.failure();
  attached = true;
  return std::nullopt;
}

// One line that is overwritten, only on a terminal.
void ShowProgress(const contract::Reply& status, bool end) {
  if (!cli::IsTerminal(cli::kStandardError)) return;
  if (end) {
    std::fprintf(stderr, "\r\033[K");
    return;
  }
  std::fprintf(stderr, "\r\033[K%s, %s objects",
               contract::Printable(status.Find("phase"), 40).c_str(),
               contract::Printable(status.Find("objects"), 20).c_str());
}

Expected<contract::Reply> TakeSnapshot(const Snapshot& snapshot, const Process& process) {
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(snapshot.timeout_s));
  // The process answered before. If it is stopped now, or throttled, it continues with the snapshot
  // later: giving up would leave the recorder in it.
  const auto answer_by = [deadline] { return std::max(deadline, Clock::now() + kAnswerTimeout); };
  Expected<contract::Reply> begun =
      AskRecorder(process, {"snapshot", ""}, Clock::now() + kAnswerTimeout);
  if (!begun) return begun;
  while (true) {
    Expected<contract::Reply> status = AskRecorder(process, {"snapshot_status", ""}, answer_by());
    if (!status) return status;
    if (status->Find("state") != "running") {
      ShowProgress(*status, true);
      return status;
    }
    if (Clock::now() >= deadline) {
      return Failure{TriggerExit::kSendTimeout,
                     "The snapshot is not done after the given time, but continues (" +
                         std::string(status->Find("phase")) + ").",
                     "hindsight-trigger status " + std::to_string(process.pid) +
                         " shows the recording; --timeout waits longer."};
    }
    ShowProgress(*status, false);
    constexpr std::chrono::milliseconds kPoll(20);
    std::this_thread::sleep_for(kPoll);
  }
}

uint64_t Number(const contract::Reply& reply, std::string_view key) {
  return std::strtoull(std::string(reply.Find(key)).c_str(), nullptr, 10);
}

// "12 ms, and 2 to prepare it: 64 ms in all"
std::string Pauses(const contract::Reply& result) {
  std::string text = HumanDuration(Number(result, "pause_ns"));
  const uint64_t pauses = Number(result, "pauses");
  if (pauses < 2) return text;
  text += ", and " + std::to_string(pauses - 1) + " to prepare it: ";
  return text + HumanDuration(Number(result, "all_pauses_ns")) + " in all";
}

void Print(const Process& process, const contract::Reply& result) {
  const std::string path = Shown(process, result.Find("path"));
  std::printf("Heap of process %d: %s objects, %s, by %s\n", process.pid,
              contract::Printable(result.Find("objects"), 20).c_str(),
              HumanBytes(Number(result, "object_bytes")).c_str(),
              contract::Printable(result.Find("method"), 60).c_str());
  std::printf("  pause  %s\n", Pauses(result).c_str());
  std::printf("  took   %s\n", HumanDuration(Number(result, "wall_ns")).c_str());
  std::printf("  file   %s (%s)\n", path.c_str(), HumanBytes(Number(result, "file_bytes")).c_str());
  std::printf("  read   hindsight summary %s\n         hindsight leaks %s\n", path.c_str(),
              path.c_str());
}

Expected<contract::Reply> LookAtThreads(const Process& process, bool twice) {
  const contract::Request request = {"snapshot_threads", ""};
  Expected<contract::Reply> reply = AskRecorder(process, request, Clock::now() + kThreadsTimeout);
  if (!reply || !twice) return reply;
  std::this_thread::sleep_for(kBetweenLooks);
  return AskRecorder(process, request, Clock::now() + kThreadsTimeout);
}

void PrintThreads(const Process& process, const contract::Reply& result) {
  std::printf("Threads of process %d: %s\n", process.pid,
              contract::Printable(result.Find("threads"), 20).c_str());
  std::printf("  pause  %s\n", HumanDuration(Number(result, "pause_ns")).c_str());
  std::printf("  read   hindsight threads %s\n", Shown(process, result.Find("output")).c_str());
}

TriggerExit Run(const Snapshot& snapshot) {
  const Expected<Process> process = snapshot.target.Find();
  if (!process) return Report(process.failure(), snapshot.json);
  bool attached = false;
  if (Check wrong = EnsureRecorder(snapshot, *process, attached)) {
    return Report(*wrong, snapshot.json);
  }
  const Expected<contract::Reply> result =
      snapshot.threads ? LookAtThreads(*process, attached) : TakeSnapshot(snapshot, *process);
  if (attached) {
    const auto deadline = Clock::now() + kAnswerTimeout;
    const Expected<contract::Reply> closed = AskRecorder(*process, {"stop", ""}, deadline);
    if (closed) WaitForDetach(*process, deadline);
  }
  if (!result) return Report(result.failure(), snapshot.json);
  if (snapshot.threads && !snapshot.json) {
    PrintThreads(*process, *result);
    return TriggerExit::kOk;
  }
  const bool complete = snapshot.threads || result->Find("state") == "complete";
  if (snapshot.json) {
    std::fputs(SnapshotJson({{process->pid, &*result}, complete}).c_str(), stdout);
    return complete ? TriggerExit::kOk : TriggerExit::kSnapshotIncomplete;
  }
  if (!complete) {
    const std::string path = Shown(*process, result->Find("path"));
    return Report({TriggerExit::kSnapshotIncomplete,
                   "The snapshot is incomplete. " + std::string(result->Find("reason")),
                   path.empty() ? std::string() : "The partial snapshot is in " + path + "."},
                  false);
  }
  Print(*process, *result);
  return TriggerExit::kOk;
}

}  // namespace

void DescribeSnapshot(cli::Command& command) {
  const auto snapshot = std::make_shared<Snapshot>();
  snapshot->target.AddTo(command, false);
  snapshot->recording.AddTo(command);
  AddTimeout(command, "--timeout", snapshot->timeout_s, "How long to wait");
  command.Flag("--threads", snapshot->threads,
               "Snapshot the stacks of all threads instead of the heap; on disk one second later");
  AddJson(command, snapshot->json);
  command.Note(
      "If the process is being recorded, the snapshot joins that recording, whatever its sources "
      "(--threads requires the source waits), and uses its options: heap.values and the like are "
      "set when a recording starts. Otherwise the recorder is attached for the snapshot and "
      "detached afterwards.");
  command.Example("hindsight-trigger snapshot 4242", "the heap, in one short pause");
  command.Example("hindsight-trigger snapshot 4242 --threads", "the stacks of all threads");
  command.SeeAlso({"hindsight summary", "hindsight leaks", "hindsight deadlocks"});
  command.Runs([snapshot] { return Run(*snapshot); });
}

}  // namespace hindsight::trigger
