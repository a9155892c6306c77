// What the JSON of many reports on heaps contains: the snapshot, names of types, addresses.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/heap/targets.h"
#include "analyzer/analyses/references/owner_path.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/fields/fields.h"
#include "analyzer/model/display_names.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// A snapshot, as at the beginning of reports on it.
Object<HeapModel> HeapFields();
// A snapshot in a recording, and what it cost.
Object<HeapFacts> HeapSnapshotFields();

// The context of rows in reports on heaps. Null: not needed by the report.
struct HeapContext {
  const HeapModel* model;
  const SlotNames* names = nullptr;
  const Dominators* dominators = nullptr;
};

// The snapshot that a report is about.
inline constexpr auto kItsHeap = [](auto&, auto& heap) -> const HeapModel& { return *heap.model; };

// Reads a field of rows in a HeapContext, or in another context with a `model`.
inline auto TypeAt(auto get) {
  return [get](auto& row, auto& heap) {
    return TypeDisplayName(heap.model->dictionaries, std::invoke(get, row));
  };
}
inline auto AddressAt(auto get) {
  return [get](auto& row, auto& heap) {
    return AddressText(heap.model->graph.Address(std::invoke(get, row)));
  };
}

// The path from a root, as in the text; and with full names: [from, field, to] per step.
inline auto OwnerPartsAt(auto get) {
  return [get](auto& row, auto& heap) {
    return OwnerParts(*heap.model, *heap.names, std::invoke(get, row));
  };
}
inline auto OwnerStepsAt(auto get) {
  return [get](auto& row, auto& heap) {
    std::vector<std::vector<std::string>> steps;
    for (const OwnerStep& step : std::invoke(get, row).steps) {
      OwnerPhrases words = DescribeStep(*heap.model, *heap.names, step);
      steps.push_back({std::move(words.from), std::move(words.field), std::move(words.to)});
    }
    return steps;
  };
}

// Objects and their bytes, wherever there are only these two numbers.
struct ObjectsAndBytes {
  uint64_t objects, bytes;
};
Object<ObjectsAndBytes> ObjectsAndBytesFields();

}  // namespace hindsight::analyzer
