#include "analyzer/analyses/heap/histogram.h"

#include <unordered_map>

namespace hindsight::analyzer {
namespace {

struct ClassTotals {
  uint64_t objects = 0, bytes = 0, retained = 0, unreachable_objects = 0, unreachable_bytes = 0;
};

}  // namespace

std::vector<bool> StaticHolders(const HeapGraph& graph) {
  std::vector<bool> out(graph.size());
  for (const HeapStaticField& field : graph.statics()) {
    if (field.holder < graph.size()) out[field.holder] = true;
  }
  return out;
}

TypeHistogram MakeTypeHistogram(const HeapModel& model, const Dominators& dominators,
                                const DominatorTree& tree) {
  const HeapGraph& graph = model.graph;
  const std::span<const HeapClass> classes = graph.classes();
  std::vector<ClassTotals> totals(classes.size());
  for (ObjectId id = 0; id < graph.size(); ++id) {
    ClassTotals& of = totals[graph.ClassOf(id)];
    const bool is_reachable = dominators.IsReachable(id);
    ++(is_reachable ? of.objects : of.unreachable_objects);
    (is_reachable ? of.bytes : of.unreachable_bytes) += graph.Bytes(id);
  }

  TypeHistogram histogram;
  histogram.row_of_class.assign(classes.size(), TypeHistogram::kNoRow);
  std::unordered_map<TypeId, uint32_t> row_of_type;
  for (ClassIndex index = 0; index < classes.size(); ++index) {
    const ClassTotals& of = totals[index];
    if (of.objects + of.unreachable_objects == 0) continue;
    const auto [place, is_new] =
        row_of_type.try_emplace(classes[index].type, static_cast<uint32_t>(histogram.rows.size()));
    if (is_new) histogram.rows.push_back({.type = classes[index].type});
    histogram.row_of_class[index] = place->second;
    TypeRow& row = histogram.rows[place->second];
    row.objects += of.objects;
    row.bytes += of.bytes;
    row.unreachable_objects += of.unreachable_objects;
    row.unreachable_bytes += of.unreachable_bytes;
  }

  const std::vector<bool> is_holder = StaticHolders(graph);
  std::vector<uint32_t> open(histogram.rows.size());  // objects of the type above the current one
  tree.Walk(
      kSuperRoot,
      [&](ObjectId id) {
        const uint32_t row = histogram.row_of_class[graph.ClassOf(id)];
        if (is_holder[id]) {
          if (open[row] == 0) histogram.rows[row].retained += graph.Bytes(id);
        } else if (open[row]++ == 0) {
          histogram.rows[row].retained += dominators.retained[id];
        }
      },
      [&](ObjectId id) {
        if (!is_holder[id]) --open[histogram.row_of_class[graph.ClassOf(id)]];
      });
  return histogram;
}

}  // namespace hindsight::analyzer
