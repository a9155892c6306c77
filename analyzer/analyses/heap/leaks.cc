#include "analyzer/analyses/heap/leaks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analyzer/analyses/heap/accumulations.h"
#include "analyzer/analyses/heap/leak_kinds.h"
#include "analyzer/analyses/heap/pile_contents.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

constexpr int kMostDominators = 64;  // looked at on the way up

// Piles that are held in the same way.
struct Pile {
  Accumulation first;  // the largest; count, bytes and retained are those of all
  PileContents contents;
  OwnerPath path;
  size_t place = 0;  // step of path that leads to the pile's own object
  PileTraits traits;
  CollectionPast past;
  uint64_t owners = 1;
  std::set<ObjectId> owner_ids;  // of the accumulations: kSuperRoot, or objects
  bool is_scattered = false;     // no single object holds all, nor does one way lead to most
  std::vector<std::pair<TypeId, uint64_t>> beside;  // other piles below the same object
};

class Leaks {
 public:
  Leaks(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
        const Dominators& dominators, const DominatorTree& tree, const LeakRules& rules)
      : model_(model),
        graph_(model.graph),
        names_(names),
        paths_(paths),
        dominators_(dominators),
        tree_(tree),
        sources_(model, dominators) {
    report_.rules = rules;
    report_.reachable_objects = dominators.reachable_objects;
    report_.reachable_bytes = dominators.reachable_bytes;
  }

  LeakReport Analyze() {
    Collect();
    std::vector<Pile*> ranked;
    for (auto& [signature, pile] : piles_) ranked.push_back(&pile);
    std::stable_sort(ranked.begin(), ranked.end(), [](const Pile* a, const Pile* b) {
      return a->first.retained > b->first.retained;
    });
    report_.piles = ranked.size();
    std::vector<std::pair<const Pile*, std::string>> cleared;
    std::vector<std::string> suspected;  // signatures
    std::vector<Pile*> few;              // suspects, unless they are the way to another one
    const auto suspect = [&](const Pile& pile) {
      suspected.push_back(pile.path.Signature());
      LeakSuspect made = Suspect(pile);
      if (report_.suspects.size() < LeakReport::kMostSources && !model_.survivors.samples.empty()) {
        made.source = sources_.Of(pile.first.type, pile.owner_ids, made.type);
      }
      report_.suspects.push_back(std::move(made));
    };
    const auto is_around_suspect = [&](const Pile& pile) {
      const std::string signature = PileSignature(pile);
      return std::any_of(suspected.begin(), suspected.end(),
                         [&](const std::string& inner) { return inner.starts_with(signature); });
    };
    for (Pile* pile : ranked) {
      if (std::optional<std::string> reason = WhyNot(*pile)) {
        if (IsLarge(*pile)) cleared.emplace_back(pile, std::move(*reason));
      } else if (IsFew(*pile)) {
        few.push_back(pile);
      } else {
        suspect(*pile);
      }
    }
    for (Pile* pile : few) {
      if (!is_around_suspect(*pile)) suspect(*pile);
    }
    std::stable_sort(
        report_.suspects.begin(), report_.suspects.end(),
        [](const LeakSuspect& a, const LeakSuspect& b) { return a.retained > b.retained; });
    for (auto& [pile, reason] : cleared) {
      if (report_.cleared.size() == report_.rules.most_cleared) break;
      if (is_around_suspect(*pile)) continue;
      report_.cleared.push_back({.path = pile->path,
                                 .type = TypeOf(pile->contents.chain.back()),
                                 .count = pile->first.count,
                                 .retained = pile->first.retained,
                                 .share = Share(pile->first.retained),
                                 .reason = std::move(reason)});
    }
    return std::move(report_);
  }

