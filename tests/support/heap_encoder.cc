#include "tests/support/heap_encoder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hindsight::testing {
namespace {

using analyzer::HeapGraph;
using analyzer::HeapModel;
using analyzer::HeapShape;
using analyzer::ObjectId;

uint64_t ZigZag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}

class Encoder {
 public:
  Encoder(const HeapModel& model, const HeapEncoding& encoding)
      : model_(model), graph_(model.graph), encoding_(encoding), file_(model.graph.facts.number) {}

  HeapFile Encode() {
    BuildTables();
    if (!encoding_.tables_last) file_.AddTables(tables_);
    for (ObjectId id = 0; id < graph_.size(); ++id) AddObject(id);
    Flush();
    if (encoding_.tables_last) file_.AddTables(tables_);
    if (encoding_.has_end) AddEnd();
    return std::move(file_);
  }

 private:
  uint32_t Text(analyzer::StringId id) {
    if (id == 0 || !texts_.insert(id).second) return id;
    String* entry = tables_.add_packet()->mutable_string();
    entry->set_id(id);
    entry->set_value(std::string(model_.dictionaries.String(id)));
    return id;
  }
  uint32_t TypeOf(analyzer::TypeId id) {
    if (id == 0 || !types_.insert(id).second) return id;
    const analyzer::Type& type = model_.dictionaries.type(id);
    Text(type.name);
    TypeOf(type.element);
    for (const analyzer::TypeId argument : type.arguments) TypeOf(argument);
    Type* entry = tables_.add_packet()->mutable_type();
    entry->set_id(id);
    entry->set_name(type.name);
    entry->set_element(type.element);
    entry->set_rank(type.rank);
    for (const analyzer::TypeId argument : type.arguments) entry->add_argument(argument);
    return id;
  }
  uint32_t MethodOf(analyzer::MethodId id) {
    if (id == 0 || !methods_.insert(id).second) return id;
    const analyzer::Method& method = model_.dictionaries.method(id);
    Text(method.name);
    TypeOf(method.type);
    Method* entry = tables_.add_packet()->mutable_method();
    entry->set_id(id);
    entry->set_name(method.name);
    entry->set_type(method.type);
    return id;
  }

  uint32_t StackOf(analyzer::StackId id) {
    if (id == 0 || !stacks_.insert(id).second) return id;
    const analyzer::StackNode& node = model_.dictionaries.stack(id);
    StackOf(node.parent);
    MethodOf(node.method);
    if (frames_.insert(node.method).second) {
      Frame* frame = tables_.add_packet()->mutable_frame();
      frame->set_id(1 + node.method);  // 1: native
      frame->set_method(node.method);
    }
    Stack* entry = tables_.add_packet()->mutable_stack();
    entry->set_id(id);
    entry->set_parent(node.parent);
    entry->set_frame(1 + node.method);
    return id;
  }
  // Uses ids after those of StackOf and its frames.
  uint32_t StackOfCall(analyzer::CallId id) {
    constexpr uint32_t kFirst = 1 << 20;
    if (id == 0 || !calls_.insert(id).second) return id == 0 ? 0 : kFirst + id;
    const analyzer::CallNode& node = model_.survivors.calls.node(id);
    StackOfCall(node.parent);
    MethodOf(node.method);
    Frame* frame = tables_.add_packet()->mutable_frame();
    frame->set_id(kFirst + id);
    frame->set_method(node.method);
    frame->set_il_offset(node.il_offset + 1);
    Stack* entry = tables_.add_packet()->mutable_stack();
    entry->set_id(kFirst + id);
    entry->set_parent(node.parent == 0 ? 0 : kFirst + node.parent);
    entry->set_frame(kFirst + id);
    return kFirst + id;
  }
  uint32_t ThreadOf(uint32_t os_id, analyzer::StringId name = 0) {
    const uint32_t id = threads_.try_emplace(os_id, threads_.size() + 1).first->second;
    Text(name);
    Thread* entry = tables_.add_packet()->mutable_thread();
    entry->set_id(id);
    entry->set_os_id(os_id);
    entry->set_name(name);
    return id;
  }

  void BuildTables() {
    Process* process = tables_.add_packet()->mutable_process();
    process->set_application(model_.application);
    process->set_pid(model_.pid);
    process->set_runtime_version(model_.runtime_version);
    process->set_host(model_.host);
    HeapSnapshot* snapshot = tables_.add_packet()->mutable_heap_snapshot();
    snapshot->set_number(graph_.facts.number);
    snapshot->set_method(static_cast<HeapSnapshot::Method>(graph_.facts.method));
    for (const analyzer::HeapRange& range : graph_.ranges()) {
      HeapRange* entry = tables_.add_packet()->mutable_heap_range();
      entry->set_start(range.start);
      entry->set_used_bytes(range.used_bytes);
      entry->set_reserved_bytes(range.reserved_bytes);
      entry->set_generation(static_cast<uint32_t>(range.generation));
    }
    for (size_t i = 1; i < graph_.classes().size(); ++i) AddClass(static_cast<uint32_t>(i));
    AddRoots();
    for (const analyzer::HeapStaticField& field : graph_.statics()) AddStatic(field);
    AddMonitors();
    for (const analyzer::HeapThread& thread : graph_.threads()) AddThread(thread);
    if (model_.survivors.recorded) AddSurvivors();
  }

