// Source `gc`, on the collecting threads: collections, and times in which all managed threads were
// suspended.
//
// Callbacks of one collection, and of one suspension, come one after another, but not always on the
// same thread. So open ones are kept here, not in a track. A background collection overlaps with
// others, so each generation has a slot of its own. While a thread snapshot has suspended the
// threads, a collection may already announce that it will, and the other way round: each of the two
// has a slot, and its time begins when the other one has ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "recorder/clr/types.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

struct CollectionEvent {  // header.time_ns: its start
  EventHeader header;
  uint32_t number;
  uint32_t generation;
  bool induced;
  bool by_recorder;         // requested by us
  uint32_t runtime_number;  // the collector's own count; 0: no event reported it
  uint64_t duration_ns;
};

struct SuspensionEvent {  // header.time_ns: its start
  EventHeader header;
  uint32_t reason;   // COR_PRF_SUSPEND_REASON
  bool by_recorder;  // for a collection that we requested, or a thread snapshot
  uint64_t stopping_ns;
  uint64_t total_ns;
};

class Gc {
 public:
  explicit Gc(Emitter& emitter) : emitter_(emitter) {}

  // Collections begun so far: an address refers to the same object as long as this does not change.
  const std::atomic<uint32_t>& collections() const { return collections_; }
  // Managed threads are suspended, or are being suspended: the runtime answers no metadata queries.
  const std::atomic<bool>& suspended() const { return suspended_; }

  // Anything unloaded before this time has no objects left in the heap. Dead objects of older
  // generations stay until those are collected, and the runtime keeps the MethodTables of unloaded
  // classes for that long, but not their modules (dotnet/runtime, src/coreclr/vm/appdomain.cpp,
  // ShutdownFreeLoaderAllocators). So it is the start of the last gen2 collection but one: that one
  // is certainly over, even in the background. 0 until then.
  uint64_t heap_as_of_ns() const { return heap_as_of_ns_.load(std::memory_order_relaxed); }
  // We have been notified of every unload so far: the process has just started.
  void KnowsAllUnloads() { heap_as_of_ns_ = 1; }

  // Returns the oldest generation that is collected.
  uint32_t CollectionStarted(std::span<const clr::BOOL> generations, bool induced);
  void CollectionFinished();
  // The runtime's start event (GCStart), which has the collector's own count. It comes right after
  // CollectionStarted. A background collection may begin with one of a young generation, which has
  // events of its own but no CollectionStarted (seen on .NET 8 to 10): it is opened here.
  void StartReported(uint32_t runtime_number, uint32_t generation, bool induced);
  // The collection that began last runs inside another one, which is a background collection.
  // Without the events of StartReported, a background collection that began with a young one is not
  // known to be still running.
  bool IsInsideAnother() const { return open_count_.load(std::memory_order_acquire) > 1; }
  void SuspendStarted(uint32_t reason);
  void SuspendFinished();
  void ResumeStarted();
  // For how long threads were suspended for us, which is counted as our cost; 0: not for us.
  uint64_t ResumeFinished();

  // Whether events are recorded; counting and `suspended` work in any case.
  void Record(bool on) { record_ = on; }

 private:
  void Begin(uint32_t generation, bool induced, bool by_recorder, uint32_t runtime_number);

  static constexpr uint32_t kMaxOpen = 4;  // a background collection and those inside it
  struct Open {
    uint32_t number, generation;
    bool induced;
    bool by_recorder;
    uint32_t runtime_number;
    uint64_t started_ns;
  };

  struct Suspension {
    std::atomic<uint64_t> started_ns{0};  // 0: none
    std::atomic<uint64_t> finished_ns{0};
    std::atomic<uint64_t> resuming_ns{0};  // the last time that it was about to end
    std::atomic<uint32_t> reason{0};
    std::atomic<bool> by_us{false};
  };
  Suspension& OfCallingThread();

  Emitter& emitter_;
  bool record_ = false;
  std::atomic<uint32_t> collections_{0};
  std::atomic<uint64_t> heap_as_of_ns_{0};
  uint64_t last_full_ns_ = 0;
  std::atomic<bool> suspended_{false};
  // Suspensions begun and not over: one may wait for another (a collection, and a thread snapshot).
  std::atomic<uint32_t> suspensions_{0};
  Open open_[kMaxOpen] = {};
  std::atomic<uint32_t> open_count_{0};
  Suspension of_snapshot_, of_others_;
  std::atomic<uint32_t> snapshot_thread_{0};  // takes a thread snapshot, from its request on
};

}  // namespace hindsight::recorder
