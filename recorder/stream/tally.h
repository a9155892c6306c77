// Counts what a thread's ring has no room for: how often, with what outcome and for how long, by
// subject and stack.
//
// Counts are never lost, only details are. A row has a subject (the type of an exception, a lock)
// and a stack; it is looked up at the start, and the end finds it again by its number. A few rows
// always exist, more come from the memory budget when needed. A row whose counts are all in the
// recording, and in which nothing is open, is reused for another key; if there is none, counts go
// to one row per kind without a key, which always exists.
//
// One writer, the track's own thread, without a locked instruction; one reader, the drain thread.
// Counters only grow, so the reader reports differences, and what it misses now it reports next
// time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "recorder/base/memory.h"
#include "recorder/stream/own_counter.h"

namespace hindsight::recorder {

enum class TallyKind : uint16_t { kException, kWait };
inline constexpr size_t kTallyKinds = 2;
inline constexpr size_t kTallyEnds = 5;  // ways to end that are distinguished

struct TallyKey {
  uint64_t subject = 0;  // ClassID of the exception; id of the lock. 0: several
  uint32_t stack = 0;    // handle of the stack table; 0: not in it, or several
  TallyKind kind = TallyKind::kException;
  uint16_t detail = 0;  // of a wait: its WaitKind
  bool operator==(const TallyKey&) const = default;
};

struct TallyCounts {
  uint64_t begun = 0;
  uint64_t continued = 0;  // of them, those that continue an earlier one
  std::array<uint64_t, kTallyEnds> ended{};
  std::array<uint64_t, kTallyEnds> time_ns{};  // from start to end, of those that ended
  uint64_t longest_ns = 0;                     // of a row's key so far, not a sum
  uint64_t last_ns = 0;                        // CLOCK_MONOTONIC of the last beginning

  uint64_t changes() const {
    uint64_t sum = begun;
    for (const uint64_t count : ended) sum += count;
    return sum;
  }
};

class TallyRow {
 public:
  // Own thread.
  void Begin(uint64_t now_ns, bool continued);
  void End(size_t end, uint64_t time_ns);
  void Assign(const TallyKey& key);
  bool Is(const TallyKey& key) const { return ReadKey() == key; }
  // All its counts are in the recording, and nothing in it is open.
  bool IsFree() const {
    return open_ == 0 && reported_changes_.load(std::memory_order_acquire) == changes_;
  }
  // What is open in it will never end: its thread is gone.
  void Abandon() { open_ = 0; }
  // Something that began in it, and was taken out, has ended.
  void EndElsewhere() {
    if (open_ > 0) --open_;
  }
  // Starts considered since the row has its key.
  uint64_t seen = 0;

  // Drain thread. False: its key is being changed at this moment.
  bool Read(TallyKey& key, TallyCounts& counts) const;
  // What the recording already contains.
  const TallyCounts& reported() const { return reported_; }
  void SetReported(const TallyCounts& counts);
  // Takes one beginning out, which is reported elsewhere. False, and nothing is done: the recording
  // has all of them already.
  bool TakeOut(bool continued);

 private:
  TallyKey ReadKey() const;

  std::atomic<uint32_t> version_{0};  // odd: the key is being changed
  std::atomic<uint32_t> stack_{0};
  std::atomic<uint32_t> kind_{0};  // and detail
  std::atomic<uint64_t> subject_{0};
  OwnCounter begun_, continued_, longest_ns_, last_ns_;
  OwnCounter ended_[kTallyEnds], time_ns_[kTallyEnds];
  uint64_t open_ = 0, changes_ = 0;                   // own thread's
  TallyCounts reported_;                              // drain thread's
  uint64_t taken_out_ = 0, taken_out_continued_ = 0;  // drain thread's
  std::atomic<uint64_t> reported_changes_{0};
};

class Tally {
 public:
  using RowId = uint16_t;  // 0: none

  // Own thread. The row of `key`: its number is never 0, and is valid until everything that started
  // in the row has ended.
  RowId Find(const TallyKey& key, MemoryBudget& budget);
  // Whether the next start in a row should be recorded with its details, if one in `stride` is: the
  // first, and then evenly.
  bool Choose(RowId id, uint64_t stride) { return Row(id).seen++ % stride == 0; }
  void Begin(RowId id, uint64_t now_ns, bool continued);
  void End(RowId id, size_t end, uint64_t time_ns);
  void EndElsewhere(RowId id) { Row(id).EndElsewhere(); }
  // The thread is a different one: what is open will never end.
  void Abandon();

  // Any thread that owns the track next: everything has been recorded, so counts of the next thread
  // are not attributed to the last one.
  bool IsReported() const {
    return reported_changes_.load(std::memory_order_acquire) == changes_.Acquire();
  }

  // Call both only while no thread uses the tally.
  void Reset();
  void Release(MemoryBudget& budget);

  // A start that may yet be recorded elsewhere.
  struct HeldBack {
    RowId row = 0;  // 0: there is none
    bool continued = false;
  };

  // Drain thread. Calls f(row, key, counts) for the rows with something new; Confirm is called once
  // that is in the recording. `held` is called after a row's counts were read: while something is
  // open in the row that it names, one start is left out.
  template <typename F, typename Held>
  void ForEachNews(F f, Held held) {
    if (IsReported()) return;
    const size_t used = used_.load(std::memory_order_acquire);
    TallyKey key;
    TallyCounts counts;
    for (size_t i = 0; i < kTallyKinds + used; ++i) {
      TallyRow& row = Row(static_cast<RowId>(i + 1));
      if (!row.Read(key, counts)) continue;
      LeaveOut(held(counts), static_cast<RowId>(i + 1), row.reported(), counts);
      if (counts.changes() != row.reported().changes()) f(row, key, counts);
    }
  }
  void Confirm(TallyRow& row, const TallyCounts& counts);
  // See TallyRow.
  bool TakeOut(RowId id, bool continued);

 private:
  static constexpr size_t kOwnRows = 12;  // always there
  static constexpr size_t kMoreRows = 64;
  static constexpr size_t kMoreBytes = kMoreRows * (sizeof(TallyRow) + sizeof(uint32_t));

  TallyRow& Row(RowId id) {
    return id <= kTallyKinds ? others_[id - 1] : RowAt(id - 1 - kTallyKinds);
  }
  TallyRow& RowAt(size_t place) {
    return place < kOwnRows ? reinterpret_cast<TallyRow*>(own_rows_)[place]
                            : more_rows_[place - kOwnRows];
  }
  uint32_t& HashAt(size_t place) {
    return place < kOwnRows ? own_hashes_[place] : more_hashes_[place - kOwnRows];
  }
  static void LeaveOut(const HeldBack& held, RowId id, const TallyCounts& reported,
                       TallyCounts& counts);
  bool MapMore(MemoryBudget& budget);
  size_t FreePlace(MemoryBudget& budget);

  TallyRow others_[kTallyKinds];
  TallyRow* more_rows_ = nullptr;  // written before used_
  uint32_t* more_hashes_ = nullptr;
  size_t capacity_ = kOwnRows, next_ = 0;
  RowId last_ = 0;
  std::atomic<size_t> used_{0};
  OwnCounter changes_;
  std::atomic<uint64_t> reported_changes_{0};
  uint32_t own_hashes_[kOwnRows];
  // Constructed one by one when they are used: memory of unused ones is never touched.
  alignas(TallyRow) std::byte own_rows_[kOwnRows * sizeof(TallyRow)];
};

}  // namespace hindsight::recorder