 private:
  void Collect() {
    AccumulationLimits limits;
    limits.enough = report_.rules.min_count;
    limits.min_count = std::min(report_.rules.few_count, report_.rules.few_of_a_shape);
    limits.min_retained =
        std::max(limits.min_retained, dominators_.reachable_bytes / report_.rules.piles_of_heap);
    std::vector<Accumulation> found = FindAccumulations(graph_, dominators_, tree_, paths_, limits);
    std::stable_sort(found.begin(), found.end(), [](const Accumulation& a, const Accumulation& b) {
      return a.retained > b.retained;
    });
    std::map<ObjectId, Pile*> of_owner;
    for (Accumulation& one : found) {
      const bool is_collection = one.owner != kSuperRoot && !names_.HoldsStatics(one.owner) &&
                                 IsFrameworkType(model_.dictionaries, TypeOf(one.owner));
      if (is_collection) {  // keys beside values
        if (const auto other = of_owner.find(one.owner); other != of_owner.end()) {
          other->second->beside.emplace_back(graph_.classes()[one.type].type, one.count);
          continue;
        }
      }
      Pile* pile = Merge(std::move(one));
      if (pile != nullptr && is_collection) of_owner[pile->first.owner] = pile;
    }
  }

  Pile* Merge(Accumulation one) {
    Pile pile;
    if (!FindPath(one, pile)) return nullptr;
    std::string signature = pile.path.Signature();
    pile.first = std::move(one);
    pile.owner_ids = {pile.first.owner};
    const auto place = piles_.find(signature);
    if (place == piles_.end()) {
      pile.traits = ClassifyPile(model_, names_, pile.first, pile.path, pile.place);
      pile.past = PastOf(model_, pile.traits.container);
      return &piles_.emplace(std::move(signature), std::move(pile)).first->second;
    }
    Pile& all = place->second;
    all.first.count += pile.first.count;
    all.first.bytes += pile.first.bytes;
    all.first.retained += pile.first.retained;
    all.contents.held_alone = std::min(all.contents.held_alone, pile.contents.held_alone);
    ++all.owners;
    all.owner_ids.insert(pile.first.owner);
    return &all;
  }

  bool FindPath(const Accumulation& one, Pile& pile) {
    if (one.sample.empty()) return false;
    const bool is_shared = one.owner == kSuperRoot && one.root == nullptr;
    const ObjectId example = is_shared ? CommonExample(one, pile) : ExampleOf(one);
    std::vector<ObjectId> objects = paths_.PathTo(example);
    if (objects.empty()) return false;
    pile.contents = LookIntoPile(model_, dominators_, tree_, one, example);
    objects.insert(objects.end(), pile.contents.chain.begin() + 1, pile.contents.chain.end());
    pile.path = MakeOwnerPath(model_, names_, paths_, objects);
    const std::vector<ObjectId>& on_path = pile.path.objects;
    const auto at = std::find(on_path.begin(), on_path.end(), example);
    if (at == on_path.end()) return false;
    pile.place = static_cast<size_t>(at - on_path.begin());
    return true;
  }

  // Of a chain a later one, whose way shows the link.
  static ObjectId ExampleOf(const Accumulation& one) {
    return one.direct == 1 && one.sample.size() > 1 ? one.sample[1] : one.sample[0];
  }

  // No object holds all: one that is held as most of those looked at are.
  ObjectId CommonExample(const Accumulation& one, Pile& pile) const {
    std::map<std::string, std::pair<uint64_t, ObjectId>> ways;
    for (const ObjectId id : one.sample) {
      const std::vector<ObjectId> objects = paths_.PathTo(id);
      if (objects.empty()) continue;
      auto& way = ways[MakeOwnerPath(model_, names_, paths_, objects).Signature()];
      if (++way.first == 1) way.second = id;
    }
    std::pair<uint64_t, ObjectId> best{0, one.sample[0]};
    for (const auto& [signature, way] : ways) {
      if (way.first > best.first) best = way;
    }
    pile.is_scattered = static_cast<double>(best.first) <
                        report_.rules.most * static_cast<double>(one.sample.size());
    return best.second;
  }

