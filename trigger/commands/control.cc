// status and stop: both query the recorder in the process.
#include <cstdio>
#include <memory>

#include "recorder/contract/text.h"
#include "trigger/answers.h"
#include "trigger/commands/commands.h"
#include "trigger/commands/target.h"
#include "trigger/control_client.h"
#include "trigger/report.h"

namespace hindsight::trigger {
namespace {

struct Ask {
  Target target;
  double timeout_s = 30;
  bool json = false;

  Clock::time_point Deadline() const {
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s));
  }
};

std::shared_ptr<Ask> AddAsk(cli::Command& command) {
  auto ask = std::make_shared<Ask>();
  ask->target.AddTo(command, false);
  AddTimeout(command, "--timeout", ask->timeout_s, "How long to wait");
  AddJson(command, ask->json);
  return ask;
}

TriggerExit RunStatus(const Ask& ask) {
  const Expected<Process> process = ask.target.Find();
  if (!process) return Report(process.failure(), ask.json);
  const Expected<contract::Reply> status = AskRecorder(*process, {"status", ""}, ask.Deadline());
  if (!status) return Report(status.failure(), ask.json);
  if (ask.json) {
    std::fputs(StatusJson({process->pid, &*status}).c_str(), stdout);
  } else {
    std::printf("Process %d: %s\n", process->pid,
                contract::Printable(process->CommandLine(), 120).c_str());
    PrintFields(*status);
  }
  return TriggerExit::kOk;
}

TriggerExit RunStop(const Ask& ask) {
  const Expected<Process> process = ask.target.Find();
  if (!process) return Report(process.failure(), ask.json);
  const Clock::time_point deadline = ask.Deadline();
  const Expected<contract::Reply> closed = AskRecorder(*process, {"stop", ""}, deadline);
  if (!closed) return Report(closed.failure(), ask.json);
  const std::string output(closed->Find("output"));
  const std::string shown = contract::Printable(
      process->other_mounts ? "/proc/" + std::to_string(process->pid) + "/root" + output : output);
  if (!WaitForDetach(*process, deadline)) {
    return Report(
        {TriggerExit::kStillClosing,
         "The recording " + shown + " is complete, but the recorder has not yet left process " +
             std::to_string(process->pid) + ".",
         "The runtime waits until no thread is inside the recorder. Check with hindsight-trigger "
         "status " +
             std::to_string(process->pid) + '.'},
        ask.json);
  }
  if (ask.json) {
    std::fputs(StopJson({process->pid, &*closed}).c_str(), stdout);
  } else {
    std::printf("The recording of process %d is complete.\n", process->pid);
    PrintFields(*closed);
    std::printf("Read it with: hindsight summary %s\n", shown.c_str());
    if (const Expected<Process> now = InspectProcess(process->pid); !now || now->ended()) {
      std::printf("The process itself has exited.\n");
    }
  }
  return TriggerExit::kOk;
}

}  // namespace

void DescribeStatus(cli::Command& command) {
  command.Example("hindsight-trigger status 4242", "progress and cost");
  command.SeeAlso({"hindsight-trigger list", "hindsight-trigger stop"});
  command.Runs([ask = AddAsk(command)] { return RunStatus(*ask); });
}

void DescribeStop(cli::Command& command) {
  command.Example("hindsight-trigger stop 4242", "stop the recording; the process keeps running");
  command.SeeAlso({"hindsight-trigger status", "hindsight summary"});
  command.Runs([ask = AddAsk(command)] { return RunStop(*ask); });
}

}  // namespace hindsight::trigger
