#include "bench/graph/generator.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/support/heap_file.h"

namespace hindsight::bench {
namespace {

using testing::HeapFile;

constexpr uint64_t kFirstAddress = 0x7f1200000000;
constexpr uint64_t kObjectsPerBatch = 16'000;
constexpr uint64_t kSlotsPerBatch = 64u << 10;
constexpr uint64_t kGapBytes = 24;  // free space after every row of objects

// One of the repeating kinds of objects; `slots` of an element if it has a length.
struct Sort {
  const char* name;
  uint32_t base_bytes;
  uint32_t component_bytes = 0;
  uint64_t length = 0;
  uint32_t slots = 0;

  uint64_t Bytes() const { return (base_bytes + length * component_bytes + 7) & ~uint64_t{7}; }
  uint64_t Slots() const { return component_bytes == 0 ? slots : slots * length; }
  bool IsArray() const { return component_bytes != 0 && slots != 0; }
};

const std::vector<Sort>& Sorts(HeapShape shape) {
  static const std::vector<Sort> kIrregular = {
      {"Shop.Order", 56, 0, 0, 5},  {"System.String", 22, 2, 8},    {"System.String", 22, 2, 20},
      {"Shop.Line", 40, 0, 0, 3},   {"Shop.Line", 40, 0, 0, 3},     {"System.Object", 24, 8, 10, 1},
      {"System.String", 22, 2, 33}, {"Shop.Customer", 80, 0, 0, 8}, {"Shop.Link", 24, 0, 0, 1},
      {"System.Int32", 24, 4, 10},  {"Shop.Entry", 24, 24, 8, 2},   {"Shop.Order", 56, 0, 0, 5},
      {"System.String", 22, 2, 12}, {"Shop.Line", 40, 0, 0, 3},     {"Shop.Customer", 80, 0, 0, 8},
      {"Shop.Link", 24, 0, 0, 1},
  };
  static const std::vector<Sort> kRegular = {
      {"Shop.Order", 40, 0, 0, 2},
      {"System.String", 22, 2, 12},
      {"Shop.Line[]", 24, 8, 1, 1},
      {"Shop.Line", 32, 0, 0, 1},
  };
  static const std::vector<Sort> kList = {{"Shop.Node", 24, 0, 0, 1}};
  switch (shape) {
    case HeapShape::kIrregular:
      return kIrregular;
    case HeapShape::kRegular:
      return kRegular;
    default:
      return kList;
  }
}

class Generator {
 public:
  Generator(HeapShape shape, uint64_t objects, const std::filesystem::path& folder)
      : shape_(shape), sorts_(Sorts(shape)) {
    std::filesystem::create_directories(folder);
    out_.open(folder / file_.name(), std::ios::binary | std::ios::trunc);
    for (const Sort& sort : sorts_) {
      offsets_.push_back(row_bytes_);
      row_bytes_ += sort.Bytes();
    }
    row_bytes_ += kGapBytes;
    count_ = std::max<uint64_t>(1, objects / sorts_.size()) * sorts_.size();
  }

  uint64_t Write() {
    AddTables();
    for (uint64_t id = 0; id < count_; ++id) AddObject(id);
    Flush();
    if (shape_ == HeapShape::kRegular) AddArray();
    AddEnd();
    if (!out_) throw std::runtime_error("the recording could not be written");
    return written_;
  }

 private:
  uint64_t Address(uint64_t id) const {
    return kFirstAddress + id / sorts_.size() * row_bytes_ + offsets_[id % sorts_.size()];
  }
  uint64_t EndAddress() const { return kFirstAddress + count_ / sorts_.size() * row_bytes_; }

  // What slot number `slot` of an object refers to; empty for null.
  std::optional<uint64_t> Target(uint64_t id, uint64_t slot) {
    switch (shape_) {
      case HeapShape::kList:
        return id + 1 < count_ ? std::optional(id + 1) : std::nullopt;
      case HeapShape::kRegular:
        if (id % 4 == 0) return slot == 0 ? id + 1 : id + 2;
        if (id % 4 == 2) return id + 1;
        return random_() % std::min<uint64_t>(count_ / 4, 1000) * 4 + 1;
      case HeapShape::kIrregular:
        break;
    }
    const uint64_t dice = random_() % 256;
    if (dice < 61) return {};
    if (dice < 190) return Near(id, 64);
    if (dice < 230) return Near(id, 64u << 10);
    return random_() % count_;
  }
  uint64_t Near(uint64_t id, uint64_t distance) {
    const uint64_t low = id < distance ? 0 : id - distance;
    return low + random_() % (std::min(count_, id + distance) - low);
  }

  void AddObject(uint64_t id) {
    const Sort& sort = sorts_[id % sorts_.size()];
    if (batch_.class__size() == 0) {
      batch_.set_first_object(id);
      batch_.set_first_address(Address(id));
    }
    const bool begins_row = id % sorts_.size() == 0 && batch_.class__size() > 0;
    batch_.add_class_(static_cast<uint32_t>(id % sorts_.size()) + 1);
    batch_.add_gap(begins_row ? kGapBytes / 8 : 0);
    if (sort.component_bytes != 0) batch_.add_length(sort.length);
    const uint64_t slots = sort.Slots();
    for (uint64_t slot = 0; slot < slots; ++slot) {
      const std::optional<uint64_t> target = Target(id, slot);
      AddSlot(Address(id), target ? Address(*target) : 0);
    }
    bytes_ += sort.Bytes();
    slots_ += slots;
    if (static_cast<uint64_t>(batch_.class__size()) == kObjectsPerBatch) Flush();
  }

