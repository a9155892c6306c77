// What is only counted: no count is lost, none is reported twice, and a row is reused only when
// everything in it is reported.
#include "recorder/stream/tally.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>
#include <tuple>
#include <vector>

#include "recorder/stream/emitter.h"

namespace hindsight::recorder {
namespace {

TallyKey KeyOf(uint64_t subject, uint32_t stack = 7) {
  return {subject, stack, TallyKind::kException, 0};
}

class TallyTest : public testing::Test {
 protected:
  TallyTest() { tally_.Reset(); }
  ~TallyTest() override {
    tally_.Release(budget_);
    EXPECT_EQ(budget_.used(), 0u);
  }

  struct News {
    TallyRow* row;
    TallyKey key;
    TallyCounts delta, counts;
  };
  std::vector<News> Read(Tally::HeldBack held = {}) {
    std::vector<News> news;
    const auto read = [&](TallyRow& row, const TallyKey& key, const TallyCounts& counts) {
      TallyCounts delta = counts;
      delta.begun -= row.reported().begun;
      delta.continued -= row.reported().continued;
      for (size_t i = 0; i < kTallyEnds; ++i) {
        delta.ended[i] -= row.reported().ended[i];
        delta.time_ns[i] -= row.reported().time_ns[i];
      }
      news.push_back({&row, key, delta, counts});
    };
    tally_.ForEachNews(read, [&](const TallyCounts&) { return held; });
    return news;
  }
  void Confirm(const std::vector<News>& news) {
    for (const News& one : news) tally_.Confirm(*one.row, one.counts);
  }

  MemoryBudget budget_;
  Tally tally_;
};

TEST_F(TallyTest, CountsByKeyAndEnd) {
  EXPECT_TRUE(tally_.IsReported());
  const Tally::RowId a = tally_.Find(KeyOf(1), budget_), b = tally_.Find(KeyOf(2), budget_);
  EXPECT_NE(a, 0);
  EXPECT_NE(a, b);
  EXPECT_EQ(tally_.Find(KeyOf(1), budget_), a);
  tally_.Begin(a, 100, false);
  tally_.Begin(a, 200, true);
  tally_.Begin(b, 300, false);
  tally_.End(a, 0, 40);
  tally_.End(a, 3, 5);
  EXPECT_FALSE(tally_.IsReported());
  const std::vector<News> news = Read();
  ASSERT_EQ(news.size(), 2u);
  EXPECT_EQ(news[0].key, KeyOf(1));
  EXPECT_EQ(news[0].delta.begun, 2u);
  EXPECT_EQ(news[0].delta.continued, 1u);
  EXPECT_EQ(news[0].delta.ended[0], 1u);
  EXPECT_EQ(news[0].delta.time_ns[0], 40u);
  EXPECT_EQ(news[0].delta.ended[3], 1u);
  EXPECT_EQ(news[0].delta.time_ns[3], 5u);
  EXPECT_EQ(news[0].delta.longest_ns, 40u);
  EXPECT_EQ(news[0].delta.last_ns, 200u);
  EXPECT_EQ(news[1].key, KeyOf(2));
  EXPECT_EQ(news[1].delta.begun, 1u);
}

TEST_F(TallyTest, ReportsAgainWhatWasNotConfirmed) {
  const Tally::RowId row = tally_.Find(KeyOf(1), budget_);
  tally_.Begin(row, 1, false);
  EXPECT_EQ(Read().size(), 1u);  // the segment with it was not written
  tally_.Begin(row, 2, false);
  const std::vector<News> news = Read();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].delta.begun, 2u);
  tally_.End(row, 0, 9);  // after it was read
  Confirm(news);
  EXPECT_FALSE(tally_.IsReported());
  const std::vector<News> more = Read();
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].delta.begun, 0u);
  EXPECT_EQ(more[0].delta.ended[0], 1u);
  Confirm(more);
  EXPECT_TRUE(tally_.IsReported());
  EXPECT_TRUE(Read().empty());
}

