// Semaphores in the wait graph of a heap: they have no owner, so their holders are inferred.
#include <algorithm>
#include <string_view>

#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {
namespace {

using Kind = WaitNode::Kind;
using Needs = WaitNode::Needs;

constexpr int kMostWaits = 1 << 20;  // in one semaphore's queue

// Shop.Cart+<AddAsync>d__4 -> Shop.Cart
std::string_view Outermost(std::string_view raw) { return raw.substr(0, raw.find('+')); }

// WaitAsync with a timeout or a token is an async method of the semaphore itself: it is part of the
// wait, and refers to the semaphore for which it waits.
bool IsWaitOfSemaphore(std::string_view state_machine) {
  return state_machine.starts_with("System.Threading.SemaphoreSlim");
}

}  // namespace

void HeapWaits::FindSemaphoreWaits() {
  const HeapGraph& graph = model_->graph;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (types_.Of(id) != RuntimeType::kSemaphore || !paths_->IsReachable(id)) continue;
    ObjectId wait = fields_.Get(id, async_head_);
    if (wait == kNoObject) continue;
    WaitNode& node = waits_.graph.node(NodeOf(id, Kind::kSemaphore));
    node.needs = Needs::kAny;
    node.may_be_helped = true;
    for (int i = 0; i < kMostWaits && wait != kNoObject; ++i) {
      if (!semaphores_.try_emplace(wait, id).second) break;
      wait = fields_.Get(wait, next_);
    }
  }
}

ObjectId HeapWaits::SemaphoreOf(ObjectId wait) const {
  const auto found = semaphores_.find(wait);
  return found == semaphores_.end() ? kNoObject : found->second;
}

void HeapWaits::ConnectToSemaphore(uint32_t thread) {
  const ObjectId monitor = model_->graph.threads()[thread].waiting_monitor;
  const Nearest nearest = FindNearest(thread, [&](ObjectId object) {
    if (types_.Of(object) != RuntimeType::kSemaphore) return false;
    return monitor == kNoObject || fields_.Get(object, semaphore_lock_) == monitor;
  });
  if (nearest.object == kNoObject) return;
  const uint32_t index = NodeOf(nearest.object, Kind::kSemaphore);
  waits_.graph.node(index).needs = Needs::kAny;
  waits_.graph.node(index).may_be_helped = true;
  waits_.graph.node(thread).needs = Needs::kAll;
  const bool is_sure = nearest.is_only || monitor != kNoObject;
  Connect(thread, index, WaitReason::kNearestObject, is_sure ? Proof::kCertain : Proof::kLikely);
}

HeapWaits::SemaphoreWaiters HeapWaits::WaitersOf(uint32_t index) const {
  SemaphoreWaiters out;
  const Dictionaries& dictionaries = model_->dictionaries;
  std::vector<ObjectId> waits;
  for (const WaitEdge& edge : waits_.graph.WaitersOf(index)) {
    const WaitNode& waiter = waits_.graph.node(edge.from);
    if (waiter.kind == Kind::kTask) {
      waits.push_back(waiter.object);
    } else if (waiter.kind == Kind::kThread) {
      const Thread& thread = waits_.threads[waiter.thread];
      out.threads.push_back(waiter.thread);
      out.methods.push_back(calls_.Site(thread.path, thread.call.frames));
    }
  }
  // The wait itself is a task; WaitAsync with a timeout is an async method around it.
  for (size_t i = 0; i < waits.size(); ++i) {
    for (const Continuation& next : tasks_.ContinuationsOf(waits[i])) {
      const StringId name = dictionaries.type(tasks_.StateMachineOf(next.to)).name;
      if (name == 0 || IsWaitOfSemaphore(dictionaries.String(name))) {
        if (waits.size() < kMostWaits && tasks_.IndexOf(next.to)) waits.push_back(next.to);
        continue;
      }
      out.boxes.push_back(next.to);
      const int64_t state = tasks_.StateOf(next.to).value_or(0);
      const auto [place, is_new] = out.states.try_emplace(name, state);
      if (!is_new) place->second = std::min(place->second, state);
    }
  }
  for (const auto& [name, state] : out.states) {
    out.classes.insert(Outermost(dictionaries.String(name)));
  }
  for (const MethodId method : out.methods) {
    const TypeId type = dictionaries.method(method).type;
    out.classes.insert(Outermost(dictionaries.String(dictionaries.type(type).name)));
  }
  std::sort(waits.begin(), waits.end());
  out.waits = std::move(waits);
  std::sort(out.boxes.begin(), out.boxes.end());
  std::sort(out.methods.begin(), out.methods.end());
  out.methods.erase(std::unique(out.methods.begin(), out.methods.end()), out.methods.end());
  return out;
}

