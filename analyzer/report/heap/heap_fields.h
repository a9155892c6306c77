// What the JSON of many reports on heaps has: the snapshot, names of types, addresses.
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

// A snapshot, as the reports on it begin.
Object<HeapModel> HeapFields();
// A snapshot of a recording, and what it cost.
Object<HeapFacts> HeapSnapshotFields();

// What the rows of reports on heaps belong to. Null: not needed in the report.
struct HeapContext {
  const HeapModel* model;
  const SlotNames* names = nullptr;
  const Dominators* dominators = nullptr;
};

// The snapshot that a report is about.
inline constexpr auto kItsHeap = [](auto&, auto& heap) -> const HeapModel& { return *heap.model; };

// How to read a field of rows of a HeapContext, or of what has a `model` like it.
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

// The way from a root, as the text has it; and with full names: [from, field, to] a step.
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

// Objects and their bytes, wherever a pair of numbers is all there is.
struct ObjectsAndBytes {
  uint64_t objects, bytes;
};
Object<ObjectsAndBytes> ObjectsAndBytesFields();

}  // namespace hindsight::analyzer
