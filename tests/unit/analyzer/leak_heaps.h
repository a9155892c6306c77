// Heaps in which something accumulates, and what is found there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/heap/leaks.h"
#include "analyzer/model/display_names.h"
#include "tests/support/heap_builder.h"

namespace hindsight::analyzer {

using testing::HeapBuilder;

inline constexpr uint32_t kPlenty = 2000;  // objects, of 1000 bytes each

struct Looked {
  std::unique_ptr<HeapModel> model;
  std::unique_ptr<SlotNames> names;
  LeakReport report;

  std::vector<std::string> Parts(const OwnerPath& path) const {
    return OwnerParts(*model, *names, path);
  }
  std::string Type(TypeId type) const { return TypeDisplayName(model->dictionaries, type); }
};

inline Looked Look(HeapBuilder& heap, const LeakRules& rules = {}) {
  Looked out;
  out.model = heap.Build();
  out.names = std::make_unique<SlotNames>(*out.model);
  const Dominators dominators = ComputeDominators(out.model->graph);
  const DominatorTree tree(dominators);
  const RootPaths paths(out.model->graph);
  out.report = AnalyzeLeaks(*out.model, *out.names, paths, dominators, tree, rules);
  return out;
}

// The part of a heap other than the leak: 4 MiB of buffers, few of them.
inline void AddBuffers(HeapBuilder& heap) {
  const ClassIndex buffer = heap.PlainArray("System.Byte", 1);
  const ClassIndex queue = heap.Class("Shop.Buffers", {"_all"});
  const ClassIndex all = heap.Array("System.Byte[]");
  const ObjectId pool = heap.Add(queue);
  const ObjectId array = heap.Add(all, 8);
  heap.Refer(pool, "_all", array);
  for (uint64_t i = 0; i < 4; ++i) heap.Refer(array, i, heap.Add(buffer, 1 << 20));
  heap.Static("Shop.Program", "buffers_", pool);
}

inline ClassIndex Delegate(HeapBuilder& heap, std::string_view name) {
  return heap.Class(name, {"_target", "_methodBase", "_invocationList"});
}

// A List<T> with `count` of `element`, and its array.
struct List {
  ObjectId list, array;
};
inline List AddList(HeapBuilder& heap, std::string_view element,
                    const std::vector<ObjectId>& objects, int64_t version = -1) {
  const TypeId type = heap.Type("System.Collections.Generic.List`1", {heap.Type(element)});
  const ClassIndex list = heap.Class(type, {"_items"});
  if (version >= 0) {
    heap.AddValueField(list, "_size");
    heap.AddValueField(list, "_version");
  }
  const ClassIndex items = heap.Array(element);
  List out{heap.Add(list), heap.Add(items, objects.size() * 2)};
  heap.Refer(out.list, "_items", out.array);
  for (size_t i = 0; i < objects.size(); ++i) heap.Refer(out.array, i, objects[i]);
  if (version >= 0) {
    heap.Value(out.list, "_size", static_cast<int64_t>(objects.size()));
    heap.Value(out.list, "_version", version);
  }
  return out;
}

inline std::vector<ObjectId> AddMany(HeapBuilder& heap, ClassIndex type, uint32_t count = kPlenty) {
  std::vector<ObjectId> out;
  for (uint32_t i = 0; i < count; ++i) out.push_back(heap.Add(type));
  return out;
}

}  // namespace hindsight::analyzer
