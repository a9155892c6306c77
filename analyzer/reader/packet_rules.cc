#include <initializer_list>

#include "analyzer/reader/segment_body.h"
#include "proto/limits.h"

namespace hindsight::analyzer {
namespace {

constexpr char kBadId[] = "a packet holds an id beyond the limit of dictionaries";
constexpr char kNoId[] = "a dictionary entry has no id";
constexpr char kLongText[] = "a packet holds a text beyond the limit";
constexpr char kBadClass[] = "a packet holds an id beyond the limit of heap classes";
constexpr char kBadColumns[] = "the columns of a packet have different lengths";
constexpr char kNoMean[] = "sampled allocations lack the sampling distance";
constexpr char kBadDelta[] = "an exception refers to one before the first";

bool InBounds(std::initializer_list<uint32_t> ids) {
  for (const uint32_t id : ids) {
    if (id > kMaxDictionaryEntries) return false;
  }
  return true;
}

template <typename Repeated>
bool AllInBounds(const Repeated& ids) {
  for (const uint32_t id : ids) {
    if (id > kMaxDictionaryEntries) return false;
  }
  return true;
}

template <typename Repeated>
bool AllShort(const Repeated& texts) {
  for (const auto& text : texts) {
    if (text.size() > kMaxStringBytes) return false;
  }
  return true;
}

const char* Entry(uint32_t id, bool references_in_bounds) {
  if (id == 0) return kNoId;
  return InBounds({id}) && references_in_bounds ? nullptr : kBadId;
}

const char* Check(const String& entry) {
  if (entry.value().size() > kMaxStringBytes) return kLongText;
  return Entry(entry.id(), true);
}

const char* Check(const Module& entry) {
  return Entry(entry.id(),
               InBounds({entry.path(), entry.assembly(), entry.pdb_path(), entry.revision()}));
}

const char* Check(const Type& entry) {
  return Entry(entry.id(), InBounds({entry.name(), entry.module(), entry.element()}) &&
                               AllInBounds(entry.argument()));
}

const char* Check(const Method& entry) {
  if (!AllShort(entry.parameter())) return kLongText;
  return Entry(entry.id(), InBounds({entry.name(), entry.type(), entry.module()}) &&
                               AllInBounds(entry.argument()));
}

const char* Check(const Frame& entry) { return Entry(entry.id(), InBounds({entry.method()})); }

const char* Check(const Stack& entry) {
  return Entry(entry.id(), InBounds({entry.parent(), entry.frame()}));
}

const char* Check(const Thread& entry) {
  if (entry.id() == 0) return kNoId;
  return InBounds({entry.name(), entry.creator_stack()}) ? nullptr : kBadId;
}

const char* Check(const Exception& event) {
  return InBounds({event.type(), event.message(), event.stack(), event.outcome().catcher()})
             ? nullptr
             : kBadId;
}

const char* Check(const Process& process) {
  const bool is_short =
      AllShort(process.command_line()) && AllShort(process.source()) &&
      AllShort(process.environment_name()) && AllShort(process.user_data()) &&
      AllShort(std::initializer_list<std::string>{
          process.application(), process.runtime_version(), process.architecture(), process.os(),
          process.host(), process.options(), process.recorder_version(), process.cut().name()});
  return is_short ? nullptr : kLongText;
}

const char* Check(const RecordingEnd& end) {
  return AllShort(std::initializer_list<std::string>{end.copy_of().name()}) ? nullptr : kLongText;
}

const char* Check(const HeapClass& entry) {
  if (entry.id() == 0) return kNoId;
  if (entry.id() > kMaxHeapClassIds || entry.base() > kMaxHeapClassIds) return kBadClass;
  bool in_bounds = InBounds({entry.type()}) && AllInBounds(entry.slot_name());
  for (const HeapClass::ValueField& field : entry.value_field()) {
    in_bounds = in_bounds && InBounds({field.name()});
  }
  if (!in_bounds) return kBadId;
  const bool fits =
      entry.slot_name_size() <= entry.slot_offset_size() && entry.value_field_size() <= UINT16_MAX;
  return fits ? nullptr : kBadColumns;
}

const char* Check(const HeapRoots& roots) {
  const bool fits =
      roots.kind_size() == roots.address_delta_size() && roots.method_size() <= roots.kind_size();
  if (!fits) return kBadColumns;
  return AllInBounds(roots.method()) ? nullptr : kBadId;
}

const char* Check(const HeapMonitors& monitors) {
  if (monitors.unknown_because().size() > kMaxStringBytes) return kLongText;
  const int count = monitors.object_delta_size();
  const bool fits = monitors.owner_os_id_size() == count &&
                    monitors.owner_managed_id_size() == count &&
                    monitors.recursion_size() == count && monitors.waited_for_size() == count;
  return fits ? nullptr : kBadColumns;
}

const char* Check(const HeapThread& thread) {
  if (!InBounds({thread.stack()})) return kBadId;
  const int count = thread.object_delta_size();
  const bool fits = count <= kMaxThreadObjects && thread.object_offset_size() == count &&
                    thread.object_frame_size() == count;
  return fits ? nullptr : kBadColumns;
}

const char* Check(const ThreadState& state) { return InBounds({state.stack()}) ? nullptr : kBadId; }

// Whether a column has one entry for each of `count` samples, or none at all.
bool FitsOrEmpty(int size, int count) { return size == 0 || size == count; }

const char* Check(const CpuSamples& samples) {
  const int count = samples.stack_size();
  bool fits = samples.time_delta_us_size() == count && samples.thread_size() == count &&
              FitsOrEmpty(samples.weight_size(), count);
  int64_t last = -1;
  for (const uint32_t index : samples.unrooted()) {
    fits = fits && index > last && index < static_cast<uint32_t>(count);
    last = index;
  }
  if (!fits) return kBadColumns;
  return AllInBounds(samples.stack()) ? nullptr : kBadId;
}

const char* Check(const AllocationSamples& samples) {
  const int count = samples.stack_size();
  const bool fits = samples.time_delta_us_size() == count && samples.thread_size() == count &&
                    samples.type_size() == count && samples.size_size() == count &&
                    FitsOrEmpty(samples.amount_size(), count) &&
                    FitsOrEmpty(samples.heap_size(), count);
  if (!fits) return kBadColumns;
  if (samples.sampling() == AllocationSamples::BYTES && samples.mean_bytes() == 0) return kNoMean;
  return AllInBounds(samples.stack()) && AllInBounds(samples.type()) ? nullptr : kBadId;
}

const char* Check(const RequestDurations& durations) {
  return InBounds({durations.tags()}) ? nullptr : kBadId;
}

// Every part with a start must have a length.
template <typename Parts>
const char* CheckParts(const Parts& parts) {
  for (const RequestPart& part : parts) {
    if (part.start_us_size() != part.length_us_size()) return kBadColumns;
    if (!InBounds({part.what(), part.text(), part.stack()})) return kBadId;
  }
  return nullptr;
}

const char* Check(const ServedRequest& request) {
  return InBounds({request.route()}) ? CheckParts(request.part()) : kBadId;
}

const char* Check(const HeapAllocations& samples) {
  const int count = samples.object_delta_size();
  const bool fits = samples.stack_size() == count && samples.thread_size() == count &&
                    samples.size_size() == count && samples.allocated_ns_size() == count &&
                    FitsOrEmpty(samples.amount_size(), count);
  if (!fits) return kBadColumns;
  if (samples.sampling() == AllocationSamples::BYTES && samples.mean_bytes() == 0) return kNoMean;
  return AllInBounds(samples.stack()) ? nullptr : kBadId;
}

const char* Check(const HeapSnapshot& snapshot) {
  const bool is_short =
      snapshot.fallback_reason().size() <= kMaxStringBytes && AllShort(snapshot.value_rule());
  return is_short ? nullptr : kLongText;
}

}  // namespace

const char* CheckPacket(const Packet& packet) {
  switch (packet.data_case()) {
    case Packet::kString:
      return Check(packet.string());
    case Packet::kModule:
      return Check(packet.module());
    case Packet::kType:
      return Check(packet.type());
    case Packet::kMethod:
      return Check(packet.method());
    case Packet::kFrame:
      return Check(packet.frame());
    case Packet::kStack:
      return Check(packet.stack());
    case Packet::kThread:
      return Check(packet.thread());
    case Packet::kException:
      return Check(packet.exception());
    case Packet::kFatalError:
      return InBounds({packet.fatal_error().message(), packet.fatal_error().stack()}) ? nullptr
                                                                                      : kBadId;
    case Packet::kExitCall:
      return InBounds({packet.exit_call().stack()}) ? nullptr : kBadId;
    case Packet::kCollectCall:
      return InBounds({packet.collect_call().stack()}) ? nullptr : kBadId;
    case Packet::kExceptionOutcome:
      return InBounds({packet.exception_outcome().outcome().catcher()}) ? nullptr : kBadId;
    case Packet::kExceptionTally:
      return InBounds({packet.exception_tally().type(), packet.exception_tally().stack()}) ? nullptr
                                                                                           : kBadId;
    case Packet::kRequestDurations:
      return Check(packet.request_durations());
    case Packet::kServedRequest:
      return Check(packet.served_request());
    case Packet::kOutsideCalls:
      return CheckParts(packet.outside_calls().part());
    case Packet::kLockWaitTally:
      return InBounds({packet.lock_wait_tally().stack()}) ? nullptr : kBadId;
    case Packet::kLockWait:
      return InBounds({packet.lock_wait().stack(), packet.lock_wait().owner_stack()}) ? nullptr
                                                                                      : kBadId;
    case Packet::kLockWaitEnd:
      return InBounds({packet.lock_wait_end().owner_stack()}) ? nullptr : kBadId;
    case Packet::kModuleLoad:
      return InBounds({packet.module_load().module()}) ? nullptr : kBadId;
    case Packet::kThreadState:
      return Check(packet.thread_state());
    case Packet::kCpuSamples:
      return Check(packet.cpu_samples());
    case Packet::kAllocationSamples:
      return Check(packet.allocation_samples());
    case Packet::kProcess:
      return Check(packet.process());
    case Packet::kRecordingEnd:
      return Check(packet.recording_end());
    case Packet::kRecorderNote:
      return packet.recorder_note().text().size() <= kMaxStringBytes &&
                     packet.recorder_note().rule().size() <= kMaxStringBytes
                 ? nullptr
                 : kLongText;
    case Packet::kHeapSnapshot:
      return Check(packet.heap_snapshot());
    case Packet::kHeapClass:
      return Check(packet.heap_class());
    case Packet::kHeapRoots:
      return Check(packet.heap_roots());
    case Packet::kHeapDependents:
      return packet.heap_dependents().key_delta_size() ==
                     packet.heap_dependents().value_delta_size()
                 ? nullptr
                 : kBadColumns;
    case Packet::kHeapStatic:
      return InBounds({packet.heap_static().type(), packet.heap_static().field()}) ? nullptr
                                                                                   : kBadId;
    case Packet::kHeapMonitors:
      return Check(packet.heap_monitors());
    case Packet::kHeapThread:
      return Check(packet.heap_thread());
    case Packet::kHeapAllocations:
      return Check(packet.heap_allocations());
    case Packet::kHeapSnapshotEnd:
      return packet.heap_snapshot_end().reason().size() <= kMaxStringBytes ? nullptr : kLongText;
    default:  // nothing but numbers, or a kind unknown to this version
      return nullptr;
  }
}

const char* CheckExceptionLinks(const Exception& event, uint64_t id) {
  const bool holds =
      event.previous_delta() < id && event.cause_delta() < id && event.during_delta() < id;
  return holds ? nullptr : kBadDelta;
}

}  // namespace hindsight::analyzer
