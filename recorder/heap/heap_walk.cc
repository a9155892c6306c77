#include "recorder/heap/heap_walk.h"

#include <algorithm>
#include <string_view>

#include "recorder/base/clock.h"
#include "recorder/heap/gc_desc.h"
#include "recorder/heap/readable.h"
#include "recorder/names/utf8.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kMinObjectBytes = 24;
constexpr uint32_t kIndexPlaces = kMaxHeapClasses * 2;

uint32_t PlaceOf(uint64_t method_table) {
  return static_cast<uint32_t>((method_table >> 3) * 0x9e3779b97f4a7c15u >> 40) % kIndexPlaces;
}

int64_t ReadValue(uint64_t address, const PlannedValue& value) {
  const bool is_signed = value.kind == PlannedValue::Kind::kSigned;
  switch (value.bytes) {
    case 1:
      return is_signed ? ReadAt<int8_t>(address) : ReadAt<uint8_t>(address);
    case 2:
      return is_signed ? ReadAt<int16_t>(address) : ReadAt<uint16_t>(address);
    case 4: {
      if (value.kind == PlannedValue::Kind::kFloat) {
        const double widened = ReadAt<float>(address);
        return ReadAt<int64_t>(reinterpret_cast<uint64_t>(&widened));
      }
      return is_signed ? int64_t{ReadAt<int32_t>(address)} : int64_t{ReadAt<uint32_t>(address)};
    }
    default:
      return ReadAt<int64_t>(address);
  }
}

}  // namespace

HeapWalk::HeapWalk(SnapshotShared& shared, std::span<const WalkedRange> ranges,
                   uint64_t deadline_ns)
    : shared_(shared), ranges_(ranges), deadline_ns_(deadline_ns) {
  for (const WalkedRange& range : ranges) {
    lowest_ = std::min(lowest_, range.start);
    highest_ = std::max(highest_, range.start + std::max(range.used_bytes, range.reserved_bytes));
  }
}

bool HeapWalk::Fail(WalkError error, uint64_t address) {
  shared_.error_address = address;
  shared_.error = static_cast<uint32_t>(error);
  return false;
}

bool HeapWalk::ShouldStop() {
  if (shared_.stop.load(std::memory_order_relaxed) != 0) return !Fail(WalkError::kRequest, 0);
  if (MonotonicNs() > deadline_ns_) return !Fail(WalkError::kTime, 0);
  return false;
}

template <typename Visit>
bool HeapWalk::ForEachObject(Visit visit) {
  constexpr uint32_t kObjectsBetweenLooks = 1u << 16;
  uint32_t until_look = kObjectsBetweenLooks;
  uint64_t previous_end = 0;
  uint64_t free_bytes = 0;
  for (const WalkedRange& range : ranges_) {
    const uint64_t end = range.start + range.used_bytes;
    uint64_t object = range.start;
    if (previous_end == 0) previous_end = object;
    while (object < end) {
      const uint64_t method_table = MethodTableOf(object);
      if (method_table == 0) {
        // The runtime may have counted frozen objects that it had not written yet.
        if (range.generation == kFrozenGeneration) break;
        return Fail(WalkError::kNoMethodTable, object);
      }
      const uint32_t id = ClassOf(method_table);
      if (id == kNoClass) {
        if (shared_.error_address == 0) shared_.error_address = object;
        return false;
      }
      const SnapshotClass& type = shared_.classes[id];
      const uint64_t bytes = type.Bytes(type.component_bytes != 0 ? LengthOf(object) : 0);
      if (bytes < kMinObjectBytes || bytes > end - object) {
        return Fail(WalkError::kBadSize, object);
      }
      if (type.is_free) {
        free_bytes += bytes;
      } else {
        if (!visit(object, bytes, id, type, previous_end)) return false;
        previous_end = object + bytes;
      }
      object += bytes;
      if (--until_look == 0) {
        until_look = kObjectsBetweenLooks;
        if (ShouldStop()) return false;
      }
    }
  }
  shared_.counters.free_bytes = free_bytes;
  return true;
}

uint32_t HeapWalk::ClassOf(uint64_t method_table) {
  Recent& recent = recent_[method_table >> 5 & 0xff];
  if (recent.method_table == method_table) return recent.id;
  uint32_t place = PlaceOf(method_table);
  uint32_t found;
  while ((found = shared_.class_index[place]) != 0) {
    if (shared_.classes[found - 1].method_table == method_table) break;
    place = (place + 1) % kIndexPlaces;
  }
  const uint32_t id = found != 0 ? found - 1 : AddClass(method_table, place);
  if (id != kNoClass) recent = {method_table, id};
  return id;
}

