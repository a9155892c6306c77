// Decides which ids of the runtime may be used in a query, and for how long: code can be unloaded.
//
// The runtime does not check ids. A query about a module, class, function or code address that has
// been unloaded reads freed memory. Outside of a callback for that very code, a safe query needs
// two things:
//
// 1. The id must still refer to the same thing. Each id comes with a time at which it was alive (of
//    its event, of a pause, or from before an enumeration). It may be used if no unload has begun
//    since then: code is unloaded only when it is on no stack, has no objects and is unreachable,
//    so an id that is reported after an unload has begun refers to something else.
// 2. It must do so until the answer has arrived. The querying thread is inside a Hold. The callback
//    that announces an unload first records its time, and then waits until no thread is inside.
//    Later queries see the recorded time.
//
// Therefore every query takes a Hold as a parameter, and a Hold is only given for such a time. A
// Hold is for one query: a thread inside one must not write, sleep, or wait for anything except an
// answer of the runtime.
//
// The callbacks wait without a limit. A limit would protect nothing, because under a CPU quota any
// thread may be stopped for longer. None of these waits can be part of a deadlock:
// - AssemblyUnloadStarted and ModuleUnloadStarted come in preemptive mode, and the thread holds no
//   lock of the runtime (dotnet/runtime, src/coreclr/vm/loaderallocator.cpp, GCLoaderAllocators:
//   the assemblies are removed from the list under its locks, and reported afterwards, without
//   them; eetoprofinterfaceimpl.cpp: MODE_PREEMPTIVE, ASSERT_NO_EE_LOCKS_HELD). Neither a
//   suspension nor an answer waits for that thread.
// - DynamicMethodUnloaded comes in cooperative mode (runtimehandles.cpp,
//   RuntimeMethodHandle_Destroy): a suspension waits for that thread, and may hold locks that
//   answers need. So the callback waits only for DynamicHold. Queries inside a DynamicHold need no
//   lock that is held across a suspension or by a thread that waits for one: the name and the
//   signature are copied, and code is looked up (in tables without locks, and under the lock of
//   code versions, which is only taken after a suspension and never held while waiting for one:
//   callcounting.cpp).
// - Querying threads are not threads of the runtime, so they never enter cooperative mode, and no
//   answer waits for a suspension to end.
//
// Looking up code by its address needs a third thing. The map from entry points of precompiled code
// to methods is read without a lock, and a table of it that has been replaced is freed at the end
// of the next suspension (dotnet/runtime, src/coreclr/vm/hash.cpp, syncclean.cpp). The runtime's
// own threads prevent that by being in cooperative mode; the recorder's threads cannot. A lookup in
// a freed table misses, and the search then continues below the first function (codeman.cpp,
// ReadyToRunJitManager::JitCodeToMethodInfo): observed as SIGSEGV on .NET 8, twice in 250 runs on a
// machine with a load of 30. So a lookup takes a LookUp, and a suspension that is about to begin
// waits for it: for microseconds, and, as above, without a deadlock. And no lookup begins until all
// threads have stopped, because until then the table may be replaced and freed during the lookup
// (observed on .NET 9 under a CPU quota). After that, no thread replaces a table before the next
// suspension. Waiting for a LookUp therefore means waiting for threads in cooperative mode, so it
// must not happen inside a DynamicHold: take the LookUp first. (Maps of IL: see code.cc.)
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "recorder/base/clock.h"
#include "recorder/base/condition.h"
#include "recorder/clr/types.h"

namespace hindsight::recorder {

// The time to use for ids that are never unloaded: later than any unload.
inline constexpr uint64_t kForEver = UINT64_MAX;

// Only one thread may be inside at a time. Closing has priority over entering.
class Turnstile {
 public:
  // The thread is inside while this exists.
  class Inside {
   public:
    Inside(Inside&& other) noexcept : turnstile_(std::exchange(other.turnstile_, nullptr)) {}
    Inside& operator=(Inside&&) = delete;
    ~Inside() {
      if (turnstile_ != nullptr) turnstile_->Leave();
    }

   private:
    friend class Turnstile;
    explicit Inside(Turnstile* turnstile) : turnstile_(turnstile) {}
    Turnstile* turnstile_;
  };

