#include "recorder/sources/event_session.h"

#include <chrono>

#include "recorder/sources/locks.h"
#include "recorder/sources/managed_method.h"

namespace hindsight::recorder {
namespace {

// A sample like the one before it is told only now and then.
constexpr uint64_t kRepeatNs = 10'000'000'000;

using LongGetter = int64_t (*)();
using IntGetter = int32_t (*)();

template <typename Getter>
Getter PoolGetter(const char* name) {
  return reinterpret_cast<Getter>(ManagedMethod("System.Threading.ThreadPool", name));
}

// What System.Threading.ThreadPool says of itself. Found once for the process.
struct PoolMethods {
  const IntGetter workers = PoolGetter<IntGetter>("get_ThreadCount");
  const LongGetter queue_length = PoolGetter<LongGetter>("get_PendingWorkItemCount");
  const LongGetter completed = PoolGetter<LongGetter>("get_CompletedWorkItemCount");

  bool known() const {
    return workers != nullptr && queue_length != nullptr && completed != nullptr;
  }
  static const PoolMethods& Get() {
    static const PoolMethods methods;
    return methods;
  }
};

}  // namespace

struct EventSession::LastSample {
  uint32_t workers = 0;
  uint64_t queue_length = 0, completed = 0;
  uint64_t told_ns = 0;  // 0: there is none
};

void EventSession::Set(std::atomic<bool> EventSession::*flag, bool value) {
  const std::lock_guard lock(mutex_);
  this->*flag = value;
  changed_.notify_all();
}

bool EventSession::Wait(uint64_t timeout_ns, const std::atomic<bool>& flag) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns),
                           [&] { return flag || stopping_ || leaving_; });
}

void EventSession::Run() {
  while (!Wait(kEveryNs, ready_)) continue;
  clr::ICorProfilerInfo12* info = nullptr;
  clr::EVENTPIPE_SESSION session = 0;
  if (!stopping_ && !leaving_) {
    if (clr::Succeeded(info_->QueryInterface(clr::ICorProfilerInfo12::kIid,
                                             reinterpret_cast<void**>(&info)))) {
      session = Start(info);
    }
    refused_ = session == 0;
    LastSample last;
    do {
      Sample(last);
    } while (!Wait(kEveryNs, stopping_));
  }
  if (session != 0 && !leaving_) info->EventPipeStopSession(session);
  if (info != nullptr && !leaving_) info->Release();
  NoRun();
}

clr::EVENTPIPE_SESSION EventSession::Start(clr::ICorProfilerInfo12* info) {
  clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG providers[] = {
      {Locks::kRuntimeProvider, Locks::kRuntimeKeywords, Locks::kVerbose, nullptr},
      {Locks::kTaskProvider, Locks::kTaskKeywords, Locks::kVerbose, nullptr},
  };
  clr::EVENTPIPE_SESSION session = 0;
  const bool started = clr::Succeeded(
      info->EventPipeStartSession(task_waits_ ? 2 : 1, providers, /*request_rundown=*/0, &session));
  return started ? session : 0;
}

void EventSession::Sample(LastSample& last) {
  const PoolMethods& pool = PoolMethods::Get();
  if (!pool.known()) return;
  const auto workers = static_cast<uint32_t>(pool.workers());
  const auto queue_length = static_cast<uint64_t>(pool.queue_length());
  const auto completed = static_cast<uint64_t>(pool.completed());
  const uint64_t now = MonotonicNs();

  snapshots_.PoolSampled(queue_length, completed);
  const bool same =
      workers == last.workers && queue_length == last.queue_length && completed == last.completed;
  if (same && last.told_ns != 0 && now - last.told_ns < kRepeatNs) return;
  last = {workers, queue_length, completed, now};
  emitter_.Emit<PoolSampledEvent>(EventKind::kPoolSampled, now, [&](PoolSampledEvent& event) {
    event.workers = workers;
    event.queue_length = queue_length;
    event.completed = completed;
  });
}

bool EventSession::Stop(uint64_t timeout_ns) {
  Set(&EventSession::stopping_, true);
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), [&] { return !running_; });
}

void EventSession::Leave() { Set(&EventSession::leaving_, true); }

}  // namespace hindsight::recorder
