#include "recorder/stream/thread_track.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <set>
#include <thread>
#include <vector>

#include "proto/limits.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {
namespace {

uint32_t OsId() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

// Tracks belong to the process, so every test has a recording of its own, released at its end.
class ThreadTrackTest : public testing::Test {
 protected:
  ThreadTrackTest() { tracks_.TakeUntracked(); }
  ~ThreadTrackTest() override {
    tracks_.Release(recording_, budget_);
    EXPECT_EQ(budget_.used(), 0u);
  }

  static uint64_t NextRecording() {
    static uint64_t last = 0;
    return ++last;
  }
  ThreadTrack* Current() { return tracks_.Current(recording_, budget_); }
  size_t Count(uint64_t recording) {
    size_t count = 0;
    tracks_.ForEach(recording, [&](ThreadTrack&) { ++count; });
    return count;
  }

  ThreadTracks& tracks_ = ThreadTracks::Instance();
  MemoryBudget budget_;
  uint64_t recording_ = NextRecording();
};

void Put(ThreadTrack& track, uint64_t number) {
  auto* event = static_cast<EventHeader*>(track.ring.Reserve(24));
  ASSERT_NE(event, nullptr);
  *event = {3, EventKind::kCollection, track.os_id, number};
  *reinterpret_cast<uint64_t*>(event + 1) = ~number;
  track.ring.Commit();
  track.events.Add(1);
}

TEST_F(ThreadTrackTest, StaysWithItsThread) {
  ThreadTrack* track = Current();
  ASSERT_NE(track, nullptr);
  EXPECT_EQ(Current(), track);
  EXPECT_EQ(track->os_id, OsId());
  EXPECT_TRUE(track->ring.ready());
  EXPECT_EQ(Count(recording_), 1u);
  const auto here = reinterpret_cast<uintptr_t>(&track);
  EXPECT_GT(track->stack_high, here);
  EXPECT_LT(track->stack_high - here, 64u << 20);
}

TEST_F(ThreadTrackTest, IsAnotherForAnotherThread) {
  ThreadTrack* mine = Current();
  ThreadTrack* other = nullptr;
  uint32_t other_id = 0;
  std::thread([&] {
    other = Current();
    other_id = OsId();
  }).join();
  ASSERT_NE(other, nullptr);
  EXPECT_NE(other, mine);
  EXPECT_EQ(other->os_id, other_id);
  EXPECT_EQ(Count(recording_), 2u);
}

TEST_F(ThreadTrackTest, ServesTheNextThreadInTheSameRing) {
  std::vector<uint32_t> os_ids;
  ThreadTrack* first = nullptr;
  for (uint64_t number = 0; number < 3; ++number) {
    std::thread([&] {
      ThreadTrack* track = Current();
      ASSERT_NE(track, nullptr);
      if (number == 0) first = track;
      EXPECT_EQ(track, first);
      EXPECT_EQ(track->in_flight_count, 0u);
      track->in_flight_count = 3;  // dies with exceptions in flight
      track->handler_count = 2;
      os_ids.push_back(OsId());
      Put(*track, number);
    }).join();
  }
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->events.Read(), 3u);
  for (uint64_t number = 0; number < 3; ++number) {
    const EventHeader* event = first->ring.Front();
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(event->time_ns, number);
    EXPECT_EQ(event->thread, os_ids[number]);
    first->ring.Pop();
  }
}

TEST_F(ThreadTrackTest, StaysFewWhenThreadsComeAndGo) {
  constexpr int kTeams = 4;
  constexpr uint32_t kThreads = 10'000;
  std::atomic<uint32_t> without{0};
  std::vector<std::thread> teams;
  for (int team = 0; team < kTeams; ++team) {
    teams.emplace_back([&] {
      for (uint32_t i = 0; i < kThreads / kTeams; ++i) {
        std::thread([&] {
          ThreadTrack* track = Current();
          if (track == nullptr) {
            ++without;
          } else {
            track->events.Add(1);
          }
        }).join();
      }
    });
  }
  for (std::thread& team : teams) team.join();
  EXPECT_EQ(without.load(), 0u);
  EXPECT_LE(Count(recording_), size_t{2 * kTeams});
  uint64_t events = 0;
  tracks_.ForEach(recording_, [&](ThreadTrack& track) { events += track.events.Read(); });
  EXPECT_EQ(events, kThreads);
}

