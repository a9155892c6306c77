// Formats a path from a root: see root_paths.h.
#include <algorithm>

#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kLongestRepeat = 4;   // a longer stretch of steps through one class is one part
constexpr size_t kStepsLookedAt = 64;  // steps of it that are searched for the field's name

// Steps [first, last) of a path whose holders have the same class.
struct Stretch {
  size_t first = 0;
  size_t last = 0;
};

class PathWriter {
 public:
  PathWriter(const HeapModel& model, const SlotNames& names, const RootPaths& paths, ObjectId id)
      : model_(model), names_(names), paths_(paths), path_(paths.PathTo(id)) {}

  std::vector<std::string> Parts(size_t max_parts) {
    size_t begin = 0;  // index into path_: the first object that is written as a holder
    std::vector<std::string> parts;
    // It begins where an OwnerPath does.
    for (size_t i = path_.size(); i-- > 0 && parts.empty();) {
      if (const HeapStaticField* field = StaticAt(i)) {
        parts.push_back(names_.Slot(path_[i], field->slot));
        begin = i + 1;
      } else if (i + 1 < path_.size() && names_.IsServiceContainer(path_[i])) {
        parts.emplace_back(kServiceContainer);
        begin = i;
      }
    }
    if (parts.empty()) {
      const HeapRoot* root = paths_.Root(path_[0]);
      parts.push_back(root == nullptr ? "root" : RootName(model_, *root));
    }
    const std::vector<Stretch> stretches = Stretches(begin);
    const size_t room = std::max<size_t>(max_parts, 4) - 2;  // apart from the root and the end
    const bool is_cut = stretches.size() > room;
    const size_t head = is_cut ? room / 2 : stretches.size();
    const size_t tail = is_cut ? room - head - 1 : 0;
    for (size_t i = 0; i < head; ++i) parts.push_back(Part(stretches[i]));
    if (is_cut) {
      const Stretch& last_hidden = stretches[stretches.size() - tail - 1];
      parts.push_back("(" + FormatCount(last_hidden.last - stretches[head].first) + " more)");
    }
    for (size_t i = stretches.size() - tail; i < stretches.size(); ++i) {
      parts.push_back(Part(stretches[i]));
    }
    parts.push_back(TypeOf(path_.back()));
    return parts;
  }

 private:
  // The static field through which path_[i] leads on; nullptr: none.
  const HeapStaticField* StaticAt(size_t i) const {
    if (i + 1 >= path_.size() || !names_.HoldsStatics(path_[i])) return nullptr;
    const auto step = paths_.StepTo(path_[i], path_[i + 1]);
    if (!step || step->is_dependent) return nullptr;
    return names_.Static(path_[i], model_.graph.SlotOfReference(path_[i], step->reference));
  }

  std::vector<Stretch> Stretches(size_t begin) const {
    std::vector<Stretch> out;
    const HeapGraph& graph = model_.graph;
    for (size_t i = begin; i + 1 < path_.size();) {
      size_t end = i + 1;
      while (end + 1 < path_.size() && graph.ClassOf(path_[end]) == graph.ClassOf(path_[i])) ++end;
      if (end - i > kLongestRepeat) {
        out.push_back({i, end});
      } else {
        for (size_t k = i; k < end; ++k) out.push_back({k, k + 1});
      }
      i = end;
    }
    return out;
  }

  SlotKey KeyAt(size_t i) const {
    const auto step = paths_.StepTo(path_[i], path_[i + 1]);
    if (!step || step->is_dependent) return {SlotKey::Kind::kDependent, 0, 0};
    return names_.ReferenceKey(path_[i], step->reference);
  }

  std::string Part(const Stretch& stretch) const {
    const SlotKey key = KeyAt(stretch.first);
    std::string slot = names_.Name(key);
    for (size_t i = stretch.first; i < std::min(stretch.last, stretch.first + kStepsLookedAt);
         ++i) {
      if (KeyAt(i) != key) slot = ".*";
    }
    if (key.kind == SlotKey::Kind::kStatic) return slot;
    std::string part = JoinSlot(TypeOf(path_[stretch.first]), slot);
    const size_t steps = stretch.last - stretch.first;
    return steps == 1 ? part : part + " (" + FormatCount(steps) + " times)";
  }

  std::string TypeOf(ObjectId id) const {
    return TypeBriefName(model_.dictionaries,
                         model_.graph.classes()[model_.graph.ClassOf(id)].type);
  }

  const HeapModel& model_;
  const SlotNames& names_;
  const RootPaths& paths_;
  std::vector<ObjectId> path_;
};

}  // namespace

std::string RootName(const HeapModel& model, const HeapRoot& root) {
  switch (root.kind) {
    case RootKind::kStack:
    case RootKind::kPinnedStack:
      if (root.method == 0) return "stack";
      return "stack " + MethodDisplayName(model.dictionaries, root.method);
    case RootKind::kFinalizerQueue:
      return "finalizer queue";
    case RootKind::kStrongHandle:
      return "strong handle";
    case RootKind::kPinnedHandle:
      return "pinned handle";
    case RootKind::kRefcountedHandle:
      return "refcounted handle";
    case RootKind::kWeakHandle:
      return "weak handle";
    case RootKind::kOther:
      break;
  }
  return "root";
}

std::string JoinSlot(std::string_view type, std::string_view slot) {
  if (!slot.starts_with('[') || !type.ends_with(']')) return std::string(type) + std::string(slot);
  // The first of the brackets at the end belongs to the outermost array.
  size_t open = type.size();
  while (open > 0 && type[open - 1] == ']') {
    const size_t bracket = type.find_last_not_of(',', open - 2);
    if (bracket == std::string_view::npos || type[bracket] != '[') break;
    open = bracket;
  }
  if (open == type.size()) return std::string(type) + std::string(slot);
  const size_t close = type.find(']', open);
  const size_t element_end = slot.find(']');
  std::string out(type.substr(0, open));
  out += slot.substr(0, element_end + 1);
  out += type.substr(close + 1);
  return out + std::string(slot.substr(element_end + 1));
}

std::vector<std::string> PathParts(const HeapModel& model, const SlotNames& names,
                                   const RootPaths& paths, ObjectId id, size_t max_parts) {
  if (!paths.IsReachable(id)) {
    const HeapClass& type = model.graph.classes()[model.graph.ClassOf(id)];
    return {"(unreachable)", TypeBriefName(model.dictionaries, type.type)};
  }
  return PathWriter(model, names, paths, id).Parts(max_parts);
}

}  // namespace hindsight::analyzer
