#include "analyzer/analyses/heap/generations.h"

#include <algorithm>
#include <map>

#include "analyzer/analyses/heap/histogram.h"

namespace hindsight::analyzer {
namespace {

// `wanted` is indexed by object. Retained sizes of objects that dominate each other are counted
// once, for the outermost one.
HeldObjects Collect(const HeapModel& model, const Dominators& dominators,
                    const std::vector<bool>& wanted) {
  const HeapGraph& graph = model.graph;
  // Whether a wanted object dominates this one: kUnknown until asked for.
  enum : uint8_t { kUnknown, kFree, kBelow };
  std::vector<uint8_t> state;
  std::vector<ObjectId> chain;
  const auto is_below = [&](ObjectId id) {
    if (state.empty()) state.resize(graph.size(), kUnknown);
    chain.clear();
    uint8_t answer = kFree;
    for (ObjectId above = id;;) {
      if (state[above] != kUnknown) {
        answer = state[above];
        break;
      }
      chain.push_back(above);
      const ObjectId next = dominators.immediate[above];
      if (next == kSuperRoot || next == kNoObject) break;
      if (wanted[next]) {
        answer = kBelow;
        break;
      }
      above = next;
    }
    for (const ObjectId seen : chain) state[seen] = answer;
    return answer == kBelow;
  };

  HeldObjects held;
  std::map<TypeId, HeldTypeRow> rows;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (!wanted[id]) continue;
    const TypeId type = graph.classes()[graph.ClassOf(id)].type;
    HeldTypeRow& row = rows[type];
    row.type = type;
    ++row.objects;
    row.bytes += graph.Bytes(id);
    if (dominators.IsReachable(id) && !is_below(id)) row.retained += dominators.retained[id];
  }
  for (const auto& [type, row] : rows) {
    held.objects += row.objects;
    held.bytes += row.bytes;
    held.types.push_back(row);
  }
  std::stable_sort(held.types.begin(), held.types.end(),
                   [](const HeldTypeRow& a, const HeldTypeRow& b) {
                     return a.retained != b.retained ? a.retained > b.retained : a.bytes > b.bytes;
                   });
  return held;
}

}  // namespace

const char* GenerationName(Generation generation) {
  switch (generation) {
    case Generation::kGen0:
      return "gen0";
    case Generation::kGen1:
      return "gen1";
    case Generation::kGen2:
      return "gen2";
    case Generation::kLarge:
      return "large";
    case Generation::kPinned:
      return "pinned";
    case Generation::kFrozen:
      return "frozen";
    case Generation::kUnknown:
      break;
  }
  return "unknown";
}

GenerationReport AnalyzeGenerations(const HeapModel& model, const Dominators& dominators) {
  const HeapGraph& graph = model.graph;
  const std::span<const HeapClass> classes = graph.classes();
  GenerationReport report;
  std::vector<bool> pinned(graph.size());
  std::vector<bool> queued(graph.size());
  const std::vector<bool> is_holder = StaticHolders(graph);
  for (const HeapRoot& root : graph.roots()) {
    if (root.object >= graph.size()) continue;
    if (root.kind == RootKind::kPinnedHandle || root.kind == RootKind::kPinnedStack) {
      pinned[root.object] = !is_holder[root.object];
    }
    if (root.kind == RootKind::kFinalizerQueue) queued[root.object] = true;
  }

  std::vector<GenerationTypeRow> by_class(classes.size());
  std::vector<bool> finalizable(graph.size());
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const auto generation = static_cast<size_t>(graph.GenerationOf(id));
    const uint64_t bytes = graph.Bytes(id);
    const ClassIndex index = graph.ClassOf(id);
    GenerationRow& row = report.generations[generation];
    ++row.objects;
    row.bytes += bytes;
    ++by_class[index].objects[generation];
    by_class[index].bytes[generation] += bytes;
    if (pinned[id]) {
      ++row.pinned_objects;
      row.pinned_bytes += bytes;
    }
    if (!dominators.IsReachable(id)) {
      ++row.unreachable_objects;
      row.unreachable_bytes += bytes;
    } else if (classes[index].finalizable && !queued[id]) {
      finalizable[id] = true;
    }
  }
  for (const HeapRange& range : graph.ranges()) {
    GenerationRow& row = report.generations[static_cast<size_t>(range.generation)];
    row.used_bytes += range.used_bytes;
    row.reserved_bytes += range.reserved_bytes;
  }

  std::map<TypeId, GenerationTypeRow> types;
  for (ClassIndex index = 0; index < classes.size(); ++index) {
    GenerationTypeRow& row = types[classes[index].type];
    row.type = classes[index].type;
    for (size_t g = 0; g < kGenerations; ++g) {
      row.objects[g] += by_class[index].objects[g];
      row.bytes[g] += by_class[index].bytes[g];
      row.all_objects += by_class[index].objects[g];
      row.all_bytes += by_class[index].bytes[g];
    }
  }
  for (const auto& [type, row] : types) {
    if (row.all_objects > 0) report.types.push_back(row);
  }
  std::stable_sort(report.types.begin(), report.types.end(),
                   [](const GenerationTypeRow& a, const GenerationTypeRow& b) {
                     return a.all_bytes > b.all_bytes;
                   });
  report.pinned = Collect(model, dominators, pinned);
  report.finalizer_queue = Collect(model, dominators, queued);
  report.finalizable = Collect(model, dominators, finalizable);
  return report;
}

}  // namespace hindsight::analyzer
