#include "analyzer/model/wait_spans.h"

#include <algorithm>
#include <utility>

namespace hindsight::analyzer {

void WaitSpans::Add(const WaitSpan& span) {
  if (spans_.size() >= max_spans_) SumUpShorter();
  spans_.push_back(span);
}

void WaitSpans::Add(const WaitSum& sum) {
  if (sum.total_ns == 0) return;
  if (sums_.size() < kMaxSums) {
    sums_.push_back(sum);
  } else {
    Add(rest_, sum);
  }
}

void WaitSpans::Add(Batch& batch, const WaitSum& sum) {
  const Key key = {sum.thread, sum.kind, sum.stack, sum.lock};
  if (batch.size() >= kMaxSums && !batch.contains(key)) {
    ++refused_;
    return;
  }
  const auto [at, is_new] = batch.try_emplace(key, sum);
  if (is_new) return;
  WaitSum& known = at->second;
  known.from_ns = std::min(known.from_ns, sum.from_ns);
  known.to_ns = std::max(known.to_ns, sum.to_ns);
  known.total_ns += sum.total_ns;
}

void WaitSpans::SumUpShorter() {
  const auto middle = spans_.begin() + static_cast<ptrdiff_t>(spans_.size() / 2);
  std::nth_element(spans_.begin(), middle, spans_.end(), [](const WaitSpan& a, const WaitSpan& b) {
    return a.duration_ns > b.duration_ns;
  });
  Batch batch;
  for (auto span = middle; span != spans_.end(); ++span) {
    // A wait for a task contains other waits, which cover the same time.
    if (span->kind == WaitKind::kTask) continue;
    Add(batch, {.from_ns = span->at_ns,
                .to_ns = span->at_ns + static_cast<int64_t>(span->duration_ns),
                .total_ns = span->duration_ns,
                .lock = span->lock,
                .thread = span->thread,
                .stack = span->stack,
                .kind = span->kind});
  }
  spans_.erase(middle, spans_.end());
  for (const auto& [key, sum] : batch) Add(sum);
}

void WaitSpans::Finish(Waits& waits) {
  for (const auto& [key, sum] : rest_) sums_.push_back(sum);
  std::sort(spans_.begin(), spans_.end(), [](const WaitSpan& a, const WaitSpan& b) {
    return std::tuple(a.thread, a.at_ns, b.duration_ns, a.stack) <
           std::tuple(b.thread, b.at_ns, a.duration_ns, b.stack);
  });
  std::stable_sort(sums_.begin(), sums_.end(), [](const WaitSum& a, const WaitSum& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.from_ns < b.from_ns;
  });
  waits.spans = std::move(spans_);
  waits.span_sums = std::move(sums_);
  waits.refused += refused_;
}

}  // namespace hindsight::analyzer
