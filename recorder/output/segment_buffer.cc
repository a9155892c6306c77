#include "recorder/output/segment_buffer.h"

#include <cerrno>
#include <cstring>

#define ZSTD_STATIC_LINKING_ONLY  // static contexts: zstd allocates nothing
#include <zstd.h>

#include "recorder/base/pages.h"

namespace hindsight::recorder {
namespace {

constexpr int kLevel = 1;
constexpr size_t kAlignment = 4096;  // of the parts of the mapping

constexpr size_t Aligned(size_t bytes) { return (bytes + kAlignment - 1) & ~(kAlignment - 1); }

constexpr size_t kRawBufferBytes = Aligned(SegmentBuffer::kCapacityBytes);
constexpr size_t kSegmentBytes =
    kSegmentHeaderBytes + ZSTD_COMPRESSBOUND(SegmentBuffer::kCapacityBytes);
static_assert(kSegmentBytes - kSegmentHeaderBytes <= kMaxSegmentCompressedBytes);

}  // namespace

bool SegmentBuffer::Map() {
  const size_t workspace_bytes = ZSTD_estimateCCtxSize(kLevel);
  const size_t bytes = kRawBufferBytes + Aligned(kSegmentBytes) + workspace_bytes;
  void* memory = MapPages(bytes);
  if (memory == nullptr) return false;
  mapping_ = static_cast<std::byte*>(memory);
  mapping_bytes_ = bytes;
  segment_ = {mapping_ + kRawBufferBytes, kSegmentBytes};
  raw_bytes_ = 0;
  compressor_ =
      ZSTD_initStaticCCtx(mapping_ + kRawBufferBytes + Aligned(kSegmentBytes), workspace_bytes);
  if (compressor_ != nullptr) return true;
  Unmap();
  errno = ENOMEM;
  return false;
}

void SegmentBuffer::Unmap() {
  UnmapPages(mapping_, mapping_bytes_);
  mapping_ = nullptr;
  mapping_bytes_ = 0;
  segment_ = {};
  compressor_ = nullptr;
  raw_bytes_ = 0;
}

bool SegmentBuffer::Add(std::span<const std::byte> bytes) {
  if (bytes.size() > kCapacityBytes - raw_bytes_) return false;
  if (!bytes.empty()) std::memcpy(mapping_ + raw_bytes_, bytes.data(), bytes.size());
  raw_bytes_ += bytes.size();
  return true;
}

std::span<const std::byte> SegmentBuffer::Seal(SegmentHeader header) {
  const size_t result =
      ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(compressor_), segment_.data() + kSegmentHeaderBytes,
                        segment_.size() - kSegmentHeaderBytes, mapping_, raw_bytes_, kLevel);
  if (ZSTD_isError(result)) return {};
  header.compressed_bytes = static_cast<uint32_t>(result);
  header.raw_bytes = static_cast<uint32_t>(raw_bytes_);
  header.body_crc32c = Crc32c(segment_.subspan(kSegmentHeaderBytes, result));
  sealed_ = header;
  Stamp(header);
  return segment_.first(kSegmentHeaderBytes + result);
}

void SegmentBuffer::Stamp(SegmentHeader header) {
  header.compressed_bytes = sealed_.compressed_bytes;
  header.raw_bytes = sealed_.raw_bytes;
  header.body_crc32c = sealed_.body_crc32c;
  EncodeSegmentHeader(header, segment_.first<kSegmentHeaderBytes>());
}

}  // namespace hindsight::recorder
