#include "recorder/heap/collect.h"

#include <chrono>
#include <memory>
#include <mutex>

#include "recorder/base/condition.h"
#include "recorder/base/own_collection.h"
#include "recorder/base/runtime_library.h"
#include "recorder/base/thread.h"
#include "recorder/clr/runtime_version.h"
#include "recorder/sources/events/managed_method.h"

namespace hindsight::recorder {
namespace {

// System.GC._Collect(int generation, int mode) and, since .NET 10, (..., bool lowMemoryPressure);
// the native function has the same parameters. With this calling convention an extra argument is
// ignored.
using CollectFunction = void (*)(int32_t generation, int32_t mode, uint8_t low_memory);
constexpr int32_t kBlocking = 2;  // System.InternalGCCollectionMode

// Lives as long as the process: found once.
struct Collector {
  CollectFunction function = nullptr;
  bool needs_managed_thread = false;
};

struct Call {
  clr::ICorProfilerInfo10* info = nullptr;
  std::mutex mutex;
  Condition changed;
  bool ended = false;
  bool collected = false;
};

Collector FindCollector(clr::ICorProfilerInfo10* info) {
  if (void* const method = ManagedMethod("System.GC", "_Collect")) {
    return {reinterpret_cast<CollectFunction>(method), false};
  }
  const int version = clr::MajorVersion(info);
  if (version < 8 || version > 10) return {};
  return {reinterpret_cast<CollectFunction>(RuntimeEntry("GCInterface_Collect")), true};
}

bool IsManagedThread(clr::ICorProfilerInfo10* info) {
  clr::ThreadID thread = 0;
  return clr::Succeeded(info->GetCurrentThreadID(&thread));
}

// Makes the calling thread a managed one. False: it is none.
bool BecomeManaged(clr::ICorProfilerInfo10* info) {
  clr::ICorProfilerInfo12* sessions = nullptr;
  if (clr::Failed(info->QueryInterface(clr::ICorProfilerInfo12::kIid,
                                       reinterpret_cast<void**>(&sessions)))) {
    return false;
  }
  clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG nobody{u"Hindsight-Nobody", 0, 0, nullptr};
  clr::EVENTPIPE_SESSION session = 0;
  if (clr::Succeeded(
          sessions->EventPipeStartSession(1, &nobody, /*request_rundown=*/0, &session))) {
    sessions->EventPipeStopSession(session);
  }
  sessions->Release();
  return IsManagedThread(info);
}

bool Collect(clr::ICorProfilerInfo10* info) {
  static std::mutex mutex;
  static Collector found;
  Collector collector;
  {
    const std::lock_guard lock(mutex);
    if (found.function == nullptr) found = FindCollector(info);
    collector = found;
  }
  if (collector.function == nullptr) return false;
  if (collector.needs_managed_thread && !BecomeManaged(info)) return false;
  const OwnCollection own;
  collector.function(0, kBlocking, 0);
  return true;
}

void Run(Call& call) {
  bool collected = false;
  RunWithApplicationSignals([&] { collected = Collect(call.info); });
  const std::lock_guard lock(call.mutex);
  call.collected = collected;
  call.ended = true;
  call.changed.notify_all();
}

}  // namespace

bool CollectYoung(clr::ICorProfilerInfo10* info, uint64_t timeout_ns) {
  auto call = std::make_shared<Call>();
  call->info = info;
  if (!StartThread("hindsight-gc", [call] { Run(*call); })) return false;
  std::unique_lock lock(call->mutex);
  const bool ended = call->changed.wait_for(lock, std::chrono::nanoseconds(timeout_ns),
                                            [&] { return call->ended; });
  return !ended || call->collected;
}

}  // namespace hindsight::recorder