// What refers to semaphores: threads and async methods, by the semaphore's node.
struct HeapWaits::SemaphoreHolders {
  struct Of {
    std::vector<size_t> keeping, near;  // indexes of tasks
    std::vector<size_t> own_waits;      // of those, see IsWaitOfSemaphore
    std::vector<uint32_t> keeping_threads, near_threads;
    bool is_internal = false;  // belongs to an object of the framework: a signal
  };
  std::unordered_map<uint32_t, Of> of;
  std::unordered_map<StringId, std::vector<size_t>> tasks_in;  // by the state machine's name
  // Threads by what is on their stacks.
  std::unordered_map<MethodId, std::vector<uint32_t>> in_method;
  std::unordered_map<StringId, std::vector<uint32_t>> in_type;
  std::unordered_map<std::string_view, std::vector<uint32_t>> in_class;  // by outermost class
};

HeapWaits::SemaphoreHolders HeapWaits::FindHolders() const {
  SemaphoreHolders out;
  const HeapGraph& graph = model_->graph;
  std::unordered_map<ObjectId, uint32_t> semaphores;
  for (const auto& [object, node] : nodes_) {
    if (waits_.graph.node(node).kind != Kind::kSemaphore) continue;
    semaphores.emplace(object, node);
    out.of.try_emplace(node);
  }
  if (semaphores.empty()) return out;
  std::vector<bool> is_semaphore(graph.size());
  for (const auto& [object, node] : semaphores) is_semaphore[object] = true;
  std::unordered_map<ObjectId, std::vector<uint32_t>> owners;  // objects that refer to semaphores
  for (ObjectId id = 0; id < graph.size(); ++id) {
    for (const ObjectId target : graph.References(id)) {
      if (!is_semaphore[target]) continue;
      const uint32_t node = semaphores.at(target);
      owners[id].push_back(node);
      out.of[node].is_internal = out.of[node].is_internal || IsSignalOwner(id);
    }
  }
  const auto tasks = tasks_.tasks();
  for (size_t i = 0; i < tasks.size(); ++i) {
    const TypeId machine = tasks_.StateMachineOf(tasks[i].object);
    if (machine == 0) continue;
    const StringId name = model_->dictionaries.type(machine).name;
    if (IsWaitOfSemaphore(model_->dictionaries.String(name))) {
      tasks_.ForEachKept(tasks[i].object, [&](StringId, ObjectId target) {
        if (is_semaphore[target]) out.of[semaphores.at(target)].own_waits.push_back(i);
      });
      continue;
    }
    out.tasks_in[name].push_back(i);
    tasks_.ForEachKept(tasks[i].object, [&](StringId, ObjectId target) {
      if (is_semaphore[target]) out.of[semaphores.at(target)].keeping.push_back(i);
      const auto owner = owners.find(target);
      if (owner == owners.end()) return;
      for (const uint32_t node : owner->second) out.of[node].near.push_back(i);
    });
  }
  AddFrames(out);
  const auto threads = graph.threads();
  for (uint32_t i = 0; i < threads.size(); ++i) {
    for (const HeapStackObject& word : threads[i].objects) {
      if (word.object >= graph.size() || word.frame == HeapStackObject::kRuntime) continue;
      if (word.frame < waits_.threads[i].call.frames) continue;
      if (is_semaphore[word.object]) {
        out.of[semaphores.at(word.object)].keeping_threads.push_back(i);
      }
      const auto owner = owners.find(word.object);
      if (owner == owners.end()) continue;
      for (const uint32_t node : owner->second) out.of[node].near_threads.push_back(i);
    }
  }
  return out;
}

void HeapWaits::AddFrames(SemaphoreHolders& out) const {
  const Dictionaries& dictionaries = model_->dictionaries;
  const auto add = [](std::vector<uint32_t>& threads, uint32_t thread) {
    if (threads.empty() || threads.back() != thread) threads.push_back(thread);
  };
  for (uint32_t i = 0; i < waits_.threads.size(); ++i) {
    for (const MethodId method : waits_.threads[i].path) {
      const StringId type = dictionaries.type(dictionaries.method(method).type).name;
      if (type == 0) continue;
      add(out.in_method[method], i);
      add(out.in_type[type], i);
      add(out.in_class[Outermost(dictionaries.String(type))], i);
    }
  }
}

