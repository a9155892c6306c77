// The signal mask of the fault handler, in this very process.
#include "recorder/sources/cpu/cpu_faults.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace hindsight::recorder {
namespace {

void OnFault(int) {}

class CpuFaultsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(sigaction(SIGSEGV, nullptr, &before_), 0); }
  void TearDown() override {
    CpuFaults::HoldBack(0);
    sigaction(SIGSEGV, &before_, nullptr);
  }

  static void Install(int flags) {
    struct sigaction action = {};
    action.sa_handler = OnFault;
    action.sa_flags = flags;
    sigaddset(&action.sa_mask, SIGUSR1);
    ASSERT_EQ(sigaction(SIGSEGV, &action, nullptr), 0);
  }
  static bool Holds(int signal) {
    struct sigaction now;
    sigaction(SIGSEGV, nullptr, &now);
    EXPECT_EQ(now.sa_handler, OnFault);
    EXPECT_EQ(sigismember(&now.sa_mask, SIGUSR1), 1);
    return sigismember(&now.sa_mask, signal) == 1;
  }

  struct sigaction before_ = {};
  const int one_ = SIGRTMIN + 5, other_ = SIGRTMIN + 6;
};

TEST_F(CpuFaultsTest, HoldsTheSignalBackOnTheAlternateStack) {
  Install(SA_ONSTACK | SA_RESTART);
  CpuFaults::HoldBack(one_);
  EXPECT_TRUE(Holds(one_));
  CpuFaults::HoldBack(one_);
  EXPECT_TRUE(Holds(one_));
  CpuFaults::HoldBack(other_);
  EXPECT_FALSE(Holds(one_));
  EXPECT_TRUE(Holds(other_));
  CpuFaults::HoldBack(0);
  EXPECT_FALSE(Holds(other_));
}

TEST_F(CpuFaultsTest, HoldsItBackInAHandlerThatIsInstalledLater) {
  Install(SA_ONSTACK);
  CpuFaults::HoldBack(one_);
  Install(SA_ONSTACK);
  EXPECT_FALSE(Holds(one_));
  CpuFaults::HoldBack(one_);
  EXPECT_TRUE(Holds(one_));
}

TEST_F(CpuFaultsTest, LeavesAHandlerOnTheOrdinaryStackAlone) {
  Install(SA_RESTART);
  CpuFaults::HoldBack(one_);
  EXPECT_FALSE(Holds(one_));
}

}  // namespace
}  // namespace hindsight::recorder
