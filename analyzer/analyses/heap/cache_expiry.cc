#include "analyzer/analyses/heap/cache_expiry.h"

#include <algorithm>
#include <string_view>

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kEntry = "Microsoft.Extensions.Caching.Memory.CacheEntry";
constexpr int64_t kNotSet = -1;  // of CacheEntry._absoluteExpirationTicks

bool IsEntry(const HeapModel& model, ClassIndex index) {
  const TypeId id = model.graph.classes()[index].type;
  return id != 0 && model.dictionaries.String(model.dictionaries.type(id).name) == kEntry;
}

ObjectId CacheOf(const HeapModel& model, ObjectId entry) {
  const auto& names = model.graph.classes()[model.graph.ClassOf(entry)].slot_names;
  ObjectId cache = kNoObject;
  model.graph.ForEachReference(entry, [&](uint64_t slot, ObjectId target) {
    if (slot < names.size() && model.dictionaries.String(names[slot]) == "_cache") cache = target;
  });
  return cache;
}

}  // namespace

std::optional<CacheExpiry> ExpiryOf(const HeapModel& model, const OwnerPath& path) {
  const HeapGraph& graph = model.graph;
  const auto entry = std::ranges::find_if(
      path.objects, [&](ObjectId id) { return IsEntry(model, graph.ClassOf(id)); });
  if (entry == path.objects.end()) return std::nullopt;
  const ClassIndex type = graph.ClassOf(*entry);
  const ObjectId cache = CacheOf(model, *entry);
  CacheExpiry expiry;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (graph.ClassOf(id) != type || CacheOf(model, id) != cache) continue;
    const auto ticks = graph.Value(model.dictionaries, id, "_absoluteExpirationTicks");
    const auto sliding = graph.Value(model.dictionaries, id, "_slidingExpiration._ticks");
    if (!ticks || !sliding) return std::nullopt;
    ++expiry.entries;
    if (*ticks != kNotSet || *sliding != 0) ++expiry.expiring;
  }
  return expiry;
}

}  // namespace hindsight::analyzer
