#include "recorder/stack/stack_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace hindsight::recorder {
namespace {

using Stack = std::vector<uintptr_t>;

class StackTableTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(table_.Open(budget_)); }
  void TearDown() override {
    table_.Close(budget_);
    EXPECT_EQ(budget_.used(), 0u);
  }

  Stack Resolved(uint32_t handle) const {
    const auto frames = table_.Frames(handle);
    return {frames.begin(), frames.end()};
  }

  MemoryBudget budget_;
  StackTable table_;
};

// The stack with this number: distinct numbers give distinct stacks that share their outer frames,
// as stacks of one program do.
Stack StackOf(uint32_t number, size_t depth = 12) {
  Stack stack(depth);
  for (size_t i = 0; i < depth; ++i) stack[i] = 0x7f00'0000'0000u + i * 0x100;
  stack[0] = 0x7f12'0000'0000u + number;
  if (depth > 1) stack[1] = 0x7f13'0000'0000u + number % 17;
  return stack;
}

TEST_F(StackTableTest, GivesOneHandleToOneStack) {
  const uint32_t handle = table_.Intern(StackOf(1));
  ASSERT_NE(handle, 0u);
  EXPECT_EQ(table_.Intern(StackOf(1)), handle);
  EXPECT_EQ(Resolved(handle), StackOf(1));
}

TEST_F(StackTableTest, DistinguishesStacks) {
  const std::vector<Stack> stacks = {{1},       {2},       {1, 2}, {2, 1}, {1, 2, 3},
                                     {1, 2, 4}, {0, 1, 2}, {0},    {0, 0}};
  std::set<uint32_t> handles;
  for (const Stack& stack : stacks) {
    const uint32_t handle = table_.Intern(stack);
    ASSERT_NE(handle, 0u);
    EXPECT_TRUE(handles.insert(handle).second);
    EXPECT_EQ(Resolved(handle), stack);
  }
}

TEST_F(StackTableTest, HasNoHandleForNoFrames) { EXPECT_EQ(table_.Intern({}), 0u); }

TEST_F(StackTableTest, KeepsTheDeepestStack) {
  Stack stack(2048);
  for (size_t i = 0; i < stack.size(); ++i) stack[i] = i * i;
  const uint32_t handle = table_.Intern(stack);
  ASSERT_NE(handle, 0u);
  EXPECT_EQ(Resolved(handle), stack);
}

// 2 MiB of frames: the arena is used up long before the slots.
TEST_F(StackTableTest, AnswersZeroWhenTheArenaIsFullAndKeepsWhatItHas) {
  constexpr size_t kDepth = 1000;
  std::vector<uint32_t> handles;
  for (uint32_t number = 0; number < 1000; ++number) {
    handles.push_back(table_.Intern(StackOf(number, kDepth)));
  }
  const auto refused = std::count(handles.begin(), handles.end(), 0u);
  EXPECT_GT(refused, 700);
  EXPECT_LT(refused, 750);  // 261 of them fit
  for (uint32_t number = 0; number < 1000; ++number) {
    EXPECT_EQ(table_.Intern(StackOf(number, kDepth)), handles[number]);
    if (handles[number] != 0) {
      ASSERT_EQ(Resolved(handles[number]), StackOf(number, kDepth));
    }
  }
  EXPECT_NE(table_.Intern(StackOf(1, 1)), 0u);  // the rest of the arena serves smaller ones
}

// Twice as many stacks as there are slots: either a stack resolves exactly, or it is refused.
TEST_F(StackTableTest, NeverGivesAWrongStackWhenTheSlotsAreFull) {
  constexpr uint32_t kStacks = 2u << 16;
  uint32_t refused = 0;
  std::set<uint32_t> handles;
  for (uint32_t number = 0; number < kStacks; ++number) {
    const Stack stack = {0x1000u + number, 0x2000};
    const uint32_t handle = table_.Intern(stack);
    if (handle == 0) {
      ++refused;
      continue;
    }
    EXPECT_TRUE(handles.insert(handle).second);
    ASSERT_EQ(Resolved(handle), stack);
  }
  EXPECT_GT(refused, kStacks / 4);
  EXPECT_GT(handles.size(), kStacks / 4);
  const Stack first = {0x1000, 0x2000};
  EXPECT_EQ(Resolved(table_.Intern(first)), first);
}

TEST(StackTable, InternsNothingWithoutMemory) {
  MemoryBudget budget;
  budget.SetLimit(1u << 20);
  StackTable table;
  EXPECT_FALSE(table.Open(budget));
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(table.Intern(StackOf(1)), 0u);
  table.Close(budget);
  EXPECT_EQ(budget.used(), 0u);
}

TEST_F(StackTableTest, StartsEmptyWhenOpenedAgain) {
  ASSERT_NE(table_.Intern(StackOf(1)), 0u);
  table_.Close(budget_);
  EXPECT_EQ(table_.Intern(StackOf(1)), 0u);
  ASSERT_TRUE(table_.Open(budget_));
  const uint32_t handle = table_.Intern(StackOf(2));
  EXPECT_EQ(Resolved(handle), StackOf(2));
}

// Threads intern the same stacks in different orders; all must get the same handles, and each must
// resolve at once to the frames it was made of.
TEST_F(StackTableTest, AgreesBetweenThreads) {
  constexpr uint32_t kStacks = 3000;
  constexpr int kThreads = 4;
  std::vector<std::vector<uint32_t>> handles(kThreads, std::vector<uint32_t>(kStacks));
  std::atomic<int> waiting{kThreads};
  std::atomic<uint32_t> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::vector<uint32_t> order(kStacks);
      for (uint32_t i = 0; i < kStacks; ++i) order[i] = i;
      // Each two threads use the same order, so that they race for the same slots.
      std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<uint32_t>(t / 2)));
      --waiting;
      while (waiting.load() != 0) std::this_thread::yield();
      for (const uint32_t number : order) {
        const Stack stack = StackOf(number);
        const uint32_t handle = table_.Intern(stack);
        if (handle == 0 || !std::ranges::equal(table_.Frames(handle), stack)) ++wrong;
        handles[t][number] = handle;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0u);
  for (int t = 1; t < kThreads; ++t) EXPECT_EQ(handles[t], handles[0]);
  const std::set<uint32_t> distinct(handles[0].begin(), handles[0].end());
  EXPECT_EQ(distinct.size(), kStacks);
}

TEST_F(StackTableTest, FillsUpBetweenThreadsWithoutCorruption) {
  constexpr int kThreads = 4;
  std::atomic<uint32_t> wrong{0}, refused{0}, interned{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint32_t number = 0; number < 300; ++number) {
        const Stack stack = StackOf(number * kThreads + static_cast<uint32_t>(t), 600);
        const uint32_t handle = table_.Intern(stack);
        if (handle == 0) {
          ++refused;
        } else {
          ++interned;
          if (!std::ranges::equal(table_.Frames(handle), stack)) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_GT(refused.load(), 0u);
  EXPECT_GT(interned.load(), 400u);  // of the 436 that fit, less what is lost to races
}

}  // namespace
}  // namespace hindsight::recorder
