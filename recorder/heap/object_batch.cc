#include "recorder/heap/object_batch.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "recorder/base/clock.h"
#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

// Protobuf's wire format, written to memory that is large enough.
class Wire {
 public:
  explicit Wire(uint8_t* at) : at_(at) {}
  uint8_t* at() const { return at_; }

  void Varint(uint64_t value) { at_ = PutVarint(value, at_); }
  void Uint(uint32_t field, uint64_t value) {
    Varint(field << 3);
    Varint(value);
  }
  void Fixed64(uint32_t field, uint64_t value) {
    Varint(field << 3 | 1);
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  void Length(uint32_t field, size_t bytes) {
    Varint(field << 3 | 2);
    Varint(bytes);
  }
  void Bytes(uint32_t field, const uint8_t* data, size_t bytes) {
    Length(field, bytes);
    std::memcpy(at_, data, bytes);
    at_ += bytes;
  }

 private:
  uint8_t* at_;
};

constexpr uint32_t kPacket = 1, kSegmentStart = 2, kHeapObjects = 24;

size_t VarintBytes(uint64_t value) {
  size_t bytes = 1;
  for (; value >= 0x80; value >>= 7) ++bytes;
  return bytes;
}

}  // namespace

bool ObjectBatch::Map() {
  if (memory_ != nullptr) return true;
  if (!buffer_.Map()) return false;
  const size_t bytes = kColumns * kColumnBytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    buffer_.Unmap();
    return false;
  }
  memory_ = static_cast<uint8_t*>(memory);
  bytes_ = bytes;
  for (size_t i = 0; i < kColumns; ++i) begin_[i] = memory_ + i * kColumnBytes;
  return true;
}

void ObjectBatch::Unmap() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
  memory_ = nullptr;
  bytes_ = 0;
  buffer_.Unmap();
}

void ObjectBatch::Start(SnapshotShared& shared, int file) {
  shared_ = &shared;
  file_ = file;
  sequence_ = shared.first_sequence;
  struct stat status;
  file_bytes_ = fstat(file, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
  objects_ = 0;
  chained_ = true;
  Reset();
}

void ObjectBatch::Reset() {
  for (size_t i = 0; i < kColumns; ++i) end_[i] = begin_[i];
  batch_objects_ = 0;
  batch_slot_ = 0;
}

size_t ObjectBatch::used() const {
  size_t bytes = 0;
  for (size_t i = 0; i < kColumns; ++i) bytes += Size(static_cast<Column>(i));
  return bytes;
}

bool ObjectBatch::Begin(uint64_t address, uint32_t class_id, uint64_t gap_words,
                        size_t worst_bytes) {
  if (batch_objects_ != 0 && used() + worst_bytes > kBatchBytes && !Flush()) return false;
  if (batch_objects_ == 0) {
    batch_first_ = objects_;
    batch_address_ = address;
    gap_words = 0;
  }
  Put(kClasses, class_id);
  Put(kGaps, gap_words);
  ++batch_objects_;
  ++objects_;
  return true;
}

void ObjectBatch::Text(std::string_view utf8, bool is_null) {
  const size_t taken = used();
  const size_t room = taken < kBatchBytes ? kBatchBytes - taken : 0;
  if (utf8.size() > room) {
    size_t kept = room;
    while (kept > 0 && (utf8[kept] & 0xc0) == 0x80) --kept;  // not inside of a character
    utf8 = utf8.substr(0, kept);
  }
  Wire wire(end_[kTexts]);
  wire.Bytes(8, reinterpret_cast<const uint8_t*>(utf8.data()), utf8.size());
  end_[kTexts] = wire.at();
  Put(kNulls, is_null ? 1 : 0);
}

bool ObjectBatch::Continue(uint64_t address, uint32_t class_id, uint64_t length,
                           uint64_t first_slot) {
  if (!Flush(true)) return false;
  batch_first_ = objects_ - 1;
  batch_address_ = address;
  batch_slot_ = first_slot;
  batch_objects_ = 1;
  Put(kClasses, class_id);
  Put(kGaps, 0);
  Put(kLengths, length);
  return true;
}

bool ObjectBatch::Flush(bool is_partial) {
  if (batch_objects_ == 0) return true;
  Encode(is_partial);
  Reset();
  return WriteSegment();
}

void ObjectBatch::Encode(bool is_partial) {
  // Column i is field kFieldOf[i] of HeapObjects; texts carry their own tags.
  constexpr uint32_t kFieldOf[kColumns] = {3, 4, 5, 6, 7, 8, 9, 12};
  uint8_t head[64];
  Wire fields(head);
  if (batch_first_ != 0) fields.Uint(1, batch_first_);
  fields.Fixed64(2, batch_address_);
  if (batch_slot_ != 0) fields.Uint(10, batch_slot_);
  if (is_partial) fields.Uint(11, 1);
  if (chained_) fields.Uint(13, 1);
  const auto head_bytes = static_cast<size_t>(fields.at() - head);
  size_t message_bytes = head_bytes;
  for (size_t i = 0; i < kColumns; ++i) {
    const size_t bytes = Size(static_cast<Column>(i));
    if (bytes == 0) continue;
    message_bytes += i == kTexts ? bytes : 1 + VarintBytes(bytes) + bytes;
  }

  uint8_t frame[64];
  Wire start(frame);
  constexpr size_t kStartBytes = 2 * (1 + 8);
  start.Length(kPacket, 2 + kStartBytes);
  start.Length(kSegmentStart, kStartBytes);
  start.Fixed64(1, MonotonicNs());
  start.Fixed64(2, UnixNs());
  start.Length(kPacket,
               VarintBytes(kHeapObjects << 3) + VarintBytes(message_bytes) + message_bytes);
  start.Length(kHeapObjects, message_bytes);

  const auto add = [this](const uint8_t* data, size_t bytes) {
    buffer_.Add({reinterpret_cast<const std::byte*>(data), bytes});
  };
  buffer_.Clear();
  add(frame, static_cast<size_t>(start.at() - frame));
  add(head, head_bytes);
  for (size_t i = 0; i < kColumns; ++i) {
    const size_t bytes = Size(static_cast<Column>(i));
    if (bytes == 0) continue;
    if (i != kTexts) {
      uint8_t tag[16];
      Wire column(tag);
      column.Length(kFieldOf[i], bytes);
      add(tag, static_cast<size_t>(column.at() - tag));
    }
    add(begin_[i], bytes);
  }
}

bool ObjectBatch::WriteSegment() {
  SegmentHeader header;
  header.kind = SegmentKind::kHeapObjects;
  header.file_number = shared_->snapshot_number;
  header.recording_id = shared_->recording_id;
  header.sequence = sequence_;
  const std::span<const std::byte> segment = buffer_.Seal(header);
  int error = segment.empty() ? EIO : 0;
  if (error == 0 && file_bytes_ + segment.size() > shared_->file_limit_bytes) error = EFBIG;
  if (error == 0) error = WriteAll(file_, segment);
  if (error != 0) {
    // Not a torn segment: the file ends after the last complete one.
    (void)!ftruncate(file_, static_cast<off_t>(file_bytes_));
    shared_->error_number = static_cast<uint32_t>(error);
    shared_->error = static_cast<uint32_t>(WalkError::kDisk);
    return false;
  }
  file_bytes_ += segment.size();
  ++sequence_;
  shared_->counters.written_bytes = file_bytes_;
  shared_->counters.segments.fetch_add(1, std::memory_order_relaxed);
  return true;
}

}  // namespace hindsight::recorder
