// Segments from their files to decompressed bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/reader/files.h"
#include "analyzer/reader/scanner.h"
#include "analyzer/reader/segment_body.h"

namespace hindsight::analyzer {

// Reuses its buffers; not thread-safe. `files` must outlive it.
class SegmentLoader {
 public:
  explicit SegmentLoader(std::span<const std::string> files) : files_(files) {}

  // Null, or a clause that says why `body` cannot be used. Checks the frame again: the file may
  // have changed since it was scanned.
  const char* Load(const SegmentRef& segment, std::vector<std::byte>& body);

 private:
  const std::span<const std::string> files_;
  std::optional<FileReader> file_;
  uint32_t open_ = 0;
  Decompressor decompressor_;
  std::vector<std::byte> frame_;
};

}  // namespace hindsight::analyzer
