#include "analyzer/analyses/heap/accumulation_contents.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "analyzer/naming/type_names.h"

namespace hindsight::analyzer {
namespace {

constexpr int kMaxDepth = 16;         // of nested element types and arguments
constexpr size_t kMaxLevels = 4;      // of wrappers
constexpr size_t kMostSearched = 64;  // objects below each of the inspected ones
constexpr std::string_view kTarget = "_target";

bool IsWrapper(const HeapModel& model, ClassIndex type) {
  if (IsDelegate(model, type)) return true;
  const std::string_view name = RawTypeName(model.dictionaries, model.graph.classes()[type].type);
  if (name.starts_with("System.Collections.")) {
    return name.find('+') != std::string_view::npos || name.ends_with("Node");
  }
  return name == "System.Threading.TimerQueueTimer" || name == "System.Threading.Timer" ||
         name == "System.Threading.TimerHolder" || name == "System.Timers.Timer" ||
         name == "System.Threading.CancellationTokenSource+CallbackNode" ||
         name == "System.WeakReference";
}

// Whether what it refers to is one of many, or the variables of an async method, which says more
// than they do.
bool IsAnEnd(const HeapModel& model, ClassIndex type) {
  if (model.graph.classes()[type].kind == HeapClass::Kind::kArray) return true;
  const std::string_view name = RawTypeName(model.dictionaries, model.graph.classes()[type].type);
  return name.starts_with("System.Collections.") || name.starts_with("System.Threading.Tasks.") ||
         name.starts_with("System.Runtime.CompilerServices.");
}

// The class to which nearly all of `objects` lead from one level to the next.
struct Level {
  std::vector<ObjectId> from, to;  // parallel
  uint64_t alone = 0;              // number of these where `from` dominates `to`
};

class Contents {
 public:
  Contents(const HeapModel& model, const TypeOwners& owners, const Dominators& dominators,
           const DominatorTree& tree, double same)
      : model_(model),
        owners_(owners),
        graph_(model.graph),
        dominators_(dominators),
        tree_(tree),
        same_(same) {}

  std::optional<Level> Below(const std::vector<ObjectId>& objects) const {
    const ClassIndex own = graph_.ClassOf(objects[0]);
    if (IsDelegate(model_, own)) {
      Level level = Targets(objects);
      if (IsMost(level.to.size(), objects)) return level;
      return std::nullopt;
    }
    const bool is_wrapper = IsWrapper(model_, own);
    std::map<ClassIndex, std::pair<uint64_t, uint64_t>> classes;  // objects, bytes
    for (const ObjectId id : objects) {
      ForEachChild(id, own, [&](ObjectId child) {
        auto& [count, bytes] = classes[graph_.ClassOf(child)];
        ++count;
        bytes += dominators_.retained[child];
      });
    }
    std::optional<ClassIndex> best;
    std::tuple<bool, bool, uint64_t> best_rank;
    for (const auto& [type, numbers] : classes) {
      if (!IsMost(numbers.first, objects)) continue;
      const bool is_own = !owners_.IsFramework(graph_.classes()[type].type);
      if (!is_own && !is_wrapper) continue;
      const std::tuple rank{is_own, IsDelegate(model_, type), numbers.second};
      if (best && rank <= best_rank) continue;
      best = type;
      best_rank = rank;
    }
    if (!best) return std::nullopt;
    Level level;
    for (const ObjectId id : objects) {
      bool is_done = false;
      ForEachChild(id, own, [&](ObjectId child) {
        if (is_done || graph_.ClassOf(child) != *best) return;
        // The way down is reported as references, so only direct ones are acceptable.
        const auto references = graph_.References(id);
        if (std::find(references.begin(), references.end(), child) == references.end()) return;
        is_done = true;
        level.from.push_back(id);
        level.to.push_back(child);
        ++level.alone;
      });
    }
    if (level.to.empty()) return std::nullopt;
    return level;
  }

  // The nearest objects of a class that is not the framework's: one for each of `objects` that
  // holds such an object alone.
  std::optional<Level> FurtherBelow(const std::vector<ObjectId>& objects) const {
    struct Nearest {
      Level level;
      size_t steps = 0;  // of all ways together
    };
    std::map<ClassIndex, Nearest> classes;
    for (const ObjectId id : objects) {
      std::set<ClassIndex> seen;
      for (const Found& found : Search(id)) {
        const ClassIndex type = graph_.ClassOf(found.id);
        const bool is_framework = owners_.IsFramework(graph_.classes()[type].type);
        if (found.id == id || is_framework || !seen.insert(type).second) continue;
        Nearest& nearest = classes[type];
        nearest.level.from.push_back(id);
        nearest.level.to.push_back(found.id);
        nearest.steps += found.steps;
      }
    }
    const Nearest* best = nullptr;
    for (const auto& [type, nearest] : classes) {
      if (!IsMost(nearest.level.to.size(), objects)) continue;
      // In steps for each, compared without a division.
      if (best == nullptr ||
          nearest.steps * best->level.to.size() < best->steps * nearest.level.to.size()) {
        best = &nearest;
      }
    }
    if (best == nullptr) return std::nullopt;
    Level level = best->level;
    level.alone = level.to.size();
    return level;
  }

  // What leads from one of the objects to its own in the result of FurtherBelow, without both ends.
  std::vector<ObjectId> WayTo(ObjectId end, ObjectId from) const {
    std::vector<ObjectId> way;
    const std::vector<Found> found = Search(from);
    size_t at = std::ranges::find(found, end, &Found::id)->from;
    for (; at != 0; at = found[at].from) way.push_back(found[at].id);
    std::ranges::reverse(way);
    return way;
  }

