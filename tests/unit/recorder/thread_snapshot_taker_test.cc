#include "recorder/stack/thread_snapshot_taker.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "recorder/base/thread.h"
#include "recorder/sources/threads/threads.h"
#include "recorder/sources/waits/thread_snapshots.h"
#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {
namespace {

// A kernel thread that sleeps, or runs a little whenever it is asked to.
class Actor {
 public:
  Actor() {
    thread_ = std::thread([this] {
      os_id_ = static_cast<uint32_t>(gettid());
      os_id_.notify_one();
      for (uint32_t seen = 0;;) {
        asked_.wait(seen);
        seen = asked_;
        if (seen == kEnd) return;
        done_ = seen;
        done_.notify_one();
      }
    });
    os_id_.wait(0);
  }
  ~Actor() {
    asked_ = kEnd;
    asked_.notify_one();
    thread_.join();
  }

  uint32_t os_id() const { return os_id_; }
  void RunALittle() {
    const uint32_t turn = ++asked_;
    asked_.notify_one();
    while (done_ != turn) done_.wait(turn - 1);
    AwaitSleep();
  }
  void AwaitSleep() const {
    while (ReadThreadRun(os_id_).state != RunState::kSleeping) usleep(100);
  }

 private:
  static constexpr uint32_t kEnd = UINT32_MAX;
  std::atomic<uint32_t> os_id_{0}, asked_{0}, done_{0};
  std::thread thread_;
};

class ThreadSnapshotTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(snapshot_.Open(budget_));
    first_.AwaitSleep();
    second_.AwaitSleep();
    runtime_.threads[0x1000] = {.os_id = first_.os_id(),
                                .frames = {{0, 1, 0x10}, {7, 0xa1, 0x20}, {8, 0xa2, 0x30}}};
    runtime_.threads[0x2000] = {.os_id = second_.os_id(), .frames = {{7, 0xb1, 0x40}}};
  }
  void TearDown() override { snapshot_.Close(budget_); }

  const SnapshotThread& Of(clr::ThreadID id) const {
    for (const SnapshotThread& thread : snapshot_.threads()) {
      if (thread.clr_thread == id) return thread;
    }
    ADD_FAILURE() << "no thread " << id;
    static const SnapshotThread kNone;
    return kNone;
  }
  std::vector<uintptr_t> Ips(clr::ThreadID id) const {
    std::vector<uintptr_t> ips;
    for (const SnapshotFrame& frame : snapshot_.frames(Of(id))) ips.push_back(frame.ip);
    return ips;
  }

  MemoryBudget budget_;
  FakeRuntime runtime_;
  ThreadGate gate_{runtime_.info()};
  Actor first_, second_;
  ThreadSnapshotTaker snapshot_;
};

using Addresses = std::vector<uintptr_t>;

TEST_F(ThreadSnapshotTest, ReportsManagedFramesAndWhatTheKernelKnows) {
  ASSERT_TRUE(snapshot_.Take(runtime_.info(), gate_));
  EXPECT_FALSE(runtime_.stopped);
  ASSERT_EQ(snapshot_.threads().size(), 2u);
  EXPECT_EQ(Ips(0x1000), (Addresses{0xa1, 0xa2}));
  EXPECT_EQ(snapshot_.frames(Of(0x1000))[1].sp, 0x30u);
  EXPECT_EQ(Ips(0x2000), Addresses{0xb1});
  EXPECT_EQ(Of(0x1000).os_id, first_.os_id());
  EXPECT_EQ(Of(0x1000).run.state, RunState::kSleeping);
  EXPECT_EQ(Of(0x1000).run.cpu_ns, CpuNsOfThread(first_.os_id()));
  EXPECT_GE(snapshot_.pause_ns(), snapshot_.stopping_ns());
}