// For example, a BlockingCollection. Lists and the like only contain what the user put in.
bool HeapWaits::IsSignalOwner(ObjectId object) const {
  const HeapClass& type = model_->graph.classes()[model_->graph.ClassOf(object)];
  if (type.kind != HeapClass::Kind::kClass || types_.Of(object) != RuntimeType::kOther) {
    return false;
  }
  const std::string_view name =
      model_->dictionaries.String(model_->dictionaries.type(type.type).name);
  return name.starts_with("System.") && !name.starts_with("System.Collections.Generic.");
}

// What may hold a semaphore: async methods that have passed the very await at which others wait for
// it, or that have a reference to it; those that have obtained it, but whose continuation is in a
// queue; threads inside a method in which others wait for it, or with it on their stack. Anything
// that only refers to the semaphore's owner, or runs code of the waiting class, only counts if it
// can proceed: then nothing is reported.
void HeapWaits::AddHolders(uint32_t index, const SemaphoreHolders& holders) {
  const SemaphoreHolders::Of& near = holders.of.at(index);
  if (near.is_internal) {
    waits_.graph.node(index).needs = Needs::kNothing;
    return;
  }
  const SemaphoreWaiters waiters = WaitersOf(index);
  const auto waits_for_it = [&](ObjectId box) {
    return std::binary_search(waiters.boxes.begin(), waiters.boxes.end(), box);
  };
  std::vector<uint32_t> found;  // nodes, the likeliest first
  const auto tasks = tasks_.tasks();
  for (const size_t i : near.own_waits) {
    if (!std::binary_search(waiters.waits.begin(), waiters.waits.end(), tasks[i].object)) {
      found.push_back(NodeOfTask(i));
    }
  }
  for (const auto& [name, state] : waiters.states) {
    const auto same = holders.tasks_in.find(name);
    if (same == holders.tasks_in.end()) continue;
    for (const size_t i : same->second) {
      if (waits_for_it(tasks[i].object)) continue;
      const int64_t at = tasks_.StateOf(tasks[i].object).value_or(0);
      const bool is_past = at == -1 || at > state || (at == state && tasks[i].awaited_is_done);
      if (!is_past) continue;
      found.push_back(NodeOfTask(i));
    }
  }
  for (const size_t i : near.keeping) {
    if (!waits_for_it(tasks[i].object)) found.push_back(NodeOfTask(i));
  }
  const auto waits_too = [&](uint32_t thread) {
    return std::find(waiters.threads.begin(), waiters.threads.end(), thread) !=
           waiters.threads.end();
  };
  for (const uint32_t thread : near.keeping_threads) {
    if (!waits_too(thread)) found.push_back(thread);
  }
  bool gets_on = false;
  const auto look_at = [&](uint32_t node) {
    gets_on = gets_on || waits_.graph.node(node).needs == Needs::kNothing;
  };
  for (const size_t i : near.near) look_at(NodeOfTask(i));
  for (const uint32_t thread : near.near_threads) look_at(thread);
  const auto add = [&](const auto& index_of, const auto& key, const auto& take) {
    const auto threads = index_of.find(key);
    if (threads == index_of.end()) return;
    for (const uint32_t thread : threads->second) {
      if (!waits_too(thread)) take(thread);
    }
  };
  const auto take = [&](uint32_t thread) { found.push_back(thread); };
  for (const auto& [name, state] : waiters.states) add(holders.in_type, name, take);
  for (const MethodId method : waiters.methods) add(holders.in_method, method, take);
  for (const std::string_view name : waiters.classes) add(holders.in_class, name, look_at);
  if (gets_on) {
    waits_.graph.node(index).needs = Needs::kNothing;
    return;
  }
  std::unordered_set<uint32_t> connected;
  for (const uint32_t node : found) {
    if (connected.insert(node).second) Connect(index, node, WaitReason::kMayHold, Proof::kLikely);
  }
  if (!found.empty() || waiters.boxes.empty()) return;
  const ObjectId semaphore = waits_.graph.node(index).object;
  if (fields_.Get(semaphore, count_).value_or(1) != 0) return;  // about to let one in
  const bool is_like_a_lock = fields_.Get(semaphore, max_count_).value_or(0) == 1;
  waits_.graph.node(index).is_abandoned = is_like_a_lock || waiters.boxes.size() >= rules_.crowd;
}

void HeapWaits::JudgeSemaphores() {
  const SemaphoreHolders holders = FindHolders();
  std::vector<uint32_t> order;
  for (const auto& [node, of] : holders.of) order.push_back(node);
  std::sort(order.begin(), order.end());
  for (const uint32_t node : order) AddHolders(node, holders);
}

}  // namespace hindsight::analyzer
