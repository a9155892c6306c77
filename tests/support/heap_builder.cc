#include "tests/support/heap_builder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "analyzer/naming/method_names.h"

namespace hindsight::testing {

using analyzer::ClassIndex;
using analyzer::Column;
using analyzer::Generation;
using analyzer::HeapClass;
using analyzer::HeapColumns;
using analyzer::HeapModel;
using analyzer::HeapShape;
using analyzer::kNoObject;
using analyzer::ObjectId;
using analyzer::RankedBits;
using analyzer::StringId;
using analyzer::TypeId;
using analyzer::ValueField;

namespace {

constexpr uint64_t kFirstAddress = 0x7f0000001000;
constexpr uint32_t kStringBaseBytes = 22;
constexpr uint32_t kArrayBaseBytes = 24;

void PutZigZag(std::vector<uint8_t>& bytes, int64_t value) {
  uint64_t rest = static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
  for (; rest >= 0x80; rest >>= 7) bytes.push_back(static_cast<uint8_t>(rest | 0x80));
  bytes.push_back(static_cast<uint8_t>(rest));
}

template <typename T, typename Values>
Column<T> ColumnOf(const Values& values) {
  Column<T> column(values.size());
  std::copy(values.begin(), values.end(), column.begin());
  return column;
}

}  // namespace

struct HeapBuilder::State {
  struct Object {
    ClassIndex type = 0;
    uint64_t length = 0;
    uint64_t address = 0;
    std::map<uint64_t, ObjectId> slots;
    std::map<std::string, int64_t, std::less<>> values;
    std::map<std::string, std::string, std::less<>> texts;
  };
  struct StaticField {
    TypeId type = 0;
    StringId field = 0;
    ObjectId object = kNoObject;
    uint32_t thread = 0;
  };

  std::unique_ptr<HeapModel> model = std::make_unique<HeapModel>();
  HeapColumns columns;
  std::vector<Object> objects;
  std::vector<StaticField> statics;
  uint64_t next_address = kFirstAddress;
  ClassIndex string_class = 0;

  State() { columns.classes.resize(1); }

