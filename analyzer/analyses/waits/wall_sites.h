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
  kReady,    // it was ready, but had no processor
  kLock,     // it waited for a lock
  kTask,
  kSignal,  // an event, a semaphore, a pulse, a thread's end
  kSleep,
  kNative,  // the kernel or native code, from a call that is not a .NET wait: usually I/O
  kPaused,  // the runtime had stopped it, usually for a garbage collection
  kIdle,    // nothing to do: a pool worker without work, a thread of the framework or the runtime,
            // Main waiting for the end of the program
  kUnknown,
};
inline constexpr size_t kWallStates = 10;

// "running", "ready", "lock", ...
std::string_view WallStateName(WallState state);

struct WallSite {
  WallState state = WallState::kUnknown;
  MethodId site = 0;     // the method that waits, from a programmer's view (places.h)
  MethodId through = 0;  // what it called in others' code; 0: the wait itself
  PlaceId place = 0;
  uint32_t number = 0;         // in the order of discovery
  std::vector<MethodId> path;  // innermost first
};

// Caches what it finds out about stacks. Not thread-safe.
class WallSites {
 public:
  // `model` must outlive this.
  explicit WallSites(const Model& model)
      : model_(model), places_(model), calls_(model.dictionaries) {}

  // From a thread snapshot. `lasts`: the wait is a long one, as for the end of the program. The
  // results live as long as this.
  const WallSite& Of(ThreadIndex thread, const ThreadStatus& seen, bool lasts);
  // From an event that reported the wait.
  const WallSite& OfWait(ThreadIndex thread, WaitKind kind, StackId stack, bool lasts);

 private:
  WallSite Judge(StackId stack, bool may_be_end, bool is_in_kernel);
  bool IsIdle(const std::vector<MethodId>& path, const BlockingCall& call, bool may_be_end);

  const Model& model_;
  Places places_;
  BlockingCalls calls_;
  std::unordered_map<uint64_t, WallSite> known_;
};

}  // namespace hindsight::analyzer
