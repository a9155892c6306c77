#include "recorder/names/code_gate.h"

#include <algorithm>

namespace hindsight::recorder {
namespace {

void RaiseTo(std::atomic<uint64_t>& time, uint64_t now_ns) {
  uint64_t before = time.load();
  while (before < now_ns && !time.compare_exchange_weak(before, now_ns)) {
  }
}

}  // namespace

std::optional<CodeGate::Hold> CodeGate::Enter(uint64_t as_of_ns) {
  Hold hold(this, as_of_ns);
  if (!NothingUnloadedSince(as_of_ns)) return std::nullopt;
  return hold;
}

std::optional<CodeGate::DynamicHold> CodeGate::Hold::EnterDynamic() const {
  DynamicHold hold(gate_->methods_.Enter());
  if (as_of_ns_ <= gate_->methods_unloaded_ns_.load()) return std::nullopt;
  return hold;
}

CodeGate::LookUp CodeGate::Hold::EnterLookUp() const { return LookUp(gate_->look_ups_.Enter()); }

void CodeGate::AssemblyUnloading(uint64_t now_ns) {
  RaiseTo(modules_unloaded_ns_, now_ns);
  modules_.Close([] {});
}

void CodeGate::NoteUnload(uint64_t now_ns) {
  RaiseTo(modules_unloaded_ns_, now_ns);
  Log({now_ns, 0});
}

void CodeGate::AwaitQuestions(clr::ModuleID module) {
  {
    const std::lock_guard lock(leaving_mutex_);
    leaving_.push_back(module);
    leaving_count_ = leaving_.size();
  }
  modules_.Close([&] {
    for (UnloadObserver* observer : observers_) observer->ModuleUnloading(module);
  });
}

void CodeGate::ModuleUnloaded(clr::ModuleID module) {
  const std::lock_guard lock(leaving_mutex_);
  const auto found = std::find(leaving_.begin(), leaving_.end(), module);
  if (found == leaving_.end()) return;
  leaving_.erase(found);
  leaving_count_ = leaving_.size();
}

void CodeGate::MethodUnloading(clr::FunctionID method, uint64_t now_ns) {
  RaiseTo(methods_unloaded_ns_, now_ns);
  Log({now_ns, method});
  methods_.Close([] {});
}

void CodeGate::Log(Unload unload) {
  if (!keeps_log_) return;
  const std::lock_guard lock(log_mutex_);
  if (log_.size() >= kMaxLog) {
    log_.clear();
    unload.method = 0;
  }
  log_.push_back(unload);
  log_entries_.store(log_.size(), std::memory_order_release);
}

void CodeGate::TakeLog(std::deque<Unload>& out) {
  {
    // Callbacks that delay suspensions take this lock: nothing is copied or allocated under it.
    const std::lock_guard lock(log_mutex_);
    log_.swap(taken_);
    log_entries_.store(0, std::memory_order_release);
  }
  out.insert(out.end(), taken_.begin(), taken_.end());
  taken_.clear();
}

}  // namespace hindsight::recorder
