// The signal of the CPU timers in this very process: real timers, real handlers.
#include "recorder/sources/cpu/cpu_signal.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <map>
#include <thread>

#include "recorder/base/thread.h"
#include "recorder/base/thread_run.h"
#include "recorder/sources/cpu/cpu_timers.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kRecording = 0xC9;

struct sigaction ActionOf(int signal) {
  struct sigaction now;
  sigaction(signal, nullptr, &now);
  return now;
}

void Handle(int signal, void (*handler)(int), int flags = 0) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ASSERT_EQ(sigaction(signal, &action, nullptr), 0);
}

// The one that is taken if none is in use.
constexpr int kOffset = 1;
int Highest() { return SIGRTMAX - kOffset; }

void HandleRealTime(void (*handler)(int)) {
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) Handle(signal, handler);
}

class CpuSignalTest : public testing::Test {
 protected:
  void SetUp() override {
    HandleRealTime([](int) {});
    CpuSignal::Install();  // none is left: it forgets the one that it had
    HandleRealTime(SIG_DFL);
  }
};

TEST_F(CpuSignalTest, TakesTheHighestThatNobodyUses) {
  ASSERT_TRUE(CpuSignal::Install());
  EXPECT_EQ(CpuSignal::Number(), Highest());
  EXPECT_TRUE(CpuSignal::IsKept());
  EXPECT_EQ(ActionOf(SIGURG).sa_handler, SIG_DFL);
  ASSERT_TRUE(CpuSignal::Install());  // the next recording
  EXPECT_EQ(CpuSignal::Number(), Highest());

  EXPECT_EQ(CpuSampler::KeptSignal(), Highest());
  Handle(Highest(), [](int) {});
  EXPECT_FALSE(CpuSignal::IsKept());
  EXPECT_EQ(CpuSampler::KeptSignal(), 0);
  Handle(Highest() - 1, SIG_IGN);
  ASSERT_TRUE(CpuSignal::Install());
  EXPECT_EQ(CpuSignal::Number(), Highest() - 2);

  HandleRealTime([](int) {});
  EXPECT_FALSE(CpuSignal::Install());
  EXPECT_EQ(CpuSignal::Number(), 0);
  EXPECT_FALSE(CpuSignal::IsKept());
  CpuSignal::DropPending();
}

// Go's runtime handles SIGURG this way.
TEST_F(CpuSignalTest, UsesTheAlternateStackOnceGoIsThere) {
  ASSERT_TRUE(CpuSignal::Install());
  const auto uses = [] { return (ActionOf(CpuSignal::Number()).sa_flags & SA_ONSTACK) != 0; };
  CpuSignal::FitStacks();
  EXPECT_FALSE(uses());
  Handle(SIGURG, [](int) {});
  CpuSignal::FitStacks();
  EXPECT_FALSE(uses());
  Handle(
      SIGURG, [](int) {}, SA_ONSTACK);
  CpuSignal::FitStacks();
  EXPECT_TRUE(uses());
  EXPECT_TRUE(CpuSignal::IsKept());
  CpuSignal::DropPending();
  EXPECT_TRUE(uses());
  ASSERT_TRUE(CpuSignal::Install());  // the next recording
  EXPECT_TRUE(uses());
  Handle(SIGURG, SIG_DFL);
}

// Any process may send it; so may a timer of ours that has just been deleted.
TEST_F(CpuSignalTest, StraysEndNobody) {
  ASSERT_TRUE(CpuSignal::Install());
  raise(CpuSignal::Number());
  const sigval nothing = {.sival_int = -1};
  sigqueue(getpid(), CpuSignal::Number(), nothing);
  siginfo_t timer = {};
  timer.si_code = SI_TIMER;
  timer.si_value.sival_ptr = &timer;
  EXPECT_EQ(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), CpuSignal::Number(), &timer), 0);
  SUCCEED();
}

TEST_F(CpuSignalTest, TakesBackWhatWaitsForAThreadAndLeavesTheRest) {
  ASSERT_TRUE(CpuSignal::Install());
  sigset_t all, before, pending;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  raise(CpuSignal::Number());
  raise(SIGURG);
  CpuSignal::DropPending();
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, CpuSignal::Number()), 0);
  EXPECT_EQ(sigismember(&pending, SIGURG), 1);
  EXPECT_TRUE(CpuSignal::IsKept());
  Handle(CpuSignal::Number(), [](int) {});
  raise(CpuSignal::Number());
  CpuSignal::DropPending();  // it is the application's
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, CpuSignal::Number()), 1);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Burn(uint64_t cpu_ns) {
  const uint64_t end = ThreadCpuNs() + cpu_ns;
  while (ThreadCpuNs() < end) {
  }
}

