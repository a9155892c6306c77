#include "recorder/names/thread_gate.h"

#include <algorithm>

namespace hindsight::recorder {

uint32_t ThreadGate::Hold::OsId() const {
  uint32_t os_id = 0;
  return clr::Succeeded(gate_->info_->GetThreadInfo(id_, &os_id)) ? os_id : 0;
}

void* ThreadGate::Hold::StaticAddress(clr::ClassID type, clr::mdFieldDef field,
                                      clr::AppDomainID domain) const {
  void* address = nullptr;
  const clr::HRESULT found =
      gate_->info_->GetThreadStaticAddress2(type, field, domain, id_, &address);
  return clr::Succeeded(found) ? address : nullptr;
}

std::optional<ThreadGate::Hold> ThreadGate::Enter(SeenThread thread) {
  std::unique_lock lock(mutex_);
  const auto place = [&] { return std::ranges::find(asked_, clr::ThreadID{0}); };
  ++waiting_;
  changed_.wait(lock, [&] { return place() != asked_.end(); });
  --waiting_;
  if (thread.id == 0 || HasEnded(thread)) return std::nullopt;
  const auto free = place();
  *free = thread.id;
  return Hold(this, static_cast<size_t>(free - asked_.begin()), thread.id);
}

void ThreadGate::Leave(size_t place) {
  {
    const std::lock_guard lock(mutex_);
    asked_[place] = 0;
    if (waiting_ == 0) return;
  }
  changed_.notify_all();
}

// From the latest one backwards: times never decrease (ThreadEnding).
bool ThreadGate::HasEnded(SeenThread thread) const {
  const uint64_t kept = std::min<uint64_t>(end_count_, ends_.size());
  for (uint64_t i = 1; i <= kept; ++i) {
    const End& end = ends_[(end_count_ - i) % ends_.size()];
    if (end.time_ns < thread.as_of_ns) return false;
    if (end.id == thread.id) return true;
  }
  return end_count_ > ends_.size();  // all kept ones are later: earlier ones are unknown
}

void ThreadGate::ThreadEnding(clr::ThreadID id, uint64_t now_ns) {
  std::unique_lock lock(mutex_);
  const uint64_t latest = end_count_ == 0 ? 0 : ends_[(end_count_ - 1) % ends_.size()].time_ns;
  ends_[end_count_++ % ends_.size()] = {id, std::max(now_ns, latest)};
  ++waiting_;
  changed_.wait(lock, [&] { return std::ranges::find(asked_, id) == asked_.end(); });
  --waiting_;
}

}  // namespace hindsight::recorder
