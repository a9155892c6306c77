// A MemoryCache in a heap made in memory.
#pragma once

#include <cstdint>

#include "tests/support/heap_builder.h"

namespace hindsight::analyzer {

// `count` entries of about 1000 bytes, of which the first `expiring` expire. `limit`: -1: none.
inline void AddMemoryCache(testing::HeapBuilder& heap, uint32_t count, uint32_t expiring,
                           bool has_values = true, int64_t limit = -1) {
  const ClassIndex cache =
      heap.Class("Microsoft.Extensions.Caching.Memory.MemoryCache", {"_entries", "_options"});
  const ClassIndex options = heap.Class("Microsoft.Extensions.Caching.Memory.MemoryCacheOptions");
  heap.AddValueField(options, "_sizeLimit");
  const ClassIndex entry =
      heap.Class("Microsoft.Extensions.Caching.Memory.CacheEntry", {"_cache", "_value"});
  if (has_values) {
    heap.AddValueField(entry, "_absoluteExpirationTicks");
    heap.AddValueField(entry, "_slidingExpiration._ticks");
  }
  const TypeId type = heap.Type(
      "System.Collections.Generic.Dictionary`2",
      {heap.Type("System.Object"), heap.Type("Microsoft.Extensions.Caching.Memory.CacheEntry")});
  const ObjectId root = heap.Add(cache), entries = heap.Add(heap.Class(type, {"_entries"}));
  const ObjectId array =
      heap.Add(heap.Array("System.Collections.Generic.Dictionary`2+Entry"), count);
  const ClassIndex session = heap.Class("Shop.Session", {}, 1000);
  heap.Static("Shop.Program", "cache_", root);
  heap.Refer(root, "_entries", entries);
  const ObjectId settings = heap.Add(options);
  heap.Value(settings, "_sizeLimit", limit);
  heap.Refer(root, "_options", settings);
  heap.Refer(entries, "_entries", array);
  for (uint32_t i = 0; i < count; ++i) {
    const ObjectId one = heap.Add(entry);
    heap.Refer(array, i, one);
    heap.Refer(one, "_cache", root);
    heap.Refer(one, "_value", heap.Add(session));
    if (!has_values) continue;
    const bool slides = i % 2 == 0;
    heap.Value(one, "_absoluteExpirationTicks", i < expiring && !slides ? 638'000'000'000 : -1);
    heap.Value(one, "_slidingExpiration._ticks", i < expiring && slides ? 50'000'000 : 0);
  }
}

}  // namespace hindsight::analyzer
