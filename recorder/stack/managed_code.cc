#include "recorder/stack/managed_code.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "recorder/base/clock.h"
#include "recorder/base/own_memory.h"
#include "recorder/names/code.h"

namespace hindsight::recorder {
namespace {

// Publishing copies the table, so it is not done for every new body.
constexpr size_t kShareToPublish = 32;
constexpr uint64_t kPublishNs = 20'000'000;

uint64_t Hash(std::span<const UnwindRow> rows) {
  uint64_t hash = rows.size();
  for (const UnwindRow& row : rows) {
    const uint32_t step = row.step.kind | row.step.bp_words << 3 | uint32_t{row.step.words} << 16;
    hash = (hash ^ (uint64_t{row.offset} << 32 | step)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

bool ManagedCode::Open(MemoryBudget& budget) {
  memory_ = static_cast<Memory*>(budget.Map(sizeof(Memory)));
  return memory_ != nullptr;
}

void ManagedCode::Close(MemoryBudget& budget) {
  if (memory_ == nullptr) return;
  published_.store(nullptr);
  budget.Unmap(memory_, sizeof(Memory));
  memory_ = nullptr;
}

uint32_t ManagedCode::SizeOf(const Body& body) {
  return std::atomic_ref(body.size).load(std::memory_order_relaxed);
}

const ManagedCode::Body* ManagedCode::FindIn(std::span<const Body> bodies, uintptr_t ip) {
  auto next = std::ranges::upper_bound(bodies, ip, {}, &Body::start);
  if (next == bodies.begin()) return nullptr;
  --next;
  return ip - next->start < SizeOf(*next) ? &*next : nullptr;
}

ManagedCode::Found ManagedCode::Find(uintptr_t ip) const {
  const Table* const table = published_.load();
  if (table == nullptr) return {};
  const Body* const body = FindIn({table->bodies, table->count}, ip);
  if (body == nullptr) return {};
  const std::span<const UnwindRow> rows(memory_->rows + body->first_row, body->row_count);
  const auto offset = static_cast<uint32_t>(ip - body->start);
  size_t row = rows.size() - 1;  // the body's: prologs are rarely interrupted
  while (row > 0 && rows[row].offset > offset) --row;
  // The last row relative to the stack pointer: only the body's own may be relative to bp.
  size_t lowered = rows.size() - 1;
  if (lowered > 0 && rows[lowered].step.is() != UnwindStep::Kind::kSp) --lowered;
  const uint32_t size = SizeOf(*body);
  return {true, rows[row].step, rows[lowered].step.words, body->start, body->start + size};
}

bool ManagedCode::HasBody(uintptr_t ip) const {
  return (last_ != nullptr && FindIn({last_->bodies, last_->count}, ip) != nullptr) ||
         FindIn(pending_, ip) != nullptr;
}

void ManagedCode::AddUnknown(uintptr_t ip) {
  if (unknown_.size() >= kMaxUnknown) unknown_.clear();
  unknown_.insert(ip);
}

bool ManagedCode::Learn(clr::ICorProfilerInfo10* info, CodeGate& gate, uint64_t as_of_ns,
                        uintptr_t ip) {
  if (memory_ == nullptr || !IsReady()) return false;
  if (HasBody(ip)) return true;
  if (unknown_.contains(ip)) return false;
  const auto hold = gate.Enter(as_of_ns);
  if (!hold) return false;
  CodeDescription code;
  const CodeFound found = FindCode(*hold, info, ip, AddressKind::kExact, code);
  if (found == CodeFound::kUnknown) return false;
  std::array<uint8_t, kPrologBytes> bytes;
  size_t size = 0;
  if (!code.regions.empty()) size = std::min<size_t>(code.regions.front().size, bytes.size());
  if (size == 0 || !ReadOwn(code.start(), bytes.data(), size)) {
    AddUnknown(ip);
    return false;
  }
  const PrologRows prolog = ReadProlog(std::span(bytes).first(size));
  const UnwindRow body{0, prolog.body()};
  for (const CodeRegion& region : code.regions) {
    const bool is_first = region.start == code.start();
    if (!Learn(region.start, region.size, is_first ? prolog.span() : std::span(&body, 1))) {
      StartAnew();
      return false;
    }
  }
  return true;
}

bool ManagedCode::Learn(uintptr_t start, uint32_t size, std::span<const UnwindRow> rows) {
  Body body{start, size, 0, 0};
  const size_t published = last_ != nullptr ? last_->count : 0;
  if (published + pending_.size() >= kMaxBodies || !Intern(rows, body)) return false;
  if (size == 0 || FindIn(pending_, start) != nullptr) return true;
  has_news_ = true;
  pending_.insert(std::ranges::upper_bound(pending_, start, {}, &Body::start), body);
  return true;
}

// Prologs are very similar: a thousand methods have about a hundred different ones.
bool ManagedCode::Intern(std::span<const UnwindRow> rows, Body& body) {
  const uint64_t hash = Hash(rows);
  const auto known = interned_.find(hash);
  if (known != interned_.end() &&
      std::ranges::equal(
          rows, std::span(memory_->rows + known->second.first_row, known->second.row_count))) {
    body.first_row = known->second.first_row;
    body.row_count = known->second.row_count;
    return true;
  }
  if (row_count_ + rows.size() > kMaxRows) return false;
  std::ranges::copy(rows, memory_->rows + row_count_);
  body.first_row = row_count_ & 0xffffff;
  body.row_count = rows.size() & 0xff;
  row_count_ += static_cast<uint32_t>(rows.size());
  interned_.insert_or_assign(hash, body);
  return true;
}

// After starting over: whether the walks that saw the old tables have ended.
bool ManagedCode::IsReady() {
  if (starts_anew_ && walks_.none()) {
    starts_anew_ = false;
    spare_is_free_ = true;
  }
  return !starts_anew_;
}

void ManagedCode::Publish() {
  if (memory_ == nullptr || !IsReady()) return;
  // Forget may have been called in between, and removed what was published after it.
  const bool is_published = published_.load() == last_;
  if (pending_.empty() && is_published) return;
  spare_is_free_ = spare_is_free_ || walks_.none();
  if (!spare_is_free_) return;
  const size_t known = last_ != nullptr ? last_->count : 0;
  const uint64_t now_ns = MonotonicNs();
  if (is_published && pending_.size() * kShareToPublish < known &&
      now_ns - published_ns_ < kPublishNs) {
    return;
  }

  Table* const table = last_ == memory_->tables ? memory_->tables + 1 : memory_->tables;
  const std::span<const Body> old(last_ != nullptr ? last_->bodies : nullptr, known);
  const auto end = std::ranges::merge(old, pending_, table->bodies, {}, &Body::start, &Body::start);
  const auto dead =
      std::remove_if(table->bodies, end.out, [](const Body& b) { return b.size == 0; });
  table->count = static_cast<uint32_t>(dead - table->bodies);
  pending_.clear();
  last_ = table;
  published_.store(table);
  DropForgotten();  // what was forgotten while the tables were merged
  if (forgets_.load() != seen_forgets_) published_.store(nullptr);
  spare_is_free_ = false;
  published_ns_ = now_ns;
}

void ManagedCode::Forget() {
  forgets_.fetch_add(1);
  published_.store(nullptr);
}

void ManagedCode::Forget(const CodeRegion& region) {
  if (!forgotten_.Add(region)) return Forget();
  // A table that is published later is without it (DropForgotten). The memory stays mapped until no
  // callback can run any more, so a table that has been replaced can still be written to.
  if (const Table* const table = published_.load()) {
    Drop({const_cast<Body*>(table->bodies), table->count}, region);
  }
}

void ManagedCode::Drop(std::span<Body> bodies, const CodeRegion& region) {
  auto body = std::ranges::lower_bound(bodies, region.start, {}, &Body::start);
  for (; body != bodies.end() && body->start - region.start < region.size; ++body) {
    std::atomic_ref(body->size).store(0, std::memory_order_relaxed);
  }
}

// From what only the drain thread uses, and from the last published table.
void ManagedCode::DropForgotten() {
  const bool dropped = forgotten_.TakeAll([this](const CodeRegion& region) {
    const auto holds = [&](uintptr_t ip) { return ip - region.start < region.size; };
    if (last_ != nullptr) Drop({const_cast<Body*>(last_->bodies), last_->count}, region);
    std::erase_if(pending_, [&](const Body& body) { return holds(body.start); });
    std::erase_if(unknown_, holds);
  });
  dropped_ = dropped_ || dropped;
}

bool ManagedCode::StartAnewIfForgotten() {
  DropForgotten();
  const bool dropped = std::exchange(dropped_, false);
  if (forgets_.load() == seen_forgets_) return dropped;
  StartAnew();
  return true;
}

void ManagedCode::StartAnew() {
  ++starts_;
  seen_forgets_ = forgets_.load();
  published_.store(nullptr);
  last_ = nullptr;
  starts_anew_ = true;
  row_count_ = 0;
  pending_.clear();
  unknown_.clear();
  interned_.clear();
}

}  // namespace hindsight::recorder
