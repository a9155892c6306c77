// Packets -> segments -> files: the disk side of the recorder, and the only part that touches the
// disk.
//
// Owned and used by one thread, the drain thread. Its buffers are mapped by Open and never grow. A
// segment is one write(2): header and frame are in one buffer. Nothing is synced: a recording
// survives any end of the process, but not a power failure.
//
// What cannot be written is lost, counted, and visible in the recording as a gap in the sequence;
// one line on stderr reports it, once per recording. The next segment then starts a new file, with
// new dictionaries. Writing is retried after 1, 2, 4 ... 30 seconds; segments in between are
// dropped without touching the disk. A recording whose folder was deleted continues in a new one.
//
// Signals: a write beyond RLIMIT_FSIZE would end the process with SIGXFSZ. The signal is blocked
// around each write, so a writer may be used on any thread, whatever its mask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "proto/segment.h"
#include "recorder/output/file_set.h"
#include "recorder/output/recording_folder.h"
#include "recorder/output/segment_buffer.h"
#include "recorder/output/segment_sink.h"

namespace hindsight::recorder {

struct WriterConfig {
  FolderRequest folder;
  uint64_t disk_limit_bytes = 256u << 20;
  uint64_t retry_after_ns = 1'000'000'000;       // first pause after a failed write; doubles
  uint64_t retry_after_max_ns = 30'000'000'000;  // up to this
};

struct WriterStats {
  uint64_t written_bytes = 0;  // in total, including deleted files
  uint64_t stored_bytes = 0;   // on disk now
  uint64_t segments_written = 0;
  uint64_t segments_lost = 0;
  uint64_t raw_bytes_lost = 0;  // of those segments, uncompressed
  uint64_t errors = 0;          // failed attempts; not segments dropped during a pause
  uint32_t files_created = 0;
  uint32_t files_deleted = 0;  // by rotation
  uint64_t memory_bytes = 0;   // mapped
};

class SegmentWriter final : public SegmentSink {
 public:
  static constexpr size_t kCapacityBytes = SegmentBuffer::kCapacityBytes;

  SegmentWriter() = default;
  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;
  ~SegmentWriter();

  // Creates the recording's folder; the first file is created with the first segment. False: `why`
  // is one sentence for the user, and there is no recording folder. A closed writer may be opened
  // again.
  bool Open(const WriterConfig& config, std::string* why);

  // See FileSet. The oldest files are deleted with the next segment, if necessary.
  void LimitDisk(uint64_t bytes) { files_.LimitTo(bytes); }

  void BeginSegment(bool* new_file) override;
  bool Add(std::span<const std::byte> packet_field) override { return buffer_.Add(packet_field); }
  size_t raw_bytes() const override { return buffer_.raw_bytes(); }
  // False: see last_error(). A kLast segment is attempted even during a pause.
  bool EndSegment(SegmentKind kind) override;

  // Closes the files and frees the memory; a segment that was begun and not ended is dropped.
  // False: the system reported a late failure of earlier writes (network file systems do). path(),
  // last_error() and stats() stay.
  bool Close();

  bool is_open() const { return buffer_.is_mapped(); }
  const std::string& path() const { return folder_.path(); }  // of the recording's folder
  OpenedFolder OpenFolder() const { return folder_.Open(); }
  uint64_t recording_id() const { return recording_id_; }
  uint64_t next_sequence() const { return sequence_; }
  // Writing failed and has not succeeded since.
  bool is_failing() const { return failing_; }
  // Sentence about the last failure; empty when there was none. Stays after writing has resumed.
  const std::string& last_error() const { return last_error_; }
  WriterStats stats() const;

 private:
  bool Write(SegmentKind kind, uint64_t sequence);
  bool EnsureFile();
  bool Fail(int error, std::string_view where, std::string_view reason);

  WriterConfig config_;
  RecordingFolder folder_;
  FileSet files_;

  SegmentBuffer buffer_;

  uint64_t recording_id_ = 0;
  uint64_t sequence_ = 0;

  bool failing_ = false;
  uint64_t retry_at_ns_ = 0;  // CLOCK_MONOTONIC
  uint64_t pause_ns_ = 0;
  bool on_stderr_ = false;
  std::string last_error_;
  WriterStats counters_;  // what files_ does not count
};

}  // namespace hindsight::recorder
