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
  bool named = false;  // by the user; otherwise found in a folder, where a bad file is damage
};

// Folders yield their *.hsr files by name; files yield themselves. An error if a path does not
// exist or a folder has no such files.
Result<std::vector<InputFile>> FindFiles(std::span<const std::string> paths);

// Whether FindFiles finds a recording in a path: a folder with *.hsr files, or a file that begins
// like one. False if it cannot be read.
bool IsRecording(const std::string& path);

// A file of segments.
class FileReader {
 public:
  static Result<FileReader> Open(const std::string& path);

  uint64_t size() const { return file_.size(); }
  // Reads up to out.size() bytes. Fewer: end of file, or an I/O error.
  size_t ReadAt(uint64_t offset, std::span<std::byte> out) const {
    return file_.ReadAt(offset, out);
  }
  // Reads the header of the segment at the start of the file, if there is one.
  HeaderError ReadHeader(SegmentHeader& header) const;

 private:
  explicit FileReader(RegularFile file) : file_(std::move(file)) {}
  RegularFile file_;
};

}  // namespace hindsight::analyzer
