#include "analyzer/analyses/heap/leaks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyzer/analyses/heap/held_by_framework.h"
#include "analyzer/analyses/heap/leak_candidate.h"
#include "analyzer/analyses/heap/leak_evidence.h"
#include "analyzer/analyses/places/type_owners.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

constexpr int kMostDominators = 64;  // inspected on the way up

class Leaks {
 public:
  Leaks(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
        const Dominators& dominators, const DominatorTree& tree, const LeakRules& rules)
      : model_(model),
        owners_(model),
        graph_(model.graph),
        names_(names),
        paths_(paths),
        dominators_(dominators),
        tree_(tree),
        sources_(model, dominators, rules.same_callers) {
    report_.rules = rules;
    report_.reachable_objects = dominators.reachable_objects;
    report_.reachable_bytes = dominators.reachable_bytes;
  }

  LeakReport Analyze() {
    Collect();
    std::vector<LeakCandidate*> ranked;
    for (auto& [signature, candidate] : candidates_) ranked.push_back(&candidate);
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const LeakCandidate* a, const LeakCandidate* b) {
                       return a->first.retained > b->first.retained;
                     });
    report_.accumulations = ranked.size();
    std::vector<std::pair<const LeakCandidate*, std::string>> cleared;
    std::vector<std::string> suspected;  // signatures
    std::vector<LeakCandidate*> few;     // suspects, unless they lead to another one
    const auto suspect = [&](const LeakCandidate& candidate) {
      suspected.push_back(candidate.path.Signature());
      LeakSuspect made = Suspect(candidate);
      if (report_.suspects.size() < LeakReport::kMostSources && !model_.survivors.samples.empty()) {
        made.source = sources_.Of(candidate.first.type, candidate.owner_ids, made.type);
      }
      report_.suspects.push_back(std::move(made));
    };
    const auto is_around_suspect = [&](const LeakCandidate& candidate) {
      const std::string signature = candidate.AccumulationSignature();
      return std::any_of(suspected.begin(), suspected.end(),
                         [&](const std::string& inner) { return inner.starts_with(signature); });
    };
    for (LeakCandidate* candidate : ranked) {
      if (std::optional<std::string> reason = WhyNot(*candidate)) {
        if (IsLarge(*candidate)) cleared.emplace_back(candidate, std::move(*reason));
      } else if (IsFew(*candidate)) {
        few.push_back(candidate);
      } else {
        suspect(*candidate);
      }
    }
    for (LeakCandidate* candidate : few) {
      if (!is_around_suspect(*candidate)) suspect(*candidate);
    }
    std::stable_sort(
        report_.suspects.begin(), report_.suspects.end(),
        [](const LeakSuspect& a, const LeakSuspect& b) { return a.retained > b.retained; });
    for (auto& [candidate, reason] : cleared) {
      if (report_.cleared.size() == report_.rules.most_cleared) break;
      if (is_around_suspect(*candidate)) continue;
      report_.cleared.push_back({.path = candidate->path,
                                 .type = TypeOf(candidate->contents.chain.back()),
                                 .count = candidate->first.count,
                                 .retained = candidate->first.retained,
                                 .share = Share(candidate->first.retained),
                                 .reason = std::move(reason)});
    }
    return std::move(report_);
  }

 private:
  void Collect() {
    AccumulationLimits limits;
    limits.enough = report_.rules.min_count;
    fewest_ = std::min(report_.rules.few_count, report_.rules.few_of_a_shape);
    limits.min_count = std::max<uint64_t>(2, fewest_ / report_.rules.parts);
    limits.min_retained =
        std::max(limits.min_retained, dominators_.reachable_bytes / report_.rules.parts_of_heap);
    std::vector<Accumulation> found = FindAccumulations(graph_, dominators_, tree_, paths_, limits);
    std::stable_sort(found.begin(), found.end(), [](const Accumulation& a, const Accumulation& b) {
      return a.retained > b.retained;
    });
    const HeldByFramework held(model_, names_, owners_, dominators_);
    held.PutYoursFirst(found, fewest_, report_.rules.most_beside);
    std::map<ObjectId, LeakCandidate*> of_owner;
    for (Accumulation& one : found) {
      const bool is_collection = held.Is(one);
      if (is_collection) {  // keys next to values
        if (const auto other = of_owner.find(one.owner); other != of_owner.end()) {
          if (one.count >= fewest_) {
            other->second->beside.emplace_back(graph_.classes()[one.type].type, one.count);
          }
          continue;
        }
      }
      LeakCandidate* candidate = Merge(std::move(one));
      if (candidate != nullptr && is_collection) of_owner[candidate->first.owner] = candidate;
    }
    JoinParts();
    std::erase_if(candidates_, [this](const auto& entry) {
      const Accumulation& whole = entry.second.first;
      return whole.count < fewest_ && !IsPlainArray(graph_.classes()[whole.type]);
    });
  }

  static bool IsOfTimers(LeakKind kind) {
    return kind == LeakKind::kTimers || kind == LeakKind::kTimeouts ||
           kind == LeakKind::kTimeoutCallbacks;
  }

  // Identifies accumulations that are parts of one: by the field that leads there through framework
  // objects alone, and by what accumulates. For timers, the runtime's lists do not count as owners.
  using PartKey = std::tuple<bool, ObjectId, SlotKey, TypeId, ClassIndex>;
  std::optional<PartKey> PartOf(const LeakCandidate& candidate) const {
    const TypeId type = TypeOf(candidate.contents.chain.back());
    const LeakKind kind = candidate.traits.kind;
    if (IsOfTimers(kind)) {
      if (kind != LeakKind::kTimeouts && owners_.IsFramework(type)) return std::nullopt;
      return PartKey{true, kNoObject, SlotKey{}, type, candidate.first.type};
    }
    const OwnerPath& path = candidate.path;
    for (size_t i = candidate.place + 1; i-- > 0;) {
      const OwnerStep& step = path.steps[i];
      if (step.kind == OwnerStep::Kind::kStatic) {
        const TypeId owner = graph_.statics()[step.key.owner].type;
        if (owners_.IsFramework(owner)) return std::nullopt;
        return PartKey{false, kNoObject, step.key, type, candidate.first.type};
      }
      if (i == 0 || step.kind != OwnerStep::Kind::kField) return std::nullopt;
      const ObjectId holder = path.objects[i - 1];
      const bool is_array =
          graph_.classes()[graph_.ClassOf(holder)].kind == HeapClass::Kind::kArray;
      if (is_array || owners_.IsFramework(step.from)) continue;
      return PartKey{false, holder, step.key, type, candidate.first.type};
    }
    return std::nullopt;
  }

  void JoinParts() {
    std::vector<std::map<std::string, LeakCandidate>::iterator> ranked;
    for (auto it = candidates_.begin(); it != candidates_.end(); ++it) ranked.push_back(it);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
      return a->second.first.retained > b->second.first.retained;
    });
    std::map<PartKey, LeakCandidate*> wholes;
    for (const auto& part : ranked) {
      const std::optional<PartKey> key = PartOf(part->second);
      if (!key) continue;
      const auto [place, is_new] = wholes.try_emplace(*key, &part->second);
      if (is_new) continue;
      Absorb(*place->second, part->second);
      candidates_.erase(part);
    }
  }

  // A static field says more about where they are than a frame that also leads there.
  void Absorb(LeakCandidate& whole, LeakCandidate& part) {
    const auto is_static = [](const LeakCandidate& candidate) {
      return candidate.path.steps.front().kind == OwnerStep::Kind::kStatic;
    };
    if (is_static(part) && !is_static(whole)) {
      std::swap(whole.path, part.path);
      std::swap(whole.place, part.place);
      std::swap(whole.contents, part.contents);
      std::swap(whole.traits, part.traits);
      std::swap(whole.past, part.past);
    }
    whole.first.count += part.first.count;
    whole.first.direct += part.first.direct;
    whole.first.bytes += part.first.bytes;
    whole.first.retained += part.first.retained;
    whole.contents.held_alone = std::min(whole.contents.held_alone, part.contents.held_alone);
    whole.owner_ids.insert(part.owner_ids.begin(), part.owner_ids.end());
  }

  LeakCandidate* Merge(Accumulation one) {
    LeakCandidate candidate;
    if (!FindPath(one, candidate)) return nullptr;
    std::string signature = candidate.path.Signature();
    candidate.first = std::move(one);
    candidate.owner_ids = {candidate.first.owner};
    const auto place = candidates_.find(signature);
    if (place == candidates_.end()) {
      candidate.traits = ClassifyAccumulation(model_, names_, candidate.first, candidate.path,
                                              candidate.place, candidate.contents.nested);
      candidate.past = PastOf(model_, candidate.traits.container);
      return &candidates_.emplace(std::move(signature), std::move(candidate)).first->second;
    }
    LeakCandidate& all = place->second;
    // What one of these objects holds in turn is counted with it.
    const ObjectId owner = candidate.first.owner;
    if (owner != kSuperRoot && graph_.ClassOf(owner) == all.first.type) return &all;
    all.first.count += candidate.first.count;
    all.first.bytes += candidate.first.bytes;
    all.first.retained += candidate.first.retained;
    all.contents.held_alone = std::min(all.contents.held_alone, candidate.contents.held_alone);
    ++all.owners;
    all.owner_ids.insert(candidate.first.owner);
    return &all;
  }

  bool FindPath(const Accumulation& one, LeakCandidate& candidate) {
    if (one.sample.empty()) return false;
    const bool is_shared = one.owner == kSuperRoot && one.root == nullptr;
    const ObjectId example = is_shared ? CommonExample(one, candidate) : ExampleOf(one);
    std::vector<ObjectId> objects = paths_.PathTo(example);
    if (objects.empty()) return false;
    candidate.contents = InspectAccumulation(model_, owners_, dominators_, tree_, one, example,
                                             report_.rules.same_contents);
    objects.insert(objects.end(), candidate.contents.chain.begin() + 1,
                   candidate.contents.chain.end());
    candidate.path = MakeOwnerPath(model_, names_, paths_, objects);
    const std::vector<ObjectId>& on_path = candidate.path.objects;
    candidate.place = static_cast<size_t>(std::ranges::find(on_path, example) - on_path.begin());
    if (candidate.place == on_path.size()) return false;
    return true;
  }

  // For a chain, a later object, whose path shows the link.
  static ObjectId ExampleOf(const Accumulation& one) {
    return one.direct == 1 && one.sample.size() > 1 ? one.sample[1] : one.sample[0];
  }

  // No object holds all: picks one that is held in the same way as most of the inspected ones. A
  // list that is linked both ways may be held at both ends; then the path to either half is
  // shorter.
  ObjectId CommonExample(const Accumulation& one, LeakCandidate& candidate) const {
    std::map<std::string, std::pair<uint64_t, ObjectId>> by_path;
    std::map<ObjectId, uint64_t> by_entry;  // the first of that class on the path
    for (const ObjectId id : one.sample) {
      const std::vector<ObjectId> objects = paths_.PathTo(id);
      if (objects.empty()) continue;
      ++by_entry[*std::ranges::find(objects, one.type,
                                    [this](ObjectId at) { return graph_.ClassOf(at); })];
      auto& same = by_path[MakeOwnerPath(model_, names_, paths_, objects).Signature()];
      if (++same.first == 1) same.second = id;
    }
    std::pair<uint64_t, ObjectId> best{0, one.sample[0]};
    for (const auto& [signature, same] : by_path) {
      if (same.first > best.first) best = same;
    }
    std::vector<uint64_t> entries;
    for (const auto& [entry, count] : by_entry) entries.push_back(count);
    std::ranges::sort(entries, std::greater<>());
    const uint64_t of_list = entries.size() < 2 ? 0 : entries[0] + entries[1];
    candidate.is_scattered = static_cast<double>(std::max(best.first, of_list)) <
                             report_.rules.most * static_cast<double>(one.sample.size());
    return best.second;
  }

  // A clause; nullopt for a suspect.
  std::optional<std::string> WhyNot(const LeakCandidate& candidate) const {
    const Accumulation& of = candidate.first;
    const bool is_handle = candidate.traits.kind == LeakKind::kHandles;
    const bool is_plain = IsPlainArray(graph_.classes()[of.type]), is_most = IsMostOfTheHeap(of);
    const bool is_much = is_most || IsMuchOfAShape(candidate) || IsMuchOfYours(candidate);
    if (of.count < report_.rules.min_count && !is_most && (is_plain || !is_much)) {
      return is_plain && of.count < report_.rules.few_count
                 ? "few large arrays: buffers or tables"
                 : "only " + FormatCount(of.count) + " of them";
    }
    if (is_plain && of.owner == kSuperRoot && of.root == nullptr) {
      return "memory shared by several owners";
    }
    if (candidate.is_scattered && !IsOfTimers(candidate.traits.kind)) return "no common owner";
    const bool may_be_frameworks = (is_most && !is_plain) || (is_handle && is_plain) ||
                                   candidate.traits.kind == LeakKind::kTimeouts ||
                                   candidate.traits.kind == LeakKind::kInterned ||
                                   IsPutThereByYou(candidate);
    if (!may_be_frameworks && IsFrameworks(candidate)) {
      return "owned by the framework, from the root down";
    }
    if (IsShape(candidate.traits.kind)) {
      if (of.retained >= report_.rules.min_shape_bytes) return std::nullopt;
      return "less than " + FormatBytes(report_.rules.min_shape_bytes);
    }
    if (!IsLarge(candidate)) return "too small";
    if (const auto limit = SizeLimitOf(model_, candidate.path)) {
      return "a MemoryCache with a size limit of " + FormatCount(*limit);
    }
    if (candidate.past.kind == CollectionPast::Kind::kEntriesLeft) {
      return candidate.past.Clause();
    }
    return std::nullopt;
  }

  bool IsLarge(const LeakCandidate& candidate) const {
    return candidate.first.retained >= report_.rules.min_bytes &&
           Share(candidate.first.retained) >= report_.rules.min_share;
  }

  bool IsMuchOfAShape(const LeakCandidate& candidate) const {
    return IsShape(candidate.traits.kind) &&
           candidate.first.count >= report_.rules.few_of_a_shape && IsLarge(candidate) &&
           Share(candidate.first.retained) >= report_.rules.large_share;
  }

  // Whether there are so few that only their being the application's makes them suspects.
  bool IsFew(const LeakCandidate& candidate) const {
    return candidate.first.count < report_.rules.min_count && !IsMuchOfAShape(candidate);
  }

  // Whether there are few, but with a large share of the heap, and of the application's own type:
  // also as an argument, as in Channel<Order>. Or whether its collection holds them: compiled
  // regexes, documents.
  bool IsMuchOfYours(const LeakCandidate& candidate) const {
    const TypeId type = TypeOf(candidate.contents.chain.back());
    return candidate.first.count >= report_.rules.few_count && IsLarge(candidate) &&
           Share(candidate.first.retained) >= report_.rules.few_share &&
           (!owners_.IsFrameworkAltogether(type) || IsInYourCollection(candidate));
  }

  bool IsInYourCollection(const LeakCandidate& candidate) const {
    const std::vector<ObjectId>& objects = candidate.path.objects;
    const auto at = std::ranges::find(objects, candidate.traits.container);
    if (at == objects.end()) return false;
    const OwnerStep& step = candidate.path.steps[static_cast<size_t>(at - objects.begin())];
    if (step.kind == OwnerStep::Kind::kField) return owners_.IsYours(step.from);
    return step.kind == OwnerStep::Kind::kStatic &&
           owners_.IsYours(graph_.statics()[step.key.owner].type);
  }

  // Of the framework, but not by the framework alone.
  bool IsPutThereByYou(const LeakCandidate& candidate) const {
    const ObjectId object = candidate.contents.chain.back();
    const std::string_view type = RawTypeName(model_.dictionaries, TypeOf(object));
    if (type == "Microsoft.Extensions.Caching.Memory.CacheEntry") return true;
    if (!type.starts_with("System.Threading.CancellationTokenSource+Linked")) return false;
    const std::optional<ObjectId> registrations = FieldOf(model_, object, "_registrations");
    return !registrations || !FieldOf(model_, *registrations, "Callbacks");
  }

  // So much that the framework, too, has it only because the application asked for it.
  bool IsMostOfTheHeap(const Accumulation& of) const {
    return of.count >= report_.rules.few_count && of.retained >= report_.rules.most_bytes &&
           Share(of.retained) >= report_.rules.most_of_heap;
  }

  bool IsFrameworks(const LeakCandidate& candidate) const {
    for (const OwnerStep& step : candidate.path.steps) {
      if (!owners_.IsFrameworkAltogether(step.to)) return false;
      if (step.kind != OwnerStep::Kind::kStatic && step.kind != OwnerStep::Kind::kThreadStatic) {
        continue;
      }
      const HeapStaticField& field = graph_.statics()[step.key.owner];
      if (!owners_.IsFramework(field.type)) return false;
    }
    return true;
  }

  LeakSuspect Suspect(const LeakCandidate& candidate) {
    LeakSuspect suspect;
    suspect.kind = candidate.traits.kind;
    suspect.kind_name = candidate.traits.name;
    suspect.path = candidate.path;
    suspect.example = candidate.contents.chain.back();
    suspect.type = TypeOf(suspect.example);
    // Nodes and slots may be empty.
    suspect.count = std::min(candidate.first.count, ReachableOf(suspect.type));
    suspect.retained = candidate.first.retained;
    suspect.share = Share(candidate.first.retained);
    suspect.owners = candidate.owners;
    suspect.advice = AdviceFor(suspect.kind, suspect.kind_name);
    Grade(candidate, suspect);
    if (suspect.kind == LeakKind::kCache) {
      suspect.expiry = ExpiryOf(model_, dominators_, suspect.path);
    }
    if (suspect.expiry) {
      suspect.evidence.push_back(ExpirySentence(*suspect.expiry));
      suspect.advice = ExpiryAdvice(*suspect.expiry);
    }
    return suspect;
  }

  void Grade(const LeakCandidate& candidate, LeakSuspect& suspect) const {
    const std::string type = TypeBriefName(model_.dictionaries, suspect.type);
    const bool is_shape = IsShape(suspect.kind);
    double alone = candidate.contents.held_alone;
    suspect.evidence = EvidenceOf(model_, candidate, suspect);
    if (suspect.kind == LeakKind::kHandles) alone = HeldAlone(candidate.first);
    if (is_shape) {
      const bool is_alone = alone >= report_.rules.nearly_all;
      suspect.confidence = IsFew(candidate) ? LeakConfidence::kLow
                           : is_alone       ? LeakConfidence::kHigh
                                            : LeakConfidence::kMedium;
      suspect.evidence.push_back(is_alone ? "Nothing else holds these " + type + " objects."
                                          : "Many of them are also held elsewhere.");
    } else {
      const bool is_sure = candidate.past.kind == CollectionPast::Kind::kOnlyGrew ||
                           suspect.share >= report_.rules.large_share;
      // Many may be pending at once; literals are in the same table.
      const bool may_be_fine =
          suspect.kind == LeakKind::kTimeouts || suspect.kind == LeakKind::kInterned;
      suspect.confidence =
          is_sure && !IsFew(candidate) && !candidate.traits.is_local && !may_be_fine
              ? LeakConfidence::kMedium
              : LeakConfidence::kLow;
      if (candidate.traits.is_local) {
        suspect.evidence.push_back(
            "It is a local of a running method, which may be work in progress.");
      }
      if (!candidate.past.sentence.empty()) suspect.evidence.push_back(candidate.past.sentence);
      if (candidate.first.owner == kSuperRoot &&
          candidate.traits.kind != LeakKind::kFinalizerQueue) {
        suspect.evidence.push_back("They have several owners; this is the shortest path to most.");
      }
    }
    for (const auto& [beside, number] : candidate.beside) {
      suspect.evidence.push_back("There are also " + FormatCount(number) + " " +
                                 TypeBriefName(model_.dictionaries, beside) + " objects.");
    }
  }

  // Of the inspected objects of the accumulation, the share that no other object refers to.
  double HeldAlone(const Accumulation& accumulation) const {
    std::map<ObjectId, bool> is_alone;
    for (const ObjectId id : accumulation.sample) is_alone[id] = true;
    for (ObjectId id = 0; id < graph_.size(); ++id) {
      if (!dominators_.IsReachable(id)) continue;
      for (const ObjectId target : graph_.References(id)) {
        if (graph_.ClassOf(target) != accumulation.type || target == id) continue;
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

  double Share(uint64_t bytes) const {
    return report_.reachable_bytes == 0
               ? 0
               : static_cast<double>(bytes) / static_cast<double>(report_.reachable_bytes);
  }
  // The number of objects of the type, without garbage.
  uint64_t ReachableOf(TypeId type) {
    if (reachable_.empty()) {
      for (ObjectId id = 0; id < graph_.size(); ++id) {
        if (dominators_.IsReachable(id)) ++reachable_[TypeOf(id)];
      }
    }
    return reachable_[type];
  }
  TypeId TypeOf(ObjectId id) const { return graph_.classes()[graph_.ClassOf(id)].type; }

  const HeapModel& model_;
  const TypeOwners owners_;
  const HeapGraph& graph_;
  const SlotNames& names_;
  const RootPaths& paths_;
  const Dominators& dominators_;
  const DominatorTree& tree_;
  LeakSources sources_;
  uint64_t fewest_ = 0;  // smallest count of an accumulation with all its parts
  std::map<std::string, LeakCandidate> candidates_;  // by signature
  std::unordered_map<TypeId, uint64_t> reachable_;   // objects; empty: not counted yet
  LeakReport report_;
};

}  // namespace

LeakReport AnalyzeLeaks(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                        const Dominators& dominators, const DominatorTree& tree,
                        const LeakRules& rules) {
  return Leaks(model, names, paths, dominators, tree, rules).Analyze();
}

}  // namespace hindsight::analyzer
