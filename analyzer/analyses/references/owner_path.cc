#include "analyzer/analyses/references/owner_path.h"

#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

constexpr SlotKey kDependentKey{SlotKey::Kind::kDependent, 0, 0};

class Maker {
 public:
  Maker(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
        const std::vector<ObjectId>& objects)
      : model_(model), names_(names), paths_(paths), objects_(objects) {}

  OwnerPath Make() {
    if (objects_.empty()) return {};
    size_t at = AddStart();
    while (at + 1 < objects_.size()) {
      size_t next = at + 1;
      while (next + 1 < objects_.size() && ClassAt(next) == ClassAt(at) &&
             ClassAt(next + 1) == ClassAt(at)) {
        ++next;
      }
      OwnerStep step;
      step.key = KeyOf(objects_[at], objects_[at + 1]);
      step.from = TypeAt(at);
      Add(step, objects_[next]);
      at = next;
    }
    return std::move(path_);
  }

 private:
  // The first step. The path begins at the last static field or service container on it: before a
  // static field there are only objects of the runtime, and a container is found in many ways.
  // Returns the index of the object that the step leads to.
  size_t AddStart() {
    for (size_t i = objects_.size(); i-- > 0;) {
      if (AddStatic(i)) return i + 1;
      if (i + 1 == objects_.size() || !names_.IsServiceContainer(objects_[i])) continue;
      OwnerStep step;
      step.kind = OwnerStep::Kind::kServiceContainer;
      Add(step, objects_[i]);
      return i;
    }
    OwnerStep step;
    step.kind = OwnerStep::Kind::kRoot;
    if (const HeapRoot* root = paths_.Root(objects_[0])) {
      step.root = root->kind;
      step.method = root->method;
    }
    Add(step, objects_[0]);
    return 0;
  }

  // Whether objects_[i] leads on through a static field.
  bool AddStatic(size_t i) {
    if (i + 1 >= objects_.size() || !names_.HoldsStatics(objects_[i])) return false;
    const SlotKey key = KeyOf(objects_[i], objects_[i + 1]);
    if (key.kind != SlotKey::Kind::kStatic) return false;
    OwnerStep step;
    step.kind = model_.graph.statics()[key.owner].thread_os_id == 0
                    ? OwnerStep::Kind::kStatic
                    : OwnerStep::Kind::kThreadStatic;
    step.key = key;
    Add(step, objects_[i + 1]);
    return true;
  }

  void Add(OwnerStep step, ObjectId to) {
    step.to = model_.graph.classes()[model_.graph.ClassOf(to)].type;
    path_.steps.push_back(step);
    path_.objects.push_back(to);
  }

  SlotKey KeyOf(ObjectId holder, ObjectId target) const {
    const auto step = paths_.StepTo(holder, target);
    if (!step || step->is_dependent) return kDependentKey;
    return names_.ReferenceKey(holder, step->reference);
  }

  ClassIndex ClassAt(size_t i) const { return model_.graph.ClassOf(objects_[i]); }
  TypeId TypeAt(size_t i) const { return model_.graph.classes()[ClassAt(i)].type; }

  const HeapModel& model_;
  const SlotNames& names_;
  const RootPaths& paths_;
  const std::vector<ObjectId>& objects_;
  OwnerPath path_;
};

}  // namespace

std::string OwnerPath::Signature() const {
  std::string out;
  const auto append = [&](uint64_t number) {
    for (int i = 0; i < 8; ++i) out += static_cast<char>(number >> (8 * i));
  };
  for (const OwnerStep& step : steps) {
    out += static_cast<char>(step.kind);
    out += static_cast<char>(step.root);
    out += static_cast<char>(step.key.kind);
    // A type may have been loaded more than once: a field is identified by its type, not by its
    // class.
    const bool is_field = step.kind == OwnerStep::Kind::kField;
    append(uint64_t{is_field ? step.from : step.key.owner} << 32 | step.key.slot);
    append(uint64_t{step.method} << 32 | step.to);
  }
  return out;
}

OwnerPath MakeOwnerPath(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                        const std::vector<ObjectId>& objects) {
  return Maker(model, names, paths, objects).Make();
}

OwnerPhrases DescribeStep(const HeapModel& model, const SlotNames& names, const OwnerStep& step) {
  OwnerPhrases words{.from = {}, .field = {}, .to = TypeDisplayName(model.dictionaries, step.to)};
  if (step.kind == OwnerStep::Kind::kRoot) {
    words.from = RootName(model, {.object = kNoObject, .kind = step.root, .method = step.method});
    return words;
  }
  if (step.kind == OwnerStep::Kind::kServiceContainer) {
    words.from = kServiceContainer;
    return words;
  }
  words.field = names.Name(step.key);
  if (step.kind == OwnerStep::Kind::kField) {
    words.from = TypeDisplayName(model.dictionaries, step.from);
    return words;
  }
  words.from = step.kind == OwnerStep::Kind::kStatic ? "static" : "thread static";
  if (words.field.starts_with(words.from + " ")) words.field.erase(0, words.from.size() + 1);
  return words;
}

std::vector<std::string> OwnerParts(const HeapModel& model, const SlotNames& names,
                                    const OwnerPath& path) {
  std::vector<std::string> parts;
  for (const OwnerStep& step : path.steps) {
    switch (step.kind) {
      case OwnerStep::Kind::kRoot:
        parts.push_back(
            RootName(model, {.object = kNoObject, .kind = step.root, .method = step.method}));
        break;
      case OwnerStep::Kind::kServiceContainer:
        parts.emplace_back(kServiceContainer);
        break;
      case OwnerStep::Kind::kField:
        parts.push_back(
            JoinSlot(TypeBriefName(model.dictionaries, step.from), names.Name(step.key)));
        break;
      default:
        parts.push_back(names.Name(step.key));
    }
  }
  if (!path.steps.empty()) {
    parts.push_back(TypeBriefName(model.dictionaries, path.steps.back().to));
  }
  return parts;
}

}  // namespace hindsight::analyzer
