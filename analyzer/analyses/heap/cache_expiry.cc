#include "analyzer/analyses/heap/cache_expiry.h"

#include <algorithm>
#include <string_view>

#include "analyzer/analyses/heap/accumulation_contents.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kEntry = "Microsoft.Extensions.Caching.Memory.CacheEntry";
constexpr std::string_view kCache = "_cache";  // its field
constexpr int64_t kNotSet = -1;                // CacheEntry._absoluteExpirationTicks

bool IsEntry(const HeapModel& model, ClassIndex index) {
  const TypeId id = model.graph.classes()[index].type;
  return id != 0 && model.dictionaries.String(model.dictionaries.type(id).name) == kEntry;
}

// kNoObject: the path goes through none.
ObjectId EntryOn(const HeapModel& model, const OwnerPath& path) {
  const auto entry = std::ranges::find_if(
      path.objects, [&model](ObjectId id) { return IsEntry(model, model.graph.ClassOf(id)); });
  return entry == path.objects.end() ? kNoObject : *entry;
}

}  // namespace

std::optional<CacheExpiry> ExpiryOf(const HeapModel& model, const Dominators& dominators,
                                    const OwnerPath& path) {
  const HeapGraph& graph = model.graph;
  const ObjectId entry = EntryOn(model, path);
  if (entry == kNoObject) return std::nullopt;
  const ClassIndex type = graph.ClassOf(entry);
  const std::optional<ObjectId> cache = FieldOf(model, entry, kCache);
  CacheExpiry expiry;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (graph.ClassOf(id) != type || !dominators.IsReachable(id) ||
        FieldOf(model, id, kCache) != cache) {
      continue;
    }
    const auto ticks = graph.Value(model.dictionaries, id, "_absoluteExpirationTicks");
    const auto sliding = graph.Value(model.dictionaries, id, "_slidingExpiration._ticks");
    if (!ticks || !sliding) return std::nullopt;
    ++expiry.entries;
    if (*ticks != kNotSet || *sliding != 0) ++expiry.expiring;
  }
  return expiry;
}

std::optional<uint64_t> SizeLimitOf(const HeapModel& model, const OwnerPath& path) {
  const ObjectId entry = EntryOn(model, path);
  if (entry == kNoObject) return std::nullopt;
  const std::optional<ObjectId> cache = FieldOf(model, entry, kCache);
  const std::optional<ObjectId> options = cache ? FieldOf(model, *cache, "_options") : cache;
  if (!options) return std::nullopt;
  const auto limit = model.graph.Value(model.dictionaries, *options, "_sizeLimit");
  if (!limit || *limit < 0) return std::nullopt;
  return static_cast<uint64_t>(*limit);
}

std::string ExpirySentence(const CacheExpiry& expiry) {
  const std::string entries = FormatCount(expiry.entries);
  if (!expiry.most_expire()) {
    return "Of its " + entries + " entries, " + FormatCount(expiry.entries - expiry.expiring) +
           " never expire.";
  }
  return FormatCount(expiry.expiring) + " of its " + entries + " entries expire.";
}

std::string ExpiryAdvice(const CacheExpiry& expiry) {
  if (!expiry.most_expire()) return "Give the entries an expiry, or the cache a size limit.";
  return "A MemoryCache removes expired entries once a minute, unless it is told otherwise: "
         "snapshots that are further apart show whether these stay. If they do, something reads "
         "them all the time, or they expire too late.";
}

}  // namespace hindsight::analyzer
