#include "analyzer/analyses/waits/task_awaits.h"

#include <functional>
#include <string_view>

namespace hindsight::analyzer {

uint64_t MethodHash(const HeapWaits& heap, ObjectId box) {
  const Dictionaries& dictionaries = heap.model().dictionaries;
  const TypeId machine = heap.tasks().StateMachineOf(box);
  return std::hash<std::string_view>()(dictionaries.String(dictionaries.type(machine).name));
}

TaskAwaits::Await AwaitOf(const HeapWaits& heap, const UnfinishedTask& task) {
  return {MethodHash(heap, task.object), heap.tasks().StateOf(task.object).value_or(0),
          task.awaited == kNoObject ? 0 : heap.model().graph.Address(task.awaited),
          heap.model().graph.GenerationOf(task.object)};
}

bool StandsAt(const TaskAwaits::Await& a, const TaskAwaits::Await& b) {
  return a.method == b.method && a.state == b.state && a.awaited == b.awaited;
}

TaskAwaits AwaitsOf(const HeapWaits& heap) {
  TaskAwaits out;
  out.snapshot = heap.model().graph.facts.number;
  out.unix_ns = heap.model().graph.facts.unix_ns;
  for (const UnfinishedTask& task : heap.tasks().tasks()) {
    if (!heap.tasks().IsInnermost(task)) continue;
    const TaskAwaits::Await at = AwaitOf(heap, task);
    if (task.id != 0) {
      out.by_id.emplace(task.id, at);
    } else {
      out.by_address.emplace(heap.model().graph.Address(task.object), at);
    }
  }
  return out;
}

bool IsSameChain(const TaskAwaits::Await& before, const TaskAwaits::Await& now, bool collected) {
  if (!StandsAt(before, now) || now.generation < before.generation) return false;
  const bool is_young = now.generation <= Generation::kGen1;
  return !is_young || !collected || now.generation > before.generation;
}

}  // namespace hindsight::analyzer
