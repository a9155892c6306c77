#include "analyzer/reader/heap_limits.h"

namespace hindsight::analyzer {
namespace {

constexpr char kTooMany[] = "its tables exceed the format's limits";

}  // namespace

const char* HeapTableLimits::Take(const Packet& packet) {
  const auto add = [](uint64_t& sum, int64_t count, uint64_t limit) -> const char* {
    sum += static_cast<uint64_t>(count);  // at most a packet's bytes: the sum does not overflow
    return sum <= limit ? nullptr : kTooMany;
  };
  switch (packet.data_case()) {
    case Packet::kHeapRoots:
      return add(roots_, packet.heap_roots().kind_size(), kMaxRoots);
    case Packet::kHeapDependents:
      return add(dependents_, packet.heap_dependents().key_delta_size(), kMaxDependents);
    case Packet::kHeapClass:
      return add(
          class_fields_,
          int64_t{packet.heap_class().slot_offset_size()} + packet.heap_class().value_field_size(),
          kMaxClassFields);
    case Packet::kHeapStatic:
      return add(statics_, 1, kMaxStatics);
    case Packet::kHeapMonitors:
      return add(monitors_, packet.heap_monitors().object_delta_size(), kMaxMonitors);
    case Packet::kHeapThread: {
      const char* const clause = add(thread_states_, 1, kMaxThreads);
      if (clause != nullptr) return clause;
      return add(stack_objects_, packet.heap_thread().object_delta_size(), kMaxStackObjects);
    }
    case Packet::kThread:
      return add(threads_, 1, kMaxThreads);
    case Packet::kHeapRange:
      return add(ranges_, 1, kMaxRanges);
    case Packet::kHeapAllocations:
      return add(allocations_, packet.heap_allocations().object_delta_size(), kMaxAllocations);
    default:
      return nullptr;
  }
}

}  // namespace hindsight::analyzer
