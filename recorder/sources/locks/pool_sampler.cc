#include "recorder/sources/locks/pool_sampler.h"

#include "recorder/sources/events/managed_method.h"

namespace hindsight::recorder {
namespace {

// A sample equal to the previous one is written only this often.
constexpr uint64_t kRepeatNs = 10'000'000'000;

using LongGetter = int64_t (*)();
using IntGetter = int32_t (*)();

template <typename Getter>
Getter PoolGetter(const char* name) {
  return reinterpret_cast<Getter>(ManagedMethod("System.Threading.ThreadPool", name));
}

// System.Threading.ThreadPool's own figures. Looked up once per process.
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

void PoolSampler::Sample() {
  const PoolMethods& pool = PoolMethods::Get();
  if (!pool.known()) return;
  const auto workers = static_cast<uint32_t>(pool.workers());
  const auto queue_length = static_cast<uint64_t>(pool.queue_length());
  const auto completed = static_cast<uint64_t>(pool.completed());
  const uint64_t now = MonotonicNs();

  snapshots_.PoolSampled(queue_length, completed);
  const bool same = workers == workers_ && queue_length == queue_length_ && completed == completed_;
  if (same && reported_ns_ != 0 && now - reported_ns_ < kRepeatNs) return;
  workers_ = workers;
  queue_length_ = queue_length;
  completed_ = completed;
  reported_ns_ = now;
  emitter_.Emit<PoolSampledEvent>(EventKind::kPoolSampled, now, [&](PoolSampledEvent& event) {
    event.workers = workers;
    event.queue_length = queue_length;
    event.completed = completed;
  });
}

}  // namespace hindsight::recorder
