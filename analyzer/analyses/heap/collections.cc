#include "analyzer/analyses/heap/collections.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analyzer/analyses/heap/owners.h"
#include "analyzer/analyses/heap/path_edges.h"

namespace hindsight::analyzer {
namespace {

// Where a framework type keeps its data. Empty: it has no such field.
struct Layout {
  std::string_view type;  // as in the metadata
  std::string_view array;
  std::string_view count;
  std::string_view free = {};    // unused entries within `count`
  std::string_view tables = {};  // the object with `array`, if not the collection
  uint32_t bytes_beside = 0;     // per element, in other arrays
};

constexpr Layout kLayouts[] = {
    {"System.Collections.Generic.List`1", "_items", "_size"},
    {"System.Collections.Generic.Dictionary`2", "_entries", "_count", "_freeCount", {}, 4},
    {"System.Collections.Generic.HashSet`1", "_entries", "_count", "_freeCount", {}, 4},
    {"System.Collections.Generic.Queue`1", "_array", "_size"},
    {"System.Collections.Generic.Stack`1", "_array", "_size"},
    {"System.Collections.Generic.PriorityQueue`2", "_nodes", "_size"},
    {"System.Collections.Generic.SortedList`2", "keys", "_size"},
    {"System.Collections.Concurrent.ConcurrentDictionary`2", "_buckets", {}, {}, "_tables"},
    {"System.Collections.ArrayList", "_items", "_size"},
    {"System.Collections.Queue", "_array", "_size"},
    {"System.Collections.Stack", "_array", "_size"},
    {"System.Collections.Hashtable", "_buckets", "_count"},
    {"System.Text.StringBuilder", "m_ChunkChars", "m_ChunkLength"},
    {"System.IO.MemoryStream", "_buffer", "_length"},
};

constexpr int kMostBases = 64;  // classes between a collection and the framework's

// A layout with its positions in one class.
struct Collection {
  const Layout* layout = nullptr;
  uint32_t first_slot = 0;  // of the array, or of the object that contains it
  std::optional<uint32_t> count, free;
};

class Collections {
 public:
  explicit Collections(const HeapModel& model) : model_(model), graph_(model.graph) {
    const auto classes = graph_.classes();
    of_class_.resize(classes.size());
    slot_in_tables_.resize(classes.size());
    for (ClassIndex i = 0; i < classes.size(); ++i) of_class_[i] = Find(i);
  }

  const Collection& Of(ObjectId id) const { return of_class_[graph_.ClassOf(id)]; }

  // Sets `is_estimate` if elements were counted because no count was recorded.
  CollectionTotals Measure(ObjectId id, bool& is_estimate) {
    const Collection& collection = Of(id);
    CollectionTotals totals;
    totals.objects = 1;
    totals.bytes = graph_.Bytes(id);
    const ObjectId array = ArrayOf(id, collection);
    const HeapClass* type = array == kNoObject ? nullptr : &graph_.classes()[graph_.ClassOf(array)];
    const uint64_t capacity = array == kNoObject ? 0 : graph_.Length(array);
    uint64_t used = 0;
    if (capacity > 0) {
      const std::optional<uint64_t> count = Count(id, array, collection, is_estimate);
      if (!count) {
        totals.unknown = 1;
        return totals;
      }
      used = std::min(*count, capacity);
      totals.bytes += graph_.Bytes(array) + collection.layout->bytes_beside * capacity;
      totals.wasted = (capacity - used) * (type->component_bytes + collection.layout->bytes_beside);
    }
    totals.empty = used == 0 ? 1 : 0;
    totals.used = used;
    totals.capacity = capacity;
    return totals;
  }

 private:
  Collection Find(ClassIndex index) const {
    const auto classes = graph_.classes();
    ClassIndex base = index;
    for (int i = 0; i < kMostBases && base != 0 && base < classes.size(); ++i) {
      const Type& type = model_.dictionaries.type(classes[base].type);
      const std::string_view name = model_.dictionaries.String(type.name);
      const auto layout = std::find_if(std::begin(kLayouts), std::end(kLayouts),
                                       [name](const Layout& l) { return l.type == name; });
      if (layout != std::end(kLayouts) && classes[index].kind == HeapClass::Kind::kClass) {
        return Resolve(classes[index], *layout);
      }
      base = classes[base].base;
    }
    return {};
  }

  Collection Resolve(const HeapClass& type, const Layout& layout) const {
    const auto slot = SlotNamed(type, layout.tables.empty() ? layout.array : layout.tables);
    if (!slot) return {};
    return {&layout, *slot, ValueNamed(type, layout.count), ValueNamed(type, layout.free)};
  }

  std::optional<uint32_t> SlotNamed(const HeapClass& type, std::string_view name) const {
    for (uint32_t i = 0; i < type.slot_names.size(); ++i) {
      if (model_.dictionaries.String(type.slot_names[i]) == name) return i;
    }
    return {};
  }

