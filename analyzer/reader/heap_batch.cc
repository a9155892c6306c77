#include "analyzer/reader/heap_batch.h"

#include <bit>
#include <cstring>

#include "proto/limits.h"
#include "proto/recording.pb.h"
#include "proto/recording_fields.h"

namespace hindsight::analyzer {
namespace {

constexpr char kNoRecording[] = "the body is not a Recording message";
constexpr char kNoBatch[] = "a batch of objects cannot be parsed";
constexpr uint32_t kMinObjectBytes = 16;

using wire::WireType;

struct Field {
  uint32_t tag = 0;
  uint64_t value = 0;  // a number
  Bytes bytes;         // of anything with a length

  uint32_t number() const { return tag >> 3; }
  WireType type() const { return static_cast<WireType>(tag & 7); }
};

// The fields of a message. Next returns false at the end, and at damage.
class FieldReader {
 public:
  explicit FieldReader(Bytes message) : left_(message) {}
  bool damaged() const { return damaged_; }

  bool Next(Field& field) {
    if (left_.empty() || damaged_) return false;
    uint64_t tag = 0;
    if (!Varint(tag) || tag >> 3 == 0 || tag >> 32 != 0) return Damaged();
    field.tag = static_cast<uint32_t>(tag);
    switch (field.type()) {
      case WireType::kVarint:
        return Varint(field.value) || Damaged();
      case WireType::kFixed64:
        return Fixed(8, field.value) || Damaged();
      case WireType::kFixed32:
        return Fixed(4, field.value) || Damaged();
      case WireType::kLengthDelimited: {
        uint64_t size = 0;
        if (!Varint(size) || size > left_.size()) return Damaged();
        field.bytes = left_.first(size);
        left_ = left_.subspan(size);
        return true;
      }
      default:
        return Damaged();
    }
  }

 private:
  bool Damaged() {
    damaged_ = true;
    return false;
  }
  bool Varint(uint64_t& value) {
    value = 0;
    for (size_t i = 0; i < left_.size() && i < 10; ++i) {
      value |= uint64_t{left_[i] & 0x7fu} << (7 * i);
      if (left_[i] < 0x80) {
        left_ = left_.subspan(i + 1);
        return true;
      }
    }
    return false;
  }
  bool Fixed(size_t bytes, uint64_t& value) {
    if (left_.size() < bytes) return false;
    value = 0;
    for (size_t i = 0; i < bytes; ++i) value |= uint64_t{left_[i]} << (8 * i);
    left_ = left_.subspan(bytes);
    return true;
  }

