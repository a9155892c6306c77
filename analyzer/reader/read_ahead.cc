#include "analyzer/reader/read_ahead.h"

#include <google/protobuf/arena.h>

#include <utility>

#include "analyzer/reader/segment_body.h"
#include "analyzer/reader/segment_loader.h"

namespace hindsight::analyzer {
namespace {

// The next one is always prepared; more only as long as they fit in here. A segment of ordinary
// packets takes about ten times its size.
constexpr uint64_t kMaxReadyBytes = 4u << 20;

// Loads segments, and parses and checks their packets.
class Loader {
 public:
  explicit Loader(std::span<const std::string> files) : segments_(files) {}

  const char* Load(const SegmentRef& segment, CheckedBody& body) {
    if (const char* clause = segments_.Load(segment, bytes_)) return clause;
    google::protobuf::ArenaOptions options;
    options.start_block_size = kFirstBlockBytes;
    options.max_block_size = kBlockBytes;
    body.memory = std::make_shared<google::protobuf::Arena>(options);
    PacketCursor cursor(bytes_);
    PacketContext context;
    while (true) {
      auto* const packet = google::protobuf::Arena::CreateMessage<Packet>(body.memory.get());
      if (!cursor.Next(*packet, context)) break;
      body.packets.push_back({packet, context});
    }
    body.memory_bytes = body.memory->SpaceAllocated();
    body.unknown_packets = cursor.unknown_packets();
    body.first_unix_ns = cursor.first_unix_ns();
    body.last_unix_ns = cursor.last_unix_ns();
    return cursor.error();
  }

 private:
  static constexpr size_t kFirstBlockBytes = 16u << 10;
  static constexpr size_t kBlockBytes = 1u << 20;

  SegmentLoader segments_;
  std::vector<std::byte> bytes_;
};

}  // namespace

bool IsReadable(const SegmentRef& segment) {
  const SegmentKind kind = segment.header.kind;
  return !segment.lost && (kind == SegmentKind::kData || kind == SegmentKind::kLast);
}

ReadAhead::ReadAhead(std::span<const std::string> files, std::span<const SegmentRef> segments)
    : files_(files), segments_(segments), thread_([this] { Run(); }) {}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool ReadAhead::Take(CheckedBody& body) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty() || finished_; });
  if (ready_.empty()) {
    if (thrown_) std::rethrow_exception(thrown_);
    return false;
  }
  body = std::move(ready_.front());
  ready_.pop_front();
  ready_bytes_ -= body.memory_bytes;
  lock.unlock();
  changed_.notify_all();
  return true;
}

void ReadAhead::Run() {
  std::exception_ptr thrown;
  try {
    ReadAll();
  } catch (...) {  // passed on to the consumer's thread
    thrown = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    thrown_ = thrown;
    finished_ = true;
  }
  changed_.notify_all();
}

void ReadAhead::ReadAll() {
  Loader loader(files_);
  for (size_t i = 0; i < segments_.size(); ++i) {
    if (!IsReadable(segments_[i])) continue;
    CheckedBody body;
    body.segment = i;
    body.error = loader.Load(segments_[i], body);
    if (!Put(std::move(body))) return;
  }
}

bool ReadAhead::Put(CheckedBody body) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ready_.empty() || ready_bytes_ < kMaxReadyBytes || stop_; });
  if (stop_) return false;
  ready_bytes_ += body.memory_bytes;
  ready_.push_back(std::move(body));
  lock.unlock();
  changed_.notify_all();
  return true;
}

}  // namespace hindsight::analyzer