// What is left of the default limit of 32 MiB when everything else has its part.
TEST_F(ThreadTrackTest, IsThereForAThousandThatLiveAtTheSameTime) {
  constexpr int kThreads = 1000;
  budget_.SetLimit(15u << 20);
  void* const tables = budget_.Map(5u << 20);
  ASSERT_NE(tables, nullptr);
  std::latch all(kThreads);
  std::atomic<int> with_ring{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      ThreadTrack* track = Current();
      if (track != nullptr && track->ring.ready()) ++with_ring;
      all.arrive_and_wait();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(with_ring.load(), kThreads);
  budget_.Unmap(tables, 5u << 20);
}

TEST_F(ThreadTrackTest, TakesMoreMemoryForADeepStackOnly) {
  ThreadTrack* track = Current();
  ASSERT_NE(track, nullptr);
  const uint64_t used = budget_.used();
  const size_t capacity = track->frame_capacity;
  for (size_t i = 0; i < capacity; ++i) track->frames[i] = i;
  ASSERT_TRUE(track->GrowFrames());
  EXPECT_EQ(track->frame_capacity, size_t{kMaxStackDepth});
  EXPECT_GT(budget_.used(), used);
  track->frames[kMaxStackDepth - 1] = 1;
  for (size_t i = 0; i < capacity; ++i) ASSERT_EQ(track->frames[i], i);
  EXPECT_FALSE(track->GrowFrames());
}

TEST_F(ThreadTrackTest, GetsAnEmptyRingForEachRecording) {
  ThreadTrack* track = Current();
  ASSERT_NE(track, nullptr);
  Put(*track, 1);
  track->dropped.Add(7);
  track->throws = 5;
  tracks_.Release(recording_, budget_);
  EXPECT_EQ(budget_.used(), 0u);
  EXPECT_EQ(Count(recording_), 0u);
  EXPECT_FALSE(track->ring.ready());

  recording_ = NextRecording();
  ASSERT_EQ(Current(), track);
  EXPECT_EQ(Count(recording_), 1u);
  EXPECT_EQ(Count(recording_ - 1), 0u);
  EXPECT_EQ(track->ring.Front(), nullptr);
  EXPECT_EQ(track->events.Read(), 0u);
  EXPECT_EQ(track->dropped.Read(), 0u);
  EXPECT_EQ(track->throws, 0u);
}

TEST_F(ThreadTrackTest, OutlivesItsThreadUntilRelease) {
  std::thread([&] { Put(*Current(), 42); }).join();
  uint64_t found = 0;
  tracks_.ForEach(recording_, [&](ThreadTrack& track) {
    if (const EventHeader* event = track.ring.Front()) found = event->time_ns;
  });
  EXPECT_EQ(found, 42u);
}

// Without memory there is no ring, but counters, and room to walk a stack of some depth. When
// memory becomes available again, so does the ring.
TEST_F(ThreadTrackTest, CountsWhereThereIsNoMemory) {
  budget_.SetLimit(1000);
  ThreadTrack* track = Current();
  ASSERT_NE(track, nullptr);
  EXPECT_EQ(Current(), track);
  EXPECT_EQ(budget_.used(), 0u);
  EXPECT_FALSE(track->ring.ready());
  EXPECT_GE(track->frame_capacity, 64u);
  EXPECT_FALSE(track->GrowFrames());
  EXPECT_EQ(track->ring.Front(), nullptr);
  Waker waker;
  Emitter emitter(recording_, budget_, waker);
  EXPECT_EQ(emitter.Reserve(*track, EventKind::kCollection, 1, 24), nullptr);
  EXPECT_EQ(track->dropped.Read(), 1u);
  EXPECT_GT(emitter.DetailStride(*track), 1u);
  track->tally.Begin(emitter.CountIn(*track, {}), 1, false);
  EXPECT_FALSE(track->tally.IsReported());

  budget_.SetLimit(8u << 20);
  ASSERT_NE(emitter.Reserve(*track, EventKind::kCollection, 2, 24), nullptr);
  emitter.Commit(*track);
  ASSERT_NE(track->ring.Front(), nullptr);
  EXPECT_EQ(track->ring.Front()->time_ns, 2u);
  EXPECT_EQ(tracks_.TakeUntracked(), 0u);
}

// As the budget fills up, rings shrink; the limit is never exceeded.
TEST_F(ThreadTrackTest, SharesTheBudgetUntilItIsUsedUp) {
  constexpr int kThreads = 256;
  budget_.SetLimit(2u << 20);
  std::atomic<uint32_t> tracked{0}, refused{0};
  std::latch ready(kThreads + 1), done(1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      (Current()->ring.ready() ? tracked : refused) += 1;
      ready.count_down();
      done.wait();
    });
  }
  ready.arrive_and_wait();
  EXPECT_EQ(Count(recording_), size_t{kThreads});
  EXPECT_LE(budget_.used(), budget_.limit());
  EXPECT_GT(tracked.load(), 5u);
  EXPECT_GT(refused.load(), 0u);
  EXPECT_EQ(tracks_.TakeUntracked(), 0u);
  EXPECT_GE(tracks_.memory_bytes(), kThreads * sizeof(ThreadTrack));
  size_t largest = 0, smallest = SIZE_MAX;
  tracks_.ForEach(recording_, [&](ThreadTrack& track) {
    if (!track.ring.ready()) return;
    largest = std::max(largest, track.ring.capacity());
    smallest = std::min(smallest, track.ring.capacity());
  });
  EXPECT_GT(largest, smallest);
  done.count_down();
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ThreadTrackTest, IsClaimedByOneThreadOnly) {
  constexpr int kThreads = 16;
  for (int round = 0; round < 20; ++round) {
    std::vector<ThreadTrack*> claimed(kThreads);
    std::latch start(kThreads), done(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        claimed[i] = Current();
        done.arrive_and_wait();  // all live at once
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_FALSE(std::set<ThreadTrack*>(claimed.begin(), claimed.end()).contains(nullptr));
    EXPECT_EQ(std::set<ThreadTrack*>(claimed.begin(), claimed.end()).size(), size_t{kThreads});
  }
  EXPECT_EQ(Count(recording_), size_t{kThreads});
}

// End to end: short threads emit, the drain thread reads, and every event arrives once with the
// thread it happened on, or is counted.
TEST_F(ThreadTrackTest, CarriesEventsWhileThreadsComeAndGo) {
  constexpr int kTeams = 3;
  constexpr int kThreads = 200;
  constexpr int kEvents = 50;
  Waker waker;
  Emitter emitter(recording_, budget_, waker);
  std::atomic<int> running{kTeams};
  std::vector<std::thread> teams;
  for (int team = 0; team < kTeams; ++team) {
    teams.emplace_back([&] {
      for (int i = 0; i < kThreads; ++i) {
        std::thread([&] {
          for (uint64_t n = 0; n < kEvents; ++n) {
            struct Event {
              EventHeader header;
              uint64_t os_id;
            };
            emitter.Emit<Event>(EventKind::kCollection, n, [](Event& e) { e.os_id = OsId(); });
          }
        }).join();
      }
      --running;
    });
  }
  uint64_t arrived = 0, wrong = 0, dropped = 0;
  for (bool last = false;;) {
    last = running.load() == 0;
    dropped = 0;
    tracks_.ForEach(recording_, [&](ThreadTrack& track) {
      while (const EventHeader* event = track.ring.Front()) {
        ++arrived;
        wrong += *reinterpret_cast<const uint64_t*>(event + 1) != event->thread;
        track.ring.Pop();
      }
      dropped += track.dropped.Read();
      wrong += track.os_id == 0;  // as losses are reported
    });
    if (last) break;
    waker.Wait(1'000'000);
  }
  for (std::thread& team : teams) team.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(arrived + dropped, uint64_t{kTeams} * kThreads * kEvents);
}

// If no key is left for us, keys that are not ours are left alone.
TEST(ThreadTrackDeathTest, TouchesNobodysKeyWhenAllAreTaken) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process that has no key of ours yet
  EXPECT_EXIT(
      {
        std::vector<pthread_key_t> keys;
        for (pthread_key_t key; pthread_key_create(&key, nullptr) == 0;) keys.push_back(key);
        static const char kTheirs = 0;
        for (const pthread_key_t key : keys) pthread_setspecific(key, &kTheirs);
        MemoryBudget budget;
        bool is_right = !ThreadTracks::Open();
        is_right = is_right && ThreadTracks::Instance().Current(7, budget) != nullptr;
        for (const pthread_key_t key : keys) {
          is_right = is_right && pthread_getspecific(key) == &kTheirs;
        }
        _exit(is_right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// A copy of the process has none of the recorder's threads: nothing is written to its rings.
TEST(ForkedCopyTest, HasNoTracks) {
  constexpr uint64_t kRecording = 0xF02C;
  MemoryBudget budget;
  Waker drain;
  Emitter emitter(kRecording, budget, drain);
  ForkedCopy::Watch();
  ASSERT_FALSE(ForkedCopy::Is());
  ASSERT_NE(emitter.Track(), nullptr);
  const pid_t copy = fork();
  if (copy == 0) _exit(ForkedCopy::Is() && emitter.Track() == nullptr ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(copy, &status, 0), copy);
  EXPECT_EQ(status, 0);
  ForkedCopy::Watch();
  EXPECT_FALSE(ForkedCopy::Is());
  EXPECT_NE(emitter.Track(), nullptr);
  ThreadTracks::Instance().Release(kRecording, budget);
}

}  // namespace
}  // namespace hindsight::recorder
