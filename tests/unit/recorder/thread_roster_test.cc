// Which thread is which, whom they belong to, and their names: with real threads of this process.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "recorder/base/thread.h"
#include "recorder/sources/threads/thread_roster.h"
#include "tests/unit/recorder/fake_runtime.h"
#include "tests/unit/recorder/output_test_support.h"
#include "tests/unit/recorder/packets_test.h"

namespace hindsight::recorder {
namespace {

// A thread that lives until its test ends.
class Waiting {
 public:
  explicit Waiting(const char* name = nullptr) {
    thread_ = std::thread([this, name] {
      if (name != nullptr) pthread_setname_np(pthread_self(), name);
      std::unique_lock lock(mutex_);
      os_id_ = static_cast<uint32_t>(gettid());
      changed_.notify_all();
      changed_.wait(lock, [&] { return over_; });
    });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return os_id_ != 0; });
  }
  ~Waiting() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }
  uint32_t os_id() const { return os_id_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint32_t os_id_ = 0;
  bool over_ = false;
  std::thread thread_;
};

class ThreadRosterTest : public PacketsTest {
 protected:
  ThreadRosterTest() : PacketsTest(true) {}

  void SetUp() override {
    PacketsTest::SetUp();
    packets_.Begin();
  }

  void Emit(EventKind kind, uint64_t clr_thread, uint32_t os_id, const std::u16string& name = {}) {
    std::vector<uint64_t> memory((sizeof(ThreadEvent) + name.size() * 2 + 7) / 8);
    auto& event = *reinterpret_cast<ThreadEvent*>(memory.data());
    event.header = {static_cast<uint16_t>(memory.size()), kind, os_id, ++time_ns_};
    event.clr_thread = clr_thread;
    event.os_id = os_id;
    event.name_units = static_cast<uint32_t>(name.size());
    std::memcpy(&event + 1, name.data(), name.size() * 2);
    threads_.Consume(event.header, packets_);
  }
  void Starts(uint64_t clr_thread, uint32_t os_id) {
    Emit(EventKind::kThreadCreated, clr_thread, 0);
    Emit(EventKind::kThreadAssigned, clr_thread, os_id);
  }

  struct Entry {
    std::string name;
    bool is_recorder;
  };
  // By kernel id, as the last entry has it.
  std::map<uint32_t, Entry> Close() {
    EXPECT_TRUE(packets_.End(SegmentKind::kLast));
    EXPECT_TRUE(segments_.Close());
    std::map<uint32_t, std::string> texts;
    std::map<uint32_t, Entry> entries;
    for (const ReadSegment& segment : ReadRecording(segments_.path()).segments) {
      for (const hindsight::Packet& packet : segment.recording.packet()) {
        if (packet.has_string()) texts[packet.string().id()] = packet.string().value();
        if (!packet.has_thread()) continue;
        entries[packet.thread().os_id()] = {texts[packet.thread().name()],
                                            packet.thread().is_recorder()};
      }
    }
    return entries;
  }

  struct Lives {
    uint64_t reported_starts = 0, reported_ends = 0, counted_starts = 0, counted_ends = 0;
  };
  Lives CloseAndCount() {
    threads_.Flush(packets_);
    threads_.SegmentEnded(packets_.End(SegmentKind::kLast));
    EXPECT_FALSE(threads_.HasNews());
    EXPECT_TRUE(segments_.Close());
    Lives lives;
    for (const ReadSegment& segment : ReadRecording(segments_.path()).segments) {
      for (const hindsight::Packet& packet : segment.recording.packet()) {
        const auto kind = packet.thread_lifetime().kind();
        lives.reported_starts +=
            packet.has_thread_lifetime() && kind == hindsight::ThreadLifetime::CREATED;
        lives.reported_ends +=
            packet.has_thread_lifetime() && kind == hindsight::ThreadLifetime::DESTROYED;
        lives.counted_starts += packet.thread_counts().started();
        lives.counted_ends += packet.thread_counts().ended();
      }
    }
    return lives;
  }

  uint64_t time_ns_ = 1000;
};

