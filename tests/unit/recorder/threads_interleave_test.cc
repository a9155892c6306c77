// Where the recorder's threads and the application's share data without a lock, for ThreadSanitizer
// to observe. Threads stand in for signal handlers, which it does not run at the point of
// interruption.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "recorder/heap/snapshot_pause.h"
#include "recorder/recording_writer.h"
#include "recorder/sources/cpu/cpu_sample.h"
#include "recorder/stack/forgotten_regions.h"
#include "recorder/stack/signal_walker.h"
#include "recorder/stack/unwind_cache.h"
#include "recorder/stack/unwind_rules.h"
#include "tests/unit/recorder/fake_runtime.h"
#include "tests/unit/recorder/throwing_thread.h"

namespace hindsight::recorder {
namespace {

// Runs `body` again and again on a thread of its own until it goes out of scope.
class Repeat {
 public:
  template <typename F>
  explicit Repeat(F body)
      : thread_([this, body] {
          while (!done_) body();
        }) {}
  ~Repeat() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

// Each region that was added is taken once, whole, while others are added.
TEST(ThreadsInterleave, AtForgottenRegions) {
  constexpr uint32_t kThreads = 4, kRegions = 20'000;
  const auto regions = std::make_unique<ForgottenRegions>();
  std::array<std::atomic<uint64_t>, kThreads> turned_away{};
  std::array<uint64_t, kThreads> taken{};
  std::atomic<uint32_t> running{kThreads};
  std::vector<std::thread> callbacks;
  for (uint32_t i = 0; i < kThreads; ++i) {
    callbacks.emplace_back([&, i] {
      for (uint32_t k = 1; k <= kRegions; ++k) {
        if (!regions->Add({i, i ^ k})) ++turned_away[i];
      }
      --running;
    });
  }
  std::array<std::vector<bool>, kThreads> seen;
  seen.fill(std::vector<bool>(kRegions + 1));
  const auto take = [&](const CodeRegion& region) {
    const uint32_t k = region.size ^ static_cast<uint32_t>(region.start);
    ASSERT_LT(region.start, kThreads);
    ASSERT_TRUE(k >= 1 && k <= kRegions && !seen[region.start][k]);
    seen[region.start][k] = true;
    ++taken[region.start];
  };
  while (running != 0) regions->TakeAll(take);
  for (std::thread& callback : callbacks) callback.join();
  regions->TakeAll(take);
  for (uint32_t i = 0; i < kThreads; ++i) EXPECT_EQ(taken[i] + turned_away[i], kRegions);
}

// Slots pass from thread to thread while late signals still refer to their old ones, and the drain
// thread empties the rings. Each ring has one writer at a time: every event is whole, and none is
// lost uncounted.
TEST(ThreadsInterleave, AtACpuSlot) {
  constexpr uint64_t kRecording = 0xC10;
  constexpr uint32_t kThreads = 3;
  constexpr int kRounds = 3000;
  CpuSlots& slots = CpuSlots::Instance();
  ASSERT_TRUE(slots.Open());
  MemoryBudget budget;
  Waker drain, sampler;
  SignalWalker walker;
  const CpuSink sink{walker, budget, drain, sampler};
  std::array<std::atomic<CpuSlot*>, kThreads> own{};  // what a signal of thread i + 1 names
  uint64_t consumed = 0;
  const auto consume = [&] {
    slots.ForEach(kRecording, [&](CpuSlot& slot) {
      if (!slot.has_ring.load(std::memory_order_acquire)) return;
      for (const EventHeader* event; (event = slot.ring.Front()) != nullptr; slot.ring.Pop()) {
        const auto& sample = *reinterpret_cast<const CpuSampleEvent*>(event);
        ASSERT_EQ(event->kind, EventKind::kCpuSample);
        ASSERT_EQ(event->size(), sizeof(sample) + sizeof(uintptr_t));
        ASSERT_EQ(*reinterpret_cast<const uintptr_t*>(&sample + 1), event->thread);
        ++consumed;
      }
      ASSERT_EQ(slot.ring.broken(), 0u);
    });
  };
  {
    std::vector<std::unique_ptr<Repeat>> handlers;
    for (uint32_t i = 0; i < kThreads; ++i) {
      // The slot may be another thread's by now: the signal is late.
      handlers.push_back(std::make_unique<Repeat>([&own, i] {
        CpuSlot* slot = own[i].load();
        if (slot != nullptr) TakeSample(*slot, i + 1, 1, {i + 1, 0x1000, 0});
      }));
    }
    const Repeat drains(consume);
    std::vector<CpuSlot*> claimed(kThreads);
    // All rounds may be over, in 10 ms, before a handler gets a processor.
    const auto nobody_came = [&] {
      uint64_t samples = 0;
      slots.ForEach(kRecording, [&](CpuSlot& slot) { samples += slot.samples.Read(); });
      return samples == 0;
    };
    for (int round = 0; round < kRounds || nobody_came(); ++round) {
      const auto i = static_cast<uint32_t>(round) % kThreads;
      if (claimed[i] != nullptr) CpuSlots::Free(*claimed[i]);
      // Before a slot is claimed, another one was freed, so that they circulate.
      claimed[i] = slots.Claim(kRecording);
      ASSERT_NE(claimed[i], nullptr);
      claimed[i]->os_id.store(i + 1, std::memory_order_relaxed);
      claimed[i]->stack_high.store(1, std::memory_order_relaxed);
      claimed[i]->sink.store(&sink);
      // The next one's handler names this slot at first.
      own[(i + 1) % kThreads].store(claimed[i]);
      own[i].store(claimed[i]);
      if (round % 8 == 0) std::this_thread::yield();
    }
    for (CpuSlot* slot : claimed) {
      if (slot != nullptr) CpuSlots::Free(*slot);
    }
  }
  consume();
  uint64_t taken = 0, periods = 0, dropped = 0;
  slots.ForEach(kRecording, [&](CpuSlot& slot) {
    EXPECT_EQ(slot.handlers.load(), 0u);
    taken += slot.samples.Read();
    periods += slot.periods.Read();
    dropped += slot.dropped.Read() + slot.unmapped.Read();
  });
  EXPECT_GT(taken, 0u);
  EXPECT_EQ(consumed, taken);
  EXPECT_EQ(periods, taken + dropped);
  slots.Release(kRecording, budget);
}

TEST(ThreadsInterleave, AtTheUnwindRules) {
  const auto rules = std::make_unique<UnwindRules>();
  const auto rule_of = [](uintptr_t ip) {
    return UnwindRule{UnwindRule::Kind::kFrameless, ip % 3 == 0,
                      static_cast<uint32_t>(ip % 64) * 8};
  };
  const Repeat forgets([&] { rules->Forget(); });
  const Repeat learns([&] {
    for (uintptr_t ip = 1; ip < 5000; ip += 2) rules->Learn(ip, rule_of(ip));
  });
  for (int round = 0; round < 20; ++round) {
    for (uintptr_t ip = 1; ip < 5000; ++ip) {
      if (ip % 2 == 0) rules->Learn(ip, rule_of(ip));
      const UnwindRule found = rules->Find(ip);
      ASSERT_TRUE(found.kind == UnwindRule::Kind::kUnknown || found == rule_of(ip));
    }
  }
}

TEST(ThreadsInterleave, AtTheUnwindCache) {
  MemoryBudget budget;
  UnwindCache cache;
  ASSERT_TRUE(cache.Open(budget));
  const auto step_of = [](uintptr_t ip) {
    return UnwindStep::Of(UnwindStep::Kind::kSp, static_cast<uint32_t>(ip % 1000));
  };
  {
    const Repeat clears([&] { cache.Clear(); });
    const Repeat keeps([&] {
      for (uintptr_t ip = 1; ip < 5000; ip += 2) cache.Keep(ip, step_of(ip));
    });
    for (int round = 0; round < 20; ++round) {
      for (uintptr_t ip = 1; ip < 5000; ++ip) {
        if (ip % 2 == 0) cache.Keep(ip, step_of(ip));
        const auto found = cache.Find(ip);
        ASSERT_TRUE(!found || *found == step_of(ip));
      }
    }
  }
  cache.Close(budget);
}

// One thread learns and publishes, one forgets, others walk.
TEST(ThreadsInterleave, AtTheManagedCode) {
  FakeRuntime runtime;
  CodeGate gate;
  MemoryBudget budget;
  Walks walks;
  ManagedCode code(walks);
  ASSERT_TRUE(code.Open(budget));
  constexpr uintptr_t kBodies = 400;
  static const std::array<uint8_t, kBodies + 64> kCode = {0x50, 0xc3};
  const auto first = reinterpret_cast<uintptr_t>(kCode.data());
  for (uintptr_t i = 0; i < kBodies; ++i) runtime.bodies[first + i] = 1;
  std::atomic<uint64_t> found{0};
  {
    const auto walk = [&] {
      const Walks::InFlight in_flight(walks);
      for (uintptr_t i = 0; i < kBodies; i += 7) {
        const ManagedCode::Found body = code.Find(first + i);
        if (!body.known) continue;
        ASSERT_EQ(body.start, first + i);
        found.fetch_add(1, std::memory_order_relaxed);
      }
    };
    const Repeat walks_one(walk), walks_two(walk);
    const Repeat forgets([&] {
      code.Forget();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    });
    for (int round = 0; round < 50 || found == 0; ++round) {
      code.StartAnewIfForgotten();
      for (uintptr_t i = 0; i < kBodies; ++i) {
        code.Learn(runtime.info(), gate, MonotonicNs(), first + i);
      }
      code.Publish();
      if (round % 10 == 0) std::this_thread::yield();
    }
  }
  EXPECT_GT(found, 0u);
  code.Close(budget);
}

// The snapshot's thread arms and gives up, the runtime's collects.
TEST(ThreadsInterleave, AtTheSnapshotsPause) {
  FakeRuntime runtime;
  GcMask mask;
  std::string why;
  ASSERT_TRUE(mask.Prepare(runtime.info(), {}, contract::RootsChoice::kDocumented, &why)) << why;
  ASSERT_EQ(mask.way(), GcMask::Way::kDocumented);
  Waker waker;
  SnapshotPause pause(runtime.info(), mask, waker);
  ASSERT_TRUE(pause.Prepare());
  CallbackWalk callbacks(runtime.info());
  constexpr int kSnapshots = 200;
  int taken = 0, given_up = 0;
  {
    std::atomic<uint32_t> number{0};
    const Repeat collects([&] {
      const uint32_t collection = ++number;
      pause.SuspendStarted();
      pause.SuspendFinished();
      pause.CollectionStarted(collection, collection % 3, collection % 5 == 0);
      const clr::ObjectID object = 0x1000 + 8 * collection;
      const clr::COR_PRF_GC_ROOT_KIND kind{};
      const clr::COR_PRF_GC_ROOT_FLAGS flags{};
      const uintptr_t id = collection;
      pause.Roots(1, &object, &kind, &flags, &id);
      pause.Dependents(1, &object, &object);
      pause.CollectionFinished();
      pause.ResumeStarted();
      pause.Resumed(0);
    });
    for (int i = 0; taken < kSnapshots; ++i) {
      SnapshotPause::Plan plan;
      plan.fork = false;
      plan.callbacks = &callbacks;
      plan.any_generation = i % 2 == 0;
      pause.roots().Reserve();
      pause.Arm(plan);
      if (i % 4 == 0 && pause.Disarm()) {
        ++given_up;
        continue;
      }
      while ((pause.state() != SnapshotPause::State::kTaken &&
              pause.state() != SnapshotPause::State::kFailed) ||
             !pause.resumed()) {
        waker.Wait(1'000'000);
      }
      ASSERT_EQ(pause.state(), SnapshotPause::State::kTaken);
      ++taken;
      const bool is_ordinary = pause.collection() % 3 <= 1 && pause.collection() % 5 != 0;
      EXPECT_TRUE(is_ordinary || plan.any_generation) << pause.collection();
      ASSERT_EQ(pause.ranges().size(), 1u);
      ASSERT_EQ(pause.roots().roots().size(), 1u);
      EXPECT_EQ(pause.roots().roots()[0].address, 0x1000u + 8 * pause.collection());
      EXPECT_GE(pause.times().pause_ns, pause.times().fork_ns);
    }
  }
  EXPECT_GT(given_up, 0);
  pause.Release();
}

// Threads throw faster than can be recorded, and each time have last words for a moment; the drain
// thread takes some of them. Each throw is reported once: in detail, or in a count.
TEST(ThreadsInterleave, AtTheLastWords) {
  constexpr uint64_t kRecording = 0x1A57;
  char folder[] = "/tmp/last-words-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  MemoryBudget budget;
  budget.SetLimit(96u << 10);  // small rings, which are always full
  Waker drain;
  Emitter emitter(kRecording, budget, drain);
  StackTable stacks;
  Gc gc(emitter);
  SignalWalker walker;
  CodeGate gate;
  contract::Options options;
  options.output = folder;
  uint64_t taken = 0;
  std::atomic<uint64_t> thrown{0};
  {
    RecordingWriter recording(kRecording, nullptr, gate, options, Mode::kStartup, budget, stacks,
                              gc, walker);
    std::string why;
    ASSERT_TRUE(recording.Open({}, "10.0.0", "", &why)) << why;
    gate.AssemblyUnloading(UINT64_MAX);  // all events are older, so they cause no queries
    {
      const auto throws = [&] {
        thread_local std::unique_ptr<ThrowingThread> thread;
        if (!thread) thread = std::make_unique<ThrowingThread>(emitter, stacks, gc, options);
        // Long enough to be taken, now and then.
        thread->ThrowAndCatch(thrown++ % 256 == 0 ? 1'200'000 : 0);
      };
      const Repeat one(throws), two(throws);
      const auto look = [&] {
        ThreadTracks::Instance().ForEach(kRecording, [&](ThreadTrack& track) {
          taken += track.last_words.state.load() == LastWords::kReported;
        });
      };
      const uint64_t begun_ns = MonotonicNs();
      while (MonotonicNs() - begun_ns < 1'000'000'000 || taken == 0) {
        recording.Drain(true);
        look();
      }
    }
    recording.Finish(EndReason::kStopped);
    EXPECT_EQ(recording.Stats().throws, thrown);
  }
  ThreadTracks::Instance().Release(kRecording, budget);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hindsight::recorder