// A row is reused for another key when it is reported and nothing is open in it; until then, keys
// that find no row share one that has no key.
TEST_F(TallyTest, GivesRowsAwayOnlyWhenTheyAreReported) {
  uint64_t subject = 0;
  while (true) {
    const Tally::RowId row = tally_.Find(KeyOf(++subject), budget_);
    tally_.Begin(row, subject, false);
    tally_.End(row, 1, 1);
    if (row <= kTallyKinds) break;
    ASSERT_LT(subject, 1000u);
  }
  const uint64_t full = subject - 1;
  EXPECT_GT(full, 10u);
  const Tally::RowId going_on = tally_.Find(KeyOf(1), budget_);
  tally_.Begin(going_on, 1, false);

  std::vector<News> news = Read();
  ASSERT_EQ(news.size(), full + 1);
  EXPECT_EQ(news[0].key, KeyOf(0, 0));
  EXPECT_EQ(news[0].delta.begun, 1u);
  EXPECT_LE(tally_.Find(KeyOf(9999), budget_), kTallyKinds);  // read is not reported
  Confirm(news);
  for (uint64_t i = 0; i < full - 1; ++i) {
    const Tally::RowId row = tally_.Find(KeyOf(10'000 + i), budget_);
    ASSERT_GT(row, kTallyKinds);
    EXPECT_NE(row, going_on);
    tally_.Begin(row, i, false);
  }
  tally_.End(going_on, 0, 5);
  news = Read();
  ASSERT_EQ(news.size(), full);
  uint64_t old = 0;
  for (const News& one : news) {
    if (one.key == KeyOf(1)) {
      ++old;
      EXPECT_EQ(one.delta.ended[0], 1u);
      EXPECT_EQ(one.delta.begun, 0u);
    } else {
      EXPECT_GE(one.key.subject, 10'000u);
      EXPECT_EQ(one.delta.begun, 1u);
      EXPECT_EQ(one.delta.ended[1], 0u);  // the last key's are not reported again
      EXPECT_EQ(one.delta.longest_ns, 0u);
    }
  }
  EXPECT_EQ(old, 1u);
}

TEST_F(TallyTest, CountsBeyondItsMemoryInOneRowAKind) {
  budget_.SetLimit(100);
  for (uint64_t i = 100; i < 112; ++i) tally_.Begin(tally_.Find(KeyOf(i), budget_), i, false);
  const auto kept = Read();
  EXPECT_EQ(kept.size(), 12u);  // some are always there
  Confirm(kept);
  const Tally::RowId thrown = tally_.Find(KeyOf(1), budget_);
  const Tally::RowId waited = tally_.Find({1, 7, TallyKind::kWait, 3}, budget_);
  EXPECT_NE(thrown, waited);
  EXPECT_EQ(tally_.Find(KeyOf(2), budget_), thrown);
  tally_.Begin(thrown, 1, false);
  tally_.Begin(waited, 2, false);
  const std::vector<News> news = Read();
  ASSERT_EQ(news.size(), 2u);
  EXPECT_EQ(news[0].key, KeyOf(0, 0));
  EXPECT_EQ(news[1].key, (TallyKey{0, 0, TallyKind::kWait, 0}));
}

TEST_F(TallyTest, ChoosesTheFirstAndThenEvenly) {
  const Tally::RowId row = tally_.Find(KeyOf(1), budget_);
  std::vector<int> chosen;
  for (int i = 0; i < 12; ++i) {
    if (tally_.Choose(row, 4)) chosen.push_back(i);
  }
  EXPECT_EQ(chosen, (std::vector<int>{0, 4, 8}));
}

// A thread dies with something open; the next one on its track has rows to use.
TEST_F(TallyTest, FreesWhatTheLastThreadLeftOpen) {
  for (uint64_t i = 1; i < 1000; ++i) tally_.Begin(tally_.Find(KeyOf(i), budget_), i, false);
  Confirm(Read());
  EXPECT_LE(tally_.Find(KeyOf(5000), budget_), kTallyKinds);
  tally_.Abandon();
  EXPECT_GT(tally_.Find(KeyOf(5000), budget_), kTallyKinds);
}

// The thread counts under changing keys while the drain thread reads: what is reported adds up, key
// by key, and there are never more ends than beginnings.
TEST_F(TallyTest, AddsUpWhileItIsRead) {
  constexpr uint64_t kRounds = 60'000, kSubjects = 200;
  std::atomic<bool> done{false};
  std::map<uint64_t, TallyCounts> truth, reported;
  std::thread producer([&] {
    for (uint64_t i = 0; i < kRounds; ++i) {
      const TallyKey key = KeyOf(1 + i / 16 % kSubjects);
      const Tally::RowId row = tally_.Find(key, budget_);
      TallyCounts& counts = truth[row > kTallyKinds ? key.subject : 0];
      tally_.Begin(row, i, i % 3 == 0);
      tally_.End(row, i % kTallyEnds, i);
      ++counts.begun;
      counts.continued += i % 3 == 0;
      ++counts.ended[i % kTallyEnds];
      counts.time_ns[i % kTallyEnds] += i;
    }
    done = true;
  });
  uint64_t wrong = 0, round = 0;
  for (bool last = false; !last;) {
    last = done.load();
    const std::vector<News> news = Read();
    for (const News& one : news) {
      uint64_t ended = 0;
      for (const uint64_t count : one.counts.ended) ended += count;
      wrong += ended > one.counts.begun;
    }
    if (!last && ++round % 4 == 0) continue;  // this segment is not written
    for (const News& one : news) {
      TallyCounts& counts = reported[one.key.subject];
      counts.begun += one.delta.begun;
      counts.continued += one.delta.continued;
      for (size_t i = 0; i < kTallyEnds; ++i) {
        counts.ended[i] += one.delta.ended[i];
        counts.time_ns[i] += one.delta.time_ns[i];
      }
    }
    Confirm(news);
  }
  producer.join();
  EXPECT_EQ(wrong, 0u);
  ASSERT_TRUE(tally_.IsReported());
  for (const auto& [subject, counts] : truth) {
    EXPECT_EQ(reported[subject].begun, counts.begun) << subject;
    EXPECT_EQ(reported[subject].continued, counts.continued) << subject;
    EXPECT_EQ(reported[subject].ended, counts.ended) << subject;
    EXPECT_EQ(reported[subject].time_ns, counts.time_ns) << subject;
  }
}

// ---- Between callbacks and the ring
// --------------------------------------------------------------

class EmitterTest : public testing::Test {
 protected:
  void TearDown() override {
    ThreadTracks::Instance().Release(kRecording, budget_);
    EXPECT_EQ(budget_.used(), 0u);
  }
  bool Put(ThreadTrack& track, size_t bytes, Claim claim) {
    if (emitter_.TryReserve(track, EventKind::kCollection, ++time_, bytes, claim) == nullptr) {
      return false;
    }
    emitter_.Commit(track);
    return true;
  }

  static constexpr uint64_t kRecording = 4'000'077;  // no other test's
  MemoryBudget budget_;
  Waker waker_;
  Emitter emitter_{kRecording, budget_, waker_};
  uint64_t time_ = 0;
};

// Rings take what memory there is before anything is rejected, and leave a quarter of it.
TEST_F(EmitterTest, GrowsRingsBeforeItTurnsAway) {
  budget_.SetLimit(8u << 20);
  ThreadTrack* track = emitter_.Track();
  ASSERT_NE(track, nullptr);
  uint64_t put = 0;
  while (Put(*track, 1000, Claim::kDetail)) {
    ASSERT_LT(++put, 10'000u);
  }
  EXPECT_GT(put, 3500u);
  EXPECT_LE(budget_.used(), budget_.limit() / 4 * 3);
  EXPECT_GT(emitter_.DetailStride(*track), 1u);
  for (uint64_t time = 1; time <= put; ++time) {
    const EventHeader* event = track->ring.Front();
    ASSERT_NE(event, nullptr);
    ASSERT_EQ(event->time_ns, time);
    track->ring.Pop();
  }
  EXPECT_EQ(track->ring.Front(), nullptr);
  EXPECT_EQ(emitter_.DetailStride(*track), 1u);
}

// Memory is returned once a storm is over.
TEST_F(EmitterTest, GivesMemoryBackAfterTheStorm) {
  budget_.SetLimit(8u << 20);
  ThreadTrack* track = emitter_.Track();
  ASSERT_NE(track, nullptr);
  const uint64_t before = budget_.used();
  while (Put(*track, 1000, Claim::kDetail)) continue;
  EXPECT_GT(budget_.used(), before);
  while (track->ring.Front() != nullptr) track->ring.Pop();
  time_ += 2'000'000'000;
  ASSERT_TRUE(Put(*track, 1000, Claim::kDetail));
  EXPECT_EQ(track->ring.Front()->time_ns, time_);
  EXPECT_EQ(budget_.used(), before);
}

// However full of throws and waits a ring is: other events find room, and so do the ends of all
// that have begun.
TEST_F(EmitterTest, KeepsRoomForEnds) {
  budget_.SetLimit(40u << 10);
  void* const taken = budget_.Map(30u << 10);
  ThreadTrack* track = emitter_.Track();
  ASSERT_NE(track, nullptr);
  for (const size_t bytes : {24, 40, 56, 120, 200}) {
    track->in_flight_count = 5;
    track->wait_count = 3;
    while (Put(*track, bytes, Claim::kDetail)) continue;
    if (bytes < 100) {
      EXPECT_TRUE(Put(*track, bytes, Claim::kOther)) << bytes;
    }
    while (Put(*track, bytes, Claim::kOther)) continue;
    for (int end = 0; end < 8; ++end) {
      EXPECT_TRUE(Put(*track, Emitter::kMaxEndBytes, Claim::kEnd)) << bytes << " " << end;
    }
    track->in_flight_count = track->wait_count = 0;
    while (track->ring.Front() != nullptr) track->ring.Pop();
  }
  EXPECT_EQ(track->dropped.Read(), 0u);  // TryReserve leaves that to its caller
  budget_.Unmap(taken, 30u << 10);
}

// What a thread counted is reported as its own: its track serves no other thread until it is.
TEST_F(EmitterTest, CountsStayWithTheirThread) {
  ThreadTrack* first = nullptr;
  std::thread([&] {
    first = emitter_.Track();
    first->tally.Begin(emitter_.CountIn(*first, KeyOf(1)), 1, false);
  }).join();
  ThreadTrack* second = nullptr;
  std::thread([&] { second = emitter_.Track(); }).join();
  EXPECT_NE(second, first);
  const auto confirm = [&](TallyRow& row, const TallyKey&, const TallyCounts& counts) {
    first->tally.Confirm(row, counts);
  };
  first->tally.ForEachNews(confirm, [](const TallyCounts&) { return Tally::HeldBack{}; });
  std::thread([&] { second = emitter_.Track(); }).join();
  EXPECT_EQ(second, first);
}

// What is reported elsewhere after all is no longer counted, whenever it ends; the row can be
// reused.
TEST_F(TallyTest, WhatIsTakenOutIsCountedNoMore) {
  const Tally::RowId row = tally_.Find(KeyOf(1), budget_);
  tally_.Begin(row, 10, false);
  tally_.End(row, 0, 5);
  tally_.Begin(row, 20, true);
  EXPECT_TRUE(tally_.TakeOut(row, true));
  auto news = Read();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].delta.begun, 1u);
  EXPECT_EQ(news[0].delta.continued, 0u);
  EXPECT_EQ(news[0].delta.ended[0], 1u);
  Confirm(news);
  EXPECT_TRUE(tally_.IsReported());
  EXPECT_TRUE(Read().empty());
  EXPECT_FALSE(news[0].row->IsFree());  // it goes on
  tally_.EndElsewhere(row);
  EXPECT_TRUE(news[0].row->IsFree());

  tally_.Begin(row, 30, false);
  news = Read();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].delta.begun, 1u);
  Confirm(news);
  EXPECT_FALSE(tally_.TakeOut(row, false));  // the recording has it already
  EXPECT_TRUE(tally_.IsReported());
}

// As long as it may be taken out, it is not reported.
TEST_F(TallyTest, WhatIsHeldBackIsReportedOnceItHasEnded) {
  const Tally::RowId row = tally_.Find(KeyOf(1), budget_);
  tally_.Begin(row, 10, true);
  EXPECT_TRUE(Read({row, true}).empty());
  EXPECT_EQ(Read({static_cast<Tally::RowId>(row + 1), true}).size(), 1u);
  tally_.Begin(row, 20, false);
  auto news = Read({row, true});
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].delta.begun, 1u);
  EXPECT_EQ(news[0].delta.continued, 0u);
  Confirm(news);
  EXPECT_TRUE(Read({row, true}).empty());
  EXPECT_FALSE(tally_.IsReported());
  tally_.End(row, 0, 5);
  tally_.End(row, 0, 5);
  news = Read({row, true});
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].delta.begun, 1u);
  EXPECT_EQ(news[0].delta.continued, 1u);
  EXPECT_EQ(news[0].delta.ended[0], 2u);
  Confirm(news);
  EXPECT_TRUE(tally_.IsReported());
}

}  // namespace
}  // namespace hindsight::recorder
