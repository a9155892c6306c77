#include "analyzer/analyses/references/root_paths.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analyzer/analyses/places/type_owners.h"

namespace hindsight::analyzer {
namespace {

// Lower is a better explanation; equal ones keep the order of the recording.
int Rank(RootKind kind) {
  switch (kind) {
    case RootKind::kStrongHandle:
    case RootKind::kPinnedHandle:
    case RootKind::kRefcountedHandle:
      return 0;
    case RootKind::kStack:
    case RootKind::kPinnedStack:
      return 1;
    case RootKind::kOther:
      return 2;
    case RootKind::kFinalizerQueue:
      return 3;
    case RootKind::kWeakHandle:
      break;
  }
  return 4;
}

int Rank(const HeapRoot& root) {
  const bool is_nameless_stack = Rank(root.kind) == 1 && root.method == 0;
  return Rank(root.kind) * 2 + (is_nameless_stack ? 1 : 0);
}

constexpr int kRankOfLate = 5;
constexpr int kRankOfQueue = 6;
constexpr int kRankOfWeak = 8;

constexpr size_t kAhead = 6;         // objects
constexpr size_t kMostFetched = 16;  // references of an object

bool KeyIsBefore(const HeapDependent& dependent, ObjectId key) { return dependent.key < key; }

}  // namespace

struct RootPaths::Search {
  std::vector<bool> is_key;
  const std::vector<bool>* closed;
  const std::vector<bool>* late;
  size_t next = 0;                  // index into order_: everything before has been followed
  std::vector<ObjectId> left = {};  // to be followed after everything else
};

RootPaths::RootPaths(const HeapGraph& graph, const std::vector<bool>* closed,
                     const std::vector<bool>* late, const std::vector<bool>* late_roots)
    : graph_(&graph),
      parent_(graph.size(), kNoObject),
      dependents_(graph.dependents().begin(), graph.dependents().end()) {
  const std::span<const HeapRoot> roots = graph.roots();
  const auto rank_of = [&](uint32_t root) {
    const int rank = Rank(roots[root]);
    return late_roots != nullptr && (*late_roots)[root] ? std::max(rank, kRankOfLate) : rank;
  };
  for (uint32_t i = 0; i < roots.size(); ++i) {
    if (roots[i].object < graph.size() && Rank(roots[i]) < kRankOfWeak) roots_.push_back(i);
  }
  std::stable_sort(roots_.begin(), roots_.end(), [&](uint32_t a, uint32_t b) {
    const HeapRoot& left = roots[a];
    const HeapRoot& right = roots[b];
    return left.object != right.object ? left.object < right.object : rank_of(a) < rank_of(b);
  });
  std::stable_sort(dependents_.begin(), dependents_.end(),
                   [](const HeapDependent& a, const HeapDependent& b) { return a.key < b.key; });
  Search search{std::vector<bool>(graph.size()), closed, late};
  for (const HeapDependent& dependent : dependents_) {
    if (dependent.key < graph.size()) search.is_key[dependent.key] = true;
  }

  // Roots in order of rank: the holder of statics, then what these refer to, count as roots.
  std::vector<uint32_t> by_rank = roots_;
  std::stable_sort(by_rank.begin(), by_rank.end(),
                   [&](uint32_t a, uint32_t b) { return rank_of(a) < rank_of(b); });
  std::vector<bool> is_root(graph.size());
  for (const uint32_t root : roots_) is_root[roots[root].object] = true;
  ObjectId last_holder = kNoObject;
  for (const HeapStaticField& field : graph.statics()) {
    const ObjectId holder = field.holder;
    if (holder == last_holder || holder >= graph.size() || !is_root[holder]) continue;
    last_holder = holder;
    if (parent_[holder] != kNoObject) continue;
    parent_[holder] = holder;
    order_.push_back(holder);
  }
  // The holders' references are level 0 as well: after all holders, before other roots.
  const size_t holders = order_.size();
  for (; search.next < holders; ++search.next) {
    for (const ObjectId child : graph.References(order_[search.next])) {
      if (parent_[child] != kNoObject) continue;
      parent_[child] = order_[search.next];
      order_.push_back(child);
    }
  }
  for (const uint32_t index : by_rank) {
    const HeapRoot& root = roots[index];
    if (rank_of(index) >= kRankOfLate) SpreadLate(search);
    if (parent_[root.object] != kNoObject) continue;
    parent_[root.object] = root.object;
    order_.push_back(root.object);
  }
  SpreadLate(search);
  order_.shrink_to_fit();
}

void RootPaths::SpreadLate(Search& search) {
  Spread(search);
  search.late = nullptr;
  for (const ObjectId id : std::exchange(search.left, {})) {
    for (const ObjectId child : graph_->References(id)) {
      if (parent_[child] != kNoObject) continue;
      parent_[child] = id;
      order_.push_back(child);
    }
  }
  Spread(search);
}

void RootPaths::Spread(Search& search) {
  const auto reach = [this](ObjectId from, ObjectId to) {
    if (parent_[to] != kNoObject) return;
    parent_[to] = from;
    order_.push_back(to);
  };
  for (; search.next < order_.size(); ++search.next) {
    const ObjectId id = order_[search.next];
    if (search.closed != nullptr && (*search.closed)[id]) continue;
    if (search.late != nullptr && (*search.late)[graph_->ClassOf(id)]) {
      search.left.push_back(id);
      continue;
    }
    if (search.next + kAhead < order_.size()) FetchChildren(order_[search.next + kAhead]);
    for (const ObjectId child : graph_->References(id)) reach(id, child);
    if (!search.is_key[id]) continue;
    for (auto dependent = std::lower_bound(dependents_.begin(), dependents_.end(), id, KeyIsBefore);
         dependent != dependents_.end() && dependent->key == id; ++dependent) {
      if (dependent->value < graph_->size()) reach(id, dependent->value);
    }
  }
}

const HeapRoot* RootPaths::Root(ObjectId id) const {
  const std::span<const HeapRoot> roots = graph_->roots();
  const auto found = std::partition_point(roots_.begin(), roots_.end(),
                                          [&](uint32_t i) { return roots[i].object < id; });
  if (found == roots_.end() || roots[*found].object != id) return nullptr;
  return &roots[*found];
}

// Memory that will soon be read: the graph is larger than any cache.
void RootPaths::FetchChildren(ObjectId id) const {
  const std::span<const ObjectId> references = graph_->References(id);
  for (const ObjectId child : references.first(std::min(references.size(), kMostFetched))) {
    __builtin_prefetch(&parent_[child]);
  }
}

std::vector<ObjectId> RootPaths::PathTo(ObjectId id) const {
  std::vector<ObjectId> path;
  if (!IsReachable(id)) return path;
  for (;; id = parent_[id]) {
    path.push_back(id);
    if (IsRoot(id)) break;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::optional<RootPaths::Step> RootPaths::StepTo(ObjectId holder, ObjectId target) const {
  const std::span<const ObjectId> references = graph_->References(holder);
  const auto found = std::find(references.begin(), references.end(), target);
  if (found != references.end()) {
    return Step{false, static_cast<size_t>(found - references.begin())};
  }
  for (auto dependent =
           std::lower_bound(dependents_.begin(), dependents_.end(), holder, KeyIsBefore);
       dependent != dependents_.end() && dependent->key == holder; ++dependent) {
    if (dependent->value == target) return Step{true, 0};
  }
  return std::nullopt;
}

void RootPaths::DependentsOf(ObjectId key, std::vector<ObjectId>& values) const {
  for (auto dependent = std::lower_bound(dependents_.begin(), dependents_.end(), key, KeyIsBefore);
       dependent != dependents_.end() && dependent->key == key; ++dependent) {
    if (dependent->value < graph_->size()) values.push_back(dependent->value);
  }
}

RootPaths FindRootPaths(const HeapModel& model, const std::vector<bool>* closed) {
  constexpr std::string_view kSlots = "System.Threading.ThreadLocal`1+LinkedSlotVolatile";
  const std::span<const HeapClass> classes = model.graph.classes();
  std::vector<bool> late(classes.size());
  for (size_t i = 0; i < classes.size(); ++i) {
    const Type& type = model.dictionaries.type(classes[i].type);
    const Type& element = type.element != 0 ? model.dictionaries.type(type.element) : type;
    late[i] = model.dictionaries.String(element.name).starts_with(kSlots);
  }
  const std::span<const HeapRoot> roots = model.graph.roots();
  std::vector<bool> late_roots(roots.size());
  const TypeOwners owners(model);
  for (size_t i = 0; i < roots.size(); ++i) {
    const Method& method = model.dictionaries.method(roots[i].method);
    late_roots[i] = method.type != 0 && owners.IsFramework(method.type);
  }
  return RootPaths(model.graph, closed, &late, &late_roots);
}

}  // namespace hindsight::analyzer
