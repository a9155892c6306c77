// What tests of deadlocks in heaps share: threads that wait, and what they wait for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/waits/deadlocks.h"
#include "tests/support/wait_scene.h"

namespace hindsight::analyzer {

inline constexpr uint64_t kClr =
    0x7f00'0000'0000;  // the runtime's id of the thread with number n: + n

inline DeadlockReport DeadlocksIn(testing::WaitScene& scene, const DeadlockRules& rules = {}) {
  const std::unique_ptr<HeapModel> model = scene.Build();
  const RootPaths paths(model->graph);
  return FindDeadlocks(HeapWaits(*model, paths, rules));
}

// Thread 100 + n, with the number n, at `method`.
inline testing::HeapThreadSpec Thread(uint32_t n, std::string_view method) {
  return {.os_id = 100 + n,
          .name = "t" + std::to_string(n),
          .clr_thread = kClr + n,
          .managed_id = n,
          .stack = {std::string(method)}};
}

inline testing::HeapThreadSpec InMonitor(uint32_t n, std::string_view method, ObjectId wanted,
                                         std::vector<ObjectId> kept = {}) {
  testing::HeapThreadSpec thread = Thread(n, method);
  thread.stack.insert(thread.stack.begin(), "System.Threading.Monitor.Enter");
  thread.waiting_monitor = wanted;
  thread.objects = {{.object = wanted, .frame = 0}};
  for (const ObjectId object : kept) thread.objects.push_back({.object = object, .frame = 1});
  return thread;
}

inline testing::HeapThreadSpec InLock(uint32_t n, std::string_view method, ObjectId wanted) {
  testing::HeapThreadSpec thread = Thread(n, method);
  thread.stack.insert(thread.stack.begin(),
                      {"System.Threading.Lock.TryEnterSlow", "System.Threading.Lock.EnterScope"});
  thread.objects = {{.object = wanted, .frame = 0}};
  return thread;
}

inline testing::HeapThreadSpec InTaskWait(uint32_t n, std::string_view method, ObjectId event) {
  testing::HeapThreadSpec thread = Thread(n, method);
  thread.stack.insert(thread.stack.begin(), {"System.Threading.Monitor.Wait",
                                             "System.Threading.ManualResetEventSlim.Wait",
                                             "System.Threading.Tasks.Task.SpinThenBlockingWait",
                                             "System.Threading.Tasks.Task`1.get_Result"});
  thread.objects = {{.object = event, .frame = 1}};
  return thread;
}

inline void Own(testing::WaitScene& scene, ObjectId object, uint32_t owner,
                bool waited_for = true) {
  scene.heap().Monitor({.object = object,
                        .owner_os_id = 100 + owner,
                        .owner_managed_id = owner,
                        .recursion = 0,
                        .waited_for = waited_for});
}

}  // namespace hindsight::analyzer
