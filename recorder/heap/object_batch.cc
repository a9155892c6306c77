#include "recorder/heap/object_batch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "recorder/base/clock.h"
#include "recorder/base/pages.h"
#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

using wire::HeapObjects;

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
  void* memory = MapSparsePages(bytes);
  if (memory == nullptr) {
    buffer_.Unmap();
    return false;
  }
  memory_ = static_cast<uint8_t*>(memory);
  bytes_ = bytes;
  for (size_t i = 0; i < kColumns; ++i) begin_[i] = memory_ + i * kColumnBytes;
  return true;
}

void ObjectBatch::Unmap() {
  UnmapPages(memory_, bytes_);
  memory_ = nullptr;
  bytes_ = 0;
  buffer_.Unmap();
}

void ObjectBatch::Start(SnapshotShared& shared, int file) {
  shared_ = &shared;
  file_ = file;
  sequence_ = shared.first_sequence;
  file_bytes_ = file < 0 ? 0 : FileBytes(file).value_or(0);
  kept_bytes_ = 0;
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
  uint8_t* const at = PutLength(HeapObjects::kText, utf8.size(), end_[kTexts]);
  std::memcpy(at, utf8.data(), utf8.size());
  end_[kTexts] = at + utf8.size();
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
  return EndSegment();
}

void ObjectBatch::Encode(bool is_partial) {
  // Texts have a tag before each of them.
  constexpr uint32_t kTagOf[kColumns] = {
      HeapObjects::kClass.kTag,      HeapObjects::kGap.kTag,      HeapObjects::kLength.kTag,
      HeapObjects::kSlot.kTag,       HeapObjects::kValue.kTag,    HeapObjects::kText.kTag,
      HeapObjects::kTextIsNull.kTag, HeapObjects::kSlotCount.kTag};
  uint8_t head[5 * kMaxNumberFieldBytes];
  uint8_t* head_end = head;
  if (batch_first_ != 0) head_end = PutField(HeapObjects::kFirstObject, batch_first_, head_end);
  head_end = PutField(HeapObjects::kFirstAddress, batch_address_, head_end);
  if (batch_slot_ != 0) head_end = PutField(HeapObjects::kFirstSlot, batch_slot_, head_end);
  if (is_partial) head_end = PutField(HeapObjects::kIsPartial, true, head_end);
  if (chained_) head_end = PutField(HeapObjects::kChained, true, head_end);
  const auto head_bytes = static_cast<size_t>(head_end - head);
  size_t message_bytes = head_bytes;
  for (size_t i = 0; i < kColumns; ++i) {
    const size_t bytes = Size(static_cast<Column>(i));
    if (bytes == 0) continue;
    if (i != kTexts) message_bytes += VarintBytes(kTagOf[i]) + VarintBytes(bytes);
    message_bytes += bytes;
  }

  using wire::Packet;
  using wire::Recording;
  using wire::SegmentStart;
  uint8_t frame[64];
  constexpr size_t kStartBytes = 2 * (1 + 8);
  uint8_t* at = PutLength(Recording::kPacket, 2 + kStartBytes, frame);
  at = PutLength(Packet::kSegmentStart, kStartBytes, at);
  at = PutField(SegmentStart::kMonotonicNs, MonotonicNs(), at);
  at = PutField(SegmentStart::kUnixNs, UnixNs(), at);
  const size_t packet_bytes =
      VarintBytes(Packet::kHeapObjects.kTag) + VarintBytes(message_bytes) + message_bytes;
  at = PutLength(Recording::kPacket, packet_bytes, at);
  at = PutLength(Packet::kHeapObjects, message_bytes, at);

  const auto add = [this](const uint8_t* data, size_t bytes) {
    buffer_.Add({reinterpret_cast<const std::byte*>(data), bytes});
  };
  buffer_.Clear();
  add(frame, static_cast<size_t>(at - frame));
  add(head, head_bytes);
  for (size_t i = 0; i < kColumns; ++i) {
    const size_t bytes = Size(static_cast<Column>(i));
    if (bytes == 0) continue;
    if (i != kTexts) {
      uint8_t prefix[2 * kMaxVarintBytes];
      add(prefix, static_cast<size_t>(PutVarint(bytes, PutVarint(kTagOf[i], prefix)) - prefix));
    }
    add(begin_[i], bytes);
  }
}

bool ObjectBatch::EndSegment() {
  SegmentHeader header;
  header.kind = SegmentKind::kHeapObjects;
  header.file_number = shared_->snapshot_number;
  header.recording_id = shared_->recording_id;
  header.sequence = sequence_;
  const std::span<const std::byte> segment = buffer_.Seal(header);
  if (segment.empty()) return Fail(WalkError::kDisk, EIO);
  ++sequence_;
  return keeps() ? KeepSegment(segment) : WriteSegment(segment);
}

bool ObjectBatch::WriteSegment(std::span<const std::byte> segment) {
  int error = file_bytes_ + segment.size() > shared_->file_limit_bytes ? EFBIG : 0;
  if (error == 0) {
    const WriteSignalsBlocked guard;
    error = WriteAll(file_, segment);
  }
  if (error != 0) {
    // Not a torn segment: the file ends after the last complete one.
    (void)CutFile(file_, file_bytes_);
    return Fail(WalkError::kDisk, error);
  }
  file_bytes_ += segment.size();
  shared_->counters.written_bytes = file_bytes_;
  shared_->counters.segments.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool ObjectBatch::KeepSegment(std::span<const std::byte> segment) {
  const uint64_t size = segment.size();
  if (kept_room_ - kept_bytes_ < sizeof size + size) return Fail(WalkError::kMemory);
  std::memcpy(kept_ + kept_bytes_, &size, sizeof size);
  std::memcpy(kept_ + kept_bytes_ + sizeof size, segment.data(), size);
  kept_bytes_ += sizeof size + size;
  return true;
}

bool ObjectBatch::Keep(size_t bytes) {
  constexpr size_t kLeast = 16u << 20;
  Forget();
  // Without overcommitment, there may be room for less.
  for (size_t room = bytes; kept_ == nullptr && room >= std::min(bytes, kLeast); room /= 2) {
    kept_ = static_cast<uint8_t*>(MapSparsePages(room));
    kept_room_ = kept_ == nullptr ? 0 : room;
  }
  return kept_ != nullptr;
}

bool ObjectBatch::WriteKept(int file) {
  file_ = file;
  file_bytes_ = FileBytes(file).value_or(0);
  bool is_written = true;
  for (size_t at = 0; is_written && at < kept_bytes_;) {
    uint64_t size = 0;
    std::memcpy(&size, kept_ + at, sizeof size);
    at += sizeof size;
    is_written = WriteSegment({reinterpret_cast<const std::byte*>(kept_) + at, size});
    at += size;
  }
  Forget();
  return is_written;
}

void ObjectBatch::Forget() {
  if (kept_ != nullptr) UnmapPages(kept_, kept_room_);
  kept_ = nullptr;
  kept_room_ = kept_bytes_ = 0;
}

bool ObjectBatch::Fail(WalkError error, int number) {
  shared_->error_number = static_cast<uint32_t>(number);
  shared_->error = static_cast<uint32_t>(error);
  return false;
}

}  // namespace hindsight::recorder
