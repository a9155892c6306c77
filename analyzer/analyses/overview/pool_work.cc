#include "analyzer/analyses/overview/pool_work.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "analyzer/analyses/places/type_owners.h"
#include "analyzer/analyses/waits/object_fields.h"
#include "analyzer/model/display_names.h"
#include "analyzer/naming/type_names.h"

namespace hindsight::analyzer {
namespace {

// A closure belongs to the class in which its lambdas are written.
std::string OwnerOf(const HeapModel& model, TypeId type) {
  constexpr std::string_view kClosure = ".closure";
  std::string name = TypeDisplayName(model.dictionaries, type);
  const std::string_view raw = model.dictionaries.String(model.dictionaries.type(type).name);
  const std::vector<naming::TypeSegment> segments = naming::SplitType(raw);
  const bool is_closure =
      !segments.empty() && segments.back().kind == naming::TypeSegment::Kind::kClosure;
  if (is_closure && name.ends_with(kClosure)) name.resize(name.size() - kClosure.size());
  return name;
}

}  // namespace

std::optional<PoolWork> MostWork(const HeapReports& heap) {
  using Stage = UnfinishedTask::Stage;
  const HeapModel& model = heap.model;
  const TaskGraph& tasks = heap.waits.tasks();
  const TypeOwners owners(model);
  ObjectFields fields(model);
  const ObjectFields::SlotName action = fields.Slot("m_action"), target_of = fields.Slot("_target");
  std::map<std::string, PoolWork> by_owner;
  uint64_t all = 0;
  for (const UnfinishedTask& task : tasks.tasks()) {
    if (task.type != RuntimeType::kTask ||
        (task.stage != Stage::kRunning && task.stage != Stage::kQueued)) {
      continue;
    }
    ++all;
    // Its delegate, and the delegate's target: an object, or a closure; for a static method, the
    // delegate itself.
    const ObjectId delegate = fields.Get(task.object, action);
    if (delegate == kNoObject) continue;
    const ObjectId target = fields.Get(delegate, target_of);
    if (target == kNoObject || target == delegate) continue;
    const TypeId type = model.graph.classes()[model.graph.ClassOf(target)].type;
    if (type == 0 || owners.IsFramework(type)) continue;
    PoolWork& work = by_owner[OwnerOf(model, type)];
    ++(task.stage == Stage::kRunning ? work.running : work.queued);
  }
  const auto most =
      std::max_element(by_owner.begin(), by_owner.end(), [](const auto& a, const auto& b) {
        return a.second.running + a.second.queued < b.second.running + b.second.queued;
      });
  if (most == by_owner.end()) return std::nullopt;
  PoolWork work = most->second;
  work.owner = most->first;
  work.all = all;
  return work;
}

}  // namespace hindsight::analyzer