// Burns `cpu_ns` from the moment at which the sampler has found this thread. That takes as long as
// the sampler has to wait for a processor. Returns all that was burnt.
uint64_t BurnOnceFound(uint64_t cpu_ns) {
  const auto own_id = static_cast<uint32_t>(gettid());
  const uint64_t start = ThreadCpuNs();
  bool found = false;
  while (!found) {
    CpuSlots::Instance().ForEach(kRecording, [&](const CpuSlot& slot) {
      found = found || (slot.os_id == own_id && slot.samples.Read() > 0);
    });
  }
  Burn(cpu_ns);
  return ThreadCpuNs() - start;
}

// Threads that already run, and new ones, are sampled in proportion to their CPU time; a thread
// that sleeps is not.
TEST_F(CpuSignalTest, SamplesWhatRuns) {
  constexpr uint64_t kBurnNs = 400'000'000;
  constexpr double kPeriodNs = 1'000'000;
  MemoryBudget budget;
  Waker drain;
  Emitter emitter(kRecording, budget, drain);
  SignalWalker walker;
  std::atomic<bool> done{false};
  std::atomic<uint32_t> sleeper_id{0};
  std::thread sleeper([&] {
    sleeper_id = static_cast<uint32_t>(gettid());
    sleeper_id.notify_one();
    done.wait(false);
  });
  sleeper_id.wait(0);
  const auto own_id = static_cast<uint32_t>(gettid());
  std::atomic<uint32_t> second_id{0};
  uint64_t sleeping = 0;
  std::map<uint32_t, uint64_t> burnt, weight;        // by thread
  std::map<uint32_t, uint64_t> deep, shallow_again;  // samples, by thread
  {
    CpuTimers sampler(1000, emitter, budget, drain, walker);
    const auto fail = [](const std::string& text) { ADD_FAILURE() << text; };
    ASSERT_EQ(sampler.Start(nullptr, fail, fail), "");
    burnt[own_id] = BurnOnceFound(kBurnNs);
    std::thread([&] {
      second_id = static_cast<uint32_t>(gettid());
      burnt[second_id] = BurnOnceFound(kBurnNs);
    }).join();
    ASSERT_TRUE(sampler.Stop(10'000'000'000));
    CpuSlots::Instance().ForEach(kRecording, [&](CpuSlot& slot) {
      EXPECT_EQ(slot.dropped.Read() + slot.unmapped.Read(), 0u);
      if (!slot.has_ring) return;
      for (; slot.ring.Front() != nullptr; slot.ring.Pop()) {
        const auto& event = *reinterpret_cast<const CpuSampleEvent*>(slot.ring.Front());
        const uint32_t thread = event.header.thread;
        weight[thread] += event.weight;
        sleeping += thread == sleeper_id;
        if (event.frames > 1) ++deep[thread];
        if (event.frames <= 1 && deep.contains(thread)) ++shallow_again[thread];
        ASSERT_EQ(event.header.size(), sizeof(event) + event.frames * sizeof(uintptr_t));
      }
    });
  }
  EXPECT_EQ(sleeping, 0u);
  for (const auto& [thread, cpu_ns] : burnt) {
    EXPECT_GE(static_cast<double>(weight[thread]) * kPeriodNs, 0.9 * kBurnNs);
    EXPECT_LE(static_cast<double>(weight[thread]) * kPeriodNs, 1.02 * static_cast<double>(cpu_ns));
  }
  // The first sample of a thread has only its location; so have those taken until its stack is
  // looked up, which takes as long as the sampler has to wait for a processor.
  for (const uint32_t thread : {own_id, second_id.load()}) {
    EXPECT_GT(deep[thread], 0u);
    EXPECT_LE(shallow_again[thread] * 10, deep[thread]);
  }
  CpuSlots::Instance().Release(kRecording, budget);
  walker.Close(budget);
  done = true;
  done.notify_one();
  sleeper.join();
}

// A sampler at 1000 Hz that runs as long as this lives, with what it reports.
class Sampling {
 public:
  Sampling() {
    const auto note = [this](const std::string& text) {
      notes_ += text;
      has_notes_ = true;
    };
    EXPECT_EQ(sampler_.Start(nullptr, note, note), "");
  }
  ~Sampling() {
    Stop();
    CpuSlots::Instance().Release(kRecording, budget_);
    walker_.Close(budget_);
  }
  std::string Stop() {
    EXPECT_TRUE(sampler_.Stop(10'000'000'000));
    return notes_;
  }
  bool has_notes() const { return has_notes_; }
  // As the runtime announces a thread: on it.
  void AnnounceThread() { sampler_.ThreadStarted(static_cast<uint32_t>(gettid())); }
  static uint64_t SamplesOf(uint32_t os_id) {
    uint64_t samples = 0;
    CpuSlots::Instance().ForEach(kRecording, [&](CpuSlot& slot) {
      if (slot.os_id == os_id) samples += slot.periods.Read();
    });
    return samples;
  }
  // Uses CPU time until `condition` holds. False: it did not within a minute of it.
  static bool BurnUntil(const std::function<bool()>& condition) {
    const uint64_t end = ThreadCpuNs() + 60'000'000'000;
    while (!condition()) {
      if (ThreadCpuNs() > end) return false;
      Burn(1'000'000);
    }
    return true;
  }

 private:
  MemoryBudget budget_;
  Waker drain_;
  Emitter emitter_{kRecording, budget_, drain_};
  SignalWalker walker_;
  CpuTimers sampler_{1000, emitter_, budget_, drain_, walker_};
  std::string notes_;
  std::atomic<bool> has_notes_{false};
};

bool IsPending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

void BlockAll(int how) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(how, &all, nullptr);
}

// It never sees a signal of ours, however it looks for one, and is counted.
TEST_F(CpuSignalTest, LeavesOutAThreadThatBlocksAllSignals) {
  std::string notes;
  std::thread([&] {
    BlockAll(SIG_BLOCK);
    Sampling sampling;
    Burn(400'000'000);
    EXPECT_FALSE(IsPending(CpuSignal::Number()));
    sigset_t all;
    sigfillset(&all);
    const int file = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
    signalfd_siginfo info;
    EXPECT_EQ(read(file, &info, sizeof(info)), -1);
    close(file);
    const timespec pause = {0, 1'000'000};
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(sigtimedwait(&all, nullptr, &pause), -1);
      Burn(2'000'000);
    }
    EXPECT_EQ(Sampling::SamplesOf(static_cast<uint32_t>(gettid())), 0u);
    notes = sampling.Stop();
  }).join();
  EXPECT_NE(notes.find("of 1 thread that blocks the sampling signal"), std::string::npos) << notes;
}

// Signals that it was sent before that was noticed are removed, and it is sampled again later.
TEST_F(CpuSignalTest, TakesBackWhatAThreadWasSentThatComesToBlockIt) {
  Sampling sampling;
  const auto own_id = static_cast<uint32_t>(gettid());
  ASSERT_TRUE(Sampling::BurnUntil([&] { return Sampling::SamplesOf(own_id) > 20; }));
  BlockAll(SIG_BLOCK);
  Burn(50'000'000);
  EXPECT_TRUE(Sampling::BurnUntil([] { return !IsPending(CpuSignal::Number()); }));
  Burn(100'000'000);
  EXPECT_FALSE(IsPending(CpuSignal::Number()));
  const uint64_t samples = Sampling::SamplesOf(own_id);
  BlockAll(SIG_UNBLOCK);
  EXPECT_TRUE(Sampling::BurnUntil([&] { return Sampling::SamplesOf(own_id) > samples + 20; }));
}

// A thread that blocks only this signal may have faulted, and gets more time.
TEST_F(CpuSignalTest, LeavesOutAThreadThatBlocksTheSignalAloneForLong) {
  Sampling sampling;
  const auto own_id = static_cast<uint32_t>(gettid());
  ASSERT_TRUE(Sampling::BurnUntil([&] { return Sampling::SamplesOf(own_id) > 20; }));
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, CpuSignal::Number());
  pthread_sigmask(SIG_BLOCK, &ours, nullptr);
  Burn(400'000'000);
  pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
  const uint64_t samples = Sampling::SamplesOf(own_id);
  EXPECT_TRUE(Sampling::BurnUntil([&] { return Sampling::SamplesOf(own_id) > samples + 20; }));
  pthread_sigmask(SIG_BLOCK, &ours, nullptr);
  EXPECT_TRUE(Sampling::BurnUntil([] { return IsPending(CpuSignal::Number()); }));
  EXPECT_TRUE(Sampling::BurnUntil([] { return !IsPending(CpuSignal::Number()); }));
  Burn(100'000'000);
  const std::string notes = sampling.Stop();
  pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
  EXPECT_NE(notes.find("of 1 thread that blocks the sampling signal"), std::string::npos) << notes;
}

void RunOnStackOf(size_t bytes, const std::function<void()>& run) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  const auto start = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  void* argument = const_cast<std::function<void()>*>(&run);
  ASSERT_EQ(pthread_create(&thread, &attributes, start, argument), 0);
  pthread_attr_destroy(&attributes);
  pthread_join(thread, nullptr);
}

