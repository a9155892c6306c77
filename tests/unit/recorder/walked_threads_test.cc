// What the heap snapshot takes from a walk of all threads, with a fake runtime and real threads.
#include "recorder/heap/walked_threads.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {
namespace {

// A thread that sleeps until it is to run, and then sleeps again.
class Sleeper {
 public:
  Sleeper() {
    thread_ = std::thread([this] {
      os_id_ = static_cast<uint32_t>(gettid());
      turn_.acquire();
      ++turns_;
      turn_.acquire();
    });
    while (os_id_ == 0) std::this_thread::yield();
    AwaitSleep();
  }
  ~Sleeper() {
    turn_.release(2);
    thread_.join();
  }
  void Run() {
    turn_.release();
    while (turns_ == 0) std::this_thread::yield();
    AwaitSleep();
  }
  uint32_t os_id() const { return os_id_; }

 private:
  void AwaitSleep() const {
    while (ReadThreadRun(os_id_).state != RunState::kSleeping) std::this_thread::yield();
  }

  std::counting_semaphore<4> turn_{0};
  std::atomic<uint32_t> os_id_{0}, turns_{0};
  std::thread thread_;
};

class WalkedThreadsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(snapshot_.Open(budget_));
    // Frames without a stack pointer, or with one above their callee's, end what can be scanned.
    runtime_.threads[0x1000] = {.os_id = second_.os_id(),
                                .frames = {{7, 0xa1, 0x20}, {8, 0xa2, 0x30}, {9, 0xa3, 0}}};
    runtime_.threads[0x2000] = {.os_id = first_.os_id(),
                                .frames = {{7, 0xb1, 0x50}, {8, 0xb2, 0x40}}};
    ASSERT_TRUE(snapshot_.Take(runtime_.info(), gate_));
    walked_.Take(snapshot_);
  }
  void TearDown() override { snapshot_.Close(budget_); }

  const WalkedThread& Of(uint32_t os_id) const {
    return walked_.threads()[walked_.threads()[0].os_id == os_id ? 0 : 1];
  }

  MemoryBudget budget_;
  FakeRuntime runtime_;
  ThreadGate gate_{runtime_.info()};
  Sleeper first_, second_;
  ThreadSnapshotTaker snapshot_;
  WalkedThreads walked_;
};

TEST_F(WalkedThreadsTest, AreInTheOrderOfTheirOsIds) {
  ASSERT_EQ(walked_.threads().size(), 2u);
  EXPECT_LT(walked_.threads()[0].os_id, walked_.threads()[1].os_id);
  EXPECT_EQ(Of(second_.os_id()).clr_thread, 0x1000u);
  const auto frames = walked_.frames(Of(second_.os_id()));
  EXPECT_EQ(std::vector(frames.begin(), frames.end()), (std::vector<uintptr_t>{0xa1, 0xa2, 0xa3}));
}

TEST_F(WalkedThreadsTest, PlanFramesAsFarAsTheyAscend) {
  const auto memory = std::make_unique<ThreadMemory>();
  walked_.Plan(*memory);
  ASSERT_EQ(memory->thread_count, 2u);
  for (uint32_t i = 0; i < 2; ++i) {
    const ScannedThread& thread = memory->threads[i];
    EXPECT_EQ(thread.os_id, walked_.threads()[i].os_id);
    EXPECT_EQ(thread.pointer_count, thread.clr_thread == 0x1000 ? 2u : 1u);
    EXPECT_EQ(memory->stack_pointers[thread.first_pointer],
              thread.clr_thread == 0x1000 ? 0x20u : 0x50u);
  }
}

TEST_F(WalkedThreadsTest, KnowWhoRan) {
  first_.Run();
  walked_.FindWhoRan();
  EXPECT_FALSE(Of(first_.os_id()).stood_still);
  EXPECT_TRUE(Of(second_.os_id()).stood_still);
}

}  // namespace
}  // namespace hindsight::recorder