// Threads come and go while there is memory for the events of only a few, and the drain thread is
// late. Every start and every end is reported or counted.
TEST_F(ThreadRosterTest, NoStartOrEndIsLost) {
  constexpr uint64_t kRecording = 0x7EAD5;
  constexpr uint32_t kThreads = 600;
  FakeRuntime runtime;
  ThreadGate gate(runtime.info());
  MemoryBudget budget;
  budget.SetLimit(40u << 10);
  void* const taken = budget.Map(30u << 10);  // so the ring is a small one
  Waker drain;
  Emitter emitter(kRecording, budget, drain);
  StackTable stacks;
  StackWalker walker(runtime.info());
  Threads threads(gate, emitter, stacks, walker);
  // One thread reports all of them, and its ring is full most of the time.
  for (uint32_t i = 1; i <= kThreads; ++i) {
    threads.Created(i);
    threads.Assigned(i, 4'000'000 + i);
    if (i > 20) threads.Destroyed(i - 20);
    if (i % 100 != 0) continue;
    ThreadTracks::Instance().ForEach(kRecording, [&](ThreadTrack& track) {
      for (const EventHeader* event; (event = track.ring.Front()) != nullptr; track.ring.Pop()) {
        threads_.Consume(*event, packets_);
      }
    });
  }
  ThreadTracks::Instance().Release(kRecording, budget);
  budget.Unmap(taken, 30u << 10);
  const Lives lives = CloseAndCount();
  EXPECT_GT(lives.reported_starts, 0u);
  EXPECT_GT(lives.counted_starts, 0u);
  EXPECT_EQ(lives.reported_starts + lives.counted_starts, kThreads);
  EXPECT_EQ(lives.reported_ends + lives.counted_ends, kThreads - 20);
}

TEST_F(ThreadRosterTest, TheEndOfAThreadWhoseStartWasCountedIsCounted) {
  ThreadTracks::Instance().CountStart();
  Emit(EventKind::kThreadDestroyed, 1, 0);
  Emit(EventKind::kThreadDestroyed, 2, 0);  // an object that never became a thread
  const Lives lives = CloseAndCount();
  EXPECT_EQ(lives.counted_starts, 1u);
  EXPECT_EQ(lives.counted_ends, 1u);
}

TEST_F(ThreadRosterTest, AnInheritedNameIsNoName) {
  const Waiting worker(".NET TP Worker"), made_by_worker(".NET TP Worker"), made_by_main;
  Starts(1, worker.os_id());
  Emit(EventKind::kThreadNamed, 1, worker.os_id(), u".NET TP Worker");
  Starts(2, made_by_worker.os_id());
  Starts(3, made_by_main.os_id());
  const auto entries = Close();
  EXPECT_EQ(entries.at(worker.os_id()).name, ".NET TP Worker");
  EXPECT_EQ(entries.at(made_by_worker.os_id()).name, "");
  EXPECT_EQ(entries.at(made_by_main.os_id()).name, "");
}

// After an attach, nothing reports the names of pool workers that existed before.
TEST_F(ThreadRosterTest, APoolWorkersNameThatNobodyReportedIsInherited) {
  const Waiting was_there(".NET TP Worker"), made_by_worker(".NET TP Worker");
  const Waiting made_by_timer(".NET Timer"), made_by_task(".NET Long Runni");
  const Waiting named_alike(".NET TPs of min"), reported(".NET TP Worker");
  Emit(EventKind::kThreadAssigned, 1, was_there.os_id());
  Starts(2, made_by_worker.os_id());
  Starts(3, made_by_timer.os_id());
  Starts(4, made_by_task.os_id());
  Starts(5, named_alike.os_id());
  Starts(6, reported.os_id());
  Emit(EventKind::kThreadNamed, 6, reported.os_id(), u".NET TP Worker");
  const auto entries = Close();
  EXPECT_EQ(entries.at(was_there.os_id()).name, ".NET TP Worker");
  EXPECT_EQ(entries.at(made_by_worker.os_id()).name, "");
  EXPECT_EQ(entries.at(made_by_timer.os_id()).name, "");
  EXPECT_EQ(entries.at(made_by_task.os_id()).name, "");
  EXPECT_EQ(entries.at(named_alike.os_id()).name, ".NET TPs of min");
  EXPECT_EQ(entries.at(reported.os_id()).name, ".NET TP Worker");
}

// Managed code creates it; a name of its own would be reported.
TEST_F(ThreadRosterTest, TheNameOfAThreadThatWasThereIsInherited) {
  const Waiting was_there("queries"), made_by_it("queries"), native("queries");
  Emit(EventKind::kThreadAssigned, 1, was_there.os_id());
  Emit(EventKind::kThreadCreating, 2, 0);
  Starts(2, made_by_it.os_id());
  Starts(3, native.os_id());
  const auto entries = Close();
  EXPECT_EQ(entries.at(was_there.os_id()).name, "queries");
  EXPECT_EQ(entries.at(made_by_it.os_id()).name, "");
  EXPECT_EQ(entries.at(native.os_id()).name, "queries");
}

