// Heap snapshots: from a recording to a graph.
//
// Input is never trusted: see recording_reader.h. A segment whose contents break a rule is lost as
// a whole; the rest is delivered, and HeapFacts says what is missing. Recordings may be of heap
// files alone.
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

// `snapshot`: its number; by default NewestOf all. An error: no snapshot, not that
// one, or nothing intact in it. Uses all processors. `progress` may be null.
Result<std::unique_ptr<HeapModel>> ReadHeap(Recording& recording, std::optional<uint32_t> snapshot,
                                            Progress* progress = nullptr);

// The snapshots of a recording, by number. Reads their tables only.
std::vector<HeapFacts> ListHeaps(Recording& recording);

// The number of the newest complete one; of the newest that has objects, if none is complete; of
// the newest, if none has any. Nothing: there is none.
std::optional<uint32_t> NewestOf(std::span<const HeapFacts> heaps);

// As ListHeaps, but reads everything.
std::vector<HeapCheck> CheckHeaps(Recording& recording, Progress* progress = nullptr);

// The same where nothing else is read: they open the recording (Recording::Open).
Result<std::unique_ptr<HeapModel>> ReadHeap(std::span<const std::string> paths,
                                            std::optional<uint32_t> snapshot);
Result<std::vector<HeapFacts>> ListHeaps(std::span<const std::string> paths);
Result<std::vector<HeapCheck>> CheckHeaps(std::span<const std::string> paths);

}  // namespace hindsight::analyzer
