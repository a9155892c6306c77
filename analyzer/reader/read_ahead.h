// Reads, decompresses, parses and checks segments on a separate thread, a few ahead of the
// consumer.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "analyzer/reader/recording_reader.h"
#include "analyzer/reader/scanner.h"

namespace google::protobuf {
class Arena;
}

namespace hindsight::analyzer {

struct CheckedPacket {
  const Packet* packet = nullptr;
  PacketContext context;  // without what depends on other segments
};

// The packets of a segment that passed all checks, or why it did not.
struct CheckedBody {
  size_t segment = 0;           // index into the segments
  const char* error = nullptr;  // a clause; then nothing else is set
  std::vector<CheckedPacket> packets;
  std::shared_ptr<google::protobuf::Arena> memory;  // owns the packets
  uint64_t memory_bytes = 0;
  uint64_t unknown_packets = 0;
  uint64_t first_unix_ns = 0;
  uint64_t last_unix_ns = 0;
};

// Intact, and of a kind that this version knows.
bool IsReadable(const SegmentRef& segment);

class ReadAhead {
 public:
  // Reads the segments that are IsReadable, in order. Both spans must outlive this; the segments
  // must not be modified meanwhile.
  ReadAhead(std::span<const std::string> files, std::span<const SegmentRef> segments);
  ~ReadAhead();  // stops early if necessary
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Waits for the next body; false after the last one. Rethrows exceptions of the reading thread.
  bool Take(CheckedBody& body);

 private:
  void Run();
  void ReadAll();
  bool Put(CheckedBody body);

  const std::span<const std::string> files_;
  const std::span<const SegmentRef> segments_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<CheckedBody> ready_;
  uint64_t ready_bytes_ = 0;  // memory of the ready bodies
  bool finished_ = false;
  bool stop_ = false;
  std::exception_ptr thrown_;

  std::thread thread_;  // last, because it uses all of the above
};

}  // namespace hindsight::analyzer
