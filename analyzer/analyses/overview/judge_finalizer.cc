// The thread that runs finalizers, over all thread snapshots: finalizers that take longer than
// their objects take to come.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/waits/thread_stacks.h"
#include "analyzer/analyses/waits/unchanged.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {

void JudgeBusyFinalizer(const ThreadReport& report, const OverviewRules& rules,
                        std::vector<Finding>& findings) {
  const Model& model = *report.model;
  const Dictionaries& dictionaries = model.dictionaries;
  FrameKinds kinds(model);
  uint64_t looks = 0, busy = 0, still_ns = 0;
  std::map<MethodId, uint64_t> methods;
  for (const ThreadSnapshot& snapshot : model.waits.snapshots) {
    // The last one shows a process that has ended.
    if (model.facts.end == EndReason::kProcessExit && &snapshot == &model.waits.snapshots.back()) {
      continue;
    }
    for (const ThreadInSnapshot& thread : snapshot.threads) {
      if (dictionaries.String(model.threads[thread.thread].name) != kFinalizerThread) continue;
      ++looks;
      const std::vector<MethodId> path = dictionaries.Path(thread.stack);
      // The finalizer itself, whatever it calls.
      const auto finalizer = std::find_if(path.rbegin(), path.rend(),
                                          [&](MethodId method) { return kinds.IsYours(method); });
      if (finalizer == path.rend()) continue;
      ++busy;
      ++methods[*finalizer];
      still_ns = UnchangedNs(snapshot, thread);
    }
  }
  if (looks < rules.finalizer_looks ||
      static_cast<double>(busy) < rules.finalizer_busy * static_cast<double>(looks)) {
    return;
  }
  const auto most =
      std::ranges::max_element(methods, {}, [](const auto& entry) { return entry.second; });
  Finding finding;
  finding.WarnUnlessDoubt(looks < rules.finalizer_sure_looks);
  finding.kind = "busy-finalizer";
  finding.subject = report.names.Display(most->first);
  // It does not run at all, so that more time would not help.
  const bool stands = busy == looks && still_ns >= rules.finalizer_still_ns;
  finding.title = stands
                      ? "The finalizer thread has been in " + finding.subject + " for " +
                            FormatDuration(still_ns) + " without running"
                      : "The finalizer thread has no rest: it was in " + finding.subject + " in " +
                            FormatCount(most->second) + " of " + Plural(looks, "thread snapshot");
  finding.evidence =
      stands
          ? "It waits, and objects with finalizers stay in memory until it goes on. A finalizer "
            "must not wait for a lock or for another thread."
          : "Objects with finalizers stay in memory until it gets to them. Dispose them, so that "
            "they need no finalizer (GC.SuppressFinalize), and let finalizers only release what "
            "is native.";
  finding.command = "threads";
  finding.impact = static_cast<double>(busy) / static_cast<double>(looks);
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
