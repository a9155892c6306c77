// Decides which ids of the runtime's threads may be used in a query.
//
// A ThreadID is the address of the runtime's object for a thread, and the runtime does not check
// it. The rule is the same as for code (code_gate.h): an id comes with a time at which the thread
// was alive, a query takes a Hold, and a Hold is only given if the thread has not ended since. The
// callback that announces the end of a thread first records it, and then waits until no query about
// that thread is running. The object is freed later, by the thread itself or by the finalizer
// thread.
//
// The wait has no limit, because it cannot be part of a deadlock. ThreadDestroyed comes in
// preemptive mode, for some threads under the lock of the runtime's list of threads
// (dotnet/runtime, src/coreclr/vm/threads.cpp, OnThreadTerminate). The queries here read fields,
// and need neither that lock nor the end of a suspension (proftoeeinterfaceimpl.cpp:
// CANNOT_TAKE_LOCK). Listing threads does need the lock, so threads are never listed inside a Hold.
//
// While all threads are stopped for a profiler, that lock is held for it: no thread in the list is
// freed, and ids that were listed in the pause need no Hold until it ends
// (stack/thread_snapshot_taker.cc).
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "recorder/base/clock.h"
#include "recorder/base/condition.h"
#include "recorder/clr/for_each_id.h"
#include "recorder/clr/info.h"

namespace hindsight::recorder {

// A thread, and a time at which it was alive. Its id may be compared and recorded at any time.
struct SeenThread {
  clr::ThreadID id = 0;
  uint64_t as_of_ns = 0;
};

class ThreadGate {
 public:
  explicit ThreadGate(clr::ICorProfilerInfo10* info) : info_(info) {}
  ThreadGate(const ThreadGate&) = delete;
  ThreadGate& operator=(const ThreadGate&) = delete;

  // While it exists, the thread's object is not freed. For one query.
  class Hold {
   public:
    Hold(Hold&& other) noexcept
        : gate_(std::exchange(other.gate_, nullptr)), place_(other.place_), id_(other.id_) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold() {
      if (gate_ != nullptr) gate_->Leave(place_);
    }

    // 0: unknown.
    uint32_t OsId() const;
    // The address of this thread's own copy of a static field; null: none yet. `type` must be
    // alive.
    void* StaticAddress(clr::ClassID type, clr::mdFieldDef field, clr::AppDomainID domain) const;

   private:
    friend class ThreadGate;
    Hold(ThreadGate* gate, size_t place, clr::ThreadID id) : gate_(gate), place_(place), id_(id) {}
    ThreadGate* gate_;
    size_t place_;
    clr::ThreadID id_;
  };

  // Calls visit(SeenThread) for the threads that are alive. The calling thread must not be inside a
  // Hold.
  template <typename Visit>
  void ForEach(Visit visit) const {
    const uint64_t as_of_ns = MonotonicNs();
    clr::ForEachThread(info_, [&](clr::ThreadID id) { visit(SeenThread{id, as_of_ns}); });
  }
  // Empty: the thread has ended, or so many have ended since that it is not known.
  std::optional<Hold> Enter(SeenThread thread);

  // ---- Callback of the runtime: any thread that is not inside a Hold ----
  // Records the end, and returns when no query about this thread is running.
  void ThreadEnding(clr::ThreadID id, uint64_t now_ns = MonotonicNs());

 private:
  static constexpr size_t kQueries = 4;      // at a time; others wait
  static constexpr size_t kEndsKept = 1024;  // the last ones

  struct End {
    clr::ThreadID id = 0;
    uint64_t time_ns = 0;
  };

  bool HasEnded(SeenThread thread) const;
  void Leave(size_t place);

  clr::ICorProfilerInfo10* const info_;
  std::mutex mutex_;
  Condition changed_;
  uint32_t waiting_ = 0;
  std::array<clr::ThreadID, kQueries> asked_{};  // 0: no query
  std::array<End, kEndsKept> ends_{};            // a ring
  uint64_t end_count_ = 0;
};

}  // namespace hindsight::recorder
