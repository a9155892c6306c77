#include "analyzer/reader/scanner.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "proto/limits.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kChunkBytes = 1u << 20;
constexpr size_t kMagicBytes = 16;  // what FindSegment looks for

// A body that fails its checksum is searched for the next header from its first byte on. A hostile
// file could make every search read a whole body again: once this many times the file's size was
// read, the length in the header is trusted instead.
constexpr uint64_t kMaxRereads = 8;

class Scanner {
 public:
  Scanner(const FileReader& file, uint32_t file_index, ScanResult& result)
      : file_(file), index_(file_index), result_(result), size_(file.size()) {
    budget_ = size_ < UINT64_MAX / kMaxRereads ? size_ * kMaxRereads : UINT64_MAX;
  }

  void Run(const std::function<void(uint64_t)>& progress) {
    for (uint64_t at = 0; at < size_;) {
      at = Step(at);
      progress(at);
    }
  }

 private:
  // Handles the segment or the damage that begins at `at`; returns where the next one begins.
  uint64_t Step(uint64_t at) {
    std::array<std::byte, kSegmentHeaderBytes> bytes;
    const size_t got = file_.ReadAt(at, bytes);
    if (got < std::min<uint64_t>(bytes.size(), size_ - at)) return Unreadable(at);

    SegmentRef segment;
    segment.file = index_;
    segment.offset = at;
    switch (DecodeSegmentHeader(std::span(bytes).first(got), segment.header)) {
      case HeaderError::kNone:
        return Body(segment);
      case HeaderError::kNewerVersion:
        result_.newest_version = std::max(result_.newest_version, segment.header.version);
        return Skip(at, Damage::Cause::kInvalid, "a segment of a newer format");
      case HeaderError::kOverLimit:
        segment.lost = true;
        result_.segments.push_back(segment);
        return Skip(at, Damage::Cause::kInvalid,
                    "the segment claims to be larger than the format allows",
                    segment.header.sequence);
      case HeaderError::kChecksum:
        return Skip(at, Damage::Cause::kDamaged, "the header's checksum does not match");
      case HeaderError::kTooShort:
        if (BeginsLikeHeader(std::span(bytes).first(got))) {
          Add(at, size_, Damage::Cause::kTruncated, "the file ends inside a segment's header");
          return size_;
        }
        [[fallthrough]];
      case HeaderError::kNoMagic:
        break;
    }
    return Skip(at, Damage::Cause::kDamaged, "these bytes are not a segment");
  }

  uint64_t Body(SegmentRef segment) {
    result_.newest_version = std::max(result_.newest_version, segment.header.version);
    const uint64_t at = segment.offset;
    const uint64_t sequence = segment.header.sequence;
    if (segment.end() <= size_) {
      body_.resize(segment.header.compressed_bytes);
      if (file_.ReadAt(at + kSegmentHeaderBytes, body_) < body_.size()) return Unreadable(at);
      segment.lost = Crc32c(body_) != segment.header.body_crc32c;
      result_.segments.push_back(segment);
      if (!segment.lost) return segment.end();

      static constexpr char kDetail[] = "the body's checksum does not match";
      if (budget_ < body_.size()) {
        Add(at, segment.end(), Damage::Cause::kDamaged, kDetail, sequence);
        return segment.end();
      }
      budget_ -= body_.size();
      return Skip(at, Damage::Cause::kDamaged, kDetail, sequence);
    }
    segment.lost = true;
    result_.segments.push_back(segment);
    const Found next = Find(at);
    const bool cut = next.offset == size_;
    Add(at, next.offset, cut ? Damage::Cause::kTruncated : Damage::Cause::kDamaged,
        cut ? "the file ends inside a segment" : "part of the segment is missing", sequence);
    return next.offset;
  }

  // Records damage from `at` to the next place where a segment could begin, which is returned.
  uint64_t Skip(uint64_t at, Damage::Cause cause, const char* detail,
                std::optional<uint64_t> sequence = {}) {
    const Found next = Find(at);
    if (next.only_zeros) {
      Add(at, next.offset, Damage::Cause::kZeros, "only zero bytes", sequence);
    } else {
      Add(at, next.offset, cause, detail, sequence);
    }
    return next.offset;
  }

  uint64_t Unreadable(uint64_t at) {
    Add(at, size_, Damage::Cause::kUnreadable,
        "the file could not be read to its end: a disk error, or it was truncated");
    return size_;
  }

  void Add(uint64_t from, uint64_t to, Damage::Cause cause, const char* detail,
           std::optional<uint64_t> sequence = {}) {
    bool hides_more = false;
    bool of_heap = false;
    if (sequence) {
      const SegmentRef& segment = result_.segments.back();
      hides_more = segment.offset == from && to > segment.end();
      of_heap = segment.header.kind == SegmentKind::kHeapTables ||
                segment.header.kind == SegmentKind::kHeapObjects;
    }
    result_.damages.push_back(
        {cause, index_, from, to - from, sequence, detail, hides_more, of_heap});
  }

  static bool BeginsLikeHeader(std::span<const std::byte> bytes) {
    std::array<std::byte, kSegmentHeaderBytes> header;
    EncodeSegmentHeader({}, header);
    return std::memcmp(bytes.data(), header.data(), std::min(bytes.size(), kMagicBytes)) == 0;
  }

  struct Found {
    uint64_t offset;  // size_ if there is no such place
    bool only_zeros;  // before that place
  };

  // The first place after `at` where a segment could begin. Each chunk of the file is read once,
  // however many searches end in it.
  Found Find(uint64_t at) {
    bool only_zeros = true;
    uint64_t from = at + 1;
    if (IsNonZero(at)) only_zeros = false;
    while (from < size_) {
      const std::span<const std::byte> bytes = Window(from);
      const size_t hit = FindSegment(bytes, 0);
      only_zeros = only_zeros && std::all_of(bytes.begin(), bytes.begin() + hit,
                                             [](std::byte b) { return b == std::byte{0}; });
      if (hit < bytes.size()) return {from + hit, only_zeros};
      if (bytes.size() < kMagicBytes || from + bytes.size() >= size_) break;
      from += bytes.size() - (kMagicBytes - 1);
    }
    return {size_, only_zeros};
  }

  bool IsNonZero(uint64_t at) {
    const std::span<const std::byte> bytes = Window(at);
    return bytes.empty() || bytes[0] != std::byte{0};
  }

  // Bytes of the file from `at` on, at least kMagicBytes of them if the file has that many.
  std::span<const std::byte> Window(uint64_t at) {
    const bool inside = at >= chunk_offset_ && at < chunk_offset_ + chunk_.size();
    if (!inside || chunk_offset_ + chunk_.size() - at < kMagicBytes) {
      chunk_.resize(std::min<uint64_t>(kChunkBytes, size_ - at));
      chunk_.resize(file_.ReadAt(at, chunk_));
      chunk_offset_ = at;
    }
    return std::span(chunk_).subspan(at - chunk_offset_);
  }

  const FileReader& file_;
  const uint32_t index_;
  ScanResult& result_;
  const uint64_t size_;
  uint64_t budget_;
  std::vector<std::byte> body_;
  std::vector<std::byte> chunk_;
  uint64_t chunk_offset_ = 0;
};

}  // namespace

void ScanFile(const FileReader& file, uint32_t file_index, ScanResult& result,
              const std::function<void(uint64_t)>& progress) {
  Scanner(file, file_index, result).Run(progress);
}

}  // namespace hindsight::analyzer