  // A clause; nothing for a suspect.
  std::optional<std::string> WhyNot(const Pile& pile) const {
    const Accumulation& of = pile.first;
    const HeapClass& type = graph_.classes()[of.type];
    const bool is_handle = pile.traits.kind == LeakKind::kHandles;
    const bool is_plain = type.slot_offsets.empty() && type.component_bytes != 0;
    const bool is_much = IsMuchOfAShape(pile) || IsMuchOfYours(pile);
    if (of.count < report_.rules.min_count && (is_plain || !is_much)) {
      return is_plain ? "few large arrays: buffers or tables"
                      : "only " + FormatCount(of.count) + " of them";
    }
    if (is_plain && of.owner == kSuperRoot && of.root == nullptr) {
      return "memory shared by several owners";
    }
    if (pile.is_scattered) return "no common owner";
    if (!(is_handle && is_plain) && IsFrameworks(pile)) {
      return "owned by the framework, from the root down";
    }
    if (pile.traits.kind < LeakKind::kThreadStatics) {
      if (of.retained >= report_.rules.min_shape_bytes) return std::nullopt;
      return "less than " + FormatBytes(report_.rules.min_shape_bytes);
    }
    if (!IsLarge(pile)) return "too small";
    if (pile.past.kind == CollectionPast::Kind::kEntriesLeft) {
      return Clause(pile.past.sentence);
    }
    return std::nullopt;
  }

  // A sentence as part of another one.
  static std::string Clause(std::string sentence) {
    if (sentence.ends_with('.')) sentence.pop_back();
    if (!sentence.empty() && sentence[0] >= 'A' && sentence[0] <= 'Z') sentence[0] += 'a' - 'A';
    return sentence;
  }

  bool IsLarge(const Pile& pile) const {
    return pile.first.retained >= report_.rules.min_bytes &&
           Share(pile.first.retained) >= report_.rules.min_share;
  }

  bool IsMuchOfAShape(const Pile& pile) const {
    return pile.traits.kind < LeakKind::kThreadStatics &&
           pile.first.count >= report_.rules.few_of_a_shape && IsLarge(pile) &&
           Share(pile.first.retained) >= report_.rules.large_share;
  }

  // So few that they are suspects only because they are the application's.
  bool IsFew(const Pile& pile) const {
    return pile.first.count < report_.rules.min_count && !IsMuchOfAShape(pile);
  }

  // Few, of the application's own type, and a good part of the heap.
  bool IsMuchOfYours(const Pile& pile) const {
    const TypeId type = TypeOf(pile.contents.chain.back());
    return pile.first.count >= report_.rules.few_count && IsLarge(pile) &&
           Share(pile.first.retained) >= report_.rules.few_share &&
           !IsFrameworkType(model_.dictionaries, type);
  }

  bool IsFrameworks(const Pile& pile) const {
    for (const OwnerStep& step : pile.path.steps) {
      if (!IsFrameworkAltogether(model_.dictionaries, step.to)) return false;
      if (step.kind != OwnerStep::Kind::kStatic && step.kind != OwnerStep::Kind::kThreadStatic) {
        continue;
      }
      const HeapStaticField& field = graph_.statics()[step.key.owner];
      if (!IsFrameworkType(model_.dictionaries, field.type)) return false;
    }
    return true;
  }

  LeakSuspect Suspect(const Pile& pile) const {
    LeakSuspect suspect;
    suspect.kind = pile.traits.kind;
    suspect.kind_name = pile.traits.name;
    suspect.path = pile.path;
    suspect.example = pile.contents.chain.back();
    suspect.type = TypeOf(suspect.example);
    suspect.count = pile.first.count;
    suspect.retained = pile.first.retained;
    suspect.share = Share(pile.first.retained);
    suspect.owners = pile.owners;
    suspect.advice = AdviceFor(pile.traits.kind);
    Grade(pile, suspect);
    return suspect;
  }

