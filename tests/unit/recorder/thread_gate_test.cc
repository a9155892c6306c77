// Queries about threads that end in the meantime: the querying thread is descheduled at the worst
// moment.
#include "recorder/names/thread_gate.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {
namespace {

constexpr clr::ThreadID kThread = 0x4000;
constexpr clr::ThreadID kOther = 0x5000;

// Long enough for a thread that does not wait to proceed.
void LetEndingThreadsRun() {
  for (int i = 0; i < 1000; ++i) sched_yield();
}

class ThreadGateTest : public testing::Test {
 protected:
  FakeRuntime runtime_;
  ThreadGate gate_{runtime_.info()};
};

TEST_F(ThreadGateTest, AThreadIsAskedAboutUntilItEnds) {
  runtime_.threads[kThread].os_id = 7;
  ASSERT_TRUE(gate_.Enter({kThread, 10}));
  EXPECT_EQ(gate_.Enter({kThread, 10})->OsId(), 7u);
  gate_.ThreadEnding(kThread, 20);
  EXPECT_FALSE(gate_.Enter({kThread, 10}));
  EXPECT_FALSE(gate_.Enter({kThread, 20}));
  EXPECT_TRUE(gate_.Enter({kOther, 10}));   // the end of one says nothing about others
  EXPECT_TRUE(gate_.Enter({kThread, 21}));  // another thread at the same address
  EXPECT_FALSE(gate_.Enter({0, 21}));
}

TEST_F(ThreadGateTest, AnEndThatIsNotedLateTakesNoTimeBack) {
  gate_.ThreadEnding(kThread, 20);
  gate_.ThreadEnding(kOther, 15);
  EXPECT_FALSE(gate_.Enter({kThread, 20}));
  EXPECT_FALSE(gate_.Enter({kOther, 10}));
}

TEST_F(ThreadGateTest, TheEndWaitsForTheQuestionAboutThatThread) {
  std::optional<ThreadGate::Hold> hold = gate_.Enter({kThread, 10});
  gate_.ThreadEnding(kOther, 20);  // returns: no query is about it
  std::atomic<bool> ended{false};
  std::thread ending([&] {
    gate_.ThreadEnding(kThread, 20);
    ended = true;
  });
  while (gate_.Enter({kThread, 10})) sched_yield();  // the end is recorded at once
  LetEndingThreadsRun();
  EXPECT_FALSE(ended);
  hold.reset();
  ending.join();
}

// A thread that is no longer known to be alive is not queried.
TEST_F(ThreadGateTest, AfterMoreEndsThanAreKeptNothingEarlierIsAskedAbout) {
  for (uint64_t i = 0; i < 1024; ++i) gate_.ThreadEnding(0x10000 + i, 100 + i);
  EXPECT_TRUE(gate_.Enter({kThread, 50}));
  gate_.ThreadEnding(0x20000, 2000);
  EXPECT_FALSE(gate_.Enter({kThread, 50}));
  EXPECT_TRUE(gate_.Enter({kThread, 1500}));
}

// The runtime frees a thread as soon as its callback has returned.
TEST_F(ThreadGateTest, AThreadIsReadBeforeItIsFreed) {
  std::atomic<uint32_t> field{7};  // of the thread's object; 0 once it is freed
  std::atomic<bool> read_freed{false}, over{false};
  std::atomic<uint64_t> born{1};
  std::vector<std::thread> asking;
  for (int i = 0; i < 6; ++i) {  // more than may query at a time
    asking.emplace_back([&] {
      while (!over) {
        const uint64_t as_of = born;
        const auto hold = gate_.Enter({kThread, as_of});
        if (hold && field == 0) read_freed = true;
      }
    });
  }
  for (uint64_t time = 2; time < 4000; time += 2) {
    gate_.ThreadEnding(kThread, time);
    field = 0;
    field = 7;
    born = time + 1;
  }
  over = true;
  for (std::thread& thread : asking) thread.join();
  EXPECT_FALSE(read_freed);
}

}  // namespace
}  // namespace hindsight::recorder
