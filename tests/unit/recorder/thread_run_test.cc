// What the kernel reports about a thread, as text and about a real one.
#include "recorder/base/thread_run.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <semaphore>
#include <string>
#include <thread>

namespace hindsight::recorder {
namespace {

TEST(ThreadRunTest, ParsesTheStateBehindAnyName) {
  EXPECT_EQ(ParseRunState("7 (dotnet) S 1 2"), RunState::kSleeping);
  EXPECT_EQ(ParseRunState("7 (a) R) (b) R 1 2"), RunState::kRunning);
  EXPECT_EQ(ParseRunState("7 (dotnet) D 1"), RunState::kBlocked);
  EXPECT_EQ(ParseRunState("7 (dotnet) t 1"), RunState::kStopped);
  EXPECT_EQ(ParseRunState("7 (dotnet) Z 1"), RunState::kUnknown);
  EXPECT_EQ(ParseRunState("7 (dotnet"), RunState::kUnknown);
  EXPECT_EQ(ParseRunState(""), RunState::kUnknown);
}

TEST(ThreadRunTest, ParsesSwitches) {
  EXPECT_EQ(ParseSwitches("10 20 30\n"), 30u);
  EXPECT_EQ(ParseSwitches("10 20"), 0u);
  EXPECT_EQ(ParseSwitches(""), 0u);
}

TEST(ThreadRunTest, ParsesHowLongItWasReady) {
  EXPECT_EQ(ParseReadyNs("10 20 30\n"), 20u);
  EXPECT_EQ(ParseReadyNs("10 20"), 20u);
  EXPECT_EQ(ParseReadyNs("10"), 0u);
  EXPECT_EQ(ParseReadyNs(""), 0u);
}

TEST(ThreadRunTest, ParsesTheStackPointer) {
  EXPECT_EQ(ParseStackPointer("202 0x1 0x189 0x0 0x0 0x0 0xffffffff 0x7ffc8 0x7f123\n"), 0x7ffc8u);
  EXPECT_EQ(ParseStackPointer("-1 0x7ffc8 0x7f123\n"), 0x7ffc8u);
  EXPECT_EQ(ParseStackPointer("running\n"), 0u);
  EXPECT_EQ(ParseStackPointer("0x12"), 0u);
  EXPECT_EQ(ParseStackPointer(""), 0u);
}

TEST(ThreadRunTest, SeesThatAThreadSleepsAndWhere) {
  std::atomic<uint32_t> os_id = 0;
  std::atomic<uint64_t> local = 0;
  std::binary_semaphore end(0);
  std::jthread thread([&] {
    int here = 0;
    pthread_setname_np(pthread_self(), "sleeper");
    local = reinterpret_cast<uint64_t>(&here);
    os_id = static_cast<uint32_t>(syscall(SYS_gettid));
    end.acquire();
  });
  while (os_id == 0 || ReadThreadRun(os_id).state != RunState::kSleeping) std::this_thread::yield();
  const uint64_t pointer = StackPointerOfThread(os_id);
  constexpr uint64_t kNear = 64u << 10;
  if (pointer != 0) {  // where the kernel reports it
    EXPECT_LT(pointer, local);
    EXPECT_GT(pointer + kNear, local);
  }
  EXPECT_EQ(KernelNameOfThread(os_id), "sleeper");
  EXPECT_EQ(CpuNsOfThread(os_id), ReadThreadRun(os_id).cpu_ns);
  end.release();
}

TEST(ThreadRunTest, ReadsWhichSignalsAThreadBlocks) {
  EXPECT_EQ(ParseBlockedSignals("Name:\tx\nSigBlk:\tfffffffe3bba4005\nSigIgn:\t1\n"),
            0xfffffffe3bba4005u);
  EXPECT_EQ(ParseBlockedSignals("SigBlk:\t1\n"), 0u);  // a name
  EXPECT_EQ(ParseBlockedSignals(""), 0u);
  EXPECT_EQ(ParseSleeps("Name:\tx\nvoluntary_ctxt_switches:\t17\nnonvoluntary_ctxt_switches:\t5\n"),
            17u);
  EXPECT_EQ(ParseSleeps("Name:\tx\nnonvoluntary_ctxt_switches:\t5\n"), 0u);
  EXPECT_TRUE(ParseIsInSigwait("128 0x7ffd 0x0 0x0 0x8 0x0 0x0 0x7ffd 0x7f12\n"));
  EXPECT_FALSE(ParseIsInSigwait("1 0x7ffd 0x0 0x0 0x8 0x0 0x0 0x7ffd 0x7f12\n"));
  EXPECT_FALSE(ParseIsInSigwait("running\n"));
  EXPECT_FALSE(ParseIsInSigwait(""));

  const auto own_id = static_cast<uint32_t>(gettid());
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGRTMAX);
  SignalLook look;
  const auto keeps = [&](uint32_t id, int signal) {
    Keeps answer;
    while ((answer = WouldKeepSignal(id, signal, look)) == Keeps::kUnknown) {
    }
    return answer;
  };
  pthread_sigmask(SIG_BLOCK, &one, &before);
  EXPECT_EQ(BlockedSignalsOfThread(own_id) & SignalBit(SIGRTMAX), SignalBit(SIGRTMAX));
  EXPECT_EQ(keeps(own_id, SIGRTMAX), Keeps::kAlone);
  // While it waits the kernel counts none of them.
  std::thread waiter([&] {
    int got = 0;
    EXPECT_EQ(sigwait(&one, &got), 0);
  });
  const auto waits = [&] {
    for (int round = 0; round < 10'000; ++round) {
      for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        const auto id = static_cast<uint32_t>(std::stoul(entry.path().filename()));
        if (id != own_id && ReadThreadRun(id).state == RunState::kSleeping &&
            (BlockedSignalsOfThread(id) & SignalBit(SIGRTMAX)) == 0) {
          return keeps(id, SIGRTMAX) == Keeps::kYes;
        }
      }
      std::this_thread::yield();
    }
    return false;
  };
  EXPECT_TRUE(waits());
  pthread_kill(waiter.native_handle(), SIGRTMAX);
  waiter.join();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(ThreadRunTest, ReportsASignalThatIsBlockedAlone) {
  const int signal = SIGRTMAX - 1;
  const uint64_t ours = SignalBit(signal);
  EXPECT_TRUE(IsAlone(signal, ours));
  EXPECT_TRUE(IsAlone(signal, ours | SignalBit(SIGRTMIN) | SignalBit(SIGSEGV)));
  EXPECT_FALSE(IsAlone(signal, ours | SignalBit(SIGRTMIN + 1)));
  EXPECT_FALSE(IsAlone(signal, ours | SignalBit(SIGRTMAX)));
  EXPECT_FALSE(IsAlone(signal, 0));
}

TEST(ThreadRun, ReadsTheQueueOfSignals) {
  const SignalQueue some = ParseSignalQueue("Name:\tx\nThreads:\t2\nSigQ:\t17/60\nSigPnd:\t0\n");
  EXPECT_EQ(some.used, 17u);
  EXPECT_EQ(some.limit, 60u);
  for (const char* text : {"", "\nSigQ:\t17", "\nSigQ:\t17/", "\nSigQ:\t/60", "\nSigQ:\tx/y\n"}) {
    EXPECT_EQ(ParseSignalQueue(text).limit, 0u) << text;
  }
  EXPECT_GT(ReadSignalQueue().limit, 0u);
}

}  // namespace
}  // namespace hindsight::recorder
