// The files of a recording: found from the paths that a user gives, and read by offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/regular_file.h"
#include "analyzer/base/result.h"
#include "proto/segment.h"

namespace hindsight::analyzer {

struct InputFile {
  std::string path;
  bool named = false;  // by the user; otherwise found in a folder, where a bad file is only damage
};

// Folders become their *.hsr files by name; files stand for themselves. An error when a path does
// not exist or a folder holds none.
Result<std::vector<InputFile>> FindFiles(std::span<const std::string> paths);

// Whether a path is what FindFiles finds recordings in: a folder with *.hsr files, or a file that
// begins as theirs do. What cannot be read is none.
bool IsRecording(const std::string& path);

// A file of segments.
class FileReader {
 public:
  static Result<FileReader> Open(const std::string& path);

  uint64_t size() const { return file_.size(); }
  // Reads up to out.size() bytes. Fewer: the end, or an I/O error.
  size_t ReadAt(uint64_t offset, std::span<std::byte> out) const {
    return file_.ReadAt(offset, out);
  }
  // That of the segment which begins the file, if one does.
  HeaderError ReadHeader(SegmentHeader& header) const;

 private:
  explicit FileReader(RegularFile file) : file_(std::move(file)) {}
  RegularFile file_;
};

}  // namespace hindsight::analyzer