  std::optional<uint32_t> ValueNamed(const HeapClass& type, std::string_view name) const {
    for (uint32_t i = 0; i < type.value_fields.size() && !name.empty(); ++i) {
      if (model_.dictionaries.String(type.value_fields[i].name) == name) return i;
    }
    return {};
  }

  ObjectId At(ObjectId id, uint32_t wanted) const {
    ObjectId found = kNoObject;
    graph_.ForEachReference(id, [&](uint64_t slot, ObjectId target) {
      if (slot == wanted) found = target;
    });
    return found;
  }

  // An array, or kNoObject.
  ObjectId ArrayOf(ObjectId id, const Collection& collection) {
    ObjectId array = At(id, collection.first_slot);
    if (array != kNoObject && !collection.layout->tables.empty()) {
      std::optional<std::optional<uint32_t>>& slot = slot_in_tables_[graph_.ClassOf(array)];
      if (!slot) {
        slot = SlotNamed(graph_.classes()[graph_.ClassOf(array)], collection.layout->array);
      }
      array = *slot ? At(array, **slot) : kNoObject;
    }
    if (array == kNoObject) return array;
    const bool is_array = graph_.classes()[graph_.ClassOf(array)].kind == HeapClass::Kind::kArray;
    return is_array ? array : kNoObject;
  }

  std::optional<uint64_t> Count(ObjectId id, ObjectId array, const Collection& collection,
                                bool& is_estimate) const {
    const auto count = collection.count ? graph_.Value(id, *collection.count) : std::nullopt;
    if (count) {
      if (*count <= 0) return 0;
      const auto free = collection.free ? graph_.Value(id, *collection.free) : std::nullopt;
      return static_cast<uint64_t>(*count - std::clamp<int64_t>(free.value_or(0), 0, *count));
    }
    const uint64_t slots = graph_.classes()[graph_.ClassOf(array)].slot_offsets.size();
    if (slots == 0) return {};
    is_estimate = is_estimate || !collection.layout->count.empty();
    uint64_t elements = 0;
    uint64_t last = UINT64_MAX;
    graph_.ForEachReference(array, [&](uint64_t slot, ObjectId) {
      if (std::exchange(last, slot / slots) != slot / slots) ++elements;
    });
    return elements;
  }

  const HeapModel& model_;
  const HeapGraph& graph_;
  std::vector<Collection> of_class_;
  // By class of ConcurrentDictionary's tables; no value: not looked up yet.
  std::vector<std::optional<std::optional<uint32_t>>> slot_in_tables_;
};

void Add(CollectionTotals& to, const CollectionTotals& of) {
  to.objects += of.objects;
  to.empty += of.empty;
  to.unknown += of.unknown;
  to.used += of.used;
  to.capacity += of.capacity;
  to.bytes += of.bytes;
  to.wasted += of.wasted;
}

template <typename Row>
void SortByWaste(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.totals.wasted, a.totals.objects) >
           std::pair(b.totals.wasted, b.totals.objects);
  });
}

}  // namespace

CollectionReport AnalyzeCollections(const HeapModel& model, const SlotNames& names,
                                    const RootPaths& paths) {
  const HeapGraph& graph = model.graph;
  Collections collections(model);
  std::vector<bool> wanted(graph.size());
  for (ObjectId id = 0; id < graph.size(); ++id) {
    wanted[id] = paths.IsReachable(id) && collections.Of(id).layout != nullptr;
  }

  CollectionReport report;
  std::map<TypeId, CollectionTotals> types;
  std::map<std::pair<SlotKey, TypeId>, CollectionTotals> owners;
  std::map<std::pair<std::string, TypeId>, CollectionTotals> roots;
  const auto type_of = [&](ObjectId id) { return graph.classes()[graph.ClassOf(id)].type; };
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (!wanted[id] || !paths.IsRoot(id)) continue;
    const CollectionTotals totals = collections.Measure(id, report.is_estimate);
    const HeapRoot* root = paths.Root(id);
    Add(types[type_of(id)], totals);
    Add(roots[{root == nullptr ? "root" : RootName(model, *root), type_of(id)}], totals);
  }
  ForEachPathEdge<EdgeOrder::kByAddress>(
      graph, names, paths, wanted, [&](ObjectId, SlotKey key, ObjectId id) {
        const CollectionTotals totals = collections.Measure(id, report.is_estimate);
        Add(types[type_of(id)], totals);
        Add(owners[{key, type_of(id)}], totals);
      });

  for (const auto& [type, totals] : types) {
    Add(report.totals, totals);
    report.types.push_back({type, totals});
  }
  for (const auto& [owner, totals] : owners) {
    report.owners.push_back({OwnerName(model, names, owner.first), owner.second, totals});
  }
  for (const auto& [owner, totals] : roots) {
    report.owners.push_back({owner.first, owner.second, totals});
  }
  SortByWaste(report.types);
  SortByWaste(report.owners);
  return report;
}

}  // namespace hindsight::analyzer
