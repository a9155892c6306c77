#include "analyzer/analyses/heap/accumulations.h"

#include <map>
#include <tuple>

#include "analyzer/analyses/heap/histogram.h"

namespace hindsight::analyzer {
namespace {

class Finder {
 public:
  Finder(const HeapGraph& graph, const Dominators& dominators, const DominatorTree& tree,
         const RootPaths& paths, const AccumulationLimits& limits)
      : graph_(graph),
        dominators_(dominators),
        tree_(tree),
        paths_(paths),
        limits_(limits),
        is_holder_(StaticHolders(graph)),
        is_static_(graph.size()),
        plain_(graph.classes().size()) {
    for (ObjectId id = 0; id < graph.size(); ++id) {
      if (!is_holder_[id]) continue;
      for (const ObjectId target : graph.References(id)) is_static_[target] = true;
    }
  }

  std::vector<Accumulation> Find() {
    Look(kSuperRoot);
    while (!open_.empty()) {
      const ObjectId id = open_.back();
      open_.pop_back();
      Look(id);
    }
    return std::move(found_);
  }

 private:
  // What distinguishes groups below one owner: the class, the kind of root, and each static field.
  using Key = std::tuple<ClassIndex, int, MethodId, ObjectId>;
  struct Group {
    Accumulation accumulation;
    std::vector<ObjectId> large;  // its members that are large enough to be inspected
  };

  void Look(ObjectId owner) {
    const bool is_top = owner == kSuperRoot;
    const bool is_holder = !is_top && is_holder_[owner];
    groups_.clear();
    const bool has_class = !is_top && !is_holder;
    for (ObjectId id = tree_.FirstChild(owner); id != kNoObject; id = tree_.NextSibling(id)) {
      const ClassIndex type = graph_.ClassOf(id);
      if (has_class && type == graph_.ClassOf(owner)) {  // already counted with `owner`
        if (dominators_.retained[id] >= limits_.min_retained) open_.push_back(id);
        continue;
      }
      const HeapRoot* root = is_top ? paths_.Root(id) : nullptr;
      // Objects shared by several static fields have the array of these as their dominator, as if
      // it were their owner.
      const bool is_apart = is_top ? is_holder_[id] : is_holder && is_static_[id];
      const bool is_plain = root == nullptr && !is_apart;
      Group* group = is_plain ? plain_[type] : nullptr;
      if (group == nullptr) {
        const Key key{type, root == nullptr ? -1 : static_cast<int>(root->kind),
                      root == nullptr ? 0 : root->method, is_apart ? id : kNoObject};
        const auto [place, is_new] = groups_.try_emplace(key);
        group = &place->second;
        if (is_plain) plain_[type] = group;
        if (is_new) {
          group->accumulation.owner = is_holder && !is_apart ? kSuperRoot : owner;
          group->accumulation.root = root;
          group->accumulation.type = type;
        }
      }
      ++group->accumulation.direct;
      group->accumulation.retained += dominators_.retained[id];
      if (dominators_.retained[id] >= limits_.min_retained) group->large.push_back(id);
      CountLike(id, group->accumulation);
    }
    for (auto& [key, group] : groups_) {
      plain_[std::get<0>(key)] = nullptr;  // reset for the next owner
      const bool is_accumulation = IsAccumulation(group.accumulation);
      if (!is_accumulation || group.accumulation.count < limits_.enough) {
        open_.insert(open_.end(), group.large.begin(), group.large.end());
      }
      if (is_accumulation) found_.push_back(std::move(group.accumulation));
    }
  }

  bool IsAccumulation(const Accumulation& accumulation) const {
    const HeapClass& type = graph_.classes()[accumulation.type];
    if (IsPlainArray(type) && accumulation.bytes >= limits_.min_plain_bytes) return true;
    return accumulation.count >= limits_.min_count && accumulation.retained >= limits_.min_retained;
  }

  // Counts `top` and what it dominates through objects of its class alone.
  void CountLike(ObjectId top, Accumulation& accumulation) {
    like_.assign(1, top);
    while (!like_.empty()) {
      const ObjectId id = like_.back();
      like_.pop_back();
      ++accumulation.count;
      accumulation.bytes += graph_.Bytes(id);
      if ((accumulation.count - 1) % accumulation.stride == 0) Sample(id, accumulation);
      for (ObjectId child = tree_.FirstChild(id); child != kNoObject;
           child = tree_.NextSibling(child)) {
        if (graph_.ClassOf(child) == accumulation.type && !is_holder_[child]) {
          like_.push_back(child);
        }
      }
    }
  }

  static void Sample(ObjectId id, Accumulation& accumulation) {
    accumulation.sample.push_back(id);
    if (accumulation.sample.size() <= Accumulation::kSample) return;
    size_t kept = 0;
    for (size_t i = 0; i < accumulation.sample.size(); i += 2) {
      accumulation.sample[kept++] = accumulation.sample[i];
    }
    accumulation.sample.resize(kept);
    accumulation.stride *= 2;
  }

  const HeapGraph& graph_;
  const Dominators& dominators_;
  const DominatorTree& tree_;
  const RootPaths& paths_;
  const AccumulationLimits& limits_;
  std::vector<bool> is_holder_;
  std::vector<bool> is_static_;  // a static field refers to it
  std::map<Key, Group> groups_;
  std::vector<Group*>
      plain_;  // indexed by class: those of groups_ that are distinguished only by the class
  std::vector<ObjectId> open_, like_;
  std::vector<Accumulation> found_;
};

}  // namespace

std::vector<Accumulation> FindAccumulations(const HeapGraph& graph, const Dominators& dominators,
                                            const DominatorTree& tree, const RootPaths& paths,
                                            const AccumulationLimits& limits) {
  return Finder(graph, dominators, tree, paths, limits).Find();
}

}  // namespace hindsight::analyzer
