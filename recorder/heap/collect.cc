#include "recorder/heap/collect.h"

#include <chrono>
#include <memory>
#include <mutex>

#include "recorder/base/condition.h"
#include "recorder/base/own_collection.h"
#include "recorder/base/thread.h"
#include "recorder/sources/events/managed_method.h"

namespace hindsight::recorder {
namespace {

// System.GC._Collect(int generation, int mode) and, since .NET 10, (..., bool lowMemoryPressure).
// With this calling convention an extra argument is ignored.
using CollectFunction = void (*)(int32_t generation, int32_t mode, uint8_t low_memory);
constexpr int32_t kBlocking = 2;  // System.InternalGCCollectionMode
struct Call {
  std::mutex mutex;
  Condition changed;
  bool ended = false;
  bool found = false;
};

void Run(Call& call) {
  // The delegate lives as long as the process: it is created once.
  static std::mutex mutex;
  static CollectFunction collect = nullptr;
  CollectFunction function;
  {
    const std::lock_guard lock(mutex);
    if (collect == nullptr) {
      collect = reinterpret_cast<CollectFunction>(ManagedMethod("System.GC", "_Collect"));
    }
    function = collect;
  }
  if (function != nullptr) {
    const OwnCollection own;
    RunWithApplicationSignals([&] { function(0, kBlocking, 0); });
  }
  const std::lock_guard lock(call.mutex);
  call.found = function != nullptr;
  call.ended = true;
  call.changed.notify_all();
}

}  // namespace

bool CollectYoung(uint64_t timeout_ns) {
  auto call = std::make_shared<Call>();
  if (!StartThread("hindsight-gc", [call] { Run(*call); })) return false;
  std::unique_lock lock(call->mutex);
  const bool ended = call->changed.wait_for(lock, std::chrono::nanoseconds(timeout_ns),
                                            [&] { return call->ended; });
  return !ended || call->found;
}

}  // namespace hindsight::recorder
