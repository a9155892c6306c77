#include "analyzer/reader/segment_loader.h"

#include <utility>

namespace hindsight::analyzer {

const char* SegmentLoader::Load(const SegmentRef& segment, std::vector<std::byte>& body) {
  if (!file_ || open_ != segment.file) {
    file_.reset();
    Result<FileReader> file = FileReader::Open(files_[segment.file]);
    if (!file) return "the file disappeared while it was read";
    file_ = std::move(file).value();
    open_ = segment.file;
  }
  frame_.resize(segment.header.compressed_bytes);
  if (file_->ReadAt(segment.offset + kSegmentHeaderBytes, frame_) < frame_.size() ||
      Crc32c(frame_) != segment.header.body_crc32c) {
    return "the file changed while it was read";
  }
  return decompressor_.Run(segment.header, frame_, body);
}

}  // namespace hindsight::analyzer
