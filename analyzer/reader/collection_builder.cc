#include "analyzer/reader/collection_builder.h"

#include <algorithm>
#include <cstddef>

namespace hindsight::analyzer {
namespace {

// Longer than any recording, and short enough to be summed.
constexpr uint64_t kMaxDurationNs = uint64_t{1} << 60;

// COR_PRF_SUSPEND_REASON
constexpr uint32_t kForGc = 1;
constexpr uint32_t kForGcPreparation = 7;

// Adds a row; if there is no room, drops the shorter half of all rows first.
template <typename Row>
void AddBounded(std::vector<Row>& rows, const Row& row, uint64_t Row::*length) {
  if (rows.size() == GarbageCollections::kMaxRows) {
    const auto middle = rows.begin() + static_cast<ptrdiff_t>(rows.size() / 2);
    std::nth_element(rows.begin(), middle, rows.end(),
                     [length](const Row& a, const Row& b) { return a.*length > b.*length; });
    rows.erase(middle, rows.end());
  }
  rows.push_back(row);
}

template <typename Row>
void OrderByTime(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.at_ns < b.at_ns; });
}

CollectionType TypeOf(GarbageCollection::Type type) {
  switch (type) {
    case GarbageCollection::BLOCKING:
      return CollectionType::kBlocking;
    case GarbageCollection::BACKGROUND:
      return CollectionType::kBackground;
    case GarbageCollection::BLOCKING_DURING_BACKGROUND:
      return CollectionType::kBlockingDuringBackground;
    default:
      return CollectionType::kUnknown;
  }
}

void SetPinnedHeaps(std::vector<CollectionRow>& rows) {
  constexpr size_t kPinned = 4;
  uint64_t bytes = 0;
  for (CollectionRow& row : rows) {
    const GenerationChange& pinned = row.generations[kPinned];
    if (pinned.known) bytes = pinned.after_bytes;
    row.pinned_heap_bytes = bytes;
  }
}

int64_t End(int64_t at_ns, uint64_t length_ns) { return at_ns + static_cast<int64_t>(length_ns); }

}  // namespace

void CollectionBuilder::On(const GarbageCollection& packet, int64_t time_ns) {
  ++facts_.collections[std::min<uint32_t>(packet.generation(), 2)];
  if (packet.induced()) ++facts_.induced;
  CollectionRow row;
  row.at_ns = time_ns;
  row.duration_ns = std::min(packet.duration_ns(), kMaxDurationNs);
  row.number = packet.number();
  row.generation = packet.generation();
  row.induced = packet.induced();
  row.detailed = packet.runtime_number() != 0;
  if (row.detailed) {
    row.runtime_number = packet.runtime_number();
    row.reason = static_cast<int32_t>(std::min<uint32_t>(packet.reason(), INT32_MAX)) - 1;
    row.type = TypeOf(packet.type());
    for (const GenerationSizes& sizes : packet.sizes()) {
      if (sizes.generation() >= row.generations.size()) continue;
      row.generations[sizes.generation()] = {.known = true,
                                             .before_bytes = sizes.before_bytes(),
                                             .after_bytes = sizes.after_bytes(),
                                             .promoted_bytes = sizes.promoted_bytes(),
                                             .free_before_bytes = sizes.free_before_bytes(),
                                             .free_after_bytes = sizes.free_after_bytes()};
    }
    row.promoted_bytes = packet.promoted_bytes();
    row.pinned_objects = packet.pinned_objects();
    row.finalizable_promoted = packet.finalizable_promoted();
    row.handles = packet.handles();
    row.committed_bytes = packet.committed_bytes();
    row.heaps = packet.heaps();
    row.compacting = packet.compacting();
    row.memory_load_percent = packet.memory_load_percent();
  }
  AddBounded(facts_.rows, row, &CollectionRow::duration_ns);
}

void CollectionBuilder::On(const Suspension& packet, int64_t time_ns) {
  const uint64_t total_ns = std::min(packet.total_ns(), kMaxDurationNs);
  ++facts_.suspensions;
  facts_.suspended_ns += total_ns;
  facts_.longest_ns = std::max(facts_.longest_ns, total_ns);
  AddBounded(facts_.pauses,
             {.at_ns = time_ns,
              .stopping_ns = std::min(packet.stopping_ns(), total_ns),
              .total_ns = total_ns,
              .reason = packet.reason()},
             &SuspensionRow::total_ns);
}

void CollectionBuilder::OnCall(StackId stack, int64_t time_ns) {
  if (facts_.calls.size() < GarbageCollections::kMaxRows) facts_.calls.push_back({time_ns, stack});
}

void CollectionBuilder::Finish() {
  OrderByTime(facts_.calls);
  OrderByTime(facts_.rows);
  SetPinnedHeaps(facts_.rows);
  OrderByTime(facts_.pauses);
  AttributePauses(facts_.rows, facts_.pauses);
}

void AttributePauses(std::vector<CollectionRow>& rows, const std::vector<SuspensionRow>& pauses) {
  // Rows that began before the suspension and may still be in progress, oldest first.
  std::vector<size_t> going_on;
  size_t next = 0;
  for (const SuspensionRow& pause : pauses) {
    if (pause.reason != kForGc && pause.reason != kForGcPreparation) continue;
    const int64_t end_ns = End(pause.at_ns, pause.total_ns);
    for (; next < rows.size() && rows[next].at_ns < pause.at_ns; ++next) going_on.push_back(next);
    while (!going_on.empty() &&
           End(rows[going_on.back()].at_ns, rows[going_on.back()].duration_ns) < pause.at_ns) {
      going_on.pop_back();
    }
    if (next == rows.size() || rows[next].at_ns > end_ns) {
      if (!going_on.empty()) rows[going_on.back()].pause_ns += pause.total_ns;
      continue;
    }
    int64_t from_ns = pause.at_ns;
    for (; next < rows.size() && rows[next].at_ns <= end_ns; ++next) {
      const bool is_last = next + 1 == rows.size() || rows[next + 1].at_ns > end_ns;
      const int64_t to_ns = is_last ? end_ns : rows[next + 1].at_ns;
      rows[next].pause_ns += static_cast<uint64_t>(to_ns - from_ns);
      from_ns = to_ns;
      going_on.push_back(next);
    }
  }
}

}  // namespace hindsight::analyzer