TEST_F(ThreadSnapshotTest, WalksOnlyThreadsThatHaveRun) {
  ASSERT_TRUE(snapshot_.Take(runtime_.info(), gate_));
  first_.RunALittle();
  runtime_.threads[0x1000].frames = {{7, 0xa9, 0x20}};
  ASSERT_TRUE(snapshot_.Take(runtime_.info(), gate_));
  EXPECT_EQ(snapshot_.walked(), 1u);
  EXPECT_EQ(runtime_.walks[0x2000], 1);
  EXPECT_EQ(Ips(0x1000), Addresses{0xa9});
  EXPECT_EQ(Ips(0x2000), Addresses{0xb1});
  EXPECT_EQ(snapshot_.frames(Of(0x2000))[0].sp, 0x40u);
  EXPECT_EQ(Of(0x2000).run.state, RunState::kSleeping);
}

TEST_F(ThreadSnapshotTest, KeepsStacksOverManySnapshots) {
  for (int i = 0; i < 50; ++i) {
    first_.RunALittle();
    ASSERT_TRUE(snapshot_.Take(runtime_.info(), gate_));
    EXPECT_EQ(Ips(0x1000), (Addresses{0xa1, 0xa2}));
    EXPECT_EQ(Ips(0x2000), Addresses{0xb1});
  }
  EXPECT_EQ(runtime_.walks[0x2000], 1);
}

// Its object is freed once the callback that announces the end has returned. Querying the runtime
// about it then ends this test, as it may end a process.
TEST_F(ThreadSnapshotTest, AThreadThatEndsWhileThreadsAreListedIsNotAskedAbout) {
  runtime_.after_listing = [&] {
    if (runtime_.stopped) return;
    runtime_.after_listing = nullptr;
    gate_.ThreadEnding(0x2000);
    runtime_.threads.erase(0x2000);
  };
  ASSERT_TRUE(snapshot_.Take(runtime_.info(), gate_));
  ASSERT_EQ(snapshot_.threads().size(), 1u);
  EXPECT_EQ(Ips(0x1000), (Addresses{0xa1, 0xa2}));
}

// After an attach.
TEST_F(ThreadSnapshotTest, AThreadThatEndsWhileAnAttachListsThemIsNotAskedAbout) {
  MemoryBudget budget;
  Waker drain;
  StackTable stacks;
  StackWalker walker(runtime_.info());
  constexpr uint64_t kRecording = 0x7EAD;
  Emitter emitter(kRecording, budget, drain);
  Threads threads(gate_, emitter, stacks, walker);
  runtime_.after_listing = [&] {
    runtime_.after_listing = nullptr;
    gate_.ThreadEnding(0x1000);
    runtime_.threads.erase(0x1000);
  };
  threads.Enumerate();
  ThreadTrack* const track = emitter.Track();
  ASSERT_NE(track, nullptr);
  std::vector<uint64_t> reported;
  for (const EventHeader* event; (event = track->ring.Front()) != nullptr; track->ring.Pop()) {
    reported.push_back(reinterpret_cast<const ThreadEvent*>(event)->clr_thread);
  }
  EXPECT_EQ(reported, (std::vector<uint64_t>{0x2000, 0x2000}));
  ThreadTracks::Instance().Release(kRecording, budget);
}

TEST_F(ThreadSnapshotTest, AnotherThreadInTheSamePlaceIsWalked) {
  ASSERT_TRUE(snapshot_.Take(runtime_.info(), gate_));
  runtime_.threads[0x3000] = {.os_id = second_.os_id(), .frames = {{7, 0xc1, 0x50}}};
  runtime_.threads.erase(0x2000);
  ASSERT_TRUE(snapshot_.Take(runtime_.info(), gate_));
  EXPECT_EQ(Ips(0x3000), Addresses{0xc1});
}

