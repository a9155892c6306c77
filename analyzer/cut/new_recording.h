// A recording written by the analyzer: a new folder with segment files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"
#include "proto/segment.h"

namespace hindsight::analyzer {

// Written under another name in the same place until Finish, and removed without it, so that an
// incomplete recording is never taken for a complete one. The folder (0700) and its files (0600)
// are private to the user. Not thread-safe.
class NewRecording {
 public:
  // An error: the name exists, or nothing can be written there.
  static Result<NewRecording> Create(const std::string& path);
  NewRecording(NewRecording&& other) noexcept;
  NewRecording& operator=(NewRecording&&) = delete;
  ~NewRecording();

  // Appends a segment to the file that its header names, which is the file of the previous segment
  // or a new one. `frame` is its zstd frame, as described by `header`.
  Result<void> Append(const SegmentHeader& header, std::span<const std::byte> frame);
  // Likewise, from the body; fills in sizes and checksum of `header`.
  Result<void> AppendBody(SegmentHeader header, std::string_view body);
  // Gives the folder its name.
  Result<void> Finish();

  uint64_t bytes() const { return bytes_; }  // written
  size_t files() const { return files_.size(); }

 private:
  NewRecording(std::string path, std::string part)
      : path_(std::move(path)), part_(std::move(part)) {}
  Result<void> OpenFileOf(const SegmentHeader& header);
  Result<void> CloseFile();
  Error Failed(int error) const;

  std::string path_, part_;  // of the folder; part_ is empty if it is not ours to remove
  std::vector<std::string> files_;
  std::FILE* file_ = nullptr;  // the last of files_
  std::vector<std::byte> frame_;
  uint64_t bytes_ = 0;
};

}  // namespace hindsight::analyzer