uint32_t HeapWalk::AddClass(uint64_t method_table, uint32_t place) {
  const uint32_t id = shared_.class_count;
  if (id == kMaxHeapClasses) {
    Fail(WalkError::kTooManyClasses, 0);
    return kNoClass;
  }
  if (method_table % 8 != 0 || !IsReadable(method_table) || !IsReadable(method_table + 16)) {
    Fail(WalkError::kUnreadable, 0);
    return kNoClass;
  }
  const MethodTable table(method_table);
  // A class without references has no GCDesc: the mapped memory may end below it.
  constexpr uint64_t kGcDescHead = 24;
  if (table.has_references() && !IsReadable(method_table - kGcDescHead)) {
    Fail(WalkError::kUnreadable, 0);
    return kNoClass;
  }
  SnapshotClass& type = shared_.classes[id];
  type = {};
  type.method_table = method_table;
  type.parent = table.parent();
  type.base_bytes = table.base_bytes();
  type.component_bytes = table.component_bytes();
  type.is_array = table.is_array();
  type.is_string = table.is_string();
  type.is_boxed = table.is_value_type();
  type.is_free = table.is_free();
  type.is_finalizable = table.is_finalizable();
  type.is_collectible = table.is_collectible(shared_.collectible_flag);
  type.first_slot = shared_.slot_count;
  const uint32_t room = std::min(kMaxHeapSlots - shared_.slot_count, kMaxClassSlots);
  uint32_t count = 0;
  const bool ok = ForEachSlot(
      table, room, [&](uint32_t offset) { shared_.slots[type.first_slot + count++] = offset; });
  if (!ok || (type.is_boxed && type.component_bytes != 0)) {
    Fail(count == room ? WalkError::kTooManySlots : WalkError::kBadDescription, 0);
    return kNoClass;
  }
  std::sort(shared_.slots + type.first_slot, shared_.slots + type.first_slot + count);
  type.slot_count = count;
  shared_.slot_count += count;
  shared_.class_index[place] = id + 1;
  shared_.class_count.store(id + 1, std::memory_order_release);
  return id;
}

bool HeapWalk::FindClasses() {
  HeaderNotes& notes = shared_.threads.notes;
  return ForEachObject(
      [&notes](uint64_t object, uint64_t, uint32_t, const SnapshotClass&, uint64_t) {
        const uint32_t header = HeaderOf(object);
        if (header != 0) notes.Take(object, header);
        return true;
      });
}

bool HeapWalk::MayBeObject(uint64_t address) const {
  if (address < lowest_ || address >= highest_ || address % 8 != 0) return false;
  const auto after = std::upper_bound(
      ranges_.begin(), ranges_.end(), address,
      [](uint64_t place, const WalkedRange& range) { return place < range.start; });
  if (after == ranges_.begin()) return false;
  const WalkedRange& range = *std::prev(after);
  const uint64_t offset = address - range.start;
  if (range.used_bytes < kMinObjectBytes || offset > range.used_bytes - kMinObjectBytes) {
    return false;
  }
  const uint64_t method_table = MethodTableOf(address);
  if (method_table == 0) return false;
  uint32_t place = PlaceOf(method_table);
  for (uint32_t found; (found = shared_.class_index[place]) != 0;
       place = (place + 1) % kIndexPlaces) {
    const SnapshotClass& type = shared_.classes[found - 1];
    if (type.method_table == method_table) return !type.is_free;
  }
  return false;
}

bool HeapWalk::IsLate() const {
  return shared_.stop.load(std::memory_order_relaxed) != 0 || MonotonicNs() > deadline_ns_;
}

uint32_t HeapWalk::HeaderOf(uint64_t object) {
  constexpr uint64_t kPage = 4096;
  if (object % kPage == 0 && !IsReadable(object - 8)) return 0;  // the first one of its range
  return ReadAt<uint32_t>(object - 4);
}

bool HeapWalk::WriteObjects(ObjectBatch& batch) {
  SnapshotCounters& counters = shared_.counters;
  uint64_t bytes_written = 0;
  uint64_t slots = 0;
  uint64_t reported = 0;
  const bool walked = ForEachObject([&](uint64_t object, uint64_t bytes, uint32_t id,
                                        const SnapshotClass& type, uint64_t previous_end) {
    if (!WriteObject(batch, object, type, id + 1, (object - previous_end) / 8)) return false;
    bytes_written += bytes;
    slots += type.is_array ? uint64_t{type.slot_count} * LengthOf(object) : type.slot_count;
    if (batch.objects() - reported >= 1u << 14) {  // progress for other readers
      reported = batch.objects();
      counters.objects.store(reported, std::memory_order_relaxed);
      counters.object_bytes.store(bytes_written, std::memory_order_relaxed);
    }
    return true;
  });
  // After a failure too: what has been collected is correct.
  const bool flushed =
      shared_.error == static_cast<uint32_t>(WalkError::kDisk) ? false : batch.Flush();
  counters.objects = batch.objects();
  counters.object_bytes = bytes_written;
  counters.slots = slots;
  counters.dangling = dangling_;
  return walked && flushed;
}

