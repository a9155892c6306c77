#include "analyzer/reader/read_ahead.h"

#include <optional>
#include <utility>

#include "analyzer/reader/segment_body.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMaxReady = 4;

// Loads segments into buffers that it reuses.
class Loader {
 public:
  explicit Loader(std::span<const std::string> files) : files_(files) {}

  const char* Load(const SegmentRef& segment, CheckedBody& body) {
    if (const char* clause = ReadFrame(segment)) return clause;
    if (const char* clause = decompressor_.Run(segment.header, frame_, body.bytes)) return clause;
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
  // Checked again: the file may have changed since it was scanned.
  const char* ReadFrame(const SegmentRef& segment) {
    if (!file_ || open_ != segment.file) {
      file_.reset();
      Result<FileReader> file = FileReader::Open(files_[segment.file]);
      if (!file) return "the file disappeared while it was read";
      file_ = std::move(file).value();
      open_ = segment.file;
    }
    frame_.resize(segment.header.compressed_bytes);
    if (file_->ReadAt(segment.offset + kSegmentHeaderBytes, frame_) < frame_.size() ||
        Crc32c(frame_) != segment.header.body_crc32c) {
      return "the file changed while it was read";
    }
    return nullptr;
  }

  const std::span<const std::string> files_;
  std::optional<FileReader> file_;
  uint32_t open_ = 0;
  Decompressor decompressor_;
  std::vector<std::byte> frame_;
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
