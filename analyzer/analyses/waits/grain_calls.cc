#include "analyzer/analyses/waits/grain_calls.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kCallback = "Orleans.Runtime.CallbackData";
constexpr std::string_view kActivation = "Orleans.Runtime.ActivationData";
constexpr std::string_view kRun = "Orleans.Runtime.InsideRuntimeClient+<Invoke>";
constexpr std::string_view kOrleans = "Orleans.";

constexpr int kMostCarriers = 8;  // one awaiting the other

}  // namespace

GrainCalls::GrainCalls(const HeapModel& model, const RootPaths& paths, const TaskGraph& tasks,
                       ObjectFields& fields) {
  const HeapGraph& graph = model.graph;
  enum class Role : uint8_t { kNone, kCallback, kActivation };
  std::vector<Role> roles;  // indexed by class
  bool has_calls = false;
  for (const HeapClass& type : graph.classes()) {
    const std::string_view name =
        model.dictionaries.String(model.dictionaries.type(type.type).name);
    roles.push_back(name == kCallback     ? Role::kCallback
                    : name == kActivation ? Role::kActivation
                                          : Role::kNone);
    has_calls = has_calls || roles.back() == Role::kCallback;
  }
  if (!has_calls) return;
  const auto awaits = fields.Slot("context");
  const auto message = fields.Slot("<Message>k__BackingField");
  const auto blocking = fields.Slot("_blockingRequest");
  const auto waiting = fields.Slot("_waitingRequests");
  const auto items = fields.Slot("_items");
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const Role role = roles[graph.ClassOf(id)];
    if (role == Role::kNone || !paths.IsReachable(id)) continue;
    if (role == Role::kCallback) {
      const ObjectId source = fields.Get(id, awaits);
      const ObjectId call = fields.Get(id, message);
      if (source != kNoObject && call != kNoObject) calls_.try_emplace(source, call);
      continue;
    }
    const ObjectId blocks = fields.Get(id, blocking);
    const ObjectId list = fields.Get(id, waiting);
    if (blocks == kNoObject || list == kNoObject) continue;
    const ObjectId entries = fields.Get(list, items);
    if (entries == kNoObject) continue;
    for (const ObjectId call : graph.References(entries)) {
      if (call != blocks) blocked_.try_emplace(call, blocks);
    }
  }
  FindRuns(model, tasks, fields);
}

void GrainCalls::FindRuns(const HeapModel& model, const TaskGraph& tasks, ObjectFields& fields) {
  const auto message = fields.Slot("StateMachine.message");
  const auto is_method_of = [&](const UnfinishedTask& task, std::string_view prefix) {
    const TypeId machine = tasks.StateMachineOf(task.object);
    return machine != 0 &&
           model.dictionaries.String(model.dictionaries.type(machine).name).starts_with(prefix);
  };
  for (const UnfinishedTask& task : tasks.tasks()) {
    if (!is_method_of(task, kRun)) continue;
    const ObjectId call = fields.Get(task.object, message);
    if (call == kNoObject) continue;
    runs_.try_emplace(call, task.object);
    const UnfinishedTask* at = &task;
    for (int i = 0; i < kMostCarriers && at != nullptr && is_method_of(*at, kOrleans); ++i) {
      carriers_.insert(at->object);
      at = at->awaited == kNoObject ? nullptr : tasks.Find(at->awaited);
    }
  }
}

std::optional<GrainCalls::Callee> GrainCalls::CalleeOf(ObjectId source) const {
  const auto call = calls_.find(source);
  if (call == calls_.end()) return {};
  if (const auto run = runs_.find(call->second); run != runs_.end()) {
    return Callee{.run = run->second, .is_queued = false};
  }
  const auto blocked = blocked_.find(call->second);
  if (blocked == blocked_.end()) return {};
  const auto run = runs_.find(blocked->second);
  if (run == runs_.end()) return {};
  return Callee{.run = run->second, .is_queued = true};
}

}  // namespace hindsight::analyzer
