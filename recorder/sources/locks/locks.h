// Source `locks`, on the application's threads: what they wait for, from the runtime's own events.
//
// An EventPipe session of our own (sources/events/event_session.h) delivers each event on the
// thread that causes it, when it is about to wait, so its stack is walked right then. Waits nest:
// Task.Wait waits on a monitor, and a thread that was pulsed waits for the lock again. Each thread
// keeps a small stack of its current waits.
//
// - Monitor and System.Threading.Lock: lock, object, owner (.NET 8 and later; Lock exists since 9)
// - Monitor.Wait and wait handles: .NET 9 and later; there is no information about which thread
//   would end the wait
// - tasks: with locks.task_waits
//
// A wait that finds no room in its thread's ring is counted instead (stream/tally.h), by lock and
// stack; so is one inside eight others. Inside 32, its own time is not known.
//
// A wait ended by an exception (Thread.Interrupt) has no end event: the thread's next wait shows
// that it is over.
#pragma once

#include <cstdint>
#include <span>

#include "proto/recording_fields.h"
#include "recorder/clr/info.h"
#include "recorder/sources/events/event_sink.h"
#include "recorder/sources/threads/threads.h"
#include "recorder/stack/stack_table.h"
#include "recorder/stack/stack_walker.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

// In an event, kMonitor is a Monitor or a Lock: what the runtime reports does not distinguish them.
using WaitKind = wire::LockWait::Kind;

// Tail: `frames_inline` addresses.
struct LockWaitBeganEvent {
  EventHeader header;
  uint64_t ordinal;  // of the wait on this track
  uint64_t lock;     // the runtime's id; 0: none
  uint64_t object;   // address at the time; 0: not reported
  uint32_t owner;    // kernel thread id; 0: not reported, or none
  uint32_t stack;    // handle; 0: inline, or none
  uint32_t frames_inline;
  WaitKind kind;
  bool stack_truncated;
};

struct LockWaitEndedEvent {
  EventHeader header;
  uint64_t ordinal;
};

struct PoolAdjustedEvent {
  EventHeader header;
  double throughput;  // completions per second
  uint32_t workers;
  wire::PoolAdjustment::Reason reason;
};

class Locks final : public EventSink {
 public:
  // `threads` is notified when a thread starts another one.
  Locks(Emitter& emitter, StackTable& stacks, StackWalker& walker, Threads& threads)
      : emitter_(emitter), stacks_(stacks), walker_(walker), threads_(threads) {}

  // Verbose.
  static constexpr uint64_t kRuntimeKeywords = 0x4000            // contention
                                               | 0x10000         // thread pool, and started threads
                                               | 0x40000000000;  // wait handles
  static constexpr uint64_t kTaskKeywords = 0x2;

  void Plan(const contract::Options& options, int runtime, EventPlan& plan) const override;
  void Delivered(const RuntimeEvent& event) override;

 private:
  struct Target {
    WaitKind kind;
    uint64_t lock, object;
    uint32_t owner;
  };

  void OfRuntime(const RuntimeEvent& event);
  void OfTasks(const RuntimeEvent& event);
  void Began(const Target& target, uintptr_t frame_address);
  void Ended(WaitKind kind);
  void CountDeeper(ThreadTrack& track, Tally::RowId row, uint64_t now);
  void Pop(ThreadTrack& track, uint64_t now);
  uint64_t Emit(ThreadTrack& track, const Target& target, const WalkedStack& stack, uint32_t handle,
                uint64_t now);

  Emitter& emitter_;
  StackTable& stacks_;
  StackWalker& walker_;
  Threads& threads_;
};

}  // namespace hindsight::recorder
