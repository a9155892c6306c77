// Heap snapshots: from a recording to a graph.
//
// Input is never trusted: see recording_reader.h. A segment whose contents break a rule is lost as
// a whole; the rest is delivered, and HeapFacts says what is missing. A recording may consist of
// heap files alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/model/heap_check.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

class Progress;
class Recording;

// `snapshot`: its number; by default NewestOf all. An error: there is no snapshot, not this one, or
// nothing intact in it. Uses all processors. `progress` may be null.
Result<std::unique_ptr<HeapModel>> ReadHeap(Recording& recording, std::optional<uint32_t> snapshot,
                                            Progress* progress = nullptr);

// The snapshots of a recording, ordered by number. Reads only their tables.
std::vector<HeapFacts> ListHeaps(Recording& recording);

// The number of the newest complete one; if none is complete, of the newest that has objects; if
// none has any, of the newest. nullopt: there is none.
std::optional<uint32_t> NewestOf(std::span<const HeapFacts> heaps);

// Like ListHeaps, but reads everything.
std::vector<HeapCheck> CheckHeaps(Recording& recording, Progress* progress = nullptr);

// The same if nothing else is read: these open the recording (Recording::Open).
Result<std::unique_ptr<HeapModel>> ReadHeap(std::span<const std::string> paths,
                                            std::optional<uint32_t> snapshot);
Result<std::vector<HeapFacts>> ListHeaps(std::span<const std::string> paths);
Result<std::vector<HeapCheck>> CheckHeaps(std::span<const std::string> paths);

}  // namespace hindsight::analyzer
