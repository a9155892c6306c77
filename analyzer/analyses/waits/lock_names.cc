#include "analyzer/analyses/waits/lock_names.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kStatic = "static ";
constexpr int kStaticRank = 0, kYoursRank = 1, kOthersRank = 2;

}  // namespace

LockNames::LockNames(const HeapModel& model, std::unordered_set<ObjectId> locks)
    : model_(model),
      slots_(model),
      kinds_(model.dictionaries, model.application),
      locks_(std::move(locks)) {}

bool LockNames::IsNamedByField(ObjectId object) {
  return !kinds_.IsYourType(model_.graph.classes()[model_.graph.ClassOf(object)].type);
}

LockNames::Field LockNames::FieldOf(ObjectId holder, size_t reference) {
  const HeapGraph& graph = model_.graph;
  const uint64_t slot = graph.SlotOfReference(holder, reference);
  const SlotKey key = slots_.Key(holder, slot);
  if (key.slot == SlotKey::kUnknownSlot || key.kind == SlotKey::Kind::kDependent) return {};
  std::string name = slots_.Name(key);
  if (key.kind == SlotKey::Kind::kStatic) {
    const size_t begin = name.find(kStatic);
    return {kStaticRank, begin == name.npos ? name : name.substr(begin + kStatic.size())};
  }
  if (!name.starts_with('.')) return {};  // an element
  const TypeId type = graph.classes()[graph.ClassOf(holder)].type;
  return {kinds_.IsYourType(type) ? kYoursRank : kOthersRank,
          TypeDisplayName(model_.dictionaries, type) + name};
}

void LockNames::FindFields() {
  is_found_ = true;
  const HeapGraph& graph = model_.graph;
  std::erase_if(locks_,
                [&](ObjectId object) { return object >= graph.size() || !IsNamedByField(object); });
  if (locks_.empty()) return;
  for (ObjectId holder = 0; holder < graph.size(); ++holder) {
    const std::span<const ObjectId> references = graph.References(holder);
    for (size_t n = 0; n < references.size(); ++n) {
      if (!locks_.contains(references[n])) continue;
      Field field = FieldOf(holder, n);
      if (field.name.empty()) continue;
      Field& best = fields_[references[n]];
      if (best.name.empty() || std::tie(field.rank, field.name) < std::tie(best.rank, best.name)) {
        best = std::move(field);
      }
    }
  }
}

std::string LockNames::Of(ObjectId lock) {
  if (!is_found_) FindFields();
  const auto found = fields_.find(lock);
  return found == fields_.end() ? std::string() : found->second.name;
}

std::unordered_map<uint64_t, std::string> NamesByLockId(const Model& events,
                                                        const HeapModel& model) {
  std::unordered_map<uint64_t, std::string> names;
  std::unordered_map<uint32_t, ObjectId> monitors;  // by thread
  for (const HeapThread& thread : model.graph.threads()) {
    if (thread.waiting_monitor != kNoObject) {
      monitors.emplace(thread.os_id, thread.waiting_monitor);
    }
  }
  if (monitors.empty()) return names;
  std::unordered_set<ObjectId> locks;
  for (const auto& [thread, monitor] : monitors) locks.insert(monitor);
  LockNames fields(model, std::move(locks));
  for (const ThreadSnapshot& look : events.waits.snapshots) {
    if (look.heap_snapshot != model.graph.facts.number) continue;
    for (const ThreadInSnapshot& thread : look.threads) {
      if (thread.waits_for == 0 || thread.thread >= events.threads.size()) continue;
      const auto monitor = monitors.find(events.threads[thread.thread].os_id);
      if (monitor == monitors.end()) continue;
      std::string name = fields.Of(monitor->second);
      if (!name.empty()) names.emplace(thread.waits_for, std::move(name));
    }
  }
  return names;
}

}  // namespace hindsight::analyzer