  Bytes left_;
  bool damaged_ = false;
};

enum class Shape { kUsual, kUnusual, kDamaged };

// kUnusual: valid, but not usable as views of the message: a column in several pieces, or not
// packed.
Shape ParseColumns(Bytes message, HeapBatch& batch) {
  using wire::HeapObjects;
  constexpr uint32_t kLastNumber = HeapObjects::kChained.kNumber;  // the last one handled below
  FieldReader fields(message);
  uint32_t seen = 0;
  for (Field field; fields.Next(field);) {
    const uint32_t number = field.number();
    if (number > kLastNumber) continue;
    const bool again = (seen >> number & 1) != 0;
    if (again && number != HeapObjects::kText.kNumber) return Shape::kUnusual;
    seen |= 1u << number;
    switch (field.tag) {
      case HeapObjects::kFirstObject.kTag:
        batch.first_object = field.value;
        break;
      case HeapObjects::kFirstAddress.kTag:
        batch.first_address = field.value;
        break;
      case HeapObjects::kClass.kTag:
        batch.classes = field.bytes;
        break;
      case HeapObjects::kGap.kTag:
        batch.gaps = field.bytes;
        break;
      case HeapObjects::kLength.kTag:
        batch.lengths = field.bytes;
        break;
      case HeapObjects::kSlot.kTag:
        batch.slots = field.bytes;
        break;
      case HeapObjects::kValue.kTag:
        batch.values = field.bytes;
        break;
      case HeapObjects::kText.kTag:
        batch.texts.emplace_back(reinterpret_cast<const char*>(field.bytes.data()),
                                 field.bytes.size());
        break;
      case HeapObjects::kTextIsNull.kTag:
        batch.nulls = field.bytes;
        break;
      case HeapObjects::kFirstSlot.kTag:
        batch.first_slot = field.value;
        break;
      case HeapObjects::kIsPartial.kTag:
        batch.is_partial = field.value != 0;
        break;
      case HeapObjects::kSlotCount.kTag:
        batch.slot_counts = field.bytes;
        break;
      case HeapObjects::kChained.kTag:
        batch.chained = field.value != 0;
        break;
      default:
        return Shape::kUnusual;
    }
  }
  return fields.damaged() ? Shape::kDamaged : Shape::kUsual;
}

bool ParseBatch(Bytes message, HeapBatch& batch) {
  switch (ParseColumns(message, batch)) {
    case Shape::kUsual:
      return true;
    case Shape::kDamaged:
      return false;
    case Shape::kUnusual:
      break;
  }
  HeapObjects objects;
  if (!objects.ParseFromArray(message.data(), static_cast<int>(message.size()))) return false;
  objects.DiscardUnknownFields();
  batch = {};
  // In the usual form. Created once and kept separately: moving a long string does not move its
  // bytes.
  batch.own = objects.SerializeAsString();
  batch.own.reserve(64);
  const Bytes own(reinterpret_cast<const uint8_t*>(batch.own.data()), batch.own.size());
  return ParseColumns(own, batch) == Shape::kUsual;
}

// One packet of the body, which contains at most one batch.
const char* ParsePacket(Bytes packet, bool is_first, std::vector<HeapBatch>& batches) {
  FieldReader fields(packet);
  bool is_start = false;
  bool has_batch = false;
  for (Field field; fields.Next(field);) {
    is_start = is_start || field.tag == wire::Packet::kSegmentStart.kTag;
    if (field.tag != wire::Packet::kHeapObjects.kTag) continue;
    if (has_batch) return "a packet holds two batches";
    has_batch = true;
    if (!ParseBatch(field.bytes, batches.emplace_back())) return kNoBatch;
  }
  if (fields.damaged()) return "a packet cannot be parsed";
  if (is_start != is_first) return "SegmentStart is not the first packet, or not the only one";
  return nullptr;
}

}  // namespace

const char* ParseHeapBatches(std::span<const std::byte> body, std::vector<HeapBatch>& batches) {
  batches.clear();
  FieldReader fields({reinterpret_cast<const uint8_t*>(body.data()), body.size()});
  bool is_first = true;
  for (Field field; fields.Next(field);) {
    if (field.tag != wire::Recording::kPacket.kTag) continue;
    if (field.bytes.size() > kMaxPacketBytes) return "a packet is larger than the format allows";
    if (const char* clause = ParsePacket(field.bytes, is_first, batches)) return clause;
    is_first = false;
  }
  if (fields.damaged()) return kNoRecording;
  return is_first ? "the body is empty" : nullptr;
}

uint64_t VarintReader::NextLong(uint8_t first) {
  uint64_t value = first & 0x7f;
  for (uint32_t shift = 7; at_ < end_; shift += 7) {
    const uint8_t byte = *at_++;
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

VarintCounts CountVarints(Bytes bytes) {
  constexpr uint64_t kTops = 0x8080808080808080;
  constexpr uint64_t kLows = 0x7f7f7f7f7f7f7f7f;
  VarintCounts counts;
  uint64_t ended = 0x80;  // whether the previous byte ended a value
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    const uint64_t ends = ~word & kTops;
    const uint64_t zero = ~(((word & kLows) + kLows) | word) & kTops;
    counts.values += static_cast<uint64_t>(std::popcount(ends));
    counts.zeros += static_cast<uint64_t>(std::popcount(zero & (ends << 8 | ended)));
    ended = ends >> 56;
  }
  for (; at < bytes.size(); ++at) {
    counts.values += bytes[at] < 0x80;
    counts.zeros += bytes[at] == 0 && ended != 0;
    ended = bytes[at] < 0x80 ? 0x80 : 0;
  }
  counts.whole = ended != 0;
  return counts;
}

const char* CheckHeapBatch(const HeapBatch& batch, std::span<const HeapShape> shapes,
                           HeapBatchFacts& facts) {
  static constexpr char kColumns[] = "the columns of a batch of objects have different lengths";
  facts = {};
  const VarintCounts classes = CountVarints(batch.classes);
  const VarintCounts gaps = CountVarints(batch.gaps);
  const VarintCounts lengths = CountVarints(batch.lengths);
  const VarintCounts slots = CountVarints(batch.slots);
  const VarintCounts values = CountVarints(batch.values);
  const VarintCounts nulls = CountVarints(batch.nulls);
  const VarintCounts slot_counts = CountVarints(batch.slot_counts);
  for (const VarintCounts* column :
       {&classes, &gaps, &lengths, &slots, &values, &nulls, &slot_counts}) {
    if (!column->whole) return kNoBatch;
  }
  const bool counts_slots = slot_counts.values > 0;
  const bool continues = batch.first_slot > 0;
  if (classes.values != gaps.values || batch.texts.size() != nulls.values ||
      (counts_slots && slot_counts.values != classes.values)) {
    return kColumns;
  }
  if ((continues || batch.is_partial) && classes.values != 1) {
    return "a partial object is not alone in its batch";
  }
  if (classes.values == 0) return "a batch is empty";

  VarintReader class_reader(batch.classes), gap_reader(batch.gaps), length_reader(batch.lengths),
      count_reader(batch.slot_counts);
  uint64_t address = batch.first_address;
  if (address % 8 != 0 || address == 0) return "an object's address is out of range";
  uint64_t numbers = 0;
  for (uint64_t i = 0; i < classes.values; ++i) {
    const uint64_t id = class_reader.Next();
    if (id == 0 || id >= shapes.size() || shapes[id].base_bytes < kMinObjectBytes) {
      return "an object's class is not described";
    }
    const HeapShape& shape = shapes[id];
    const uint64_t gap = gap_reader.Next();
    uint64_t length = 0;
    if (shape.component_bytes != 0) {
      if (length_reader.AtEnd()) return kColumns;
      length = length_reader.Next();
      if (length > UINT32_MAX) return "an array is longer than possible";
      ++facts.with_length;
    }
    const uint64_t bytes = shape.Bytes(length);
    if ((i == 0 && gap != 0) || gap > UINT64_MAX / 8 ||
        __builtin_add_overflow(address, gap * 8, &address) ||
        __builtin_add_overflow(address, bytes, &address)) {
      return "an object's address is out of range";
    }
    facts.bytes += bytes;
    // Saturates far beyond any real sum, to which it is compared below.
    const uint64_t own = counts_slots ? count_reader.Next() : shape.Slots(length);
    if (__builtin_add_overflow(facts.all_slots, own, &facts.all_slots)) return kColumns;
    if (shape.values + shape.texts > 0 && !continues) {
      ++facts.with_values;
      numbers += shape.values;
      facts.texts += shape.texts;
    }
  }
  if (!length_reader.AtEnd() || values.values != numbers || batch.texts.size() != facts.texts) {
    return kColumns;
  }
  if (continues || batch.is_partial) {
    if (batch.first_slot > facts.all_slots || slots.values > facts.all_slots - batch.first_slot) {
      return kColumns;
    }
  } else if (slots.values != facts.all_slots) {
    return kColumns;
  }
  for (const std::string_view text : batch.texts) {
    if (text.size() > kMaxStringBytes) return "a packet holds a text beyond the limit";
    facts.text_bytes += text.size();
  }
  facts.end_address = address;
  facts.slots = slots.values;
  facts.references = slots.values - slots.zeros;
  facts.objects = continues ? 0 : static_cast<uint32_t>(classes.values);
  if (continues) facts.bytes = facts.with_length = facts.all_slots = 0;
  return nullptr;
}

}  // namespace hindsight::analyzer
