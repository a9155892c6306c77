// All segments of a recording in order, from its files' containers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/model/integrity.h"
#include "analyzer/reader/files.h"
#include "analyzer/reader/scanner.h"

namespace hindsight::analyzer {

class Progress;

class SegmentIndex {
 public:
  // Scans the files that `paths` refer to. An error: nothing intact, a newer format, several
  // recordings, or a path that is not a recording.
  static Result<SegmentIndex> Build(std::span<const std::string> paths, Progress* progress);

  const std::vector<std::string>& paths() const { return paths_; }  // indexed by file
  // Ordered by sequence, each once, including lost ones. Excludes those of heap snapshots.
  const std::vector<SegmentRef>& segments() const { return segments_; }
  // Those of heap snapshots, ordered by number and sequence, each once, including lost ones.
  const std::vector<SegmentRef>& heap_segments() const { return heap_segments_; }
  const Integrity& integrity() const { return integrity_; }

  // Whether no earlier segment of the same numbered file is missing.
  bool BeginsItsFile(size_t segment) const;

  // Sets what reading its body has shown. Times may be set while others read the rest of the
  // segment.
  void SetTimes(size_t segment, uint64_t first_unix_ns, uint64_t last_unix_ns);
  // Its contents break the rules, so it is lost. `clause` must be a string literal.
  void MarkInvalid(size_t segment, const char* clause);
  void MarkHeapInvalid(size_t heap_segment, const char* clause);
  void SetUnknownPackets(uint64_t count) { integrity_.unknown_packets = count; }
  // Numbers of the heap snapshots that should exist, according to the latest information in the
  // recording.
  void SetHeapFiles(std::vector<uint32_t> numbers) { heap_files_ = std::move(numbers); }
  // Brings integrity() up to date with the calls above.
  void Summarize();

 private:
  Result<void> Scan(std::span<const InputFile> files, Progress* progress);
  Result<void> ScanOne(const InputFile& file, Progress* progress);
  Result<void> CheckIntact(std::span<const std::string> given) const;
  Result<void> CheckOneRecording();
  void SeparateHeaps();
  void DropDuplicates(std::vector<SegmentRef>& segments);
  void SummarizeDamages();
  void SummarizeFiles();
  void SummarizeHeaps();
  void FindMissingHeaps();
  bool IsOfHeap(const DamagedRange& damage) const;
  void Lose(SegmentRef& segment, const char* clause);
  void SummarizeTimes();

  std::vector<std::string> paths_;
  std::vector<SegmentRef> segments_;
  std::vector<SegmentRef> heap_segments_;
  std::vector<bool> only_heap_;        // by file: it contains nothing else
  std::vector<DamagedRange> damages_;  // ordered by file and offset
  std::vector<uint32_t> heap_files_;
  bool of_folder_ = false;         // a folder was given, not individual files
  std::optional<Error> unopened_;  // why the first such file of a folder could not be opened
  Integrity integrity_;
};

}  // namespace hindsight::analyzer
