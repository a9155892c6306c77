// Heap snapshots: from the files of a recording to a graph.
//
// Input is never trusted: see recording_reader.h. A segment whose contents break a rule is lost as
// a whole; the rest is delivered, and HeapFacts says what is missing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

class Progress;

// `paths`: as Recording::Open takes them, or heap files alone. `snapshot`: its number; by default
// the newest that has objects. An error: no snapshot, not that one, or nothing intact in it.
// Uses two threads. `progress` may be null.
Result<std::unique_ptr<HeapModel>> ReadHeap(std::span<const std::string> paths,
                                            std::optional<uint32_t> snapshot,
                                            Progress* progress = nullptr);

// The snapshots of a recording, by number; none is no error. Reads their tables only.
Result<std::vector<HeapFacts>> ListHeaps(std::span<const std::string> paths,
                                         Progress* progress = nullptr);

// A snapshot whose segments were all decoded.
struct HeapCheck {
  HeapFacts facts;
  uint64_t objects = 0, object_bytes = 0, slots = 0;  // that are here
  // Clauses: what is damaged, missing, or not as its certificate says. Empty: all is here that was
  // written.
  std::vector<std::string> faults;
};

// As ListHeaps, but reads everything.
Result<std::vector<HeapCheck>> CheckHeaps(std::span<const std::string> paths,
                                          Progress* progress = nullptr);

}  // namespace hindsight::analyzer
