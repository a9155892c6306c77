#include "analyzer/analyses/heap/leak_evidence.h"

#include "analyzer/base/text.h"

namespace hindsight::analyzer {

std::vector<std::string> EvidenceOf(const HeapModel& model, const LeakCandidate& candidate,
                                    const LeakSuspect& suspect) {
  const std::string count = FormatCount(suspect.count);
  const std::string share = " " + FormatPercent(suspect.share) + " of the heap.";
  const AccumulationTraits& traits = candidate.traits;
  switch (suspect.kind) {
    case LeakKind::kEventHandlers:
      return {count + " handlers are subscribed to " + traits.subject + "."};
    case LeakKind::kTimers:
      return {count + " timers are active and not disposed."};
    case LeakKind::kRegistrations:
      return {count + " callbacks are registered with a CancellationToken, and not disposed."};
    case LeakKind::kTimeoutCallbacks:
      return {count +
              " CancellationTokenSources have a time that is not over, are not disposed, "
              "and have callbacks."};
    case LeakKind::kClosures:
      return {count + " callbacks with captured variables are registered in " + traits.Subject() +
              "."};
    case LeakKind::kSubscriptions:
      return {count + " subscriptions" + (traits.subject.empty() ? "" : " in " + traits.subject) +
              " retain" + share};
    case LeakKind::kTimeouts:
      return {count + " timeouts are pending and not disposed."};
    case LeakKind::kChangeTracker:
      return {"The change tracker of " + traits.Subject() + " retains" + share};
    case LeakKind::kFinalizerQueue:
      return {count +
              " objects are unreachable, and wait for the finalizer thread. With all that "
              "they refer to, they retain" +
              share};
    case LeakKind::kHandles:
      return {count + " objects are each held by a " + RootName(model, *candidate.first.root) +
              "."};
    case LeakKind::kThreadStatics:
    case LeakKind::kDisposables:
    case LeakKind::kInterned:
    case LeakKind::kCache:
    case LeakKind::kCollection:
      break;
  }
  std::vector<std::string> out;
  if (candidate.owners > 1) {
    out.push_back(count + " objects, in " + FormatCount(candidate.owners) +
                  " parts that are held in the same way.");
  }
  out.push_back(traits.Subject() + " retains" + share);
  return out;
}

}  // namespace hindsight::analyzer
