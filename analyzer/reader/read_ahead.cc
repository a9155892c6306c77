#include "analyzer/reader/read_ahead.h"

#include <utility>

#include "analyzer/reader/segment_body.h"
#include "analyzer/reader/segment_loader.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMaxReady = 4;

// Loads segments and checks their packets.
class Loader {
 public:
  explicit Loader(std::span<const std::string> files) : segments_(files) {}

  const char* Load(const SegmentRef& segment, CheckedBody& body) {
    if (const char* clause = segments_.Load(segment, body.bytes)) return clause;
    PacketCursor cursor(body.bytes);
    PacketContext context;
    while (cursor.Next(packet_, context)) {
    }
    body.unknown_packets = cursor.unknown_packets();
    body.first_unix_ns = cursor.first_unix_ns();
    body.last_unix_ns = cursor.last_unix_ns();
    return cursor.error();
  }

 private:
  SegmentLoader segments_;
  Packet packet_;
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
  lock.unlock();
  changed_.notify_all();
  return true;
}

void ReadAhead::Run() {
  std::exception_ptr thrown;
  try {
    ReadAll();
  } catch (...) {  // handed to the thread that takes
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
  changed_.wait(lock, [this] { return ready_.size() < kMaxReady || stop_; });
  if (stop_) return false;
  ready_.push_back(std::move(body));
  lock.unlock();
  changed_.notify_all();
  return true;
}

}  // namespace hindsight::analyzer