  void Grade(const Pile& pile, LeakSuspect& suspect) const {
    const std::string count = FormatCount(suspect.count);
    const std::string type = TypeBriefName(model_.dictionaries, suspect.type);
    const bool is_shape = suspect.kind < LeakKind::kThreadStatics;
    double alone = pile.contents.held_alone;
    switch (suspect.kind) {
      case LeakKind::kEventHandlers:
        suspect.evidence.push_back(count + " handlers are subscribed to " + pile.traits.subject +
                                   ".");
        break;
      case LeakKind::kTimers:
        suspect.evidence.push_back(count + " timers are active and not disposed.");
        break;
      case LeakKind::kClosures:
        suspect.evidence.push_back(count + " callbacks with captured variables are registered in " +
                                   Subject(pile) + ".");
        break;
      case LeakKind::kHandles:
        alone = HeldAlone(pile.first);
        suspect.evidence.push_back(count + " objects are each held by a " +
                                   RootName(model_, *pile.first.root) + ".");
        break;
      default:
        if (pile.owners > 1) {
          suspect.evidence.push_back(count + " objects in " + FormatCount(pile.owners) +
                                     " of them.");
        }
        suspect.evidence.push_back(Subject(pile) + " retains " + FormatPercent(suspect.share) +
                                   " of the heap.");
    }
    if (is_shape) {
      const bool is_alone = alone >= report_.rules.nearly_all;
      suspect.confidence = IsFew(pile) ? LeakConfidence::kLow
                           : is_alone  ? LeakConfidence::kHigh
                                       : LeakConfidence::kMedium;
      suspect.evidence.push_back(is_alone ? "Nothing else holds these " + type + " objects."
                                          : "Many of them are also held elsewhere.");
    } else {
      const bool is_sure = pile.past.kind == CollectionPast::Kind::kOnlyGrew ||
                           suspect.share >= report_.rules.large_share;
      suspect.confidence = is_sure && !IsFew(pile) && !pile.traits.is_local
                               ? LeakConfidence::kMedium
                               : LeakConfidence::kLow;
      if (pile.traits.is_local) {
        suspect.evidence.push_back(
            "It is a local of a running method, which may be work in progress.");
      }
      if (!pile.past.sentence.empty()) suspect.evidence.push_back(pile.past.sentence);
      if (pile.first.owner == kSuperRoot) {
        suspect.evidence.push_back("They have several owners; this is the shortest path to most.");
      }
    }
    for (const auto& [beside, number] : pile.beside) {
      suspect.evidence.push_back("There are also " + FormatCount(number) + " " +
                                 TypeBriefName(model_.dictionaries, beside) + " objects.");
    }
  }

  std::string Subject(const Pile& pile) const {
    return pile.traits.subject.empty() ? "a " + pile.traits.name : pile.traits.subject;
  }

  // Of the pile's objects that were looked at, the share that no other object refers to.
  double HeldAlone(const Accumulation& pile) const {
    std::map<ObjectId, bool> is_alone;
    for (const ObjectId id : pile.sample) is_alone[id] = true;
    for (ObjectId id = 0; id < graph_.size(); ++id) {
      if (!dominators_.IsReachable(id)) continue;
      for (const ObjectId target : graph_.References(id)) {
        if (graph_.ClassOf(target) != pile.type || target == id) continue;
        const auto place = is_alone.find(target);
        if (place != is_alone.end() && !IsBelow(id, target)) place->second = false;
      }
    }
    const auto alone = std::count_if(is_alone.begin(), is_alone.end(),
                                     [](const auto& entry) { return entry.second; });
    return static_cast<double>(alone) / static_cast<double>(is_alone.size());
  }

  bool IsBelow(ObjectId id, ObjectId top) const {
    for (int i = 0; i < kMostDominators && id < graph_.size(); ++i) {
      if (id == top) return true;
      id = dominators_.immediate[id];
    }
    return false;
  }

  // Of the path as far as the pile's own object.
  static std::string PileSignature(const Pile& pile) {
    OwnerPath path;
    path.steps.assign(pile.path.steps.begin(),
                      pile.path.steps.begin() + static_cast<long>(pile.place) + 1);
    return path.Signature();
  }

  double Share(uint64_t bytes) const {
    return report_.reachable_bytes == 0
               ? 0
               : static_cast<double>(bytes) / static_cast<double>(report_.reachable_bytes);
  }
  TypeId TypeOf(ObjectId id) const { return graph_.classes()[graph_.ClassOf(id)].type; }

  const HeapModel& model_;
  const HeapGraph& graph_;
  const SlotNames& names_;
  const RootPaths& paths_;
  const Dominators& dominators_;
  const DominatorTree& tree_;
  LeakSources sources_;
  std::map<std::string, Pile> piles_;  // by signature
  LeakReport report_;
};

}  // namespace

LeakReport AnalyzeLeaks(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                        const Dominators& dominators, const DominatorTree& tree,
                        const LeakRules& rules) {
  return Leaks(model, names, paths, dominators, tree, rules).Analyze();
}

}  // namespace hindsight::analyzer
