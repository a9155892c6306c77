// Threads that wait for a signal: for which object, and what is missing.
#include "analyzer/analyses/waits/signal_waits.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/unit/analyzer/deadlocks_test.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapThreadSpec;
using testing::WaitScene;

constexpr const char* kSlimWait = "System.Threading.ManualResetEventSlim.Wait";
constexpr const char* kWaitOne = "System.Threading.WaitHandle.WaitOneNoCheck";

std::vector<std::string> Waits(WaitScene& scene) {
  const std::unique_ptr<HeapModel> model = scene.Build();
  model->pid = 101;  // thread 1 is Main
  const RootPaths paths(model->graph);
  std::vector<std::string> out;
  for (const SignalWait& wait : FindSignalWaits(HeapWaits(*model, paths))) {
    out.push_back(SignalWaitText(wait));
  }
  return out;
}

// In `call`, with `object` in the call's own frame.
void AddWaiting(WaitScene& scene, uint32_t n, std::string_view method, std::string_view call,
                ObjectId object) {
  HeapThreadSpec thread = Thread(n, method);
  thread.stack.insert(thread.stack.begin(), std::string(call));
  thread.objects = {{.object = object, .frame = 0}};
  scene.Thread(thread);
}

// An object of this class with a number, held by Shop.Holder.`field`.
ObjectId Held(WaitScene& scene, std::string_view type, const char* field,
              std::vector<std::string> slots, const char* number, int64_t value) {
  const testing::HeapBuilder::ClassIndex of = scene.heap().Class(type, std::move(slots));
  scene.heap().AddValueField(of, number);
  const ObjectId object = scene.heap().Add(of);
  scene.heap().Value(object, number, value);
  const ObjectId holder = scene.Object("Shop.Holder", {field});
  scene.heap().Refer(holder, field, object);
  return object;
}

TEST(SignalWaits, ACountdownIsFoundByTheEventOfItsOwn) {
  WaitScene scene;
  const ObjectId countdown =
      Held(scene, "System.Threading.CountdownEvent", "pending_", {"_event"}, "_currentCount", 1);
  const ObjectId event = scene.Object("System.Threading.ManualResetEventSlim");
  scene.heap().Refer(countdown, "_event", event);
  AddWaiting(scene, 1, "Shop.Crawler.Start", kSlimWait, event);
  EXPECT_EQ(Waits(scene), std::vector<std::string>{"Main waits for countdown Shop.Holder.pending_ "
                                                   "in Shop.Crawler.Start: 1 signal is missing"});
}

TEST(SignalWaits, ABarrierTellsHowManyHaveNotArrived) {
  WaitScene scene;
  // Two of five, and the sense bit.
  const ObjectId barrier = Held(scene, "System.Threading.Barrier", "rows_", {},
                                "_currentTotalCount", INT32_MIN | 2 << 16 | 5);
  for (const uint32_t n : {2, 3}) {
    AddWaiting(scene, n, "Shop.Solver.Step", "System.Threading.Barrier.SignalAndWait", barrier);
  }
  EXPECT_EQ(Waits(scene),
            std::vector<std::string>{"2 threads wait for barrier Shop.Holder.rows_ in "
                                     "Shop.Solver.Step: 3 of 5 participants have not arrived"});
}

TEST(SignalWaits, MainComesFirstThenThoseOfMostThreads) {
  WaitScene scene;
  const ObjectId inbox = scene.Object("Shop.Inbox");
  const ObjectId worker = scene.ThreadObject(kClr + 2, 2);
  const WaitScene::WaitHandle bell = scene.Handle("System.Threading.WaitHandle");
  const WaitScene::WaitHandle mutex = scene.Handle("System.Threading.Mutex");
  AddWaiting(scene, 4, "Shop.Job.Run", kWaitOne, mutex.safe);
  AddWaiting(scene, 5, "Shop.Bell.Wait", kWaitOne, bell.safe);
  AddWaiting(scene, 6, "Shop.Bell.Wait", kWaitOne, bell.safe);
  AddWaiting(scene, 2, "Shop.Inbox.Take", "System.Threading.Monitor.Wait", inbox);
  AddWaiting(scene, 1, "Shop.Program.Main", "System.Threading.Thread.Join", worker);
  const std::vector<std::string> found = Waits(scene);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0], "Main waits for thread \"t2\" to end, in Shop.Program.Main");
  EXPECT_EQ(found[1],
            "2 threads wait for wait handle System.Threading.WaitHandle in Shop.Bell.Wait");
  EXPECT_EQ(found[2], "Thread \"t2\" waits for a pulse of Shop.Inbox in Shop.Inbox.Take");
  EXPECT_EQ(found[3], "Thread \"t4\" waits for mutex System.Threading.Mutex in Shop.Job.Run");
}

TEST(SignalWaits, AChildProcessIsWhatAProcessWaitsFor) {
  WaitScene scene;
  HeapThreadSpec thread = Thread(1, "Shop.Converter.Run");
  thread.stack.insert(thread.stack.begin(),
                      {kWaitOne, "System.Diagnostics.ProcessWaitState.WaitForExit",
                       "System.Diagnostics.Process.WaitForExit"});
  thread.objects = {{.object = scene.Object("System.Object"), .frame = 0}};
  scene.Thread(thread);
  EXPECT_EQ(Waits(scene), std::vector<std::string>{
                              "Main waits for a child process to exit in Shop.Converter.Run"});
}

TEST(SignalWaits, WhatTheWaitGraphHasIsNone) {
  WaitScene scene;
  // Two threads that wait for each other's monitor, one for one of them to end, and one for a task.
  const ObjectId a = scene.Object("Shop.A"), b = scene.Object("Shop.B");
  Own(scene, a, 1);
  Own(scene, b, 2);
  scene.Thread(InMonitor(1, "Shop.A.Pay", b, {a}));
  scene.Thread(InMonitor(2, "Shop.B.Pay", a, {b}));
  const ObjectId stuck = scene.ThreadObject(kClr + 1, 1);
  AddWaiting(scene, 3, "Shop.Program.Stop", "System.Threading.Thread.Join", stuck);
  scene.Thread(InTaskWait(4, "Shop.Cart.Pay", scene.WaitEvent(scene.Promise())));
  EXPECT_EQ(Waits(scene), std::vector<std::string>{});
}

TEST(SignalWaits, WhatIsIdleIsNone) {
  WaitScene scene;
  const ObjectId semaphore = scene.Semaphore(0, INT32_MAX);
  HeapThreadSpec consumer = Thread(2, "Shop.Consumer.Run");
  consumer.stack.insert(
      consumer.stack.begin(),
      {"System.Threading.SemaphoreSlim.Wait",
       "System.Collections.Concurrent.BlockingCollection`1.TryTakeWithNoTimeoutValidation",
       "System.Collections.Concurrent.BlockingCollection`1.Take"});
  consumer.objects = {{.object = semaphore, .frame = 0}};
  scene.Thread(consumer);
  // No frame of yours.
  AddWaiting(scene, 3, "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
             kWaitOne, scene.Handle("System.Threading.AutoResetEvent").safe);
  EXPECT_EQ(Waits(scene), std::vector<std::string>{});
}

}  // namespace
}  // namespace hindsight::analyzer