 private:
  struct Found {
    ObjectId id;
    size_t from;  // the one that refers to it, as an index of what was found
    size_t steps;
  };

  // `top` and what it dominates, nearest first, through objects of the framework.
  std::vector<Found> Search(ObjectId top) const {
    std::vector<Found> found = {{top, 0, 0}};
    std::set<ObjectId> seen = {top};
    for (size_t next = 0; next < found.size(); ++next) {
      const Found at = found[next];
      const ClassIndex type = graph_.ClassOf(at.id);
      if (IsAnEnd(model_, type) || !owners_.IsFramework(graph_.classes()[type].type)) continue;
      for (const ObjectId target : graph_.References(at.id)) {
        if (found.size() == kMostSearched) return found;
        // If `top` dominates it, its immediate dominator is on the way that led here.
        if (seen.contains(dominators_.immediate[target]) && seen.insert(target).second) {
          found.push_back({target, next, at.steps + 1});
        }
      }
    }
    return found;
  }

  bool IsMost(uint64_t count, const std::vector<ObjectId>& objects) const {
    return static_cast<double>(count) >= same_ * static_cast<double>(objects.size());
  }

  // The most frequent class among the targets of delegates.
  Level Targets(const std::vector<ObjectId>& delegates) const {
    std::map<ClassIndex, Level> by_class;
    for (const ObjectId id : delegates) {
      const std::optional<ObjectId> target = FieldOf(model_, id, kTarget);
      if (!target || *target == id) continue;  // a static method: the delegate itself
      Level& level = by_class[graph_.ClassOf(*target)];
      level.from.push_back(id);
      level.to.push_back(*target);
      if (dominators_.immediate[*target] == id) ++level.alone;
    }
    Level best;
    for (auto& [type, level] : by_class) {
      if (level.to.size() > best.to.size()) best = std::move(level);
    }
    return best;
  }

  template <typename Fn>
  void ForEachChild(ObjectId id, ClassIndex but, const Fn& fn) const {
    for (ObjectId child = tree_.FirstChild(id); child != kNoObject;
         child = tree_.NextSibling(child)) {
      if (graph_.ClassOf(child) != but) fn(child);
    }
  }

  const HeapModel& model_;
  const TypeOwners& owners_;
  const HeapGraph& graph_;
  const Dominators& dominators_;
  const DominatorTree& tree_;
  const double same_;
};

}  // namespace

std::optional<ObjectId> FieldOf(const HeapModel& model, ObjectId id, std::string_view name) {
  const HeapClass& type = model.graph.classes()[model.graph.ClassOf(id)];
  std::optional<ObjectId> out;
  model.graph.ForEachReference(id, [&](uint64_t slot, ObjectId target) {
    if (slot < type.slot_names.size() && type.kind == HeapClass::Kind::kClass &&
        model.dictionaries.String(type.slot_names[slot]) == name) {
      out = target;
    }
  });
  return out;
}

std::string_view RawTypeName(const Dictionaries& dictionaries, TypeId type) {
  for (int depth = 0; depth < kMaxDepth && dictionaries.type(type).element != 0; ++depth) {
    type = dictionaries.type(type).element;
  }
  return dictionaries.String(dictionaries.type(type).name);
}

bool IsClosure(const Dictionaries& dictionaries, TypeId type) {
  const std::string_view raw = RawTypeName(dictionaries, type);
  if (raw.find("<>c__") == std::string_view::npos) return false;
  const auto segments = naming::SplitType(raw);
  return !segments.empty() && segments.back().kind == naming::TypeSegment::Kind::kClosure;
}

bool IsChangeTracker(const Dictionaries& dictionaries, TypeId type) {
  return RawTypeName(dictionaries, type) ==
         "Microsoft.EntityFrameworkCore.ChangeTracking.Internal.StateManager";
}

bool IsDelegate(const HeapModel& model, ClassIndex type) {
  const HeapClass& of = model.graph.classes()[type];
  bool has_target = false;
  bool has_list = false;
  for (const StringId name : of.slot_names) {
    const std::string_view text = model.dictionaries.String(name);
    has_target = has_target || text == kTarget;
    has_list = has_list || text == "_invocationList";
  }
  return has_target && has_list;
}

AccumulationContents InspectAccumulation(const HeapModel& model, const TypeOwners& owners,
                                         const Dominators& dominators, const DominatorTree& tree,
                                         const Accumulation& accumulation, ObjectId example,
                                         double same) {
  AccumulationContents out;
  out.chain = {example};
  std::vector<ObjectId> objects = accumulation.sample;
  const Contents contents(model, owners, dominators, tree, same);
  for (size_t level = 0; level < kMaxLevels; ++level) {
    const ClassIndex type = model.graph.ClassOf(objects[0]);
    const TypeId of = model.graph.classes()[type].type;
    if (!owners.IsFramework(of) && !IsClosure(model.dictionaries, of)) break;
    std::optional<Level> below = contents.Below(objects);
    const bool is_nested = below.has_value();
    if (!below) below = contents.FurtherBelow(objects);
    if (!below) break;
    out.held_alone = std::min(
        out.held_alone, static_cast<double>(below->alone) / static_cast<double>(below->to.size()));
    const auto place = std::find(below->from.begin(), below->from.end(), out.chain.back());
    if (place == below->from.end()) break;
    const ObjectId next = below->to[static_cast<size_t>(place - below->from.begin())];
    if (!is_nested) {
      const std::vector<ObjectId> way = contents.WayTo(next, out.chain.back());
      out.chain.insert(out.chain.end(), way.begin(), way.end());
    } else if (out.nested == out.chain.size()) {
      ++out.nested;
    }
    out.chain.push_back(next);
    objects = below->to;
  }
  return out;
}

}  // namespace hindsight::analyzer
