// Which places wait for one lock.
#include "analyzer/analyses/waits/contended_locks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analyzer/analyses/waits/lock_contention.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kGate = 0x10, kOther = 0x20;

class ContendedLocksTest : public ::testing::Test {
 protected:
  testing::ProfileScene scene_;

  Model& model() { return scene_.model(); }

  void Wait(const std::string& method, uint64_t lock, uint64_t total_ns) {
    const StackId stack = StackOf(method);
    Waits& waits = model().waits;
    const auto group = std::ranges::find(waits.groups, stack, &WaitGroup::stack);
    if (group == waits.groups.end()) {
      waits.groups.push_back({.kind = WaitKind::kMonitor,
                              .stack = stack,
                              .count = 1,
                              .total_ns = total_ns,
                              .longest_ns = total_ns});
    } else {
      ++group->count;
      group->total_ns += total_ns;
    }
    waits.lock_stacks.push_back({.lock = lock,
                                 .stack = stack,
                                 .kind = WaitKind::kMonitor,
                                 .count = 1,
                                 .total_ns = total_ns});
  }
  void StillWait(const std::string& method, uint64_t lock, int64_t start_ns) {
    model().waits.open.push_back(
        {.kind = WaitKind::kMonitor, .lock = lock, .stack = StackOf(method), .start_ns = start_ns});
  }

  // "lock: place, place" for each row.
  std::vector<std::string> Rows(const ContendedLockRules& rules = {}) {
    const LockReport report = AnalyzeLocks(model());
    std::vector<std::string> rows;
    for (const ContendedLock& lock : ContendedLocks(model(), report.locks, rules)) {
      std::string row = std::to_string(lock.lock) + ":";
      for (const size_t place : lock.places) {
        row += ' ' + report.names.Display(report.locks[place].site);
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  StackId StackOf(const std::string& method) {
    Dictionaries& dictionaries = model().dictionaries;
    const auto [at, is_new] = stacks_.try_emplace(method, StackId{0});
    if (is_new) {
      at->second = dictionaries.AddStack(dictionaries.AddStack(0, scene_.Method(method)),
                                         scene_.Method("System.Threading.Monitor.Enter"));
    }
    return at->second;
  }

  std::map<std::string, StackId> stacks_;
};

using Names = std::vector<std::string>;

// Nothing is on their stacks but the framework's threading.
TEST_F(ContendedLocksTest, ThreadsOfTheFrameworksWaitInPlacesOfTheirOwn) {
  for (const char* method : {"System.Threading.TimerQueue.TimerThread",
                             "System.Threading.PortableThreadPool+GateThread.GateThreadStart"}) {
    StackId stack = 0;
    for (const char* frame : {"System.Threading.Thread.StartCallback", method,
                              "System.Threading.WaitHandle.WaitOneNoCheck"}) {
      stack = model().dictionaries.AddStack(stack, scene_.Method(frame));
    }
    model().waits.groups.push_back(
        {.kind = WaitKind::kWaitHandle, .stack = stack, .count = 1, .total_ns = 5});
  }
  const LockReport report = AnalyzeLocks(model());
  ASSERT_EQ(report.signals.size(), 2u);
  EXPECT_EQ(report.names.Display(report.signals[0].site),
            "System.Threading.TimerQueue.TimerThread");
  EXPECT_EQ(report.names.Display(report.signals[1].site),
            "System.Threading.PortableThreadPool.GateThread.GateThreadStart");
}

TEST_F(ContendedLocksTest, OneLockInTwoMethodsIsOneRow) {
  Wait("Shop.Cart.Add", kGate, 30);
  Wait("Shop.Cart.Remove", kGate, 40);
  Wait("Shop.Mail.Send", kOther, 50);
  EXPECT_EQ(Rows(), (Names{"16: Shop.Cart.Remove Shop.Cart.Add", "32: Shop.Mail.Send"}));
}

TEST_F(ContendedLocksTest, ALockOfEachObjectJoinsNothing) {
  for (uint64_t lock = 1; lock <= 4; ++lock) {
    Wait("Shop.Cart.Add", lock, 25);
    Wait("Shop.Cart.Remove", lock, 20);
  }
  EXPECT_EQ(Rows(), (Names{"0: Shop.Cart.Add", "0: Shop.Cart.Remove"}));
}

TEST_F(ContendedLocksTest, APlaceHasTheLockThatTakesHalfOfItsTime) {
  Wait("Shop.Cart.Add", kGate, 100);
  Wait("Shop.Cart.Remove", kGate, 10);
  Wait("Shop.Cart.Remove", 1, 5);
  Wait("Shop.Cart.Remove", 2, 5);
  EXPECT_EQ(Rows({.of_one_lock = 0.5}).size(), 1u);
  EXPECT_EQ(Rows({.of_one_lock = 0.51}).size(), 2u);
}

TEST_F(ContendedLocksTest, WaitsThatHaveNotEndedCount) {
  model().facts.last_ns = 100;
  Wait("Shop.Cart.Add", kGate, 10);
  Wait("Shop.Cart.Remove", kOther, 10);
  StillWait("Shop.Cart.Remove", kGate, 40);
  EXPECT_EQ(Rows(), (Names{"16: Shop.Cart.Remove Shop.Cart.Add"}));
  const LockReport report = AnalyzeLocks(model());
  ASSERT_EQ(report.contended.size(), 1u);
  EXPECT_EQ(report.contended[0].count, 3u);
  EXPECT_EQ(report.contended[0].total_ns, 80u);
  EXPECT_EQ(report.contended[0].longest_ns, 60u);
}

TEST_F(ContendedLocksTest, LocksWithoutAnIdAreJudgedByPlace) {
  Wait("Shop.Cart.Add", 0, 10);
  Wait("Shop.Cart.Remove", 0, 10);
  model().waits.lock_stacks.clear();
  EXPECT_EQ(Rows().size(), 2u);
}

}  // namespace
}  // namespace hindsight::analyzer
