// Ids of the runtime's threads: the one place that knows which may be asked about.
//
// A ThreadID is the address of the runtime's object for a thread, and the runtime does not check
// it. So the rule is that of code (code_gate.h): an id comes with a time at which the thread was
// alive, a question takes a Hold, and a Hold is had only if the thread has not ended since. The
// callback that announces the end of a thread notes it first, and then waits until nobody asks
// about that thread. The object is freed later, by the thread itself or the finalizer's.
//
// The wait has no limit, because it cannot be part of a circle. ThreadDestroyed comes in preemptive
// mode, for some threads under the lock of the runtime's list of threads (dotnet/runtime,
// src/coreclr/vm/threads.cpp, OnThreadTerminate). The questions here read fields, and need neither
// that lock nor the end of a suspension (proftoeeinterfaceimpl.cpp: CANNOT_TAKE_LOCK). Listing
// threads does need the lock, so nobody lists them inside a Hold.
//
// While all threads are stopped for a profiler, that lock is held for it: no thread of the list is
// freed, and ids that were listed in the pause need no Hold until it ends (thread_snapshot.cc).
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

// A thread that was alive at a time. Its id may be compared and written down at any time.
struct SeenThread {
  clr::ThreadID id = 0;
  uint64_t as_of_ns = 0;
};

class ThreadGate {
 public:
  explicit ThreadGate(clr::ICorProfilerInfo10* info) : info_(info) {}
  ThreadGate(const ThreadGate&) = delete;
  ThreadGate& operator=(const ThreadGate&) = delete;

  // Until it ends, the thread's object is not freed. For one question.
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
    // Where this thread has a static field of its own; null: nowhere yet. `type` must be alive.
    void* StaticAddress(clr::ClassID type, clr::mdFieldDef field, clr::AppDomainID domain) const;

   private:
    friend class ThreadGate;
    Hold(ThreadGate* gate, size_t place, clr::ThreadID id) : gate_(gate), place_(place), id_(id) {}
    ThreadGate* gate_;
    size_t place_;
    clr::ThreadID id_;
  };

  // Calls visit(SeenThread) for the threads that are alive. Nobody may be inside a Hold of this
  // thread's.
  template <typename Visit>
  void ForEach(Visit visit) const {
    const uint64_t as_of_ns = MonotonicNs();
    clr::ForEachThread(info_, [&](clr::ThreadID id) { visit(SeenThread{id, as_of_ns}); });
  }
  // Nothing: it has ended, or so many have that nobody knows.
  std::optional<Hold> Enter(SeenThread thread);

  // ---- Callback of the runtime: any thread, which is in no Hold ----
  // Notes the end, and returns when nobody asks about this thread any more.
  void ThreadEnding(clr::ThreadID id, uint64_t now_ns = MonotonicNs());

 private:
  static constexpr size_t kAskers = 4;       // at a time; others wait for them
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
  std::array<clr::ThreadID, kAskers> asked_{};  // 0: nobody
  std::array<End, kEndsKept> ends_{};           // a ring
  uint64_t end_count_ = 0;
};

}  // namespace hindsight::recorder
