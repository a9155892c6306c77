// Ids of the runtime, and code that is unloaded: the one place that decides which id may be used in
// a query, and for how long.
//
// The runtime does not check ids. A query about a module, a class, a function or an address of code
// that has been unloaded reads freed memory. Outside of a callback for that very code, a safe query
// needs two things:
//
// 1. The id still means what it meant. Each id comes with a time at which it was alive (of its
//    event, of a pause, from before an enumeration). It may be used as long as no unload has begun
//    since: code is unloaded only when it is on no stack, has no objects and is unreachable, so an
//    id that is reported after an unload has begun belongs to something else.
// 2. It goes on doing so until the answer is there. Whoever asks is inside a Hold; the callback
//    that announces an unload notes its time first, and then waits until nobody is. What is asked
//    later finds the time noted.
//
// So a question takes a Hold, which is had for such a time only: without it the question does not
// compile. A Hold is for one question: nobody inside one writes, sleeps, or waits for anything but
// an answer of the runtime.
//
// The callbacks wait as long as it takes. A wait with an end guards nothing: under a CPU quota any
// thread may stand still for longer. None of these waits can be part of a circle:
// - AssemblyUnloadStarted and ModuleUnloadStarted come in preemptive mode and with no lock of the
//   runtime's held (dotnet/runtime, src/coreclr/vm/loaderallocator.cpp, GCLoaderAllocators: the
//   assemblies are taken off the list under its locks, then told without them;
//   eetoprofinterfaceimpl.cpp: MODE_PREEMPTIVE, ASSERT_NO_EE_LOCKS_HELD). A suspension does not
//   wait for that thread, and no answer can.
// - DynamicMethodUnloaded comes in cooperative mode (runtimehandles.cpp,
//   RuntimeMethodHandle_Destroy): a suspension waits for that thread, and may hold locks that
//   answers need. So it waits for a Hold of its own, DynamicHold, and what is asked inside that
//   needs no lock that is held across a suspension or by a thread that waits for one: the name and
//   the signature are copied, code is looked up (tables without locks, and the lock of code
//   versions, which is only taken after a suspension and never held while waiting for one:
//   callcounting.cpp).
// - Threads that ask are none of the runtime's, so they never enter cooperative mode and no answer
//   waits for a suspension to end.
//
// A third thing is needed to look up code by its address. The map from entry points of precompiled
// code to methods is read without a lock, and a table of it that was replaced is freed at the end
// of the next suspension (dotnet/runtime, src/coreclr/vm/hash.cpp, syncclean.cpp): the runtime's
// own threads hold that off by cooperative mode, ours can't. A lookup in a freed table misses, and
// then the search goes on below the first function (codeman.cpp, ReadyToRunJitManager::
// JitCodeToMethodInfo): seen as SIGSEGV on .NET 8, twice in 250 runs on a machine with a load
// of 30. So a lookup takes a LookUp, and a suspension that begins waits for it: for microseconds,
// and for nothing that waits for a suspension, as above. And no lookup begins until all threads
// have stopped: the table may be replaced until then, and would be freed under it (seen on .NET 9
// under a CPU quota). Once they have, nobody replaces a table before the next suspension. So who
// waits for a LookUp waits for threads in cooperative mode, and must hold no DynamicHold: the
// LookUp comes first. (Maps of IL: see code.cc.)
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

// Of what is never unloaded: a time after every unload.
inline constexpr uint64_t kForEver = UINT64_MAX;

// One at a time may be inside. Who closes it goes before all who want to enter.
class Turnstile {
 public:
  // Being inside, until it ends.
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
  // Runs `f` while nobody is inside.
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
  // Nobody is inside from the return of Shut until Open. One after the other, or twice the same.
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
  bool shut_ = false;  // one of the closing
  uint32_t closing_ = 0;
};

class CodeGate {
 public:
  // Until it ends no dynamic method is unloaded, either. For the questions named above alone.
  class DynamicHold {
    friend class CodeGate;
    explicit DynamicHold(Turnstile::Inside inside) : inside_(std::move(inside)) {}
    Turnstile::Inside inside_;
  };

  // Until it ends no suspension begins. For one lookup of code by its address.
  class LookUp {
    friend class CodeGate;
    explicit LookUp(Turnstile::Inside inside) : inside_(std::move(inside)) {}
    Turnstile::Inside inside_;
  };

  // Until it ends no module is unloaded. One thread; not while it has another one.
  class Hold {
   public:
    // For a dynamic method that was alive then. Nothing: one has been unloaded since.
    std::optional<DynamicHold> EnterDynamic() const;
    LookUp EnterLookUp() const;
    // Whether the runtime takes a module apart, whose unload has been reported. False: not before
    // the Hold ends.
    bool ModulesAreLeaving() const { return gate_->leaving_count_.load() != 0; }

   private:
    friend class CodeGate;
    Hold(CodeGate* gate, uint64_t as_of_ns)
        : gate_(gate), inside_(gate->modules_.Enter()), as_of_ns_(as_of_ns) {}
    CodeGate* gate_;
    Turnstile::Inside inside_;
    uint64_t as_of_ns_;
  };

  // Keeps something of modules from one question to the next, and lets go of it while nobody asks.
  class Keeper {
   public:
    virtual void ModuleUnloading(clr::ModuleID module) = 0;

   protected:
    ~Keeper() = default;
  };

  // For ids that were alive at `as_of_ns` (kForEver: that are never unloaded). Nothing: something
  // has been unloaded since.
  std::optional<Hold> Enter(uint64_t as_of_ns);
  // Whether Enter would still give a Hold; true may be over by the time it is read.
  bool NothingUnloadedSince(uint64_t as_of_ns) const {
    return as_of_ns > modules_unloaded_ns_.load(std::memory_order_acquire);
  }

  // Before the first and after the last callback.
  void Add(Keeper* keeper) { keepers_.push_back(keeper); }
  void Remove(Keeper* keeper) { std::erase(keepers_, keeper); }

  // ---- Callbacks of the runtime: any thread, which is in no Hold ----
  // Each notes that an unload has begun, and returns when nobody asks any more.
  //
  // An assembly's comes before anything of its context is freed; its modules follow.
  void AssemblyUnloading(uint64_t now_ns = MonotonicNs());
  // `tell` is called in between with the time of the unload: about what is reported with it nothing
  // can be asked.
  template <typename Tell>
  void ModuleUnloading(clr::ModuleID module, Tell tell, uint64_t now_ns = MonotonicNs()) {
    NoteUnload(now_ns);
    tell(now_ns);
    AwaitQuestions(module);
  }
  // The runtime has taken it apart.
  void ModuleUnloaded(clr::ModuleID module);
  void MethodUnloading(clr::FunctionID method, uint64_t now_ns = MonotonicNs());
  // A suspension is about to begin; and all threads have stopped, or it was given up.
  void SuspensionBegins() { look_ups_.Shut(); }
  void SuspensionIsThere() { look_ups_.Open(); }

  // What was unloaded, in order, for whoever keeps names by id. One thread.
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
  std::vector<Keeper*> keepers_;
  std::mutex leaving_mutex_;
  std::vector<clr::ModuleID> leaving_;  // from ModuleUnloading to ModuleUnloaded
  std::atomic<size_t> leaving_count_{0};
  bool keeps_log_ = false;
  std::mutex log_mutex_;
  std::vector<Unload> log_;
  std::vector<Unload> taken_;  // of the thread that takes it
  std::atomic<size_t> log_entries_{0};
};

}  // namespace hindsight::recorder
