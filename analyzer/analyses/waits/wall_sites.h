// What the stack of a thread that is off the processor says about what it waits for.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/analyses/places/places.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

enum class WallState : uint8_t {
  kRunning,  // it used a processor
  kReady,    // it could run, and had none
  kLock,     // it waited for a lock
  kTask,
  kSignal,  // an event, a semaphore, a pulse, a thread's end
  kSleep,
  kNative,  // the kernel or native code, from a call that is no wait of .NET: I/O, as a rule
  kPaused,  // the runtime had stopped it, as a rule for the garbage collector
  kIdle,    // nothing to do: a worker of the pool without work, a thread of the framework's or the
            // runtime's own, Main that waits for the program's end
  kUnknown,
};
inline constexpr size_t kWallStates = 10;

// "running", "ready", "lock", ...
std::string_view WallStateName(WallState state);

struct WallSite {
  WallState state = WallState::kUnknown;
  MethodId site = 0;     // the method that waits, to a programmer (places.h)
  MethodId through = 0;  // what it called of others' code; 0: the wait itself
  PlaceId place = 0;
  uint32_t number = 0;         // in the order in which they were found
  std::vector<MethodId> path;  // innermost first
};

// Remembers what it found out about a stack. One thread.
class WallSites {
 public:
  // `model` outlives this.
  explicit WallSites(const Model& model)
      : model_(model), places_(model), calls_(model.dictionaries) {}

  // By a thread snapshot. `lasts`: the wait is a long one, as for the program's end. The answers
  // live as long as this.
  const WallSite& Of(ThreadIndex thread, const ThreadStatus& seen, bool lasts);
  // By an event, which reported the wait.
  const WallSite& OfWait(ThreadIndex thread, WaitKind kind, StackId stack, bool lasts);

 private:
  WallSite Judge(StackId stack, bool may_be_end, bool is_in_kernel);
  bool IsIdle(const std::vector<MethodId>& path, const BlockingCall& call, bool may_be_end);
  bool IsMain(ThreadIndex thread) const { return model_.threads[thread].os_id == model_.facts.pid; }

  const Model& model_;
  Places places_;
  BlockingCalls calls_;
  std::unordered_map<uint64_t, WallSite> known_;
};

}  // namespace hindsight::analyzer
