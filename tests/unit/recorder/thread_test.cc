// Threads of the recorder, as the application's signals and managed code find them.
#include "recorder/base/thread.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <semaphore>
#include <thread>

namespace hindsight::recorder {
namespace {

TEST(ThreadTest, BlocksAllSignalsExceptThoseThatManagedCodeNeeds) {
  sigset_t before, mask, after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  std::binary_semaphore seen(0);
  ASSERT_TRUE(StartThread("hindsight-test", [&] {
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    seen.release();
  }));
  seen.acquire();
  for (const int needed : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGRTMIN}) {
    EXPECT_EQ(sigismember(&mask, needed), 0) << needed;
  }
  for (const int other : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCHLD, SIGALRM, SIGPROF, SIGUSR1,
                          SIGPIPE, SIGXFSZ, SIGABRT, SIGRTMIN + 1, SIGRTMAX}) {
    EXPECT_EQ(sigismember(&mask, other), 1) << other;
  }
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal)) << signal;
  }
}

TEST(ThreadTest, WhatManagedCodeCreatesThereHasTheApplicationsSignals) {
  sigset_t ours, inherited, again;
  std::binary_semaphore seen(0);
  ASSERT_TRUE(StartThread("hindsight-test", [&] {
    RunWithApplicationSignals(
        [&] { std::thread([&] { pthread_sigmask(SIG_BLOCK, nullptr, &inherited); }).join(); });
    pthread_sigmask(SIG_BLOCK, nullptr, &again);
    seen.release();
  }));
  seen.acquire();
  pthread_sigmask(SIG_BLOCK, nullptr, &ours);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    EXPECT_EQ(sigismember(&inherited, signal), sigismember(&ours, signal)) << signal;
  }
  EXPECT_EQ(sigismember(&again, SIGTERM), 1);
}

}  // namespace
}  // namespace hindsight::recorder