  Inside Enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !inside_ && closing_ == 0; });
    inside_ = true;
    return Inside(this);
  }
  // Runs `f` while no thread is inside.
  template <typename F>
  void Close(F f) {
    {
      std::unique_lock lock(mutex_);
      ++closing_;
      changed_.wait(lock, [&] { return !inside_; });
      f();
      --closing_;
    }
    changed_.notify_all();
  }
  // No thread is inside from the return of Shut until Open. Repeating either has no effect.
  void Shut() {
    std::unique_lock lock(mutex_);
    closing_ += shut_ ? 0 : 1;
    shut_ = true;
    changed_.wait(lock, [&] { return !inside_; });
  }
  void Open() {
    {
      const std::lock_guard lock(mutex_);
      closing_ -= shut_ ? 1 : 0;
      shut_ = false;
    }
    changed_.notify_all();
  }

 private:
  void Leave() {
    {
      const std::lock_guard lock(mutex_);
      inside_ = false;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  Condition changed_;
  bool inside_ = false;
  bool shut_ = false;  // counted in closing_
  uint32_t closing_ = 0;
};

class CodeGate {
 public:
  // While it exists, no dynamic method is unloaded either. Only for the queries named above.
  class DynamicHold {
    friend class CodeGate;
    explicit DynamicHold(Turnstile::Inside inside) : inside_(std::move(inside)) {}
    Turnstile::Inside inside_;
  };

  // While it exists, no suspension begins. For one lookup of code by its address.
  class LookUp {
    friend class CodeGate;
    explicit LookUp(Turnstile::Inside inside) : inside_(std::move(inside)) {}
    Turnstile::Inside inside_;
  };

  // While it exists, no module is unloaded. Used by one thread, which must not have another one.
  class Hold {
   public:
    // For a dynamic method that was alive at that time. Empty: one has been unloaded since.
    std::optional<DynamicHold> EnterDynamic() const;
    LookUp EnterLookUp() const;
    // Whether a module is being destroyed after its unload was reported. If false, none will be
    // before the Hold ends.
    bool ModulesAreLeaving() const { return gate_->leaving_count_.load() != 0; }

   private:
    friend class CodeGate;
    Hold(CodeGate* gate, uint64_t as_of_ns)
        : gate_(gate), inside_(gate->modules_.Enter()), as_of_ns_(as_of_ns) {}
    CodeGate* gate_;
    Turnstile::Inside inside_;
    uint64_t as_of_ns_;
  };

  // Caches data of modules between queries. It drops them in this call, while no query runs.
  class UnloadObserver {
   public:
    virtual void ModuleUnloading(clr::ModuleID module) = 0;

   protected:
    ~UnloadObserver() = default;
  };

  // For ids that were alive at `as_of_ns` (kForEver: that are never unloaded). Empty: something has
  // been unloaded since.
  std::optional<Hold> Enter(uint64_t as_of_ns);
  // Whether Enter would still give a Hold. A result of true may be outdated when it is read.
  bool NothingUnloadedSince(uint64_t as_of_ns) const {
    return as_of_ns > modules_unloaded_ns_.load(std::memory_order_acquire);
  }

  // Before the first and after the last callback.
  void Add(UnloadObserver* observer) { observers_.push_back(observer); }
  void Remove(UnloadObserver* observer) { std::erase(observers_, observer); }

  // ---- Callbacks of the runtime: any thread that is not inside a Hold ----
  // Each records that an unload has begun, and returns when no query is running.
  //
  // An assembly is reported before anything of its context is freed; its modules follow.
  void AssemblyUnloading(uint64_t now_ns = MonotonicNs());
  // `report` is called in between, with the time of the unload: ids reported with that time can no
  // longer be queried.
  template <typename Report>
  void ModuleUnloading(clr::ModuleID module, Report report, uint64_t now_ns = MonotonicNs()) {
    NoteUnload(now_ns);
    report(now_ns);
    AwaitQuestions(module);
  }
  // The runtime has destroyed it.
  void ModuleUnloaded(clr::ModuleID module);
  void MethodUnloading(clr::FunctionID method, uint64_t now_ns = MonotonicNs());
  // A suspension is about to begin; all threads have stopped, or the suspension was abandoned.
  void SuspensionBegins() { look_ups_.Shut(); }
  void SuspensionIsThere() { look_ups_.Open(); }

  // What was unloaded, in order, for caches of names by id. One thread.
  struct Unload {
    uint64_t time_ns;
    clr::FunctionID method;  // 0: modules, or more methods than are listed
  };
  void KeepLog() { keeps_log_ = true; }
  bool HasLog() const { return log_entries_.load(std::memory_order_acquire) != 0; }
  void TakeLog(std::deque<Unload>& out);

 private:
  static constexpr size_t kMaxLog = 64u << 10;

  void NoteUnload(uint64_t now_ns);
  void AwaitQuestions(clr::ModuleID module);
  void Log(Unload unload);

  Turnstile modules_, methods_, look_ups_;
  std::atomic<uint64_t> modules_unloaded_ns_{0}, methods_unloaded_ns_{0};
  std::vector<UnloadObserver*> observers_;
  std::mutex leaving_mutex_;
  std::vector<clr::ModuleID> leaving_;  // from ModuleUnloading to ModuleUnloaded
  std::atomic<size_t> leaving_count_{0};
  bool keeps_log_ = false;
  std::mutex log_mutex_;
  std::vector<Unload> log_;
  std::vector<Unload> taken_;  // of the thread that calls TakeLog
  std::atomic<size_t> log_entries_{0};
};

}  // namespace hindsight::recorder
