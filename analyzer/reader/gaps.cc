#include "analyzer/reader/gaps.h"

#include <algorithm>
#include <utility>

namespace hindsight::analyzer {
namespace {

// A run of missing sequences between two segments whose headers are known.
Gap Classify(const SegmentRef* left, const SegmentRef& right,
             std::span<const DamagedRange> damages) {
  Gap gap;
  gap.first_sequence = left == nullptr ? 0 : left->header.sequence + 1;
  gap.count = right.header.sequence - gap.first_sequence;
  const bool damaged = IsDamagedBetween(left, &right, damages);
  const uint32_t file = right.header.file_number;
  const uint32_t file_before = left == nullptr ? 0 : left->header.file_number;
  if (left == nullptr && file > 1) {
    gap.cause = damaged ? Gap::Cause::kRotatedAwayOrDamaged : Gap::Cause::kRotatedAway;
  } else if (damaged) {
    gap.cause = Gap::Cause::kDamaged;
  } else if (left != nullptr && file > file_before && file - file_before > 1) {
    gap.cause = Gap::Cause::kMissingFile;
    gap.first_missing_file = file_before + 1;
    gap.missing_files = file - file_before - 1;
  } else {
    gap.cause = Gap::Cause::kNotWritten;
  }
  return gap;
}

// What was deleted on purpose, according to the latest segment that says so.
struct Deleted {
  uint32_t before_file = 0;  // 0: unknown
  uint64_t before_sequence = 0;
  bool for_full_disk = false;
};

Deleted FindDeleted(std::span<const SegmentRef> segments) {
  Deleted deleted;
  for (const SegmentRef& segment : segments) {
    const SegmentHeader& header = segment.header;
    if (header.oldest_file <= deleted.before_file) continue;
    // UINT32_MAX stands for more than can be reported: then everything missing was deleted.
    const bool is_reported = header.oldest_sequence != UINT32_MAX;
    deleted = {header.oldest_file, is_reported ? header.oldest_sequence : UINT64_MAX,
               header.deleted_for_full_disk};
  }
  return deleted;
}

// What is missing before the first segment, if the recording says what was deleted.
void AppendFirst(std::vector<Gap>& gaps, const SegmentRef& first, const Deleted& deleted,
                 std::span<const DamagedRange> damages) {
  Gap gap;
  gap.count = std::min(deleted.before_sequence, first.header.sequence);
  gap.cause = deleted.for_full_disk ? Gap::Cause::kGivenUpForRoom : Gap::Cause::kRotatedAway;
  if (gap.count > 0) gaps.push_back(gap);
  gap.first_sequence = gap.count;
  gap.count = first.header.sequence - gap.first_sequence;
  if (gap.count == 0) return;
  gap.cause = Gap::Cause::kNotWritten;
  if (IsDamagedBetween(nullptr, &first, damages)) {
    gap.cause = Gap::Cause::kDamaged;
  } else if (first.header.file_number > deleted.before_file) {
    gap.cause = Gap::Cause::kMissingFile;
    gap.first_missing_file = deleted.before_file;
    gap.missing_files = first.header.file_number - deleted.before_file;
  }
  gaps.push_back(gap);
}

void Append(std::vector<Gap>& gaps, const Gap& gap) {
  if (!gaps.empty()) {
    Gap& last = gaps.back();
    const bool adjacent = last.first_sequence + last.count == gap.first_sequence;
    if (adjacent && last.cause == gap.cause && gap.cause != Gap::Cause::kMissingFile) {
      last.count += gap.count;
      return;
    }
  }
  gaps.push_back(gap);
}

}  // namespace

bool IsDamagedBetween(const SegmentRef* left, const SegmentRef* right,
                      std::span<const DamagedRange> damages) {
  using Place = std::pair<uint32_t, uint64_t>;
  const Place from = left == nullptr ? Place{0, 0} : Place{left->file, left->offset};
  const Place to = right == nullptr ? Place{UINT32_MAX, 0} : Place{right->file, right->offset};
  // Files given out of order may be the other way around.
  const Place& low = from < to ? from : to;
  const Place& high = from < to ? to : from;
  auto first = std::lower_bound(damages.begin(), damages.end(), low,
                                [](const DamagedRange& damage, const Place& place) {
                                  return Place{damage.file, damage.offset} < place;
                                });
  // Damage with a sequence is a known segment and only explains that one, unless its bytes continue
  // beyond the end that its header states.
  for (; first != damages.end() && Place{first->file, first->offset} < high; ++first) {
    if (!first->sequence || first->hides_more) return true;
  }
  return false;
}

std::vector<Gap> FindGaps(std::span<const SegmentRef> segments,
                          std::span<const DamagedRange> damages) {
  std::vector<Gap> gaps;
  const SegmentRef* left = nullptr;
  const Deleted deleted = FindDeleted(segments);
  for (const SegmentRef& segment : segments) {
    const uint64_t expected = left == nullptr ? 0 : left->header.sequence + 1;
    if (left == nullptr && deleted.before_file != 0) {
      AppendFirst(gaps, segment, deleted, damages);
    } else if (segment.header.sequence > expected) {
      Append(gaps, Classify(left, segment, damages));
    }
    if (segment.lost) Append(gaps, {Gap::Cause::kDamaged, segment.header.sequence, 1, 0, 0, 0, 0});
    left = &segment;
  }
  return gaps;
}

}  // namespace hindsight::analyzer
