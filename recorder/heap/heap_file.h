// The file of one snapshot, heap-000001.hsr in the recording's folder, as the recorder writes it:
// tables before the objects, and the end packet after them. In between, the child writes to the
// same open file.
//
// Limit: the files of all snapshots together; older ones are deleted to make room for a new one.
// One thread, except for file(), which is used in the pause.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "recorder/base/descriptor.h"
#include "recorder/output/recording_folder.h"
#include "recorder/output/segment_buffer.h"
#include "recorder/output/segment_sink.h"

namespace hindsight::recorder {

class HeapFile final : public SegmentSink {
 public:
  // Creates the file exclusively (0600, whatever the umask), after deleting older snapshots to make
  // room: at least an eighth of `limit_bytes` is then free for it. False: a sentence in `why`.
  bool Create(OpenedFolder folder, uint64_t recording_id, uint32_t number, uint64_t limit_bytes,
              std::string* why);
  // `keep`: false deletes it.
  void Close(bool keep);

  // -1: it is no longer ours.
  int file() const { return file_.IsOurs() ? file_.get() : -1; }
  const FileIdentity& identity() const { return file_.file(); }
  const std::string& path() const { return path_; }
  uint64_t room_bytes() const { return room_bytes_; }  // for this file
  uint64_t next_sequence() const { return sequence_; }
  // The child has written `count` segments.
  void SkipSegments(uint64_t count) { sequence_ += count; }
  uint64_t written_bytes() const;
  const std::string& error() const { return error_; }
  // Numbers of the snapshots that were kept and not deleted by Create since, ascending: at most the
  // newest 4096.
  const std::vector<uint32_t>& kept() const { return kept_; }

  void BeginSegment(bool* new_file) override;
  bool Add(std::span<const std::byte> packet_field) override { return buffer_.Add(packet_field); }
  size_t raw_bytes() const override { return buffer_.raw_bytes(); }
  bool EndSegment(SegmentKind kind) override;

 private:
  Descriptor folder_;
  Descriptor file_;
  SegmentBuffer buffer_;
  std::string name_;  // in the folder
  std::string path_;
  std::string error_;
  std::vector<uint32_t> kept_;
  uint64_t recording_id_ = 0;
  uint32_t number_ = 0;
  uint64_t sequence_ = 0;
  uint64_t room_bytes_ = 0;
};

}  // namespace hindsight::recorder
