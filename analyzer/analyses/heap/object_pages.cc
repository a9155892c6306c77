#include "analyzer/analyses/heap/object_pages.h"

#include <algorithm>

namespace hindsight::analyzer {
namespace {

// Visits what is below `id`; what is below the runtime's arrays of statics takes their place.
template <typename Fn>
void ForEachDominated(const DominatorTree& tree, const SlotNames& names, ObjectId id,
                      const Fn& fn) {
  std::vector<ObjectId> above = {id};  // whose children are to be visited
  while (!above.empty()) {
    ObjectId child = tree.FirstChild(above.back());
    above.pop_back();
    for (; child != kNoObject; child = tree.NextSibling(child)) {
      if (names.HoldsStatics(child)) {
        above.push_back(child);
      } else {
        fn(child);
      }
    }
  }
}

// Finds the slots of `holder` that lead to `rows`.
void NameSlots(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
               ObjectId holder, std::vector<DominatedObject>& rows) {
  std::vector<DominatedObject*> wanted;
  for (DominatedObject& row : rows) wanted.push_back(&row);
  const auto before = [](const DominatedObject* row, ObjectId id) { return row->id < id; };
  std::sort(wanted.begin(), wanted.end(),
            [](const auto* a, const auto* b) { return a->id < b->id; });
  model.graph.ForEachReference(holder, [&](uint64_t slot, ObjectId target) {
    const auto found = std::lower_bound(wanted.begin(), wanted.end(), target, before);
    if (found == wanted.end() || (*found)->id != target || !(*found)->held_by.empty()) return;
    (*found)->held_by = names.Slot(holder, slot);
  });
  std::vector<ObjectId> values;
  paths.DependentsOf(holder, values);
  for (DominatedObject* row : wanted) {
    if (row->held_by.empty() && std::find(values.begin(), values.end(), row->id) != values.end()) {
      row->held_by = names.Name({SlotKey::Kind::kDependent, 0, 0});
    }
  }
}

}  // namespace

std::vector<ObjectId> ObjectsOf(const HeapGraph& graph, const std::vector<bool>& classes) {
  std::vector<ObjectId> ids;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (classes[graph.ClassOf(id)]) ids.push_back(id);
  }
  return ids;
}

void SortRange(const Dominators& dominators, const PageRange& range, std::vector<ObjectId>& ids) {
  const auto is_before = [&](ObjectId a, ObjectId b) {
    const bool a_lives = dominators.IsReachable(a), b_lives = dominators.IsReachable(b);
    if (a_lives != b_lives) return a_lives;
    const uint64_t of_a = dominators.retained[a], of_b = dominators.retained[b];
    return of_a != of_b ? of_a > of_b : a < b;
  };
  if (range.from >= ids.size()) return;
  const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(range.from);
  const size_t rows = std::min<size_t>(range.rows, ids.size() - range.from);
  const auto end = begin + static_cast<std::ptrdiff_t>(rows);
  // For the first pages, nearly all other objects are dismissed after one lookup, in memory order.
  constexpr std::ptrdiff_t kFirst = 2000;
  if (end - ids.begin() <= kFirst) {
    std::partial_sort(ids.begin(), end, ids.end(), is_before);
    return;
  }
  if (begin != ids.begin()) std::nth_element(ids.begin(), begin, ids.end(), is_before);
  if (end != ids.end()) std::nth_element(begin, end, ids.end(), is_before);
  std::sort(begin, end, is_before);
}

std::vector<ObjectId> Dominated(const DominatorTree& tree, const SlotNames& names, ObjectId id) {
  std::vector<ObjectId> ids;
  ForEachDominated(tree, names, id, [&ids](ObjectId child) { ids.push_back(child); });
  return ids;
}

ObjectPage PageOfDominated(const HeapModel& model, const Dominators& dominators,
                           const DominatorTree& tree, const RootPaths& paths,
                           const SlotNames& names, const TopEdges& top, ObjectId id,
                           std::vector<ObjectId> ids, const PageRange& range) {
  ObjectPage page;
  page.objects = ids.size();
  for (const ObjectId child : ids) page.retained += dominators.retained[child];
  SortRange(dominators, range, ids);
  for (size_t i = range.from; i < ids.size() && page.rows.size() < range.rows; ++i) {
    DominatedObject row;
    row.id = ids[i];
    ForEachDominated(tree, names, row.id, [&row](ObjectId) { ++row.dominated; });
    page.rows.push_back(std::move(row));
  }
  if (id != kSuperRoot) NameSlots(model, names, paths, id, page.rows);
  for (DominatedObject& row : page.rows) {
    const bool is_at_the_top = id == kSuperRoot || top.Static(row.id);
    if (row.held_by.empty() && is_at_the_top) row.held_by = top.Name(row.id);
  }
  return page;
}

}  // namespace hindsight::analyzer