uint64_t HeapWalk::Target(uint64_t slot_address) {
  const auto target = ReadAt<uint64_t>(slot_address);
  if (target == 0) return 0;
  if (target >= lowest_ && target < highest_ && target % 8 == 0) return target;
  ++dangling_;
  return 0;
}

bool HeapWalk::WriteObject(ObjectBatch& batch, uint64_t object, const SnapshotClass& type,
                           uint32_t id, uint64_t gap_words) {
  const uint64_t length = type.component_bytes != 0 ? LengthOf(object) : 0;
  const uint64_t slots = type.is_array ? length * type.slot_count : type.slot_count;
  // Objects with more slots than fit get batches of their own.
  const bool is_large = slots > ObjectBatch::kChunkSlots;
  size_t worst = (3 + slots + type.value_count) * kMaxVarintBytes;
  for (uint32_t i = 0; i < type.value_count; ++i) {
    if (shared_.values[type.first_value + i].kind == PlannedValue::Kind::kText) {
      worst += ObjectBatch::kMaxTextBytes + kMaxVarintBytes;
    }
  }
  if (!batch.Begin(object, id, gap_words, is_large ? ObjectBatch::kBatchBytes : worst)) {
    return false;
  }
  if (type.component_bytes != 0) batch.Length(length);
  if (slots != 0 && !WriteSlots(batch, object, type, id, length)) return false;
  if (is_large) return batch.Flush();
  if (type.value_count != 0) WriteValues(batch, object, type);
  return true;
}

bool HeapWalk::WriteSlots(ObjectBatch& batch, uint64_t object, const SnapshotClass& type,
                          uint32_t id, uint64_t length) {
  const uint32_t* const offsets = shared_.slots + type.first_slot;
  const uint64_t rows = type.is_array ? length : 1;
  uint64_t row = type.is_array ? object + type.base_bytes - 8 : object;
  uint64_t base = object;
  uint64_t slot = 0;
  uint64_t chunk_end = ObjectBatch::kChunkSlots;
  for (uint64_t r = 0; r < rows; ++r, row += type.component_bytes) {
    for (uint32_t i = 0; i < type.slot_count; ++i, ++slot) {
      if (slot == chunk_end) {
        if (ShouldStop() || !batch.Continue(object, id, length, slot)) return false;
        chunk_end += ObjectBatch::kChunkSlots;
        base = object;
      }
      const uint64_t target = Target(row + offsets[i]);
      batch.Slot(base, target);
      if (target != 0 && type.is_array) base = target;
    }
  }
  return true;
}

void HeapWalk::WriteValues(ObjectBatch& batch, uint64_t object, const SnapshotClass& type) {
  for (uint32_t i = 0; i < type.value_count; ++i) {
    const PlannedValue& value = shared_.values[type.first_value + i];
    if (value.kind != PlannedValue::Kind::kText) {
      batch.Value(ReadValue(object + value.offset, value));
    } else {
      WriteText(batch, value.offset == kWholeObject ? object : Target(object + value.offset));
    }
  }
}

void HeapWalk::WriteText(ObjectBatch& batch, uint64_t string) {
  if (string == 0) {
    batch.Text({}, true);
    return;
  }
  const uint32_t id = ClassOf(MethodTableOf(string));
  if (id == kNoClass || !shared_.classes[id].is_string) {
    batch.Text({}, true);  // a field of type object that does not hold a string
    return;
  }
  constexpr uint32_t kBytesPerUnit = 3;
  constexpr uint32_t kMaxUnits = 4096;
  static_assert(kMaxUnits * kBytesPerUnit <= ObjectBatch::kMaxTextBytes);
  char text[kMaxUnits * kBytesPerUnit];
  const uint32_t units = std::min({LengthOf(string), shared_.text_units, kMaxUnits});
  const std::u16string_view chars(reinterpret_cast<const char16_t*>(string + kStringChars), units);
  char* end = text;
  EncodeUtf8(chars, units, [&end](char byte) { *end++ = byte; });
  batch.Text({text, static_cast<size_t>(end - text)}, false);
}

}  // namespace hindsight::recorder
