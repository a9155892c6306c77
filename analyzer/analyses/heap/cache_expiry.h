// Whether the entries of a MemoryCache (Microsoft.Extensions.Caching.Memory) ever leave it.
//
// A MemoryCache removes expired entries when it is used, at most once in its
// ExpirationScanFrequency (a minute by default): until then, a heap contains them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/references/owner_path.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

struct CacheExpiry {
  uint64_t entries = 0;  // of the cache to which the path leads
  uint64_t expiring = 0;

  bool most_expire() const { return expiring > entries / 2; }
};

// None: `path` does not go through an entry, or the snapshot has no values of entries. Garbage does
// not count.
std::optional<CacheExpiry> ExpiryOf(const HeapModel& model, const Dominators& dominators,
                                    const OwnerPath& path);

// MemoryCacheOptions.SizeLimit, in units of the application's, of the cache to which the path
// leads. None: there is no limit, or it is unknown.
std::optional<uint64_t> SizeLimitOf(const HeapModel& model, const OwnerPath& path);

// What it says about a cache that may leak, and what to do about that: sentences.
std::string ExpirySentence(const CacheExpiry& expiry);
std::string ExpiryAdvice(const CacheExpiry& expiry);

}  // namespace hindsight::analyzer