  void AddSurvivors() {
    const analyzer::Survivors& survivors = model_.survivors;
    for (const analyzer::Survivor& survivor : survivors.samples) StackOfCall(survivor.call);
    HeapAllocations* samples = tables_.add_packet()->mutable_heap_allocations();
    samples->set_sampling(static_cast<AllocationSamples::Sampling>(survivors.sampling));
    samples->set_mean_bytes(survivors.mean_bytes);
    samples->set_stride(survivors.stride);
    samples->set_followed_since_ns(HeapFile::kMonotonicNs - survivors.followed_ns);
    uint64_t before = 0;
    for (const analyzer::Survivor& survivor : survivors.samples) {
      const uint64_t address = graph_.Address(survivor.object);
      samples->add_object_delta(static_cast<int64_t>(address - before));
      samples->add_stack(StackOfCall(survivor.call));
      samples->add_thread(0);
      samples->add_size(survivor.size);
      samples->add_amount(static_cast<uint64_t>(survivor.bytes));
      samples->add_allocated_ns(HeapFile::kMonotonicNs - survivor.age_ns);
      before = address;
    }
  }

  void AddClass(uint32_t id) {
    const analyzer::HeapClass& type = graph_.classes()[id];
    TypeOf(type.type);
    for (const analyzer::StringId name : type.slot_names) Text(name);
    for (const analyzer::ValueField& field : type.value_fields) Text(field.name);
    HeapClass* entry = tables_.add_packet()->mutable_heap_class();
    entry->set_id(id);
    entry->set_type(type.type);
    entry->set_base(type.base);
    entry->set_base_bytes(type.base_bytes);
    entry->set_component_bytes(type.component_bytes);
    entry->set_kind(static_cast<HeapClass::Kind>(type.kind));
    entry->set_finalizable(type.finalizable);
    entry->set_collectible(type.collectible);
    for (const uint32_t offset : type.slot_offsets) entry->add_slot_offset(offset);
    for (const analyzer::StringId name : type.slot_names) entry->add_slot_name(name);
    for (const analyzer::ValueField& field : type.value_fields) {
      HeapClass::ValueField* value = entry->add_value_field();
      value->set_name(field.name);
      value->set_kind(static_cast<HeapClass::ValueField::Kind>(field.kind));
    }
  }

  void AddRoots() {
    for (const analyzer::HeapRoot& root : graph_.roots()) MethodOf(root.method);
    HeapRoots* roots = tables_.add_packet()->mutable_heap_roots();
    uint64_t before = 0;
    for (const analyzer::HeapRoot& root : graph_.roots()) {
      roots->add_kind(static_cast<HeapRoots::Kind>(root.kind));
      const uint64_t address = graph_.Address(root.object);
      roots->add_address_delta(static_cast<int64_t>(address - before));
      roots->add_method(root.method);
      before = address;
    }
    HeapDependents* dependents = tables_.add_packet()->mutable_heap_dependents();
    uint64_t key = 0, value = 0;
    for (const analyzer::HeapDependent& pair : graph_.dependents()) {
      dependents->add_key_delta(static_cast<int64_t>(graph_.Address(pair.key) - key));
      dependents->add_value_delta(static_cast<int64_t>(graph_.Address(pair.value) - value));
      key = graph_.Address(pair.key);
      value = graph_.Address(pair.value);
    }
  }

  void AddStatic(const analyzer::HeapStaticField& field) {
    TypeOf(field.type);
    Text(field.field);
    const uint32_t thread = field.thread_os_id != 0 ? ThreadOf(field.thread_os_id) : 0;
    HeapStatic* entry = tables_.add_packet()->mutable_heap_static();
    entry->set_type(field.type);
    entry->set_field(field.field);
    entry->set_slot_address(graph_.SlotAddress(field.holder, field.slot));
    entry->set_thread(thread);
  }

  void AddMonitors() {
    HeapMonitors* monitors = tables_.add_packet()->mutable_heap_monitors();
    monitors->set_unknown_because(graph_.monitors_unknown_because());
    uint64_t before = 0;
    for (const analyzer::HeapMonitor& monitor : graph_.monitors()) {
      const uint64_t address = graph_.Address(monitor.object);
      monitors->add_object_delta(static_cast<int64_t>(address - before));
      monitors->add_owner_os_id(monitor.owner_os_id);
      monitors->add_owner_managed_id(monitor.owner_managed_id);
      monitors->add_recursion(monitor.recursion);
      monitors->add_waited_for(monitor.waited_for);
      before = address;
    }
  }