// Its stack may have no room for the handler and another one. The size of the stack is known from
// the start of a thread that the runtime announces, of others from the first sample.
TEST_F(CpuSignalTest, LeavesOutThreadsWithVerySmallStacks) {
  Sampling sampling;
  for (const bool is_announced : {true, false}) {
    RunOnStackOf(28 * 1024, [&] {
      const auto own_id = static_cast<uint32_t>(gettid());
      if (is_announced) {
        // Scans meet it before it is announced.
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        sampling.AnnounceThread();
        Burn(300'000'000);
        EXPECT_EQ(Sampling::SamplesOf(own_id), 0u);
      } else {
        EXPECT_TRUE(Sampling::BurnUntil([&] { return Sampling::SamplesOf(own_id) > 0; }));
      }
      EXPECT_TRUE(Sampling::BurnUntil([&] {
        const uint64_t samples = Sampling::SamplesOf(own_id);
        Burn(100'000'000);
        return Sampling::SamplesOf(own_id) == samples;
      }));
      const uint64_t samples = Sampling::SamplesOf(own_id);
      Burn(1'500'000'000);  // it is looked at every second
      EXPECT_EQ(Sampling::SamplesOf(own_id), samples);
    });
  }
  RunOnStackOf(64 * 1024, [&] {
    sampling.AnnounceThread();
    const auto own_id = static_cast<uint32_t>(gettid());
    EXPECT_TRUE(Sampling::BurnUntil([&] { return Sampling::SamplesOf(own_id) > 20; }));
  });
  const std::string notes = sampling.Stop();
  EXPECT_NE(
      notes.find("of 2 threads that block the sampling signal or have a stack of less than 32 KiB"),
      std::string::npos)
      << notes;
}

// Whether this thread is the process's only one. A thread that was joined is listed for a moment
// more: the kernel wakes who joins it before it takes it off the list.
bool IsAlone() {
  struct stat tasks;
  return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3;
}

// A thread of the runtime says so itself: it need not have used CPU time for a scan to count it.
TEST_F(CpuSignalTest, CountsThreadsThatAreAnnouncedWhenTheQueueIsFull) {
  // Threads of the tests before this one would be counted as well.
  ASSERT_TRUE(Sampling::BurnUntil(IsAlone));
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_SIGPENDING, &before), 0);
  const rlimit short_queue = {1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_SIGPENDING, &short_queue), 0);
  BlockAll(SIG_BLOCK);  // this thread is left out for that
  std::string notes;
  {
    Sampling sampling;
    std::thread([&] {
      BlockAll(SIG_UNBLOCK);
      sampling.AnnounceThread();
      const uint64_t end = MonotonicNs() + 60'000'000'000;
      while (!sampling.has_notes() && MonotonicNs() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }).join();
    notes = sampling.Stop();
  }
  BlockAll(SIG_UNBLOCK);
  setrlimit(RLIMIT_SIGPENDING, &before);
  EXPECT_NE(notes.find("1 thread is not sampled by the source cpu"), std::string::npos) << notes;
}