  ClassIndex AddClass(HeapClass type) {
    columns.classes.push_back(std::move(type));
    return static_cast<ClassIndex>(columns.classes.size() - 1);
  }
  Object& At(ObjectId id) {
    if (id >= objects.size()) throw std::logic_error("no such object");
    return objects[id];
  }
  StringId Name(std::string_view text) { return model->dictionaries.AddString(text); }
  void EndRange() {
    analyzer::HeapRange& range = columns.ranges.back();
    range.used_bytes = range.reserved_bytes = next_address - range.start;
  }
  void AddStatics(HeapBuilder& builder);
  void FillObjects();
  void FillReferences();
  void FillValues();
};

HeapBuilder::HeapBuilder() : state_(std::make_unique<State>()) {
  state_->model->application = "Shop";
  state_->model->pid = 4711;
  state_->model->runtime_version = "10.0.12";
  state_->model->host = "web-1";
  facts().number = 1;
  facts().result = analyzer::HeapFacts::Result::kComplete;
  facts().method = analyzer::HeapFacts::Method::kFork;
  state_->columns.ranges.push_back({kFirstAddress, 0, 0, Generation::kGen2});
}
HeapBuilder::~HeapBuilder() = default;

TypeId HeapBuilder::Type(std::string_view name, std::vector<TypeId> arguments) {
  analyzer::Type type;
  type.name = state_->Name(name);
  type.arguments = std::move(arguments);
  return state_->model->dictionaries.AddType(type);
}

TypeId HeapBuilder::ArrayType(TypeId element) {
  analyzer::Type type;
  type.element = element;
  type.rank = 1;
  return state_->model->dictionaries.AddType(type);
}

ClassIndex HeapBuilder::Class(std::string_view name, std::vector<std::string> slots,
                              uint32_t bytes) {
  return Class(Type(name), std::move(slots), bytes);
}

ClassIndex HeapBuilder::Class(TypeId type, std::vector<std::string> slots, uint32_t bytes) {
  HeapClass entry;
  entry.type = type;
  for (const std::string& slot : slots) {
    entry.slot_offsets.push_back(static_cast<uint32_t>(8 + 8 * entry.slot_offsets.size()));
    entry.slot_names.push_back(state_->Name(slot));
  }
  const auto needed = static_cast<uint32_t>(16 + 8 * slots.size());
  entry.base_bytes = std::max({bytes, needed, uint32_t{24}});
  return state_->AddClass(std::move(entry));
}

ClassIndex HeapBuilder::Array(std::string_view element) { return Array(Type(element)); }

ClassIndex HeapBuilder::Array(TypeId element) { return StructArray(element, {""}, 8); }

ClassIndex HeapBuilder::StructArray(TypeId element, std::vector<std::string> slots,
                                    uint32_t element_bytes) {
  HeapClass entry;
  entry.type = ArrayType(element);
  entry.kind = HeapClass::Kind::kArray;
  entry.base_bytes = kArrayBaseBytes;
  for (const std::string& slot : slots) {
    entry.slot_offsets.push_back(static_cast<uint32_t>(8 * entry.slot_offsets.size()));
    entry.slot_names.push_back(state_->Name(slot));
  }
  entry.component_bytes = std::max(element_bytes, static_cast<uint32_t>(8 * slots.size()));
  return state_->AddClass(std::move(entry));
}

ClassIndex HeapBuilder::PlainArray(std::string_view element, uint32_t element_bytes) {
  HeapClass entry;
  entry.type = ArrayType(Type(element));
  entry.kind = HeapClass::Kind::kArray;
  entry.base_bytes = kArrayBaseBytes;
  entry.component_bytes = element_bytes;
  return state_->AddClass(std::move(entry));
}

ClassIndex HeapBuilder::String() {
  if (state_->string_class == 0) {
    HeapClass entry;
    entry.type = Type("System.String");
    entry.kind = HeapClass::Kind::kString;
    entry.base_bytes = kStringBaseBytes;
    entry.component_bytes = 2;
    state_->string_class = state_->AddClass(std::move(entry));
  }
  return state_->string_class;
}

HeapClass& HeapBuilder::Edit(ClassIndex index) { return state_->columns.classes.at(index); }

void HeapBuilder::AddValueField(ClassIndex index, std::string_view name, ValueField::Kind kind) {
  Edit(index).value_fields.push_back({state_->Name(name), kind});
}

void HeapBuilder::StartGeneration(Generation generation) {
  state_->EndRange();
  state_->next_address = (state_->next_address + 0xffff) & ~uint64_t{0xffff};
  state_->columns.ranges.push_back({state_->next_address, 0, 0, generation});
}

ObjectId HeapBuilder::Add(ClassIndex index, uint64_t length) {
  const HeapClass& type = Edit(index);
  if (length != 0 && type.component_bytes == 0) throw std::logic_error("it has no length");
  State::Object object;
  object.type = index;
  object.length = length;
  object.address = state_->next_address;
  state_->next_address += HeapShape::Of(type).Bytes(length);
  state_->objects.push_back(std::move(object));
  return static_cast<ObjectId>(state_->objects.size() - 1);
}

ObjectId HeapBuilder::AddString(std::string_view text) {
  const ObjectId id = Add(String(), text.size());
  for (const ValueField& field : Edit(String()).value_fields) {
    const std::string_view name = state_->model->dictionaries.String(field.name);
    if (field.kind == ValueField::Kind::kText) Text(id, name, text);
  }
  return id;
}

void HeapBuilder::Refer(ObjectId from, std::string_view slot, ObjectId to) {
  const HeapClass& type = Edit(state_->At(from).type);
  for (size_t i = 0; i < type.slot_names.size(); ++i) {
    if (state_->model->dictionaries.String(type.slot_names[i]) == slot) return Refer(from, i, to);
  }
  throw std::logic_error("no slot " + std::string(slot));
}

void HeapBuilder::Refer(ObjectId from, uint64_t slot, ObjectId to) {
  State::Object& object = state_->At(from);
  if (slot >= HeapShape::Of(Edit(object.type)).Slots(object.length)) {
    throw std::logic_error("no slot " + std::to_string(slot));
  }
  object.slots[slot] = to;
}

void HeapBuilder::Value(ObjectId object, std::string_view field, int64_t value) {
  state_->At(object).values.insert_or_assign(std::string(field), value);
}

void HeapBuilder::Text(ObjectId object, std::string_view field, std::string_view text) {
  state_->At(object).texts.insert_or_assign(std::string(field), std::string(text));
}

analyzer::MethodId HeapBuilder::MethodOf(std::string_view name) {
  if (name.empty()) return 0;
  size_t dot = std::min(name.rfind('.'), name.size());
  if (dot < name.size() && dot > 0 && name[dot - 1] == '.') --dot;  // Shop.Cart..ctor
  analyzer::Method entry;
  const std::string_view type = dot < name.size() ? name.substr(0, dot) : "";
  const std::string_view method = dot < name.size() ? name.substr(dot + 1) : name;
  if (!type.empty()) entry.type = Type(type);
  entry.name = state_->Name(method);
  entry.is_plumbing = analyzer::naming::IsPlumbing(type, method);
  return state_->model->dictionaries.AddMethod(entry);
}

void HeapBuilder::Root(ObjectId object, analyzer::RootKind kind, std::string_view method) {
  state_->At(object);
  state_->columns.roots.push_back({object, kind, MethodOf(method)});
}

void HeapBuilder::Static(std::string_view type, std::string_view field, ObjectId object,
                         uint32_t thread_os_id) {
  state_->statics.push_back({Type(type), state_->Name(field), object, thread_os_id});
}

void HeapBuilder::Dependent(ObjectId key, ObjectId value) {
  state_->At(key);
  state_->At(value);
  state_->columns.dependents.push_back({key, value});
}

void HeapBuilder::Monitor(analyzer::HeapMonitor state) {
  state_->At(state.object);
  state_->columns.monitors.push_back(state);
}

void HeapBuilder::MonitorsUnknown(std::string_view because) {
  state_->columns.monitors_unknown_because = because;
}

void HeapBuilder::Thread(const HeapThreadSpec& thread) {
  for (const analyzer::HeapStackObject& object : thread.objects) state_->At(object.object);
  if (thread.waiting_monitor != kNoObject) state_->At(thread.waiting_monitor);
  analyzer::StackId stack = 0;
  for (auto method = thread.stack.rbegin(); method != thread.stack.rend(); ++method) {
    stack = state_->model->dictionaries.AddStack(stack, MethodOf(*method));
  }
  state_->columns.threads.push_back({.os_id = thread.os_id,
                                     .name = state_->Name(thread.name),
                                     .clr_thread = thread.clr_thread,
                                     .managed_id = thread.managed_id,
                                     .stack = stack,
                                     .cpu_ns = thread.cpu_ns,
                                     .state = thread.state,
                                     .objects = thread.objects,
                                     .waiting_monitor = thread.waiting_monitor});
}

void HeapBuilder::Survivor(ObjectId object, const std::vector<std::string>& stack,
                           uint64_t age_ns) {
  const State::Object& of = state_->At(object);
  analyzer::Survivors& survivors = state_->model->survivors;
  analyzer::CallId call = 0;
  for (auto method = stack.rbegin(); method != stack.rend(); ++method) {
    call = survivors.calls.Add(call, MethodOf(*method), -1);
  }
  survivors.recorded = true;
  survivors.sampling = analyzer::AllocationProfile::Sampling::kTick;
  const uint64_t size = HeapShape::Of(state_->columns.classes[of.type]).Bytes(of.length);
  survivors.samples.push_back({.object = object,
                               .call = call,
                               .age_ns = age_ns,
                               .size = size,
                               .objects = 1,
                               .bytes = static_cast<double>(size)});
}

analyzer::HeapFacts& HeapBuilder::facts() { return state_->model->graph.facts; }
analyzer::Dictionaries& HeapBuilder::dictionaries() { return state_->model->dictionaries; }

void HeapBuilder::State::AddStatics(HeapBuilder& builder) {
  if (statics.empty()) return;
  builder.StartGeneration(Generation::kPinned);
  const ObjectId holder = builder.Add(builder.Array("System.Object"), statics.size());
  builder.Root(holder, analyzer::RootKind::kPinnedHandle);
  for (size_t i = 0; i < statics.size(); ++i) {
    if (statics[i].object != kNoObject) builder.Refer(holder, i, statics[i].object);
    columns.statics.push_back({statics[i].type, statics[i].field, holder, i, statics[i].thread});
  }
  columns.SortStatics();
}

void HeapBuilder::State::FillObjects() {
  std::vector<uint32_t> lengths;
  columns.class_low = Column<uint16_t>(objects.size());
  columns.has_length = RankedBits(objects.size());
  for (size_t id = 0; id < objects.size(); ++id) {
    const Object& object = objects[id];
    if (!columns.index.Add(object.address)) throw std::logic_error("addresses do not ascend");
    columns.class_low[id] = static_cast<uint16_t>(object.type);
    if (columns.shapes[object.type].component_bytes == 0) continue;
    columns.has_length.Set(id);
    lengths.push_back(static_cast<uint32_t>(object.length));
  }
  columns.index.Finish();
  columns.has_length.Finish();
  columns.lengths = ColumnOf<uint32_t>(lengths);
}

void HeapBuilder::State::FillReferences() {
  std::vector<ObjectId> references;
  std::vector<uint64_t> bits;
  std::vector<uint64_t> blocks;
  uint64_t slots = 0;
  columns.reference_begin = Column<uint32_t>(objects.size() + 1);
  for (size_t id = 0; id < objects.size(); ++id) {
    const Object& object = objects[id];
    columns.reference_begin[id] = static_cast<uint32_t>(references.size());
    if (id % HeapColumns::kSlotBlock == 0) blocks.push_back(slots);
    for (const auto& [slot, target] : object.slots) {
      if (target == kNoObject) continue;
      At(target);
      references.push_back(target);
      bits.resize((slots + slot) / 64 + 1);
      bits.back() |= uint64_t{1} << ((slots + slot) % 64);
    }
    slots += columns.shapes[object.type].Slots(object.length);
  }
  columns.reference_begin[objects.size()] = static_cast<uint32_t>(references.size());
  bits.resize(slots / 64 + 1);
  columns.references = ColumnOf<ObjectId>(references);
  columns.slot_bits = ColumnOf<uint64_t>(bits);
  columns.slot_begin = ColumnOf<uint64_t>(blocks);
}

void HeapBuilder::State::FillValues() {
  std::vector<uint32_t> value_begin, text_begin;
  std::vector<uint8_t> values;
  std::vector<uint64_t> text_end;
  std::string texts;
  columns.has_values = RankedBits(objects.size());
  for (size_t id = 0; id < objects.size(); ++id) {
    const Object& object = objects[id];
    const HeapClass& type = columns.classes[object.type];
    if (type.value_fields.empty()) continue;
    columns.has_values.Set(id);
    value_begin.push_back(static_cast<uint32_t>(values.size()));
    text_begin.push_back(static_cast<uint32_t>(text_end.size()));
    for (const ValueField& field : type.value_fields) {
      const std::string_view name = model->dictionaries.String(field.name);
      if (field.kind != ValueField::Kind::kText) {
        const auto value = object.values.find(name);
        PutZigZag(values, value == object.values.end() ? 0 : value->second);
        continue;
      }
      const auto text = object.texts.find(name);
      columns.text_is_null.push_back(text == object.texts.end());
      if (text != object.texts.end()) texts += text->second;
      text_end.push_back(texts.size());
    }
  }
  columns.has_values.Finish();
  columns.value_begin = ColumnOf<uint32_t>(value_begin);
  columns.value_bytes = ColumnOf<uint8_t>(values);
  columns.text_begin = ColumnOf<uint32_t>(text_begin);
  columns.text_end = ColumnOf<uint64_t>(text_end);
  columns.text_bytes = ColumnOf<char>(texts);
}

std::unique_ptr<HeapModel> HeapBuilder::Build() {
  State& state = *state_;
  state.AddStatics(*this);
  state.EndRange();
  for (const HeapClass& type : state.columns.classes) {
    state.columns.shapes.push_back(HeapShape::Of(type));
  }
  state.FillObjects();
  state.FillReferences();
  state.FillValues();
  state.columns.PlaceRanges();
  state.columns.SortThreads();
  analyzer::HeapFacts facts = std::move(state.model->graph.facts);
  state.model->graph = analyzer::HeapGraph(std::move(state.columns));
  const analyzer::HeapGraph& graph = state.model->graph;
  facts.certified_objects = graph.size();
  facts.certified_roots = graph.roots().size();
  for (ObjectId id = 0; id < graph.size(); ++id) facts.certified_bytes += graph.Bytes(id);
  state.model->graph.facts = std::move(facts);
  return std::move(state.model);
}

}  // namespace hindsight::testing
