// Hand-made recordings for which each thread's time is known: thread snapshots, waits, CPU samples
// and pauses.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/analyses/waits/wall_time.h"
#include "analyzer/model/lock_waits.h"
#include "analyzer/model/thread_snapshots.h"

namespace hindsight::analyzer {

inline constexpr uint64_t kWallSecond = 1'000'000'000;
inline constexpr uint32_t kMainThread = 1, kOther = 2;
inline constexpr uint32_t kPid = 4242;

class WallRecording : public testing::Test {
 protected:
  WallRecording() {
    model_.facts.pid = kPid;
    model_.facts.waits_on = true;
    model_.threads.resize(4);
    model_.threads[kMainThread].os_id = kPid;
  }

  // Frames from the root inwards.
  StackId Stack(std::initializer_list<std::pair<const char*, const char*>> frames) {
    StackId stack = 0;
    for (const auto& [type, name] : frames) {
      Type entry;
      entry.name = model_.dictionaries.AddString(type);
      analyzer::Method method;
      method.name = model_.dictionaries.AddString(name);
      method.type = model_.dictionaries.AddType(entry);
      stack = model_.dictionaries.AddStack(stack, model_.dictionaries.AddMethod(method));
    }
    return stack;
  }
  StackId InLock() {
    return Stack(
        {{"Shop.Stock", "Run"}, {"Shop.Stock", "Take"}, {"System.Threading.Monitor", "Enter"}});
  }
  StackId Asleep() { return Stack({{"Shop.Clock", "Tick"}, {"System.Threading.Thread", "Sleep"}}); }

  struct Seen {
    uint32_t thread;
    StackId stack;
    uint64_t cpu_ns, ready_ns;
    ThreadRunState state = ThreadRunState::kSleeping;
  };
  // `lost`: threads that it should also have had. The recording reaches from the first snapshot to
  // the last, unless a test says otherwise.
  void Snapshot(uint64_t at_ns, const std::vector<Seen>& threads, uint32_t lost = 0) {
    ThreadSnapshot head;
    head.number = ++snapshots_;
    head.at_ns = static_cast<int64_t>(at_ns);
    if (snapshots_ == 1) model_.facts.first_ns = head.at_ns;
    model_.facts.last_ns = head.at_ns;
    head.announced = static_cast<uint32_t>(threads.size()) + lost;
    tracker_.Begin(head);
    for (const Seen& seen : threads) {
      ThreadInSnapshot thread;
      thread.thread = seen.thread;
      thread.stack = seen.stack;
      thread.cpu_ns = seen.cpu_ns;
      thread.ready_ns = seen.ready_ns;
      thread.state = seen.state;
      tracker_.Add(snapshots_, thread);
    }
  }
  WallReport Analyze() {
    Finish();
    return AnalyzeWallTime(model_);
  }
  void Finish() {
    tracker_.Finish(model_.waits);
    waits_.Finish(model_.waits);
  }
  // From second `from` to second `to`; without `to`, it does not end.
  void Wait(uint32_t thread, WaitKind kind, StackId stack, double from, std::optional<double> to,
            uint64_t lock = 0, ThreadIndex owner = 0) {
    const auto at_ns = static_cast<int64_t>(from * kWallSecond);
    OpenWait wait;
    wait.id = ++wait_count_;
    wait.kind = kind;
    wait.thread = thread;
    wait.lock = lock;
    wait.owner = owner;
    wait.stack = stack;
    wait.start_ns = at_ns;
    waits_.OnWait(wait, to.has_value(),
                  static_cast<uint64_t>(to.value_or(0) * kWallSecond) - (to ? at_ns : 0));
  }
  void Sample(uint32_t thread, double second, uint64_t cpu_ns) {
    model_.facts.cpu_on = true;
    model_.samples.cpu.samples.push_back(
        {.at_ns = static_cast<int64_t>(second * kWallSecond), .thread = thread, .cpu_ns = cpu_ns});
  }
  void Stop(double second, uint64_t ns) {
    model_.collections.pauses.push_back(
        {.at_ns = static_cast<int64_t>(second * kWallSecond), .total_ns = ns, .reason = 1});
  }
  static uint64_t In(const WallReport& report, WallState state) { return report.times[state]; }

  Model model_;
  ThreadSnapshotTracker tracker_;
  LockWaits waits_;
  uint32_t snapshots_ = 0;
  uint64_t wait_count_ = 0;
};

}  // namespace hindsight::analyzer
