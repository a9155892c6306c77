// Builds valid recordings for tests, from text or messages, with the container's own code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "proto/recording.pb.h"
#include "proto/segment.h"

namespace hindsight::testing {

// One segment as bytes, header and zstd frame. `compressed_bytes`, `raw_bytes` and `body_crc32c` of
// `header` are filled in.
std::string EncodeSegment(SegmentHeader header, std::string_view body);
// The same around a frame made elsewhere: the caller fills in `raw_bytes`.
std::string EncodeSegmentAround(SegmentHeader header, std::string_view frame);

class RecordingBuilder {
 public:
  explicit RecordingBuilder(uint64_t recording_id = 0x1122334455667788) : id_(recording_id) {}

  // A whole recording in text format, as a `Recording`: a segment begins at every `segment_start`,
  // a file at every segment whose second packet is a `process`, and the segment that holds a
  // `recording_end` is marked as the last. Throws std::runtime_error if the text is anything else.
  void AddText(std::string_view text);

  // Single steps. The first segment begins file 1 by itself.
  void NextFile();
  void AddSegment(const Recording& body, SegmentKind kind = SegmentKind::kData);
  void AddBody(std::string_view body, SegmentKind kind = SegmentKind::kData);
  // As if `count` segments had been written and were gone.
  void SkipSegments(uint64_t count) { sequence_ += count; }

  const std::vector<std::string>& files() const { return files_; }
  // Offsets in files()[file] at which segments begin, ascending.
  const std::vector<size_t>& segment_offsets(size_t file) const { return offsets_[file]; }
  std::string Concatenated() const;

  // Writes 000001.hsr, ... into `folder`, which is created.
  void WriteFolder(const std::filesystem::path& folder) const;

 private:
  uint64_t id_;
  uint64_t sequence_ = 0;
  std::vector<std::string> files_;
  std::vector<std::vector<size_t>> offsets_;
};

void WriteFile(const std::filesystem::path& path, std::string_view bytes);
std::string ReadFile(const std::filesystem::path& path);
Recording ParseText(std::string_view text);  // throws std::runtime_error

// A folder of its own, removed with everything in it.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace hindsight::testing
