#include "recorder/output/segment_writer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#define ZSTD_STATIC_LINKING_ONLY  // static contexts: zstd allocates nothing
#include <zstd.h>

#include "recorder/base/clock.h"
#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

constexpr int kLevel = 1;
constexpr size_t kAlignment = 4096;  // of the parts of the mapping

constexpr size_t Aligned(size_t bytes) { return (bytes + kAlignment - 1) & ~(kAlignment - 1); }

constexpr size_t kRawBufferBytes = Aligned(SegmentWriter::kCapacityBytes);
constexpr size_t kSegmentBytes =
    kSegmentHeaderBytes + ZSTD_COMPRESSBOUND(SegmentWriter::kCapacityBytes);
static_assert(kSegmentBytes - kSegmentHeaderBytes <= kMaxSegmentCompressedBytes);

std::string_view Advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free space, or lower limit.disk";
    case EFBIG:
      return "raise limit.disk or the file size limit (ulimit -f)";
    case EROFS:
    case EACCES:
    case EPERM:
      return "make the folder writable, or set output= to another one";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    default:
      return "check the disk, or set output= to another one";
  }
}

}  // namespace

SegmentWriter::~SegmentWriter() { Close(); }

bool SegmentWriter::Open(const WriterConfig& config, std::string* why) {
  Close();
  if (!Map()) {
    *why = "cannot get memory for the recorder's disk buffers: " + ErrorText(errno) +
           "; raise the memory limit of the process or its container";
    return false;
  }
  config_ = config;
  if (!folder_.Create(config_.folder, why)) {
    Unmap();
    return false;
  }
  files_.Open(folder_.fd(), config_.disk_limit_bytes);
  raw_bytes_ = 0;
  recording_id_ = RandomId();
  sequence_ = 0;
  failing_ = false;
  pause_ns_ = 0;
  told_stderr_ = false;
  last_error_.clear();
  counters_ = {};
  return true;
}

void SegmentWriter::BeginSegment(bool* new_file) {
  raw_bytes_ = 0;
  *new_file = files_.NeedsNewFile();
}

bool SegmentWriter::Add(std::span<const std::byte> packet_field) {
  if (packet_field.size() > kCapacityBytes - raw_bytes_) return false;
  if (!packet_field.empty()) {
    std::memcpy(mapping_ + raw_bytes_, packet_field.data(), packet_field.size());
  }
  raw_bytes_ += packet_field.size();
  return true;
}

bool SegmentWriter::EndSegment(SegmentKind kind) {
  const uint64_t sequence = sequence_++;  // used up by a lost segment too: the gap shows the loss
  const bool is_paused = failing_ && kind != SegmentKind::kLast && MonotonicNs() < retry_at_ns_;
  if (!is_paused && Write(kind, sequence)) {
    failing_ = false;
    ++counters_.segments_written;
    return true;
  }
  files_.EndFile();  // the lost segment may have held dictionary entries
  ++counters_.segments_lost;
  counters_.raw_bytes_lost += raw_bytes_;
  return false;
}

bool SegmentWriter::Write(SegmentKind kind, uint64_t sequence) {
  const size_t frame_bytes = Compress();
  if (frame_bytes == 0) return Fail(EIO, path(), "zstd refuses the segment");
  if (!EnsureFile()) return false;

  SegmentHeader header;
  header.kind = kind;
  header.file_number = files_.file_number();
  header.recording_id = recording_id_;
  header.sequence = sequence;
  header.compressed_bytes = static_cast<uint32_t>(frame_bytes);
  header.raw_bytes = static_cast<uint32_t>(raw_bytes_);
  header.body_crc32c = Crc32c(segment_.subspan(kSegmentHeaderBytes, frame_bytes));
  EncodeSegmentHeader(header, segment_.first<kSegmentHeaderBytes>());

  const int error = files_.Append(segment_.first(kSegmentHeaderBytes + frame_bytes));
  if (error == 0) return true;
  return Fail(error, path() + "/" + FileName(header.file_number),
              files_.reason() != nullptr ? files_.reason() : ErrorText(error));
}

size_t SegmentWriter::Compress() {
  const size_t result =
      ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(compressor_), segment_.data() + kSegmentHeaderBytes,
                        segment_.size() - kSegmentHeaderBytes, mapping_, raw_bytes_, kLevel);
  return ZSTD_isError(result) ? 0 : result;
}

bool SegmentWriter::EnsureFile() {
  int error = files_.EnsureFile();
  if (error == 0) return true;
  if (error == ENOENT || error == ESTALE) {  // the folder was deleted, with all that was in it
    std::string why;
    if (!folder_.Create(config_.folder, &why)) return Fail(error, path(), why);
    files_.Move(folder_.fd());
    error = files_.EnsureFile();
    if (error == 0) return true;
  }
  return Fail(error, path() + "/" + FileName(files_.file_number() + 1), ErrorText(error));
}

bool SegmentWriter::Fail(int error, std::string_view where, std::string_view reason) {
  ++counters_.errors;
  pause_ns_ =
      failing_ ? std::min(2 * pause_ns_, config_.retry_after_max_ns) : config_.retry_after_ns;
  retry_at_ns_ = MonotonicNs() + pause_ns_;
  failing_ = true;

  last_error_.assign("cannot write ").append(where).append(": ").append(reason);
  last_error_.append("; the recording goes on without it and counts the loss: ")
      .append(Advice(error));
  if (!told_stderr_) told_stderr_ = WriteToStderr("hindsight: " + last_error_ + "\n");
  return false;
}

bool SegmentWriter::Close() {
  const bool is_clean = files_.Close() == 0;
  folder_.Close();
  Unmap();
  return is_clean;
}

WriterStats SegmentWriter::stats() const {
  WriterStats stats = counters_;
  stats.written_bytes = files_.written_bytes();
  stats.stored_bytes = files_.stored_bytes();
  stats.files_created = files_.files_created();
  stats.files_deleted = files_.files_deleted();
  stats.memory_bytes = mapping_bytes_ + files_.memory_bytes();
  return stats;
}

bool SegmentWriter::Map() {
  const size_t workspace_bytes = ZSTD_estimateCCtxSize(kLevel);
  const size_t bytes = kRawBufferBytes + Aligned(kSegmentBytes) + workspace_bytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  mapping_ = static_cast<std::byte*>(memory);
  mapping_bytes_ = bytes;
  segment_ = {mapping_ + kRawBufferBytes, kSegmentBytes};
  compressor_ =
      ZSTD_initStaticCCtx(mapping_ + kRawBufferBytes + Aligned(kSegmentBytes), workspace_bytes);
  if (compressor_ != nullptr) return true;
  Unmap();
  errno = ENOMEM;
  return false;
}

void SegmentWriter::Unmap() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_bytes_);
  mapping_ = nullptr;
  mapping_bytes_ = 0;
  segment_ = {};
  compressor_ = nullptr;
}

}  // namespace hindsight::recorder
