#include "analyzer/model/heap_graph.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace hindsight::analyzer {
namespace {

uint64_t NextValue(const uint8_t*& at, const uint8_t* end) {
  uint64_t value = 0;
  for (uint32_t shift = 0; at < end; shift += 7) {
    const uint8_t byte = *at++;
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

int64_t UnZigZag(uint64_t value) { return static_cast<int64_t>(value >> 1 ^ (~(value & 1) + 1)); }

// The index of field `field` among those of its kind; nullopt if it is not one of them.
std::optional<size_t> Place(const HeapClass& type, uint32_t field, bool is_text) {
  const auto of_sort = [is_text](const ValueField& f) {
    return (f.kind == ValueField::Kind::kText) == is_text;
  };
  if (field >= type.value_fields.size() || !of_sort(type.value_fields[field])) return {};
  return std::count_if(type.value_fields.begin(), type.value_fields.begin() + field, of_sort);
}

uint64_t SlotsOf(const HeapColumns& columns, ObjectId id) {
  const HeapShape& shape = columns.shapes[columns.ClassOf(id)];
  return shape.repeats ? shape.Slots(columns.Length(id)) : shape.slots;
}

}  // namespace

HeapShape HeapShape::Of(const HeapClass& type) {
  HeapShape shape;
  shape.base_bytes = type.base_bytes;
  shape.component_bytes = type.component_bytes;
  shape.slots = static_cast<uint32_t>(type.slot_offsets.size());
  shape.repeats = type.kind == HeapClass::Kind::kArray;
  for (const ValueField& field : type.value_fields) {
    ++(field.kind == ValueField::Kind::kText ? shape.texts : shape.values);
  }
  return shape;
}

void HeapColumns::PlaceRanges() {
  range_first.clear();
  range_end.clear();
  // The number of objects that begin before `address`.
  const auto before = [this](uint64_t address) {
    const uint32_t last = address == 0 ? ObjectIndex::kNone : index.FindAtOrBefore(address - 1);
    return last == ObjectIndex::kNone ? 0 : last + 1;
  };
  for (const HeapRange& range : ranges) {
    uint64_t end = 0;
    if (__builtin_add_overflow(range.start, std::max(range.used_bytes, range.reserved_bytes),
                               &end)) {
      end = UINT64_MAX;
    }
    range_first.push_back(before(range.start));
    range_end.push_back(before(end));
  }
}

void HeapColumns::SortStatics() {
  std::sort(statics.begin(), statics.end(), [](const HeapStaticField& a, const HeapStaticField& b) {
    return std::tie(a.holder, a.slot, a.type, a.field) <
           std::tie(b.holder, b.slot, b.type, b.field);
  });
}

void HeapColumns::SortThreads() {
  std::erase_if(monitors, [](const HeapMonitor& each) { return each.object == kNoObject; });
  std::stable_sort(monitors.begin(), monitors.end(),
                   [](const HeapMonitor& a, const HeapMonitor& b) { return a.object < b.object; });
  monitors.erase(
      std::unique(monitors.begin(), monitors.end(),
                  [](const HeapMonitor& a, const HeapMonitor& b) { return a.object == b.object; }),
      monitors.end());
  std::stable_sort(threads.begin(), threads.end(),
                   [](const HeapThread& a, const HeapThread& b) { return a.os_id < b.os_id; });
  // Threads whose OS id is unknown (0) are distinct.
  threads.erase(std::unique(threads.begin(), threads.end(),
                            [](const HeapThread& a, const HeapThread& b) {
                              return a.os_id == b.os_id && a.os_id != 0;
                            }),
                threads.end());
}

uint64_t HeapGraph::Address(ObjectId id) const { return columns_.index.Address(id); }

Generation HeapGraph::GenerationOf(ObjectId id) const {
  const auto after = std::upper_bound(columns_.range_first.begin(), columns_.range_first.end(), id);
  // Empty ranges begin with the same object as the next one.
  if (after == columns_.range_first.begin()) return Generation::kUnknown;
  const auto at = static_cast<size_t>(after - columns_.range_first.begin()) - 1;
  return id < columns_.range_end[at] ? columns_.ranges[at].generation : Generation::kUnknown;
}

ObjectId HeapGraph::Find(uint64_t address) const {
  const uint32_t id = columns_.index.FindAtOrBefore(address);
  if (id == ObjectIndex::kNone || address - Address(id) >= Bytes(id)) return kNoObject;
  return id;
}

uint64_t HeapGraph::SlotBegin(ObjectId id) const {
  ObjectId object = id / HeapColumns::kSlotBlock * HeapColumns::kSlotBlock;
  uint64_t begin = columns_.slot_begin[id / HeapColumns::kSlotBlock];
  for (; object < id; ++object) begin += SlotsOf(columns_, object);
  return begin;
}

uint64_t HeapGraph::SlotOfReference(ObjectId id, size_t n) const {
  if (!columns_.has_slots) return n;
  const uint64_t begin = SlotBegin(id);
  const uint64_t end = begin + SlotsOf(columns_, id);
  size_t left = n;
  for (uint64_t at = begin; at < end;) {
    const uint64_t in_word = std::min(end, (at / 64 + 1) * 64) - at;
    uint64_t bits = columns_.slot_bits[at / 64] >> (at % 64);
    if (in_word < 64) bits &= (uint64_t{1} << in_word) - 1;
    const auto ones = static_cast<size_t>(std::popcount(bits));
    if (left < ones) {
      for (; left > 0; --left) bits &= bits - 1;
      return at + static_cast<uint64_t>(std::countr_zero(bits)) - begin;
    }
    left -= ones;
    at += in_word;
  }
  return end - begin;  // there is no such reference
}

uint64_t HeapGraph::SlotAddress(ObjectId id, uint64_t slot) const {
  const HeapClass& type = columns_.classes[ClassOf(id)];
  if (type.slot_offsets.empty()) return Address(id);
  if (type.kind != HeapClass::Kind::kArray) {
    return Address(id) + (slot < type.slot_offsets.size() ? type.slot_offsets[slot] : 0);
  }
  const uint64_t in_element = slot % type.slot_offsets.size();
  const uint64_t element = slot / type.slot_offsets.size();
  return Address(id) + type.base_bytes - 8 + element * type.component_bytes +
         type.slot_offsets[in_element];
}

std::optional<int64_t> HeapGraph::Value(ObjectId id, uint32_t field) const {
  const std::optional<size_t> place = Place(columns_.classes[ClassOf(id)], field, false);
  if (!place || !columns_.has_values.Get(id)) return {};
  const uint8_t* at =
      columns_.value_bytes.begin() + columns_.value_begin[columns_.has_values.Rank(id)];
  for (size_t i = 0; i < *place; ++i) NextValue(at, columns_.value_bytes.end());
  return UnZigZag(NextValue(at, columns_.value_bytes.end()));
}

std::optional<std::string_view> HeapGraph::Text(ObjectId id, uint32_t field) const {
  const std::optional<size_t> place = Place(columns_.classes[ClassOf(id)], field, true);
  if (!place || !columns_.has_values.Get(id)) return {};
  const size_t at = columns_.text_begin[columns_.has_values.Rank(id)] + *place;
  if (columns_.text_is_null[at]) return {};
  const uint64_t begin = at == 0 ? 0 : columns_.text_end[at - 1];
  return std::string_view(columns_.text_bytes.data() + begin, columns_.text_end[at] - begin);
}

std::optional<int64_t> HeapGraph::Value(const Dictionaries& dictionaries, ObjectId id,
                                        std::string_view field) const {
  const std::vector<ValueField>& fields = columns_.classes[ClassOf(id)].value_fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (dictionaries.String(fields[i].name) == field) return Value(id, static_cast<uint32_t>(i));
  }
  return {};
}

namespace {

uint64_t ThreadBytes(const HeapColumns& columns) {
  uint64_t bytes = columns.threads.capacity() * sizeof(HeapThread);
  for (const HeapThread& thread : columns.threads) {
    bytes += thread.objects.capacity() * sizeof(HeapStackObject);
  }
  return bytes;
}

}  // namespace

uint64_t HeapGraph::memory_bytes() const {
  const HeapColumns& c = columns_;
  return c.index.bytes() + c.class_low.bytes() + c.class_high.bytes() + c.has_length.bytes() +
         c.lengths.bytes() + c.reference_begin.bytes() + c.references.bytes() +
         c.slot_bits.bytes() + c.slot_begin.bytes() + c.has_values.bytes() + c.value_begin.bytes() +
         c.value_bytes.bytes() + c.text_begin.bytes() + c.text_end.bytes() + c.text_bytes.bytes() +
         c.roots.capacity() * sizeof(HeapRoot) + c.statics.capacity() * sizeof(HeapStaticField) +
         c.dependents.capacity() * sizeof(HeapDependent) +
         c.monitors.capacity() * sizeof(HeapMonitor) + ThreadBytes(c) +
         c.classes.capacity() * (sizeof(HeapClass) + sizeof(HeapShape));
}

}  // namespace hindsight::analyzer
