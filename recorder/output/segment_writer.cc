#include "recorder/output/segment_writer.h"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "recorder/base/clock.h"
#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

std::string_view Advice(int error) {
  if (IsDiskFull(error)) return "free up space, or lower limit.disk";
  switch (error) {
    case EFBIG:
      return "raise limit.disk or the file size limit (ulimit -f)";
    case EROFS:
    case EACCES:
    case EPERM:
      return "make the folder writable, or set output= to another one";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    case EBADF:
      return "look for code that closes descriptors or handles which are not its own";
    default:
      return "check the disk, or set output= to another one";
  }
}

}  // namespace

SegmentWriter::~SegmentWriter() { Close(); }

bool SegmentWriter::Open(const WriterConfig& config, std::string* why) {
  Close();
  if (!buffer_.Map()) {
    *why = "cannot get memory for the recorder's disk buffers: " + ErrorText(errno) +
           "; raise the memory limit of the process or its container";
    return false;
  }
  config_ = config;
  if (!folder_.Create(config_.folder, why)) {
    buffer_.Unmap();
    return false;
  }
  files_.Open(folder_.fd(), config_.disk_limit_bytes);
  recording_id_ = RandomId();
  sequence_ = 0;
  failing_ = false;
  pause_ns_ = 0;
  on_stderr_ = false;
  last_error_.clear();
  counters_ = {};
  return true;
}

void SegmentWriter::BeginSegment(bool* new_file) {
  buffer_.Clear();
  *new_file = files_.NeedsNewFile();
}

bool SegmentWriter::EndSegment(SegmentKind kind) {
  const uint64_t sequence = sequence_++;  // also used up by a lost segment: the gap shows the loss
  const bool is_paused = failing_ && kind != SegmentKind::kLast && MonotonicNs() < retry_at_ns_;
  if (!is_paused && Write(kind, sequence)) {
    failing_ = false;
    ++counters_.segments_written;
    return true;
  }
  files_.EndFile();  // the lost segment may have contained dictionary entries
  ++counters_.segments_lost;
  counters_.raw_bytes_lost += buffer_.raw_bytes();
  return false;
}

bool SegmentWriter::Write(SegmentKind kind, uint64_t sequence) {
  SegmentHeader header;
  header.kind = kind;
  header.recording_id = recording_id_;
  header.sequence = sequence;
  if (!EnsureFile()) return false;
  header.file_number = files_.file_number();
  const std::span<const std::byte> segment = buffer_.Seal(header);
  if (segment.empty()) return Fail(EIO, path(), "zstd refuses the segment");

  const auto stamp = [&] {
    const FileSet::Kept& kept = files_.kept();
    header.oldest_file = std::min(kept.oldest_file, kMaxOldestFile);
    header.oldest_sequence =
        static_cast<uint32_t>(std::min<uint64_t>(kept.oldest_sequence, UINT32_MAX));
    header.deleted_for_full_disk = kept.deleted_for_full_disk;
    buffer_.Stamp(header);
  };
  const int error = files_.Append(segment, sequence, stamp, kind == SegmentKind::kLast);
  if (error == 0) return true;
  return Fail(error, PathIn(path(), FileName(header.file_number)),
              files_.reason() != nullptr ? files_.reason() : ErrorText(error));
}

bool SegmentWriter::EnsureFile() {
  int error = files_.EnsureFile();
  if (error == 0) return true;
  if (IsFolderGone(error)) {  // the folder was deleted, with everything in it
    std::string why;
    if (!folder_.Create(config_.folder, &why)) return Fail(error, path(), why);
    files_.Move(folder_.fd());
    error = files_.EnsureFile();
    if (error == 0) return true;
  }
  return Fail(error, PathIn(path(), FileName(files_.file_number() + 1)), ErrorText(error));
}

bool SegmentWriter::Fail(int error, std::string_view where, std::string_view reason) {
  ++counters_.errors;
  pause_ns_ =
      failing_ ? std::min(2 * pause_ns_, config_.retry_after_max_ns) : config_.retry_after_ns;
  retry_at_ns_ = MonotonicNs() + pause_ns_;
  failing_ = true;

  last_error_.assign("cannot write ").append(where).append(": ").append(reason);
  last_error_.append("; the recording continues and counts the loss: ").append(Advice(error));
  if (!on_stderr_) on_stderr_ = WriteToStderr("hindsight: " + last_error_ + "\n");
  return false;
}

bool SegmentWriter::Close() {
  const bool is_clean = files_.Close() == 0;
  folder_.Close();
  buffer_.Unmap();
  return is_clean;
}

WriterStats SegmentWriter::stats() const {
  WriterStats stats = counters_;
  stats.written_bytes = files_.written_bytes();
  stats.stored_bytes = files_.stored_bytes();
  stats.files_created = files_.files_created();
  stats.files_deleted = files_.files_deleted();
  stats.memory_bytes = buffer_.memory_bytes() + files_.memory_bytes();
  return stats;
}

}  // namespace hindsight::recorder
