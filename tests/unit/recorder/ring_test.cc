#include "recorder/stream/ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <random>
#include <span>
#include <thread>
#include <vector>

namespace hindsight::recorder {
namespace {

constexpr size_t kCapacity = 256;
constexpr size_t kHeader = sizeof(EventHeader);

class RingTest : public testing::Test {
 protected:
  RingTest() { ring_.Reset(memory_, sizeof(memory_)); }

  // An event of `size` bytes whose time is its number, and whose tail repeats it.
  bool Put(size_t size, uint64_t number) {
    void* place = ring_.Reserve(size);
    if (place == nullptr) return false;
    auto* event = static_cast<EventHeader*>(place);
    *event = {static_cast<uint16_t>(size / 8), EventKind::kCollection, 1, number};
    std::memset(event + 1, static_cast<int>(number), size - kHeader);
    ring_.Commit();
    return true;
  }

  // Takes the oldest event and expects it to be the one that Put made.
  void ExpectNext(size_t size, uint64_t number) {
    const EventHeader* event = ring_.Front();
    ASSERT_NE(event, nullptr) << "event " << number;
    EXPECT_EQ(event->time_ns, number);
    ASSERT_EQ(event->size(), size) << "event " << number;
    const auto* tail = reinterpret_cast<const uint8_t*>(event + 1);
    for (size_t i = 0; i < size - kHeader; ++i) {
      ASSERT_EQ(tail[i], static_cast<uint8_t>(number)) << "byte " << i << " of event " << number;
    }
    ring_.Pop();
  }

