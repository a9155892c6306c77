// Objects by generation; pinned objects; objects waiting for their finalizer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

inline constexpr size_t kGenerations = static_cast<size_t>(Generation::kUnknown) + 1;

struct GenerationRow {
  uint64_t objects = 0, bytes = 0;  // including unreachable ones
  uint64_t unreachable_objects = 0, unreachable_bytes = 0;
  uint64_t pinned_objects = 0, pinned_bytes = 0;
  uint64_t used_bytes = 0;  // of its ranges; what exceeds `bytes` is free space between objects
  uint64_t reserved_bytes = 0;
};

struct GenerationTypeRow {
  TypeId type = 0;
  std::array<uint64_t, kGenerations> objects{}, bytes{};
  uint64_t all_objects = 0, all_bytes = 0;
};

// Objects of a type among some of the heap's objects; `retained` counts nothing twice.
struct HeldTypeRow {
  TypeId type = 0;
  uint64_t objects = 0, bytes = 0, retained = 0;
};

struct HeldObjects {
  uint64_t objects = 0, bytes = 0;
  std::vector<HeldTypeRow> types;  // most retained bytes first
};

struct GenerationReport {
  std::array<GenerationRow, kGenerations> generations{};  // indexed by Generation
  std::vector<GenerationTypeRow> types;                   // the most bytes first
  HeldObjects pinned;           // by handles or stacks, except the runtime's arrays of statics
  HeldObjects finalizer_queue;  // waiting for their finalizer
  HeldObjects finalizable;      // alive, with a finalizer
};

const char* GenerationName(Generation generation);  // gen0, large, pinned, ...

GenerationReport AnalyzeGenerations(const HeapModel& model, const Dominators& dominators);

}  // namespace hindsight::analyzer
