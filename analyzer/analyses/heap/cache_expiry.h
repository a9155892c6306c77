// Whether the entries of a MemoryCache (Microsoft.Extensions.Caching.Memory) ever expire.
//
// A MemoryCache removes expired entries when it is used, at most once in its
// ExpirationScanFrequency (a minute by default): until then, a heap contains them.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/analyses/references/owner_path.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

struct CacheExpiry {
  uint64_t entries = 0;  // of the cache to which the path leads
  uint64_t expiring = 0;

  bool most_expire() const { return expiring > entries / 2; }
};

// None: `path` does not go through an entry, or the snapshot has no values of entries.
std::optional<CacheExpiry> ExpiryOf(const HeapModel& model, const OwnerPath& path);

}  // namespace hindsight::analyzer