  void AddThread(const analyzer::HeapThread& thread) {
    const uint32_t id = ThreadOf(thread.os_id, thread.name);
    StackOf(thread.stack);
    HeapThread* entry = tables_.add_packet()->mutable_heap_thread();
    entry->set_thread(id);
    entry->set_clr_thread(thread.clr_thread);
    entry->set_managed_id(thread.managed_id);
    entry->set_stack(thread.stack);
    entry->set_cpu_ns(thread.cpu_ns);
    entry->set_state(static_cast<ThreadState::State>(thread.state));
    uint64_t before = 0;
    for (const analyzer::HeapStackObject& object : thread.objects) {
      const uint64_t address = graph_.Address(object.object);
      entry->add_object_delta(static_cast<int64_t>(address - before));
      entry->add_object_offset(object.offset);
      entry->add_object_frame(object.frame + 1);  // kRuntime becomes 0
      before = address;
    }
    if (thread.waiting_monitor != analyzer::kNoObject) {
      entry->set_waiting_monitor(graph_.Address(thread.waiting_monitor));
    }
  }

  // Without slots.
  void Begin(ObjectId id) {
    const analyzer::HeapClass& type = graph_.classes()[graph_.ClassOf(id)];
    if (batch_.class__size() == 0) {
      batch_.set_first_object(id);
      batch_.set_first_address(graph_.Address(id));
      batch_.set_chained(encoding_.chained);
    }
    const bool is_first = batch_.class__size() == 0;
    batch_.add_class_(graph_.ClassOf(id));
    batch_.add_gap(is_first ? 0 : (graph_.Address(id) - end_) / 8);
    if (type.component_bytes != 0) batch_.add_length(graph_.Length(id));
    end_ = graph_.Address(id) + graph_.Bytes(id);
  }

  void AddObject(ObjectId id) {
    const analyzer::HeapClass& type = graph_.classes()[graph_.ClassOf(id)];
    const uint64_t slots = HeapShape::Of(type).Slots(graph_.Length(id));
    const bool is_large = slots > encoding_.slots_per_batch;
    if (is_large) Flush();
    Begin(id);
    AddValues(id, type);
    uint64_t base = graph_.Address(id);
    size_t reference = 0;
    const bool chains = encoding_.chained && type.component_bytes != 0;
    for (uint64_t slot = 0; slot < slots; ++slot) {
      if (slot > 0 && slot % encoding_.slots_per_batch == 0) {
        batch_.set_is_partial(true);
        Flush();
        Begin(id);
        batch_.set_first_slot(slot);
        base = graph_.Address(id);
      }
      const auto references = graph_.References(id);
      if (reference >= references.size() || graph_.SlotOfReference(id, reference) != slot) {
        batch_.add_slot(0);
        continue;
      }
      const uint64_t target = graph_.Address(references[reference++]);
      batch_.add_slot(1 + ZigZag(static_cast<int64_t>(target - base) / 8));
      if (chains) base = target;
    }
    slots_ += slots;
    if (is_large || static_cast<size_t>(batch_.class__size()) >= encoding_.objects_per_batch) {
      Flush();
    }
  }

  void AddValues(ObjectId id, const analyzer::HeapClass& type) {
    for (uint32_t i = 0; i < type.value_fields.size(); ++i) {
      if (type.value_fields[i].kind != analyzer::ValueField::Kind::kText) {
        batch_.add_value(graph_.Value(id, i).value_or(0));
        continue;
      }
      const std::optional<std::string_view> text = graph_.Text(id, i);
      batch_.add_text(std::string(text.value_or("")));
      batch_.add_text_is_null(!text);
    }
  }

  void Flush() {
    if (batch_.class__size() > 0) file_.AddObjects(batch_);
    batch_.Clear();
  }

  void AddEnd() {
    Recording body;
    HeapSnapshotEnd* end = body.add_packet()->mutable_heap_snapshot_end();
    end->set_result(static_cast<HeapSnapshotEnd::Result>(graph_.facts.result));
    end->set_reason(graph_.facts.result_reason);
    end->set_objects(graph_.size());
    for (ObjectId id = 0; id < graph_.size(); ++id) bytes_ += graph_.Bytes(id);
    end->set_object_bytes(bytes_);
    end->set_slots(slots_);
    end->set_roots(graph_.roots().size());
    file_.AddTables(body);
  }

  const HeapModel& model_;
  const HeapGraph& graph_;
  const HeapEncoding encoding_;
  HeapFile file_;
  Recording tables_;
  HeapObjects batch_;
  uint64_t end_ = 0, slots_ = 0, bytes_ = 0;
  std::map<uint32_t, uint32_t> threads_;  // os id -> id
  std::set<uint32_t> texts_, types_, methods_, frames_, stacks_, calls_;
};

}  // namespace

HeapFile EncodeHeap(const HeapModel& model, const HeapEncoding& encoding) {
  return Encoder(model, encoding).Encode();
}

}  // namespace hindsight::testing
