// Records segments until told otherwise:   output_fault_writer FOLDER SEGMENTS BYTES DISK_LIMIT
//
// On stdout: the path of the recording, then a line for each segment: its sequence, and `written`,
// `lost`, and `new` if it started new dictionaries. One write(2) per line, so that everything
// reported before a kill is known.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>

#include "recorder/base/clock.h"
#include "recorder/output/segment_writer.h"
#include "tests/unit/recorder/output_test_support.h"

namespace {

using namespace hindsight;
using namespace hindsight::recorder;

bool Say(const std::string& line) {
  return write(STDOUT_FILENO, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

std::string Context(bool new_file) {
  Recording recording;
  SegmentStart* start = recording.add_packet()->mutable_segment_start();
  start->set_monotonic_ns(MonotonicNs());
  start->set_unix_ns(UnixNs());
  if (new_file) recording.add_packet()->mutable_process()->set_application("output_fault_writer");
  return recording.SerializeAsString();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  WriterConfig config = ConfigFor(argv[1], strtoull(argv[4], nullptr, 10));
  config.retry_after_ns = 0;
  SegmentWriter writer;
  std::string why;
  if (!writer.Open(config, &why)) {
    Say(why + "\n");
    return 1;
  }
  if (!Say(writer.path() + "\n")) return 3;
  const uint32_t segments = static_cast<uint32_t>(atoi(argv[2]));
  const size_t bytes = strtoul(argv[3], nullptr, 10);
  for (uint32_t i = 0; i < segments; ++i) {
    bool new_file = false;
    writer.BeginSegment(&new_file);
    if (!writer.Add(Bytes(Context(new_file))) || !writer.Add(Bytes(TestPacket(i, bytes)))) return 3;
    const bool is_written =
        writer.EndSegment(i + 1 == segments ? SegmentKind::kLast : SegmentKind::kData);
    if (!Say(std::to_string(i) + (is_written ? " written" : " lost") +
             (new_file ? " new\n" : "\n"))) {
      return 3;
    }
  }
  return writer.Close() ? 0 : 4;
}
