#include "analyzer/analyses/waits/exact_waits.h"

#include <algorithm>

namespace hindsight::analyzer {
namespace {

// Of the thread's life: a wait of Main that takes this part of it is for the program's end.
constexpr int64_t kLastingPart = 2;

// Whether a wait of `kind` is over when one of kind `later` begins on its thread: only some kinds
// can be within others.
bool Ends(WaitKind kind, WaitKind later) {
  switch (kind) {
    case WaitKind::kTask:
      return later == WaitKind::kTask;
    case WaitKind::kMonitorWait:
      return later != WaitKind::kMonitor && later != WaitKind::kLock;
    default:
      return true;
  }
}

class Flattening {
 public:
  Flattening(int64_t from_ns, int64_t to_ns) : now_ns_(from_ns), to_ns_(to_ns) {}

  // In order of their beginnings, an outer wait before those within it.
  void Add(ExactWait wait) {
    Until(wait.from_ns);
    wait.to_ns = std::min(wait.to_ns, to_ns_);
    if (wait.to_ns > now_ns_) within_.push_back(wait);
  }

  std::vector<ExactWait> Take() {
    Until(to_ns_);
    return std::move(out_);
  }

 private:
  void Until(int64_t at_ns) {
    while (!within_.empty() && now_ns_ < at_ns) {
      const int64_t end_ns = std::min(at_ns, within_.back().to_ns);
      if (end_ns > now_ns_) {
        out_.push_back(within_.back());
        out_.back().from_ns = now_ns_;
        out_.back().to_ns = end_ns;
        now_ns_ = end_ns;
      }
      if (within_.back().to_ns <= at_ns) within_.pop_back();
    }
    now_ns_ = std::max(now_ns_, at_ns);
  }

  int64_t now_ns_, to_ns_;
  std::vector<ExactWait> within_;  // each within the previous one
  std::vector<ExactWait> out_;
};

}  // namespace

std::vector<ExactWait> ExactWaits(WallSites& wall_sites, std::span<const WaitSpan> spans,
                                  std::span<const OpenWait* const> open, int64_t from_ns,
                                  int64_t to_ns) {
  std::vector<WaitSpan> all(spans.begin(), spans.end());
  for (const OpenWait* wait : open) {
    if (wait->start_ns >= to_ns) continue;
    int64_t end_ns = to_ns;
    const auto later = std::find_if(
        std::ranges::upper_bound(spans, wait->start_ns, {}, &WaitSpan::at_ns), spans.end(),
        [wait](const WaitSpan& span) { return Ends(wait->kind, span.kind); });
    if (later != spans.end()) end_ns = std::min(end_ns, later->at_ns);
    all.push_back({.at_ns = wait->start_ns,
                   .duration_ns = static_cast<uint64_t>(end_ns - wait->start_ns),
                   .lock = wait->lock,
                   .thread = wait->thread,
                   .owner = wait->owner,
                   .stack = wait->stack,
                   .kind = wait->kind});
  }
  if (!open.empty()) {
    std::stable_sort(all.begin(), all.end(), [](const WaitSpan& a, const WaitSpan& b) {
      return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.duration_ns > b.duration_ns;
    });
  }
  Flattening flattening(from_ns, to_ns);
  for (const WaitSpan& span : all) {
    if (span.at_ns >= to_ns) break;
    const auto duration_ns = static_cast<int64_t>(span.duration_ns);
    const bool lasts = duration_ns >= (to_ns - from_ns) / kLastingPart;
    flattening.Add({.from_ns = span.at_ns,
                    .to_ns = span.at_ns + duration_ns,
                    .wall_site = &wall_sites.OfWait(span.thread, span.kind, span.stack, lasts),
                    .lock = span.lock,
                    .owner = span.owner,
                    .may_run = span.kind == WaitKind::kTask});
  }
  return flattening.Take();
}

}  // namespace hindsight::analyzer