TEST_F(ThreadSnapshotTest, LeavesOwnThreadsOut) {
  std::atomic<uint32_t> own{0};
  std::atomic<bool> end{false};
  ASSERT_TRUE(StartThread("hindsight-test", [&] {
    own = static_cast<uint32_t>(gettid());
    own.notify_one();
    end.wait(false);
  }));
  own.wait(0);
  runtime_.threads[0x3000] = {.os_id = own, .frames = {{7, 0xc1, 0x50}}};
  ASSERT_TRUE(snapshot_.Take(runtime_.info(), gate_));
  EXPECT_EQ(snapshot_.threads().size(), 2u);
  const uint32_t id = own;
  end = true;
  end.notify_one();
  while (IsOwnThread(id)) usleep(100);
}

TEST_F(ThreadSnapshotTest, AWalkThatFailsKeepsItsFrames) {
  runtime_.threads[0x1000].fails = true;
  runtime_.threads[0x2000].frames.clear();
  ASSERT_TRUE(snapshot_.Take(runtime_.info(), gate_));
  EXPECT_EQ(Ips(0x1000), (Addresses{0xa1, 0xa2}));
  EXPECT_TRUE(Of(0x1000).truncated);
  EXPECT_EQ(Of(0x2000).frame_count, 0u);
  EXPECT_FALSE(Of(0x2000).truncated);
}

TEST_F(ThreadSnapshotTest, CutsWhatIsTooDeep) {
  auto& frames = runtime_.threads[0x1000].frames;
  for (uintptr_t i = 0; i < 3000; ++i) frames.push_back({9, 0x5000 + i, 0x6000});
  ASSERT_TRUE(snapshot_.Take(runtime_.info(), gate_));
  EXPECT_EQ(Of(0x1000).frame_count, 2048u);
  EXPECT_TRUE(Of(0x1000).truncated);
  EXPECT_EQ(Ips(0x2000), Addresses{0xb1});
}

TEST_F(ThreadSnapshotTest, TriesAgainWhereTheRuntimeRefuses) {
  runtime_.refusals = 3;
  EXPECT_TRUE(snapshot_.Take(runtime_.info(), gate_));
  runtime_.refusals = 1'000'000;
  EXPECT_FALSE(snapshot_.Take(runtime_.info(), gate_));
  EXPECT_TRUE(snapshot_.threads().empty());
}

TEST(ThreadRun, ReadsWhatTheKernelWrites) {
  EXPECT_EQ(ParseRunState("12 (a) R) S 1 2"), RunState::kSleeping);
  EXPECT_EQ(ParseRunState("12 (x) R 1"), RunState::kRunning);
  EXPECT_EQ(ParseRunState("12 (x) D 1"), RunState::kBlocked);
  EXPECT_EQ(ParseRunState("12 (x) t 1"), RunState::kStopped);
  EXPECT_EQ(ParseRunState("12 (x) "), RunState::kUnknown);
  EXPECT_EQ(ParseRunState(""), RunState::kUnknown);
  EXPECT_EQ(ParseSwitches("100 200 37\n"), 37u);
  EXPECT_EQ(ParseSwitches("100 200"), 0u);
  EXPECT_EQ(CpuNsOfThread(0x3fffffff), 0u);
  EXPECT_EQ(CpuNsOfThread(0), 0u);
  EXPECT_NE(CpuNsOfThread(static_cast<uint32_t>(gettid())), 0u);
}

class ThreadSnapshotsTest : public testing::Test {
 protected:
  static constexpr uint64_t kId = 0x5A9;

  void SetUp() override { Begin(0, false); }
  void Begin(uint64_t every_ns, bool look_first) {
    options_.waits_every_ns = every_ns;
    actor_.AwaitSleep();
    runtime_.threads[0x1000] = {.os_id = actor_.os_id(), .frames = {{7, 0xa1, 0x20}}};
    snapshots_ =
        std::make_unique<ThreadSnapshots>(runtime_.info(), gate_, options_, emitter_, stacks_);
    ASSERT_EQ(snapshots_->Start(nullptr, budget_), "");
    snapshots_->Ready(look_first);
  }
  void TearDown() override {
    EXPECT_TRUE(snapshots_->Stop(UINT64_MAX / 4));
    snapshots_->Close(budget_);
    ThreadTracks::Instance().Release(kId, budget_);
  }

