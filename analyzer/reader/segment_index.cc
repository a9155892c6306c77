#include "analyzer/reader/segment_index.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "analyzer/base/path_text.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/reader/expansion.h"
#include "analyzer/reader/gaps.h"
#include "analyzer/reader/read_ahead.h"
#include "proto/file_names.h"

namespace hindsight::analyzer {
namespace {

std::string Names(std::span<const std::string> paths) {
  std::string names = Printable(paths.front());
  if (paths.size() > 1) names += " and " + Plural(paths.size() - 1, "more path");
  return names;
}

// Files that were named explicitly must be (part of) a recording.
Error NoRecording(const std::string& path, uint64_t bytes, const ScanResult& scan) {
  const std::string where = Printable(path);
  if (bytes == 0) {
    return {where +
            " is empty: the process ended before the first segment was written, or this is not a "
            "recording."};
  }
  if (!scan.damages.empty() && scan.damages.front().cause == Damage::Cause::kInvalid) {
    return {where + " cannot be used: " + scan.damages.front().detail +
            "; it is corrupt or malicious."};
  }
  if (!scan.segments.empty()) {
    return {where + " contains no intact segment: all " + Plural(scan.segments.size(), "segment") +
            " in it are damaged or truncated."};
  }
  return {where + " is not a Hindsight recording: no segment found in its " + FormatBytes(bytes) +
          "; give the folder (*.hindsight) or a file (*.hsr) of one."};
}

bool IsHeap(SegmentKind kind) {
  return kind == SegmentKind::kHeapTables || kind == SegmentKind::kHeapObjects;
}

bool IsHeapFileName(const std::string& path) {
  return PathOf(path).filename().string().starts_with(kSnapshotPrefix);
}

// False if that cannot be known, as in a folder that may be listed but not entered.
bool IsGone(const std::string& path) {
  std::error_code error;
  return std::filesystem::status(PathOf(path), error).type() ==
         std::filesystem::file_type::not_found;
}

bool HasIntact(const std::vector<SegmentRef>& segments) {
  return std::any_of(segments.begin(), segments.end(),
                     [](const SegmentRef& segment) { return !segment.lost; });
}

}  // namespace

Result<SegmentIndex> SegmentIndex::Build(std::span<const std::string> paths, Progress* progress) {
  Result<std::vector<InputFile>> files = FindFiles(paths);
  if (!files) return files.error();
  SegmentIndex index;
  if (Result<void> scanned = index.Scan(*files, progress); !scanned) return scanned.error();
  if (Result<void> intact = index.CheckIntact(paths); !intact) return intact.error();
  if (Result<void> one = index.CheckOneRecording(); !one) return one.error();
  index.SeparateHeaps();
  index.DropDuplicates(index.segments_);
  index.DropDuplicates(index.heap_segments_);
  if (const char* clause = CheckExpansion(index.segments_, kFreeEventBytes)) {
    return Error{Names(paths) + " cannot be used: " + clause + "."};
  }
  index.Summarize();
  return index;
}

Result<void> SegmentIndex::Scan(std::span<const InputFile> files, Progress* progress) {
  if (progress != nullptr) {
    uint64_t total = 0;
    for (const InputFile& file : files) {
      if (Result<FileReader> reader = FileReader::Open(file.path)) total += reader->size();
    }
    progress->Start(total);
  }
  for (const InputFile& file : files) {
    if (Result<void> scanned = ScanOne(file, progress); !scanned) return scanned;
  }
  return {};
}

Result<void> SegmentIndex::ScanOne(const InputFile& file, Progress* progress) {
  Result<FileReader> reader = FileReader::Open(file.path);
  // A recording that is still being written rotates its files while we look: this one is gone.
  if (!reader && !file.named && IsGone(file.path)) return {};

  const auto index = static_cast<uint32_t>(paths_.size());
  paths_.push_back(file.path);
  of_folder_ |= !file.named;
  FileSummary& summary = integrity_.files.emplace_back();
  summary.path = file.path;
  if (!reader) {
    if (file.named) return reader.error();
    if (!unopened_) unopened_ = reader.error();
    damages_.push_back(
        {Damage::Cause::kUnreadable, index, 0, 0, {}, "the file cannot be opened", false, false});
    return {};
  }
  summary.bytes = reader->size();
  if (summary.bytes == 0 && !file.named) {
    damages_.push_back(
        {Damage::Cause::kTruncated, index, 0, 0, {}, "the file is empty", false, false});
  }
  const uint64_t done_before = integrity_.total_bytes;
  integrity_.total_bytes += summary.bytes;

  ScanResult scan;
  ScanFile(*reader, index, scan, [&](uint64_t done) {
    if (progress != nullptr) progress->Update(done_before + done);
  });
  if (scan.newest_version > kFormatVersion) {
    return Error{Printable(file.path) + " was written by a newer Hindsight (format " +
                 std::to_string(scan.newest_version) + "; this one reads up to " +
                 std::to_string(kFormatVersion) + "): update hindsight."};
  }
  if (file.named && !HasIntact(scan.segments)) return NoRecording(file.path, summary.bytes, scan);
  segments_.insert(segments_.end(), scan.segments.begin(), scan.segments.end());
  damages_.insert(damages_.end(), scan.damages.begin(), scan.damages.end());
  return {};
}

Result<void> SegmentIndex::CheckIntact(std::span<const std::string> given) const {
  if (HasIntact(segments_)) return {};
  if (unopened_) return *unopened_;
  if (integrity_.total_bytes == 0) {
    return Error{Names(given) +
                 " contains only empty files: no segment was written before the process ended, or "
                 "none yet."};
  }
  return Error{Names(given) + " contains no intact segment: nothing in its " +
               FormatBytes(integrity_.total_bytes) + " can be read."};
}

Result<void> SegmentIndex::CheckOneRecording() {
  std::map<uint64_t, uint32_t> first_file;  // by recording id
  for (const SegmentRef& segment : segments_) {
    first_file.try_emplace(segment.header.recording_id, segment.file);
    if (first_file.size() > 2) break;
  }
  integrity_.recording_id = first_file.begin()->first;
  if (first_file.size() == 1) return {};
  const auto& [one, one_file] = *first_file.begin();
  const auto& [other, other_file] = *std::next(first_file.begin());
  return Error{"These files belong to different recordings: " + FormatHex(one) + " in " +
               Printable(paths_[one_file]) + " and " + FormatHex(other) + " in " +
               Printable(paths_[other_file]) + "; give one recording at a time."};
}

void SegmentIndex::SeparateHeaps() {
  const auto heaps =
      std::stable_partition(segments_.begin(), segments_.end(),
                            [](const SegmentRef& segment) { return !IsHeap(segment.header.kind); });
  heap_segments_.assign(heaps, segments_.end());
  segments_.erase(heaps, segments_.end());
  // Damage without a header is assigned to what the rest of its file contains.
  std::vector<bool> has_events(paths_.size()), has_heap(paths_.size());
  for (const SegmentRef& segment : segments_) has_events[segment.file] = true;
  for (const SegmentRef& segment : heap_segments_) has_heap[segment.file] = true;
  for (size_t file = 0; file < paths_.size(); ++file) {
    const bool is_named_so = IsHeapFileName(paths_[file]);
    only_heap_.push_back(!has_events[file] && (has_heap[file] || is_named_so));
  }
}

void SegmentIndex::DropDuplicates(std::vector<SegmentRef>& segments) {
  const auto key = [](const SegmentRef& segment) {
    const uint32_t snapshot = IsHeap(segment.header.kind) ? segment.header.file_number : 0;
    return std::pair(snapshot, segment.header.sequence);
  };
  // Among equal numbers, intact ones first.
  std::stable_sort(segments.begin(), segments.end(),
                   [&key](const SegmentRef& a, const SegmentRef& b) {
                     return std::pair(key(a), a.lost) < std::pair(key(b), b.lost);
                   });
  size_t kept = 0;
  for (const SegmentRef& segment : segments) {
    if (kept > 0 && key(segments[kept - 1]) == key(segment)) {
      const SegmentRef& first = segments[kept - 1];
      ++integrity_.duplicate_segments;
      if (!segment.lost && (segment.header.body_crc32c != first.header.body_crc32c ||
                            segment.header.file_number != first.header.file_number)) {
        damages_.push_back({Damage::Cause::kConflict, segment.file, segment.offset,
                            segment.end() - segment.offset, segment.header.sequence,
                            "another segment has the same number", false,
                            IsHeap(segment.header.kind)});
      }
      continue;
    }
    segments[kept++] = segment;
  }
  segments.resize(kept);
}

void SegmentIndex::Summarize() {
  std::sort(damages_.begin(), damages_.end(), [](const DamagedRange& a, const DamagedRange& b) {
    return std::pair(a.file, a.offset) < std::pair(b.file, b.offset);
  });
  SummarizeDamages();
  SummarizeFiles();
  SummarizeHeaps();
  std::vector<DamagedRange> of_events;
  std::copy_if(damages_.begin(), damages_.end(), std::back_inserter(of_events),
               [this](const DamagedRange& damage) { return !IsOfHeap(damage); });
  integrity_.gaps = FindGaps(segments_, of_events);
  SummarizeTimes();
}

void SegmentIndex::SummarizeDamages() {
  integrity_.damages.clear();
  integrity_.damage_count = damages_.size();
  integrity_.heap_damage_count = 0;
  integrity_.lost_bytes = integrity_.lost_heap_bytes = 0;
  for (const DamagedRange& damage : damages_) {
    integrity_.lost_bytes += damage.bytes;
    if (IsOfHeap(damage)) {
      ++integrity_.heap_damage_count;
      integrity_.lost_heap_bytes += damage.bytes;
    }
    if (integrity_.damages.size() == kMaxDamagesListed) continue;
    integrity_.damages.push_back({damage.cause, paths_[damage.file], damage.offset, damage.bytes,
                                  damage.sequence, damage.detail, IsOfHeap(damage)});
  }
}

void SegmentIndex::SummarizeFiles() {
  integrity_.intact_segments = integrity_.skipped_segments = 0;
  for (FileSummary& file : integrity_.files) file.intact_segments = 0;
  const auto count = [this](const SegmentRef& segment) {
    if (segment.lost) return;
    ++integrity_.intact_segments;
    FileSummary& file = integrity_.files[segment.file];
    if (file.intact_segments++ == 0) file.first_sequence = segment.header.sequence;
    file.last_sequence = segment.header.sequence;
  };
  for (const SegmentRef& segment : segments_) {
    count(segment);
    if (!segment.lost && !IsReadable(segment)) ++integrity_.skipped_segments;
  }
  for (const SegmentRef& segment : heap_segments_) count(segment);
  integrity_.has_events = !segments_.empty();
  integrity_.closed_in_order = integrity_.has_events && !segments_.back().lost &&
                               segments_.back().header.kind == SegmentKind::kLast;
}

void SegmentIndex::SummarizeHeaps() {
  integrity_.heaps.clear();
  uint64_t next = 0;
  for (const SegmentRef& segment : heap_segments_) {
    if (integrity_.heaps.empty() || integrity_.heaps.back().number != segment.header.file_number) {
      integrity_.heaps.push_back({.number = segment.header.file_number});
      next = 0;
    }
    HeapFileSummary& heap = integrity_.heaps.back();
    heap.bytes += segment.end() - segment.offset;
    heap.lost_segments += segment.header.sequence - next;
    next = segment.header.sequence + 1;
    if (segment.lost) {
      ++heap.lost_segments;
    } else {
      ++heap.intact_segments;
      if (segment.header.kind == SegmentKind::kHeapObjects) ++heap.object_segments;
    }
  }
  FindMissingHeaps();
}

void SegmentIndex::FindMissingHeaps() {
  integrity_.missing_heaps.clear();
  if (!of_folder_ || heap_files_.empty()) return;
  std::vector<uint32_t> here;
  for (const HeapFileSummary& heap : integrity_.heaps) here.push_back(heap.number);
  std::sort(heap_files_.begin(), heap_files_.end());
  // For a newer one, whose list of files is not here, older ones may have been deleted.
  if (!here.empty() && here.back() > heap_files_.back()) return;
  std::set_difference(heap_files_.begin(), heap_files_.end(), here.begin(), here.end(),
                      std::back_inserter(integrity_.missing_heaps));
}

// Whether the damage concerns snapshots only.
bool SegmentIndex::IsOfHeap(const DamagedRange& damage) const {
  return damage.of_heap || (!damage.sequence && only_heap_[damage.file]);
}

void SegmentIndex::SummarizeTimes() {
  std::vector<Gap>& gaps = integrity_.gaps;
  integrity_.first_unix_ns = integrity_.complete_until_unix_ns = integrity_.last_unix_ns = 0;
  size_t opened = 0;  // gaps that begin at or before the segment
  size_t closed = 0;  // of those, gaps that are followed by a segment
  bool complete = true;
  for (const SegmentRef& segment : segments_) {
    for (; opened < gaps.size() && gaps[opened].first_sequence <= segment.header.sequence;
         ++opened) {
      gaps[opened].from_unix_ns = integrity_.last_unix_ns;
      complete = complete && integrity_.first_unix_ns == 0;
    }
    if (segment.lost || segment.last_unix_ns == 0) continue;
    for (; closed < opened; ++closed) gaps[closed].to_unix_ns = segment.first_unix_ns;
    if (integrity_.first_unix_ns == 0) integrity_.first_unix_ns = segment.first_unix_ns;
    integrity_.last_unix_ns = std::max(integrity_.last_unix_ns, segment.last_unix_ns);
    if (complete) integrity_.complete_until_unix_ns = integrity_.last_unix_ns;
  }
}

bool SegmentIndex::BeginsItsFile(size_t segment) const {
  const SegmentRef& here = segments_[segment];
  if (segment > 0) {
    const SegmentHeader& before = segments_[segment - 1].header;
    if (before.file_number == here.header.file_number) return false;
    if (before.sequence + 1 == here.header.sequence) return true;
  }
  // What comes before it is lost. It begins its file if no damage touches it there.
  const auto after =
      std::lower_bound(damages_.begin(), damages_.end(), std::pair(here.file, here.offset),
                       [](const DamagedRange& damage, const std::pair<uint32_t, uint64_t>& place) {
                         return std::pair(damage.file, damage.offset) < place;
                       });
  if (after == damages_.begin()) return true;
  const DamagedRange& damage = *std::prev(after);
  return damage.file != here.file || damage.offset + damage.bytes < here.offset;
}

void SegmentIndex::SetTimes(size_t segment, uint64_t first_unix_ns, uint64_t last_unix_ns) {
  segments_[segment].first_unix_ns = first_unix_ns;
  segments_[segment].last_unix_ns = last_unix_ns;
}

void SegmentIndex::MarkInvalid(size_t segment, const char* clause) {
  Lose(segments_[segment], clause);
}

void SegmentIndex::MarkHeapInvalid(size_t heap_segment, const char* clause) {
  Lose(heap_segments_[heap_segment], clause);
}

void SegmentIndex::Lose(SegmentRef& segment, const char* clause) {
  segment.lost = true;
  damages_.push_back({Damage::Cause::kInvalid, segment.file, segment.offset,
                      segment.end() - segment.offset, segment.header.sequence, clause, false,
                      IsHeap(segment.header.kind)});
}

}  // namespace hindsight::analyzer
