#include "recorder/heap/callback_walk.h"

#include <algorithm>
#include <unordered_map>

#include "recorder/base/clock.h"
#include "recorder/clr/element_type.h"

namespace hindsight::recorder {
namespace {

constexpr uint32_t kArrayHeadBytes = 24;  // header, MethodTable, length
constexpr uint32_t kBoundBytes = 8;       // per dimension, if there are several

// By CorElementType; 0 for those that are not numbers.
uint32_t BytesOfNumber(clr::CorElementType type) {
  static constexpr uint8_t kBytes[] = {0, 0, 1, 2, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  if (type < std::size(kBytes)) return kBytes[type];
  return type == clr::element::kIntPtr || type == clr::element::kUIntPtr ? 8 : 0;
}

}  // namespace

bool CallbackWalk::Reserve(uint64_t limit_bytes, clr::ClassID string_class) {
  string_ = string_class;
  overflowed_ = false;
  std::fill(std::begin(recent_), std::end(recent_), Recent{});
  uint32_t chars = 0;
  if (clr::Failed(info_->GetStringLayout2(&string_length_offset_, &chars))) string_ = 0;
  return objects_.Reserve(limit_bytes / 2 / sizeof(Object)) &&
         references_.Reserve(limit_bytes / 2 / sizeof(uint64_t));
}

void CallbackWalk::Release() {
  objects_.Release();
  references_.Release();
}

CallbackWalk::Shape CallbackWalk::ShapeOf(clr::ClassID type) {
  Recent& recent = recent_[type >> 5 & (std::size(recent_) - 1)];
  if (recent.type == type) return recent.shape;
  clr::CorElementType element_type = 0;
  clr::ClassID element = 0;
  uint32_t rank = 0;
  const bool array = info_->IsArrayClass(type, &element_type, &element, &rank) == clr::S_OK;
  recent = {type, array ? Shape::kArray : type == string_ ? Shape::kString : Shape::kClass};
  return recent.shape;
}

uint32_t CallbackWalk::LengthOf(clr::ObjectID object, clr::ClassID type, Shape shape) {
  if (shape == Shape::kString) return ReadAt<uint32_t>(object + string_length_offset_);
  if (shape != Shape::kArray) return 0;
  constexpr uint32_t kMaxRank = 32;
  uint32_t sizes[kMaxRank] = {};
  int bounds[kMaxRank] = {};
  uint8_t* data = nullptr;
  clr::CorElementType element_type = 0;
  clr::ClassID element = 0;
  uint32_t rank = 0;
  info_->IsArrayClass(type, &element_type, &element, &rank);
  rank = std::clamp(rank, 1u, kMaxRank);
  if (clr::Failed(info_->GetArrayObjectInfo(object, rank, sizes, bounds, &data))) return 0;
  uint32_t length = 1;
  for (uint32_t i = 0; i < rank; ++i) length *= sizes[i];
  return length;
}

bool CallbackWalk::Add(clr::ObjectID object, clr::ClassID type,
                       std::span<const clr::ObjectID> references) {
  size_t bytes = 0;
  if (clr::Failed(info_->GetObjectSize2(object, &bytes))) return true;
  const Shape shape = ShapeOf(type);
  Object entry{object, type, references_.entries().size(), bytes, 0, LengthOf(object, type, shape),
               shape};
  for (const clr::ObjectID reference : references) {
    if (reference == 0) continue;
    if (!references_.Add(reference)) {
      overflowed_ = true;
      return false;
    }
    ++entry.references;
  }
  if (!objects_.Add(entry)) overflowed_ = true;
  return !overflowed_;
}

void CallbackWalk::FillClasses(SnapshotShared& shared, CodeGate& gate, uint64_t as_of_ns) {
  std::unordered_map<clr::ClassID, uint32_t> numbers;
  for (Object& object : objects_.entries()) {
    const auto [place, is_new] = numbers.try_emplace(object.type, shared.class_count);
    if (is_new && shared.class_count < kMaxHeapClasses) {
      SnapshotClass& type = shared.classes[shared.class_count];
      type = {};
      type.method_table = object.type;
      type.is_collectible = true;  // unknown, so assume the worst
      type.is_array = object.shape == Shape::kArray;
      type.is_string = object.shape == Shape::kString;
      type.base_bytes = static_cast<uint32_t>(object.bytes);
      if (type.is_string) {
        type.base_bytes = 22;  // header, MethodTable, length, and a NUL
        type.component_bytes = 2;
      }
      if (type.is_array) DescribeArray(type, gate, as_of_ns);
      shared.class_count = shared.class_count + 1;
    }
    object.type = place->second;
  }
}

void CallbackWalk::DescribeArray(SnapshotClass& type, CodeGate& gate, uint64_t as_of_ns) {
  clr::CorElementType element_type = 0;
  clr::ClassID element = 0;
  uint32_t rank = 0;
  uint32_t fields = 0;
  uint32_t bytes = 0;
  const auto hold = gate.Enter(as_of_ns);
  if (hold) info_->IsArrayClass(type.method_table, &element_type, &element, &rank);
  type.base_bytes = kArrayHeadBytes + (rank > 1 ? rank * kBoundBytes : 0);
  type.component_bytes = BytesOfNumber(element_type);
  if (hold && element_type == clr::element::kValueType) {
    info_->GetClassLayout(element, nullptr, 0, &fields, &bytes);
    type.component_bytes = bytes;
  }
  if (type.component_bytes == 0) type.component_bytes = 8;
}

bool CallbackWalk::Write(SnapshotShared& shared, ObjectBatch& batch, uint64_t deadline_ns) {
  const std::span<Object> objects = objects_.entries();
  const std::span<uint64_t> references = references_.entries();
  std::sort(objects.begin(), objects.end(),
            [](const Object& a, const Object& b) { return a.address < b.address; });
  uint64_t end = objects.empty() ? 0 : objects.front().address;
  uint64_t bytes = 0;
  for (const Object& object : objects) {
    if (object.type >= kMaxHeapClasses || object.address < end) continue;
    const SnapshotClass& type = shared.classes[object.type];
    const auto id = static_cast<uint32_t>(object.type) + 1;
    const uint64_t chunk = std::min<uint64_t>(object.references, ObjectBatch::kChunkSlots);
    const size_t worst =
        chunk < object.references ? ObjectBatch::kBatchBytes : (4 + chunk) * kMaxVarintBytes;
    if (!batch.Begin(object.address, id, (object.address - end) / 8, worst)) return false;
    if (type.component_bytes != 0) batch.Length(object.length);
    batch.SlotCount(object.references);
    for (uint32_t i = 0; i < object.references; ++i) {
      if (i != 0 && i % ObjectBatch::kChunkSlots == 0) {  // in parts, each with the total count
        if (!batch.Continue(object.address, id, object.length, i)) return false;
        batch.SlotCount(object.references);
      }
      batch.Slot(object.address, references[object.first_reference + i]);
    }
    if (chunk < object.references && !batch.Flush()) return false;
    shared.counters.slots.fetch_add(object.references, std::memory_order_relaxed);
    const uint64_t size = type.Bytes(object.length);
    end = object.address + size;
    bytes += size;
    if (MonotonicNs() > deadline_ns || shared.stop != 0) {
      shared.error = static_cast<uint32_t>(WalkError::kTime);
      break;
    }
  }
  shared.counters.objects = batch.objects();
  shared.counters.object_bytes = bytes;
  return batch.Flush();
}

}  // namespace hindsight::recorder