  void AddSlot(uint64_t from, uint64_t to) {
    if (to == 0) return batch_.add_slot(0);
    const auto delta = static_cast<int64_t>(to - from) / 8;
    batch_.add_slot(1 + (static_cast<uint64_t>(delta) << 1 ^ static_cast<uint64_t>(delta >> 63)));
  }

  // All orders, in parts: no packet has room for that many slots.
  void AddArray() {
    const uint64_t length = count_ / sorts_.size();
    for (uint64_t first = 0; first < length; first += kSlotsPerBatch) {
      const uint64_t end = std::min(length, first + kSlotsPerBatch);
      batch_.set_first_object(count_);
      batch_.set_first_address(EndAddress());
      batch_.add_class_(static_cast<uint32_t>(sorts_.size()) + 1);
      batch_.add_gap(0);
      batch_.add_length(length);
      batch_.set_first_slot(first);
      batch_.set_is_partial(end < length);
      for (uint64_t i = first; i < end; ++i) AddSlot(EndAddress(), Address(i * sorts_.size()));
      Flush();
    }
    bytes_ += 24 + length * 8;
    slots_ += length;
  }

  void Flush() {
    if (batch_.class__size() == 0) return;
    file_.AddObjects(std::move(batch_));
    batch_.Clear();
    WriteOut();
  }
  void WriteOut() {
    const std::string bytes = file_.TakeBytes();
    written_ += bytes.size();
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out_.flush();
  }

  uint32_t Text(const std::string& text) {
    String* entry = tables_.add_packet()->mutable_string();
    entry->set_id(++strings_);
    entry->set_value(text);
    return strings_;
  }
  void AddClass(uint32_t id, const Sort& sort) {
    const uint32_t name = Text(sort.name);
    std::vector<uint32_t> names;
    for (uint32_t i = 0; i < sort.slots; ++i) names.push_back(Text("_field" + std::to_string(i)));
    Type* type = tables_.add_packet()->mutable_type();
    type->set_id(id);
    type->set_name(name);
    HeapClass* entry = tables_.add_packet()->mutable_heap_class();
    entry->set_id(id);
    entry->set_type(id);
    entry->set_base_bytes(sort.base_bytes);
    entry->set_component_bytes(sort.component_bytes);
    if (sort.component_bytes != 0) {
      entry->set_kind(sort.base_bytes == 22 ? HeapClass::STRING : HeapClass::ARRAY);
    }
    for (uint32_t i = 0; i < sort.slots; ++i) {
      entry->add_slot_offset((sort.IsArray() ? 0 : 8) + 8 * i);
      entry->add_slot_name(names[i]);
    }
  }

  void AddTables() {
    Process* process = tables_.add_packet()->mutable_process();
    process->set_application("Generated");
    process->set_pid(4242);
    process->set_runtime_version("10.0.0");
    HeapSnapshot* snapshot = tables_.add_packet()->mutable_heap_snapshot();
    snapshot->set_number(1);
    snapshot->set_method(HeapSnapshot::FORK);
    HeapRange* range = tables_.add_packet()->mutable_heap_range();
    range->set_start(kFirstAddress);
    range->set_used_bytes(EndAddress() + count_ * 8 + 4096 - kFirstAddress);
    range->set_generation(2);
    for (size_t i = 0; i < sorts_.size(); ++i) AddClass(static_cast<uint32_t>(i) + 1, sorts_[i]);
    if (shape_ == HeapShape::kRegular) {
      AddClass(static_cast<uint32_t>(sorts_.size()) + 1, {"Shop.Order[]", 24, 8, 1, 1});
    }
    HeapRoots* roots = tables_.add_packet()->mutable_heap_roots();
    std::vector<uint64_t> addresses;
    if (shape_ == HeapShape::kIrregular) {
      for (uint64_t i = 0; i < 1000; ++i) addresses.push_back(Address(random_() % count_));
      std::sort(addresses.begin(), addresses.end());
    } else {
      addresses.push_back(shape_ == HeapShape::kRegular ? EndAddress() : Address(0));
    }
    uint64_t before = 0;
    for (const uint64_t address : addresses) {
      roots->add_kind(HeapRoots::STRONG_HANDLE);
      roots->add_address_delta(static_cast<int64_t>(address - before));
      before = address;
    }
    file_.AddTables(tables_);
    WriteOut();
  }

  void AddEnd() {
    Recording body;
    HeapSnapshotEnd* end = body.add_packet()->mutable_heap_snapshot_end();
    end->set_result(HeapSnapshotEnd::COMPLETE);
    end->set_objects(count_ + (shape_ == HeapShape::kRegular));
    end->set_object_bytes(bytes_);
    end->set_slots(slots_);
    file_.AddTables(body);
    WriteOut();
  }

  const HeapShape shape_;
  const std::vector<Sort>& sorts_;
  std::vector<uint64_t> offsets_;
  uint64_t row_bytes_ = 0;
  uint64_t count_ = 0;
  std::mt19937_64 random_{20261121};
  HeapFile file_;
  std::ofstream out_;
  Recording tables_;
  HeapObjects batch_;
  uint32_t strings_ = 0;
  uint64_t bytes_ = 0, slots_ = 0, written_ = 0;
};

}  // namespace

std::optional<HeapShape> ParseHeapShape(const std::string& name) {
  if (name == "irregular") return HeapShape::kIrregular;
  if (name == "regular") return HeapShape::kRegular;
  if (name == "list") return HeapShape::kList;
  return {};
}

uint64_t WriteHeap(HeapShape shape, uint64_t objects, const std::filesystem::path& folder) {
  return Generator(shape, objects, folder).Write();
}

}  // namespace hindsight::bench
