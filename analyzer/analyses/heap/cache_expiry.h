// Whether the entries of a MemoryCache (Microsoft.Extensions.Caching.Memory) ever expire.
//
// A MemoryCache removes expired entries when it is used, at most once in its
// ExpirationScanFrequency (a minute by default): until then, a heap contains them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

// What it says about a cache that may leak, and what to do about that: sentences.
std::string ExpirySentence(const CacheExpiry& expiry);
std::string ExpiryAdvice(const CacheExpiry& expiry);

}  // namespace hindsight::analyzer