TEST_F(ThreadRosterTest, ALongNameIsInheritedAsFarAsTheKernelKeepsIt) {
  const Waiting named("a worker with a"), heir("a worker with a");
  Starts(1, named.os_id());
  Emit(EventKind::kThreadNamed, 1, named.os_id(), u"a worker with a long name");
  Starts(2, heir.os_id());
  const auto entries = Close();
  EXPECT_EQ(entries.at(named.os_id()).name, "a worker with a long name");
  EXPECT_EQ(entries.at(heir.os_id()).name, "");
}

// It runs because the recording reads metrics.
TEST_F(ThreadRosterTest, TheThreadThatCollectsMetricsForUsIsMarked) {
  const Waiting named("MetricsEventSou"), other("another"), of_others("MetricsEventSou");
  ThreadRoster reads_metrics(dictionaries_, true, true);
  reads_metrics.StartFile();
  const auto starts = [&](ThreadRoster& roster, uint64_t clr_thread, uint32_t os_id) {
    ThreadEvent event{};
    event.header = {sizeof event / 8, EventKind::kThreadAssigned, os_id, ++time_ns_};
    event.clr_thread = clr_thread;
    event.os_id = os_id;
    roster.Consume(event.header, packets_);
    roster.IdOf(os_id, packets_);
  };
  starts(reads_metrics, 1, named.os_id());
  starts(reads_metrics, 2, other.os_id());
  starts(threads_, 3, of_others.os_id());
  const auto entries = Close();
  EXPECT_TRUE(entries.at(named.os_id()).is_recorder);
  EXPECT_FALSE(entries.at(other.os_id()).is_recorder);
  EXPECT_FALSE(entries.at(of_others.os_id()).is_recorder);
}

TEST_F(ThreadRosterTest, ANameOfItsOwnInTheKernelIsOne) {
  const Waiting native("native worker");
  threads_.IdOf(native.os_id(), packets_);
  threads_.IdOf(static_cast<uint32_t>(getpid()), packets_);
  const auto entries = Close();
  EXPECT_EQ(entries.at(native.os_id()).name, "native worker");
  EXPECT_NE(entries.at(static_cast<uint32_t>(getpid())).name, "");
}

TEST_F(ThreadRosterTest, ThreadsOfOursAreMarkedAlsoOnceTheyHaveEnded) {
  std::mutex mutex;
  std::condition_variable changed;
  uint32_t os_id = 0;
  bool over = false;
  ASSERT_TRUE(StartThread("hindsight-test", [&] {
    std::unique_lock lock(mutex);
    os_id = static_cast<uint32_t>(gettid());
    changed.notify_all();
    changed.wait(lock, [&] { return over; });
  }));
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return os_id != 0; });
  }
  EXPECT_TRUE(IsOwnThread(os_id));
  EXPECT_FALSE(WasOwnThread(os_id));
  {
    const std::lock_guard lock(mutex);
    over = true;
    changed.notify_all();
  }
  while (IsOwnThread(os_id)) usleep(1000);
  EXPECT_TRUE(WasOwnThread(os_id));
  const Waiting of_the_application("worker");
  threads_.IdOf(os_id, packets_);
  threads_.IdOf(of_the_application.os_id(), packets_);
  const auto entries = Close();
  EXPECT_TRUE(entries.at(os_id).is_recorder);
  EXPECT_FALSE(entries.at(of_the_application.os_id()).is_recorder);
}

// A thread that the runtime reports belongs to the application, though the kernel gives it an id
// that was ours.
TEST_F(ThreadRosterTest, AThreadOfTheRuntimeIsNeverOurs) {
  const Waiting thread("worker");
  NoteOwnThreadEnded(thread.os_id());
  Starts(7, thread.os_id());
  EXPECT_FALSE(Close().at(thread.os_id()).is_recorder);
}

// The end of a native thread is not reported: a library that starts one for every task must not
// make the recorder grow for as long as the process lives.
TEST_F(ThreadRosterTest, ForgetsThreadsThatHaveEnded) {
  const Waiting lives("lives");
  const uint32_t id = threads_.IdOf(lives.os_id(), packets_);
  constexpr uint32_t kEnded = 3'000'000;  // ids that no thread has
  for (uint32_t i = 0; i < 20'000; ++i) {
    const uint32_t before = threads_.IdOf(kEnded + i, packets_);
    ASSERT_EQ(threads_.IdOf(kEnded + i, packets_), before) << "one that has just ended is known";
    ASSERT_LE(threads_.size(), 8192u) << i;
    if (packets_.full()) {
      packets_.End();
      packets_.Begin();
    }
  }
  EXPECT_EQ(threads_.IdOf(lives.os_id(), packets_), id);
}

}  // namespace
}  // namespace hindsight::recorder
