// keep: copies what a recorder has on disk, or the end of it, while the recording continues.
#include <cstdio>
#include <memory>

#include "recorder/contract/text.h"
#include "recorder/contract/units.h"
#include "trigger/answers.h"
#include "trigger/commands/commands.h"
#include "trigger/commands/target.h"
#include "trigger/control_client.h"
#include "trigger/keep/keep.h"
#include "trigger/report.h"

namespace hindsight::trigger {
namespace {

struct Keep {
  Target target;
  uint64_t last_ns = 0;  // 0: everything
  std::string output = ".";
  bool json = false;
};

Expected<Kept> CopyRecording(const Keep& keep, const Process& process) {
  KeepRequest request;
  request.last_ns = keep.last_ns;
  const Expected<contract::Reply> status =
      AskRecorder(process, {"status", ""}, Clock::now() + kAnswerTimeout);
  if (!status) return status.failure();
  request.root = process.root.get();
  request.source = status->Find("output");
  request.owner = process.uid;
  request.destination = keep.output;
  return KeepRecording(request);
}

TriggerExit Run(const Keep& keep) {
  const Expected<Process> process = keep.target.Find();
  if (!process) return Report(process.failure(), keep.json);
  const Expected<Kept> kept = CopyRecording(keep, *process);
  if (!kept) return Report(kept.failure(), keep.json);
  if (keep.json) {
    const KeepAnswer answer = {
        process->pid, {kept->path, kept->files, kept->bytes}, kept->snapshots};
    std::fputs(KeepJson(answer).c_str(), stdout);
    return TriggerExit::kOk;
  }
  const std::string path = contract::Printable(kept->path);
  std::printf("Copied what has been recorded of process %d; the recording continues.\n",
              process->pid);
  std::printf("  copy  %s (%s)\n", path.c_str(), HumanBytes(kept->bytes).c_str());
  std::printf("  read  hindsight summary %s\n", path.c_str());
  return TriggerExit::kOk;
}

}  // namespace

void DescribeKeep(cli::Command& command) {
  const auto keep = std::make_shared<Keep>();
  keep->target.AddTo(command, false);
  constexpr uint64_t kLeastNs = 1'000'000'000, kMostNs = 366ull * 86'400 * kLeastNs;
  command.Duration(
      "--last", "Copy at least this much of the end, and all heap snapshots", kLeastNs, kMostNs,
      [keep = keep.get()](uint64_t ns) { keep->last_ns = ns; }, "everything");
  command.Value("--output", "FOLDER", keep->output, "Folder in which to create the copy")
      .Letter('o')
      .Offers(cli::Offer::kFolder);
  AddJson(command, keep->json);
  command.Note(
      "A recording stays within limit.disk by deleting its oldest files. After an incident, keep "
      "copies what led up to it before it is deleted, also out of a container. The last second may "
      "not be on disk yet.");
  command.Example("hindsight-trigger keep 4242 --last 10m",
                  "the last ten minutes, into this folder");
  command.SeeAlso({"hindsight-trigger status", "hindsight summary"});
  command.Runs([keep] { return Run(*keep); });
}

}  // namespace hindsight::trigger