  alignas(64) std::byte memory_[kCapacity];
  Ring ring_;
};

// Whatever a broken producer left: the consumer neither spins nor leaves the ring, and continues
// with what comes next.
TEST_F(RingTest, PassesOverSizesThatCannotBe) {
  uint64_t broken = 0;
  for (const EventKind kind : {EventKind::kPadding, EventKind::kCollection}) {
    for (const uint16_t units : {0, 1, 9, 33, 65535}) {
      if (kind == EventKind::kPadding && units == 1) continue;  // that is one
      ASSERT_TRUE(Put(64, 1));
      auto* event = const_cast<EventHeader*>(ring_.Front());
      ASSERT_NE(event, nullptr);
      event->kind = kind;
      event->units = units;
      EXPECT_EQ(ring_.Front(), nullptr) << static_cast<int>(kind) << " of " << units << " units";
      EXPECT_EQ(ring_.broken(), broken + 1);
      EXPECT_EQ(ring_.UsedByProducer(), 0u);
      ASSERT_TRUE(Put(32, ++broken));
      ExpectNext(32, broken);
    }
  }
  // Popped by the size that was checked, though it has changed since.
  ASSERT_TRUE(Put(64, 1));
  ASSERT_TRUE(Put(32, 2));
  const_cast<EventHeader*>(ring_.Front())->units = 0;
  ring_.Pop();
  ExpectNext(32, 2);
  EXPECT_EQ(ring_.broken(), broken);
}

// An event whose size is known only after filling takes what it uses; the room is contiguous.
TEST_F(RingTest, GivesWhatRoomThereIs) {
  size_t got = 0;
  ASSERT_TRUE(Put(64, 1));
  auto* event = static_cast<EventHeader*>(ring_.ReserveUpTo(32, 4096, got));
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(got, kCapacity - 64);
  *event = {5, EventKind::kCollection, 1, 2};
  std::memset(event + 1, 2, 40 - kHeader);
  ring_.Commit(40);
  EXPECT_EQ(ring_.UsedByProducer(), 104u);
  ASSERT_TRUE(Put(96, 3));
  EXPECT_EQ(ring_.ReserveUpTo(64, 4096, got), nullptr);  // 56 bytes are left
  ExpectNext(64, 1);
  ExpectNext(40, 2);
  ASSERT_NE(ring_.ReserveUpTo(64, 4096, got), nullptr);  // after padding, from the start
  EXPECT_EQ(got, 104u);
  ring_.Commit(0);  // nothing but the padding
  ExpectNext(96, 3);
  EXPECT_EQ(ring_.Front(), nullptr);
}

TEST_F(RingTest, IsEmptyAfterReset) {
  EXPECT_TRUE(ring_.ready());
  EXPECT_EQ(ring_.capacity(), kCapacity);
  EXPECT_EQ(ring_.UsedByProducer(), 0u);
  EXPECT_EQ(ring_.Front(), nullptr);
  ASSERT_TRUE(Put(64, 1));
  ring_.Reset(memory_, kCapacity);
  EXPECT_EQ(ring_.Front(), nullptr);
}

TEST_F(RingTest, KeepsOrderAndContent) {
  for (uint64_t number = 1; number <= 5; ++number) ASSERT_TRUE(Put(kHeader + 8 * number, number));
  for (uint64_t number = 1; number <= 5; ++number) ExpectNext(kHeader + 8 * number, number);
  EXPECT_EQ(ring_.Front(), nullptr);
}

TEST_F(RingTest, FrontTakesNothing) {
  ASSERT_TRUE(Put(24, 7));
  EXPECT_EQ(ring_.Front(), ring_.Front());
  ExpectNext(24, 7);
}

TEST_F(RingTest, ShowsNothingBeforeCommit) {
  ASSERT_NE(ring_.Reserve(32), nullptr);
  EXPECT_EQ(ring_.Front(), nullptr);
  EXPECT_EQ(ring_.UsedByProducer(), 0u);
}

TEST_F(RingTest, ForgetsAnAbandonedReservation) {
  ASSERT_TRUE(Put(32, 1));
  ASSERT_NE(ring_.Reserve(64), nullptr);  // never committed
  ASSERT_TRUE(Put(24, 2));
  EXPECT_EQ(ring_.UsedByProducer(), 56u);
  ExpectNext(32, 1);
  ExpectNext(24, 2);
  EXPECT_EQ(ring_.Front(), nullptr);
}

TEST_F(RingTest, ForgetsAnAbandonedReservationBehindPadding) {
  ASSERT_TRUE(Put(192, 1));
  ExpectNext(192, 1);
  ASSERT_NE(ring_.Reserve(128), nullptr);  // would wrap
  ASSERT_TRUE(Put(64, 2));                 // does not
  EXPECT_EQ(ring_.UsedByProducer(), 64u);
  ExpectNext(64, 2);
  EXPECT_EQ(ring_.Front(), nullptr);
}

TEST_F(RingTest, KeepsAnEventInOnePieceByPadding) {
  ASSERT_TRUE(Put(200, 1));
  ExpectNext(200, 1);
  ASSERT_TRUE(Put(64, 2));  // 56 bytes are left before the end
  EXPECT_EQ(ring_.UsedByProducer(), 56u + 64u);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(ring_.Front()), memory_);
  ExpectNext(64, 2);
  EXPECT_EQ(ring_.Front(), nullptr);
  EXPECT_EQ(ring_.UsedByProducer(), 0u);
}

TEST_F(RingTest, NeedsNoPaddingForAnEventThatEndsAtTheEnd) {
  ASSERT_TRUE(Put(192, 1));
  ASSERT_TRUE(Put(64, 2));
  EXPECT_EQ(ring_.UsedByProducer(), kCapacity);
  ExpectNext(192, 1);
  ExpectNext(64, 2);
  ASSERT_TRUE(Put(kCapacity, 3));
  ExpectNext(kCapacity, 3);
}

// Eight bytes are less than a header, but enough for a size and a kind.
TEST_F(RingTest, PadsTheLastEightBytes) {
  ASSERT_TRUE(Put(kCapacity - 8, 1));
  ExpectNext(kCapacity - 8, 1);
  ASSERT_TRUE(Put(24, 2));
  ExpectNext(24, 2);
  EXPECT_EQ(ring_.Front(), nullptr);
}

TEST_F(RingTest, RefusesWhenFullAndLosesNothing) {
  for (uint64_t number = 1; number <= kCapacity / 32; ++number) ASSERT_TRUE(Put(32, number));
  EXPECT_EQ(ring_.Reserve(kHeader), nullptr);
  EXPECT_EQ(ring_.Reserve(32), nullptr);
  ExpectNext(32, 1);
  ASSERT_TRUE(Put(32, 9));
  EXPECT_EQ(ring_.Reserve(kHeader), nullptr);
  for (uint64_t number = 2; number <= 9; ++number) ExpectNext(32, number);
  EXPECT_EQ(ring_.Front(), nullptr);
}

TEST_F(RingTest, RefusesWhatNeverFits) {
  EXPECT_EQ(ring_.Reserve(kCapacity + 8), nullptr);
  ASSERT_TRUE(Put(kCapacity, 1));  // all of it, from the start
  ExpectNext(kCapacity, 1);
}

TEST_F(RingTest, TakesHalfItsCapacityWhereverItStands) {
  for (size_t at = 0; at < kCapacity; at += 8) {
    ring_.Reset(memory_, kCapacity);
    if (at >= kHeader) {
      ASSERT_TRUE(Put(at, 1));
      ExpectNext(at, 1);
    }
    ASSERT_TRUE(Put(kCapacity / 2, 2)) << "at " << at;
    ExpectNext(kCapacity / 2, 2);
    EXPECT_EQ(ring_.Front(), nullptr);
  }
}

// The largest event of all, and the largest padding: a whole event less eight bytes.
TEST(Ring, TakesEventsUpToTheLimitOfTheirSizeField) {
  constexpr size_t kBytes = 1u << 20;
  std::vector<uint64_t> memory(kBytes / 8);
  Ring ring;
  ring.Reset(reinterpret_cast<std::byte*>(memory.data()), kBytes);
  const auto put = [&](size_t size, uint64_t number) {
    auto* event = static_cast<EventHeader*>(ring.Reserve(size));
    ASSERT_NE(event, nullptr) << number;
    *event = {static_cast<uint16_t>(size / 8), EventKind::kCollection, 1, number};
    ring.Commit();
    ASSERT_NE(ring.Front(), nullptr) << number;
    EXPECT_EQ(ring.Front()->time_ns, number);
    EXPECT_EQ(ring.Front()->size(), size);
    ring.Pop();
  };
  put(kMaxEventBytes, 1);
  put(kBytes - 2 * kMaxEventBytes + 8, 2);  // kMaxEventBytes - 8 are left before the end
  put(kMaxEventBytes, 3);
  EXPECT_EQ(ring.Front(), nullptr);
}

TEST_F(RingTest, AgreesWithAQueueOverManyTurns) {
  struct Sent {
    size_t size;
    uint64_t number;
  };
  std::mt19937 random(1);
  std::deque<Sent> queue;
  uint64_t number = 0;
  uint64_t refused = 0;
  for (int i = 0; i < 50'000; ++i) {
    if (random() % 2 == 0) {
      const size_t size = kHeader + random() % 12 * 8;
      if (Put(size, number)) {
        queue.push_back({size, number++});
      } else {
        ++refused;
      }
    } else if (!queue.empty()) {
      ASSERT_NO_FATAL_FAILURE(ExpectNext(queue.front().size, queue.front().number));
      queue.pop_front();
    } else {
      ASSERT_EQ(ring_.Front(), nullptr);
    }
  }
  EXPECT_GT(refused, 100u);  // it was full, too
}

// Words of an event's tail follow from its number, so that a torn or stale one shows.
uint64_t Word(uint64_t number, size_t index) { return (number + index) * 0x9e3779b97f4a7c15u; }

TEST(Ring, CarriesEveryEventFromOneThreadToAnother) {
  constexpr uint64_t kEvents = 200'000;
  constexpr size_t kBytes = 4096;
  alignas(64) static std::byte memory[kBytes];
  Ring ring;
  ring.Reset(memory, kBytes);

  std::thread producer([&ring] {
    std::mt19937 random(2);
    for (uint64_t number = 0; number < kEvents; ++number) {
      const size_t words = random() % 60;
      const size_t size = kHeader + words * 8;
      void* place = ring.Reserve(size);
      for (; place == nullptr; place = ring.Reserve(size)) std::this_thread::yield();
      auto* event = static_cast<EventHeader*>(place);
      *event = {static_cast<uint16_t>(size / 8), EventKind::kCollection, 1, number};
      auto* tail = reinterpret_cast<uint64_t*>(event + 1);
      for (size_t i = 0; i < words; ++i) tail[i] = Word(number, i);
      if (random() % 16 == 0) {  // abandoned, and made again
        place = ring.Reserve(size);
        ASSERT_EQ(place, event);
      }
      ring.Commit();
    }
  });

  uint64_t wrong = 0;
  for (uint64_t number = 0; number < kEvents;) {
    const EventHeader* event = ring.Front();
    if (event == nullptr) {
      std::this_thread::yield();
      continue;
    }
    if (event->time_ns != number) ++wrong;
    const auto* tail = reinterpret_cast<const uint64_t*>(event + 1);
    for (size_t i = 0; i < event->size() / 8 - 2; ++i) wrong += tail[i] != Word(number, i);
    ring.Pop();
    ++number;
  }
  producer.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(ring.Front(), nullptr);
  EXPECT_EQ(ring.UsedByProducer(), 0u);
}

// A ring that is full continues in another block; order and content stay, and the block is freed
// when it is empty.
TEST_F(RingTest, GrowsAndGivesBack) {
  MemoryBudget budget;
  uint64_t number = 0, next = 0;
  while (Put(32, number)) ++number;
  ASSERT_TRUE(ring_.Grow(budget, 1024));
  EXPECT_TRUE(ring_.has_grown());
  EXPECT_EQ(ring_.capacity(), 1024u);
  while (Put(48, number)) ++number;
  ASSERT_TRUE(ring_.Grow(budget, 2048));
  const uint64_t both = budget.used();
  ring_.Shrink();  // nothing is empty
  EXPECT_EQ(ring_.capacity(), 2048u);
  for (; next < kCapacity / 32; ++next) ASSERT_NO_FATAL_FAILURE(ExpectNext(32, next));
  for (; next < number; ++next) ASSERT_NO_FATAL_FAILURE(ExpectNext(48, next));
  EXPECT_EQ(ring_.Front(), nullptr);
  EXPECT_LT(budget.used(), both);
  ring_.Shrink();
  EXPECT_FALSE(ring_.has_grown());
  ASSERT_TRUE(Put(64, 99));
  ExpectNext(64, 99);
  EXPECT_EQ(budget.used(), 0u);
}

TEST_F(RingTest, GivesBackBlocksAtReset) {
  MemoryBudget budget;
  ASSERT_TRUE(Put(32, 1));
  ASSERT_TRUE(ring_.Grow(budget, 1024));
  ASSERT_TRUE(Put(512, 2));
  ASSERT_TRUE(ring_.Grow(budget, 1024));
  ring_.Reset(memory_, kCapacity);
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(ring_.Front(), nullptr);
  ASSERT_TRUE(Put(64, 3));
  ExpectNext(64, 3);
}

TEST_F(RingTest, LeavesTheRoomThatIsToBeKept) {
  EXPECT_EQ(ring_.Reserve(128, 136), nullptr);
  EXPECT_NE(ring_.Reserve(128, 128), nullptr);
  ASSERT_TRUE(Put(200, 1));
  ExpectNext(200, 1);
  // 56 bytes before the end are lost to padding.
  EXPECT_EQ(ring_.Reserve(64, 144), nullptr);
  EXPECT_NE(ring_.Reserve(64, 136), nullptr);
}

TEST(Ring, CarriesEveryEventWhileItGrowsAndShrinks) {
  // A burst is more than fits into a ring that has grown once, and is not read before the ring has
  // grown again. So the ring grows in each burst and can shrink after it, however threads are
  // scheduled.
  constexpr uint64_t kBursts = 40, kBurst = 500;
  constexpr size_t kBytes = 1024;
  alignas(64) static std::byte memory[kBytes];
  MemoryBudget budget;
  budget.SetLimit(1u << 20);
  Ring ring;
  ring.Reset(memory, kBytes);
  std::atomic<uint64_t> grown{0}, consumed{0};
  uint64_t shrunk = 0;
  std::thread producer([&] {
    std::mt19937 random(4);
    for (uint64_t number = 0; number < kBursts * kBurst; ++number) {
      const size_t words = random() % 30;
      const size_t size = kHeader + words * 8;
      void* place = ring.Reserve(size);
      for (; place == nullptr; place = ring.Reserve(size)) {
        if (ring.Grow(budget, 1024u << random() % 5)) {
          ++grown;
        } else {
          std::this_thread::yield();
        }
      }
      auto* event = static_cast<EventHeader*>(place);
      *event = {static_cast<uint16_t>(size / 8), EventKind::kCollection, 1, number};
      auto* tail = reinterpret_cast<uint64_t*>(event + 1);
      for (size_t i = 0; i < words; ++i) tail[i] = Word(number, i);
      ring.Commit();
      const bool ends_burst = (number + 1) % kBurst == 0;
      while (ends_burst && consumed <= number) std::this_thread::yield();
      if (ends_burst || random() % 64 == 0) {
        const bool was = ring.has_grown();
        ring.Shrink();
        shrunk += was && !ring.has_grown();
      }
    }
  });
  uint64_t wrong = 0, grown_before = 0;
  for (uint64_t number = 0; number < kBursts * kBurst;) {
    while (number % kBurst == 0 && grown == grown_before) std::this_thread::yield();
    const EventHeader* event = ring.Front();
    if (event == nullptr) {
      std::this_thread::yield();
      continue;
    }
    if (event->time_ns != number) ++wrong;
    const auto* tail = reinterpret_cast<const uint64_t*>(event + 1);
    for (size_t i = 0; i < event->size() / 8 - 2; ++i) wrong += tail[i] != Word(number, i);
    if ((number + 1) % kBurst == 0) grown_before = grown;
    ring.Pop();
    consumed = ++number;
  }
  producer.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_GE(grown, kBursts);
  EXPECT_GE(shrunk, kBursts);
  EXPECT_EQ(ring.Front(), nullptr);
  ring.Reset(nullptr, 0);
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace hindsight::recorder