  // Events of this kind in all rings.
  std::vector<uint32_t> Triggers() {
    std::vector<uint32_t> triggers;
    ThreadTracks::Instance().ForEach(kId, [&](ThreadTrack& track) {
      for (; track.ring.Front() != nullptr; track.ring.Pop()) {
        if (track.ring.Front()->kind != EventKind::kThreadSnapshot) continue;
        const auto* event = reinterpret_cast<const ThreadSnapshotEvent*>(track.ring.Front());
        triggers.push_back(static_cast<uint32_t>(event->trigger));
      }
    });
    return triggers;
  }

  contract::Options options_;
  MemoryBudget budget_;
  Waker drain_;
  StackTable stacks_;
  Emitter emitter_{kId, budget_, drain_};
  FakeRuntime runtime_;
  ThreadGate gate_{runtime_.info()};
  Actor actor_;
  std::unique_ptr<ThreadSnapshots> snapshots_;
};

TEST_F(ThreadSnapshotsTest, TakesOneOnRequestAndALastOne) {
  ThreadSnapshots::Taken taken;
  std::string why;
  ASSERT_TRUE(snapshots_->Request(&taken, &why)) << why;
  EXPECT_EQ(taken.number, 1u);
  EXPECT_EQ(taken.threads, 1u);
  ASSERT_TRUE(snapshots_->Stop(UINT64_MAX / 4));
  EXPECT_EQ(Triggers(), (std::vector<uint32_t>{1, 5}));
  EXPECT_FALSE(snapshots_->Request(&taken, &why));
  EXPECT_NE(why, "");
}

TEST_F(ThreadSnapshotsTest, SaysWhyThereIsNone) {
  runtime_.refusals = 200;
  ThreadSnapshots::Taken taken;
  std::string why;
  EXPECT_FALSE(snapshots_->Request(&taken, &why));
  EXPECT_NE(why.find("refused"), std::string::npos);
  EXPECT_TRUE(snapshots_->Request(&taken, &why)) << why;
}

TEST_F(ThreadSnapshotsTest, HoldsStillForTheHeap) {
  const ThreadSnapshotTaker* held = snapshots_->TakeForHeap(3, UINT64_MAX / 4);
  ASSERT_NE(held, nullptr);
  ASSERT_EQ(held->threads().size(), 1u);
  ThreadSnapshots::Taken taken;
  std::string why;
  std::atomic<bool> asking{false}, answered{false};
  std::thread other([&] {
    asking = true;
    EXPECT_TRUE(snapshots_->Request(&taken, &why)) << why;
    answered = true;
  });
  while (!asking) usleep(100);
  usleep(20'000);  // too short proves nothing, and fails nothing
  EXPECT_FALSE(answered);
  EXPECT_EQ(held->frames(held->threads()[0])[0].ip, 0xa1u);
  snapshots_->DoneForHeap();
  other.join();
  EXPECT_EQ(taken.number, 2u);
}

// An attach in an outage is over before the second periodic one would come.
class ThreadSnapshotsAfterAttachTest : public ThreadSnapshotsTest {
 protected:
  void SetUp() override { Begin(3600ull * 1'000'000'000, true); }
};

TEST_F(ThreadSnapshotsAfterAttachTest, AreCloseTogetherAtFirst) {
  for (size_t taken = 0; taken < 4; usleep(10'000)) taken += Triggers().size();
}

TEST_F(ThreadSnapshotsTest, GivesNothingToTheHeapAfterItsEnd) {
  ASSERT_TRUE(snapshots_->Stop(UINT64_MAX / 4));
  EXPECT_EQ(snapshots_->TakeForHeap(1, UINT64_MAX / 4), nullptr);
}

}  // namespace
}  // namespace hindsight::recorder