TEST_F(CpuSignalTest, LeavesASignalToTheApplicationThatTakesItAndTakesAnother) {
  static std::atomic<int> seen{0};
  Sampling sampling;
  const auto own_id = static_cast<uint32_t>(gettid());
  const int first = CpuSignal::Number();
  ASSERT_TRUE(Sampling::BurnUntil([&] { return Sampling::SamplesOf(own_id) > 20; }));
  Handle(
      first, [](int) { ++seen; }, SA_RESTART);
  ASSERT_TRUE(Sampling::BurnUntil([&] { return CpuSignal::Number() != first; }));
  const uint64_t samples = Sampling::SamplesOf(own_id);
  ASSERT_TRUE(Sampling::BurnUntil([&] { return Sampling::SamplesOf(own_id) > samples + 20; }));
  const int strays = seen;  // until that was noticed
  Burn(200'000'000);
  EXPECT_EQ(seen, strays);
  raise(first);
  EXPECT_EQ(seen, strays + 1);
}

// SIGURG works as it does without us.
TEST_F(CpuSignalTest, LetsTheApplicationInterruptACall) {
  Sampling sampling;
  for (const int flags : {0, SA_RESTART}) {
    static std::atomic<int> seen{0};
    seen = 0;
    Handle(
        SIGURG, [](int) { ++seen; }, flags);
    int pipes[2];
    ASSERT_EQ(pipe(pipes), 0);
    const pid_t reader = gettid();
    std::thread sender([&] {
      while (ReadThreadRun(static_cast<uint32_t>(reader)).state != RunState::kSleeping) {
        std::this_thread::yield();
      }
      syscall(SYS_tgkill, getpid(), reader, SIGURG);
      while (seen == 0) std::this_thread::yield();
      Burn(50'000'000);
      EXPECT_EQ(write(pipes[1], "x", 1), 1);
    });
    char byte;
    errno = 0;
    EXPECT_EQ(read(pipes[0], &byte, 1), flags == 0 ? -1 : 1);
    EXPECT_EQ(errno, flags == 0 ? EINTR : 0);
    sender.join();
    EXPECT_EQ(seen, 1);
    close(pipes[0]);
    close(pipes[1]);
  }
  Handle(SIGURG, SIG_DFL);
}

}  // namespace
}  // namespace hindsight::recorder
