#include "analyzer/reader/segment_index.h"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <map>
#include <utility>

#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/reader/gaps.h"
#include "analyzer/reader/read_ahead.h"

namespace hindsight::analyzer {
namespace {

std::string Hex(uint64_t value) {
  char out[17];
  std::snprintf(out, sizeof out, "%016" PRIx64, value);
  return out;
}

std::string Names(std::span<const std::string> paths) {
  std::string names = Printable(paths.front());
  if (paths.size() > 1) names += " and " + Plural(paths.size() - 1, "more path");
  return names;
}

// Files that were asked for by name have to be (part of) a recording.
Error NoRecording(const std::string& path, uint64_t bytes, const ScanResult& scan) {
  const std::string where = Printable(path);
  if (bytes == 0) {
    return {
        where +
        " is empty: the process ended before a first segment was written, or the file was never "
        "a recording"};
  }
  if (!scan.damages.empty() && scan.damages.front().cause == Damage::Cause::kInvalid) {
    return {where + " cannot be used: " + scan.damages.front().detail +
            "; it is damaged, or made to do harm"};
  }
  if (!scan.segments.empty()) {
    return {where + " holds no intact segment: all " + Plural(scan.segments.size(), "segment") +
            " in it are damaged or cut off; nothing of it can be read"};
  }
  return {where + " is not a Hindsight recording: no segment begins anywhere in its " +
          FormatBytes(bytes) + "; name a folder (*.hindsight) or a file (*.hsr) of one"};
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
  index.DropDuplicates();
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
  // A recording that is still written rotates its files while we look: that one is gone.
  if (!reader && !file.named && access(file.path.c_str(), F_OK) != 0) return {};

  const auto index = static_cast<uint32_t>(paths_.size());
  paths_.push_back(file.path);
  FileSummary& summary = integrity_.files.emplace_back();
  summary.path = file.path;
  if (!reader) {
    if (file.named) return reader.error();
    damages_.push_back(
        {Damage::Cause::kUnreadable, index, 0, 0, {}, "the file cannot be opened", false});
    return {};
  }
  summary.bytes = reader->size();
  if (summary.bytes == 0 && !file.named) {
    damages_.push_back({Damage::Cause::kTruncated, index, 0, 0, {}, "the file is empty", false});
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
                 std::to_string(kFormatVersion) + "): update hindsight"};
  }
  if (file.named && !HasIntact(scan.segments)) return NoRecording(file.path, summary.bytes, scan);
  segments_.insert(segments_.end(), scan.segments.begin(), scan.segments.end());
  damages_.insert(damages_.end(), scan.damages.begin(), scan.damages.end());
  return {};
}

Result<void> SegmentIndex::CheckIntact(std::span<const std::string> given) const {
  if (HasIntact(segments_)) return {};
  if (integrity_.total_bytes == 0) {
    return Error{Names(given) +
                 " holds only empty files: the process ended before a first segment was written"};
  }
  return Error{Names(given) + " holds no intact segment: nothing in its " +
               FormatBytes(integrity_.total_bytes) + " can be read"};
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
  return Error{"these are several recordings: " + Hex(one) + " in " + Printable(paths_[one_file]) +
               " and " + Hex(other) + " in " + Printable(paths_[other_file]) +
               "; give the files of one recording at a time"};
}

void SegmentIndex::DropDuplicates() {
  std::stable_sort(
      segments_.begin(), segments_.end(), [](const SegmentRef& a, const SegmentRef& b) {
        return std::pair(a.header.sequence, a.lost) < std::pair(b.header.sequence, b.lost);
      });
  size_t kept = 0;
  for (const SegmentRef& segment : segments_) {
    if (kept > 0 && segments_[kept - 1].header.sequence == segment.header.sequence) {
      const SegmentRef& first = segments_[kept - 1];
      ++integrity_.duplicate_segments;
      if (!segment.lost && (segment.header.body_crc32c != first.header.body_crc32c ||
                            segment.header.file_number != first.header.file_number)) {
        damages_.push_back({Damage::Cause::kConflict, segment.file, segment.offset,
                            segment.end() - segment.offset, segment.header.sequence,
                            "another segment has the same number", false});
      }
      continue;
    }
    segments_[kept++] = segment;
  }
  segments_.resize(kept);
}

void SegmentIndex::Summarize() {
  std::sort(damages_.begin(), damages_.end(), [](const DamagedRange& a, const DamagedRange& b) {
    return std::pair(a.file, a.offset) < std::pair(b.file, b.offset);
  });
  SummarizeDamages();
  SummarizeFiles();
  integrity_.gaps = FindGaps(segments_, damages_);
  SummarizeTimes();
}

void SegmentIndex::SummarizeDamages() {
  integrity_.damages.clear();
  integrity_.damage_count = damages_.size();
  integrity_.lost_bytes = 0;
  for (const DamagedRange& damage : damages_) {
    integrity_.lost_bytes += damage.bytes;
    if (integrity_.damages.size() == kMaxDamagesListed) continue;
    integrity_.damages.push_back({damage.cause, paths_[damage.file], damage.offset, damage.bytes,
                                  damage.sequence, damage.detail});
  }
}

void SegmentIndex::SummarizeFiles() {
  integrity_.intact_segments = integrity_.skipped_segments = 0;
  for (FileSummary& file : integrity_.files) file.intact_segments = 0;
  for (const SegmentRef& segment : segments_) {
    if (segment.lost) continue;
    ++integrity_.intact_segments;
    if (!IsReadable(segment)) ++integrity_.skipped_segments;
    FileSummary& file = integrity_.files[segment.file];
    if (file.intact_segments++ == 0) file.first_sequence = segment.header.sequence;
    file.last_sequence = segment.header.sequence;
  }
  const SegmentRef& last = segments_.back();
  integrity_.closed_in_order = !last.lost && last.header.kind == SegmentKind::kLast;
}

void SegmentIndex::SummarizeTimes() {
  std::vector<Gap>& gaps = integrity_.gaps;
  integrity_.first_unix_ns = integrity_.complete_until_unix_ns = integrity_.last_unix_ns = 0;
  size_t opened = 0;  // gaps that begin at or before the segment
  size_t closed = 0;  // of those, the ones that have a segment after them
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
  // What stands before it is lost. It begins its file if no damage touches it there.
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
  SegmentRef& lost = segments_[segment];
  lost.lost = true;
  damages_.push_back({Damage::Cause::kInvalid, lost.file, lost.offset, lost.end() - lost.offset,
                      lost.header.sequence, clause, false});
}

}  // namespace hindsight::analyzer
