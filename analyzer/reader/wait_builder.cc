#include "analyzer/reader/wait_builder.h"

#include <algorithm>
#include <utility>

namespace hindsight::analyzer {

void WaitBuilder::On(const hindsight::ThreadSnapshot& snapshot, int64_t time_ns) {
  using Trigger = ThreadSnapshot::Trigger;
  constexpr uint32_t kLastTrigger = hindsight::ThreadSnapshot::FIRST;
  const auto trigger = static_cast<uint32_t>(snapshot.trigger());
  ThreadSnapshot head;
  head.number = snapshot.number();
  head.trigger = trigger <= kLastTrigger ? static_cast<Trigger>(trigger) : Trigger::kUnknown;
  head.at_ns = time_ns;
  head.stopping_ns = snapshot.stopping_ns();
  head.pause_ns = snapshot.pause_ns();
  head.heap_snapshot = snapshot.heap_snapshot();
  head.announced = snapshot.threads();
  snapshots_.Begin(std::move(head));
}

void WaitBuilder::On(const ThreadState& state) {
  constexpr uint32_t kLastState = ThreadState::STOPPED;
  const auto run = static_cast<uint32_t>(state.state());
  ThreadInSnapshot thread;
  thread.thread = threads_.Of(state.thread());
  thread.stack = file_.StackOf(state.stack());
  thread.cpu_ns = state.cpu_ns();
  thread.switches = state.switches();
  thread.ready_ns = state.ready_ns();
  thread.state = run <= kLastState ? static_cast<ThreadRunState>(run) : ThreadRunState::kUnknown;
  thread.waits_for = state.waits_for();
  if (state.lock_owner() != 0) thread.lock_owner = threads_.Of(state.lock_owner());
  snapshots_.Add(state.snapshot(), thread);
}

namespace {

WaitKind KindOf(LockWait::Kind kind) {
  switch (kind) {
    case LockWait::MONITOR:
      return WaitKind::kMonitor;
    case LockWait::LOCK:
      return WaitKind::kLock;
    case LockWait::MONITOR_WAIT:
      return WaitKind::kMonitorWait;
    case LockWait::WAIT_HANDLE:
      return WaitKind::kWaitHandle;
    case LockWait::TASK:
      return WaitKind::kTask;
    default:
      return {};  // from a newer version
  }
}

}  // namespace

// Counts from untrusted input: bounded, so that their sums do not overflow.
void WaitBuilder::On(const LockWaitTally& tally, int64_t time_ns) {
  constexpr uint64_t kMost = uint64_t{1} << 50;
  lock_waits_.OnCounted(KindOf(tally.kind()), file_.StackOf(tally.stack()), tally.lock(),
                        {.began = std::min(tally.began(), kMost),
                         .total_ns = std::min(tally.duration_ns(), kMost),
                         .longest_ns = std::min(tally.longest_ns(), kMost),
                         .thread = threads_.Of(tally.thread()),
                         .at_ns = time_ns,
                         .interval_ns = std::min(tally.interval_ns(), kMost)});
}

void WaitBuilder::On(const LockWait& packet, uint64_t id, int64_t time_ns) {
  OpenWait wait;
  wait.id = id;
  wait.kind = KindOf(packet.kind());
  wait.thread = threads_.Of(packet.thread());
  wait.owner = threads_.Of(packet.owner());
  wait.lock = packet.lock();
  wait.object = packet.object();
  wait.stack = file_.StackOf(packet.stack());
  wait.owner_stack = file_.StackOf(packet.owner_stack());
  wait.start_ns = time_ns;
  lock_waits_.OnWait(wait, packet.over(), packet.duration_ns());
}

void WaitBuilder::On(const LockWaitEnd& end) {
  lock_waits_.OnNews(end.id(), end.over(), end.duration_ns(), file_.StackOf(end.owner_stack()));
}

void WaitBuilder::On(const PoolAdjustment& adjustment, int64_t time_ns) {
  using Reason = PoolAdjustmentInfo::Reason;
  const auto reason = static_cast<uint32_t>(adjustment.reason());
  const bool known = reason < static_cast<uint32_t>(Reason::kUnknown);
  if (adjustment.reason() == PoolAdjustment::STARVATION) ++waits_.starvations;
  adjustments_.Add({.at_ns = time_ns,
                    .workers = adjustment.workers(),
                    .throughput = adjustment.throughput(),
                    .reason = known ? static_cast<Reason>(reason) : Reason::kUnknown});
}

void WaitBuilder::On(const PoolSample& sample, int64_t time_ns) {
  samples_.Add({.at_ns = time_ns,
                .workers = sample.workers(),
                .queue_length = sample.queue_length(),
                .completed = sample.completed()});
}

void WaitBuilder::Finish() {
  snapshots_.Finish(waits_);
  lock_waits_.Finish(waits_);
  waits_.adjustments = adjustments_.Take();
  waits_.samples = samples_.Take();
}

}  // namespace hindsight::analyzer
