// What the tests of recorder/output/ share: folders to write to, packets to write, and a reader of
// recordings that uses only proto/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "proto/recording.pb.h"
#include "proto/segment.h"
#include "recorder/output/segment_writer.h"

namespace hindsight::recorder {

// A new folder under TMPDIR, deleted with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Captures what is written to descriptor 2 while it lives.
class StderrCapture {
 public:
  StderrCapture();
  ~StderrCapture();
  std::string Text() const;

 private:
  int saved_ = -1;
  int file_ = -1;
};

FolderRequest RequestFor(const std::string& output);
WriterConfig ConfigFor(const std::string& output, uint64_t disk_limit_bytes = 256u << 20);

std::span<const std::byte> Bytes(const std::string& text);
std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& text);
std::vector<std::string> Names(const std::string& folder);  // sorted
uint64_t SumOfSizes(const std::string& folder);

// A packet that names itself, as a field of Recording. The text is `number`, padded with
// incompressible characters up to about `bytes`; the same arguments give the same bytes.
std::string TestPacket(uint32_t number, size_t bytes);

struct ReadSegment {
  SegmentHeader header;
  hindsight::Recording recording;
  std::string raw;
  std::string file;
};

struct ReadResult {
  std::vector<ReadSegment> segments;  // by file and offset
  uint64_t torn_bytes = 0;            // in no intact segment
  // An intact header with a damaged body; torn bytes before an intact segment.
  std::vector<std::string> faults;
};

// Reads every .hsr file of a recording's folder and checks everything that headers promise.
ReadResult ReadRecording(const std::string& folder);

// Begins, fills and ends one segment with one TestPacket.
bool WriteSegment(SegmentWriter& writer, uint32_t number, size_t bytes,
                  SegmentKind kind = SegmentKind::kData);

}  // namespace hindsight::recorder
