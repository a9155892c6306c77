#include "recorder/stream/tally.h"

#include <algorithm>
#include <new>

namespace hindsight::recorder {
namespace {

uint32_t HashOf(const TallyKey& key) {
  const uint64_t hash = (key.subject ^ (uint64_t{key.stack} << 32) ^
                         (static_cast<uint64_t>(key.kind) << 16) ^ key.detail) *
                        0x9e3779b97f4a7c15u;
  return static_cast<uint32_t>(hash >> 32);
}

}  // namespace

// A reader that sees a count also sees its time and its last start.
void TallyRow::Begin(uint64_t now_ns, bool continued) {
  last_ns_.Publish(now_ns);
  if (continued) continued_.Publish(continued_.Read() + 1);
  begun_.Publish(begun_.Read() + 1);
  ++open_;
  ++changes_;
}

void TallyRow::End(size_t end, uint64_t time_ns) {
  if (time_ns > longest_ns_.Read()) longest_ns_.Publish(time_ns);
  time_ns_[end].Publish(time_ns_[end].Read() + time_ns);
  ended_[end].Publish(ended_[end].Read() + 1);
  if (open_ > 0) --open_;
  ++changes_;
}

void TallyRow::Assign(const TallyKey& key) {
  const uint32_t version = version_.load(std::memory_order_relaxed);
  version_.store(version + 1, std::memory_order_relaxed);
  // A reader that sees one of these sees the odd version; one that sees later values, the next one.
  subject_.store(key.subject, std::memory_order_release);
  stack_.store(key.stack, std::memory_order_release);
  kind_.store(static_cast<uint32_t>(key.kind) << 16 | key.detail, std::memory_order_release);
  longest_ns_.Publish(0);
  seen = 0;
  version_.store(version + 2, std::memory_order_release);
}

TallyKey TallyRow::ReadKey() const {
  const uint32_t kind = kind_.load(std::memory_order_acquire);
  return {subject_.load(std::memory_order_acquire), stack_.load(std::memory_order_acquire),
          static_cast<TallyKind>(kind >> 16), static_cast<uint16_t>(kind)};
}

bool TallyRow::Read(TallyKey& key, TallyCounts& counts) const {
  const uint32_t version = version_.load(std::memory_order_acquire);
  if (version % 2 != 0) return false;
  key = ReadKey();
  // Ends before starts, and times after both: never more ends than starts.
  for (size_t i = 0; i < kTallyEnds; ++i) counts.ended[i] = ended_[i].Acquire();
  counts.begun = begun_.Acquire() - taken_out_;
  counts.continued = continued_.Acquire() - taken_out_continued_;
  for (size_t i = 0; i < kTallyEnds; ++i) counts.time_ns[i] = time_ns_[i].Acquire();
  counts.longest_ns = longest_ns_.Acquire();
  counts.last_ns = last_ns_.Acquire();
  return version_.load(std::memory_order_relaxed) == version;
}

void TallyRow::SetReported(const TallyCounts& counts) {
  reported_ = counts;
  reported_changes_.store(counts.changes() + taken_out_, std::memory_order_release);
}

bool TallyRow::TakeOut(bool continued) {
  TallyKey key;
  TallyCounts counts;
  if (!Read(key, counts) || counts.begun == reported_.begun) return false;
  if (continued && counts.continued == reported_.continued) return false;
  ++taken_out_;
  if (continued) ++taken_out_continued_;
  reported_changes_.fetch_add(1, std::memory_order_release);
  return true;
}

bool Tally::MapMore(MemoryBudget& budget) {
  if (more_rows_ != nullptr) return false;
  auto* memory = static_cast<std::byte*>(budget.Map(kMoreBytes));
  if (memory == nullptr) return false;
  more_rows_ = reinterpret_cast<TallyRow*>(memory);
  more_hashes_ = reinterpret_cast<uint32_t*>(memory + kMoreRows * sizeof(TallyRow));
  capacity_ = kOwnRows + kMoreRows;
  return true;
}

// The index of a row for another key; capacity_ if there is none.
size_t Tally::FreePlace(MemoryBudget& budget) {
  const size_t used = used_.load(std::memory_order_relaxed);
  if (used < capacity_) return used;
  for (size_t i = 0; i < capacity_; ++i) {
    const size_t place = (next_ + i) % capacity_;
    if (!RowAt(place).IsFree()) continue;
    next_ = place + 1;
    return place;
  }
  return MapMore(budget) ? used : capacity_;
}

Tally::RowId Tally::Find(const TallyKey& key, MemoryBudget& budget) {
  if (last_ != 0 && Row(last_).Is(key)) return last_;
  const uint32_t hash = HashOf(key);
  const size_t used = used_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < used; ++i) {
    if (HashAt(i) == hash && RowAt(i).Is(key)) {
      return last_ = static_cast<RowId>(1 + kTallyKinds + i);
    }
  }
  const size_t place = FreePlace(budget);
  if (place == capacity_) return static_cast<RowId>(1 + static_cast<size_t>(key.kind));
  TallyRow& row = RowAt(place);
  if (place == used) new (&row) TallyRow;
  row.Assign(key);
  HashAt(place) = hash;
  if (place == used) used_.store(used + 1, std::memory_order_release);
  return last_ = static_cast<RowId>(1 + kTallyKinds + place);
}

void Tally::Begin(RowId id, uint64_t now_ns, bool continued) {
  Row(id).Begin(now_ns, continued);
  changes_.Publish(changes_.Read() + 1);
}

void Tally::End(RowId id, size_t end, uint64_t time_ns) {
  Row(id).End(end, time_ns);
  changes_.Publish(changes_.Read() + 1);
}

void Tally::Abandon() {
  const size_t used = used_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < kTallyKinds + used; ++i) Row(static_cast<RowId>(i + 1)).Abandon();
}

void Tally::Confirm(TallyRow& row, const TallyCounts& counts) {
  const uint64_t changes = counts.changes() - row.reported().changes();
  row.SetReported(counts);
  reported_changes_.fetch_add(changes, std::memory_order_release);
}

void Tally::LeaveOut(const HeldBack& held, RowId id, const TallyCounts& reported,
                     TallyCounts& counts) {
  if (held.row != id || counts.begun == reported.begun) return;
  uint64_t ended = 0;
  for (const uint64_t count : counts.ended) ended += count;
  if (counts.begun <= ended) return;
  --counts.begun;
  if (held.continued && counts.continued > reported.continued) --counts.continued;
}

bool Tally::TakeOut(RowId id, bool continued) {
  if (!Row(id).TakeOut(continued)) return false;
  reported_changes_.fetch_add(1, std::memory_order_release);
  return true;
}

void Tally::Reset() {
  for (size_t i = 0; i < kTallyKinds; ++i) {
    new (&others_[i]) TallyRow;
    others_[i].Assign({0, 0, static_cast<TallyKind>(i), 0});
  }
  used_.store(0, std::memory_order_relaxed);
  changes_.Reset();
  reported_changes_.store(0, std::memory_order_relaxed);
  capacity_ = kOwnRows + (more_rows_ != nullptr ? kMoreRows : 0);
  last_ = 0;
  next_ = 0;
}

void Tally::Release(MemoryBudget& budget) {
  budget.Unmap(more_rows_, kMoreBytes);
  more_rows_ = nullptr;
  more_hashes_ = nullptr;
  Reset();
}

}  // namespace hindsight::recorder
