// A collection and a thread snapshot of ours that announce themselves while the other one has
// suspended all threads: each is recorded, from the end of the other one on.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "recorder/base/clock.h"
#include "recorder/base/thread.h"
#include "recorder/sources/gc/gc.h"
#include "recorder/stream/thread_track.h"

namespace hindsight::recorder {
namespace {

class SuspensionsTest : public testing::Test {
 protected:
  static constexpr uint64_t kId = 0x6C;
  static constexpr uint32_t kForCollection = 1, kForProfiler = 9;

  SuspensionsTest() { gc_.Record(true); }
  void TearDown() override { ThreadTracks::Instance().Release(kId, budget_); }

  // Runs each on one thread of the recorder's, and returns when it is done.
  class OwnThread {
   public:
    OwnThread() {
      EXPECT_TRUE(StartThread("hindsight-test", [this] {
        for (;;) {
          while (state_.load() == kIdle) std::this_thread::yield();
          if (state_.load() == kEnds) break;
          work_();
          state_.store(kIdle);
        }
        state_.store(kEnded);
      }));
    }
    ~OwnThread() {
      state_.store(kEnds);
      while (state_.load() != kEnded) std::this_thread::yield();
    }
    void Run(std::function<void()> work) {
      work_ = std::move(work);
      state_.store(kBusy);
      while (state_.load() != kIdle) std::this_thread::yield();
    }

   private:
    enum State { kIdle, kBusy, kEnds, kEnded };
    std::atomic<State> state_{kIdle};
    std::function<void()> work_;
  };

  std::vector<SuspensionEvent> Recorded() {
    std::vector<SuspensionEvent> out;
    ThreadTracks::Instance().ForEach(kId, [&](ThreadTrack& track) {
      for (; track.ring.Front() != nullptr; track.ring.Pop()) {
        if (track.ring.Front()->kind != EventKind::kSuspension) continue;
        out.push_back(*reinterpret_cast<const SuspensionEvent*>(track.ring.Front()));
      }
    });
    return out;
  }

  MemoryBudget budget_;
  Waker drain_;
  Emitter emitter_{kId, budget_, drain_};
  Gc gc_{emitter_};
  OwnThread own_;
};

TEST_F(SuspensionsTest, ACollectionWaitsForASnapshot) {
  own_.Run([&] {
    gc_.SuspendStarted(kForProfiler);
    gc_.SuspendFinished();
  });
  gc_.SuspendStarted(kForCollection);
  own_.Run([&] { gc_.ResumeStarted(); });
  const uint64_t resumed_ns = MonotonicNs();
  gc_.SuspendFinished();  // before the snapshot's thread has told its end
  own_.Run([&] { EXPECT_GT(gc_.ResumeFinished(), 0u); });
  EXPECT_TRUE(gc_.suspended());
  gc_.ResumeStarted();
  EXPECT_EQ(gc_.ResumeFinished(), 0u);
  EXPECT_FALSE(gc_.suspended());
  const std::vector<SuspensionEvent> events = Recorded();
  ASSERT_EQ(events.size(), 2u);
  for (const SuspensionEvent& event : events) {
    EXPECT_EQ(event.by_recorder, event.reason == kForProfiler);
    EXPECT_LE(event.stopping_ns, event.total_ns);
    if (event.by_recorder) continue;
    EXPECT_LE(event.header.time_ns, resumed_ns);  // not long before: when the snapshot had ended
    EXPECT_GT(event.header.time_ns + event.total_ns, resumed_ns);
  }
  EXPECT_NE(events[0].by_recorder, events[1].by_recorder);
}

TEST_F(SuspensionsTest, ASnapshotWaitsForACollection) {
  gc_.SuspendStarted(kForCollection);
  gc_.SuspendFinished();
  own_.Run([&] { gc_.SuspendStarted(kForProfiler); });
  const uint64_t before_ns = MonotonicNs();
  gc_.ResumeStarted();
  EXPECT_EQ(gc_.ResumeFinished(), 0u);
  own_.Run([&] {
    gc_.SuspendFinished();
    EXPECT_GT(gc_.ResumeFinished(), 0u);
  });
  const std::vector<SuspensionEvent> events = Recorded();
  ASSERT_EQ(events.size(), 2u);
  for (const SuspensionEvent& event : events) {
    if (event.by_recorder) {
      EXPECT_GE(event.header.time_ns, before_ns);  // the wait before was the collection's
    } else {
      EXPECT_LT(event.header.time_ns, before_ns);
    }
  }
  EXPECT_NE(events[0].by_recorder, events[1].by_recorder);
}

// The snapshot comes and goes before the collecting thread has told its end.
TEST_F(SuspensionsTest, ASnapshotThatWaitedMayEndFirst) {
  gc_.SuspendStarted(kForCollection);
  gc_.SuspendFinished();
  const uint64_t stopped_ns = MonotonicNs();
  own_.Run([&] { gc_.SuspendStarted(kForProfiler); });
  gc_.ResumeStarted();
  own_.Run([&] {
    gc_.SuspendFinished();
    gc_.ResumeStarted();
    gc_.ResumeFinished();
  });
  gc_.ResumeFinished();
  for (const SuspensionEvent& event : Recorded()) {
    if (event.by_recorder) continue;
    EXPECT_LE(event.header.time_ns, stopped_ns);
  }
}

// Another thread of ours may request a collection while a snapshot is taken.
TEST_F(SuspensionsTest, ACollectionThatWeRequestedIsNotTheSnapshot) {
  OwnThread other;
  own_.Run([&] {
    gc_.SuspendStarted(kForProfiler);
    gc_.SuspendFinished();
  });
  other.Run([&] { gc_.SuspendStarted(kForCollection); });
  own_.Run([&] { gc_.ResumeFinished(); });
  other.Run([&] {
    gc_.SuspendFinished();
    gc_.ResumeFinished();
  });
  std::vector<uint32_t> reasons;
  for (const SuspensionEvent& event : Recorded()) reasons.push_back(event.reason);
  std::ranges::sort(reasons);
  EXPECT_EQ(reasons, (std::vector<uint32_t>{kForCollection, kForProfiler}));
}

}  // namespace
}  // namespace hindsight::recorder
