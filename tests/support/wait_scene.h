// Heaps of processes that wait, made in memory: threads, locks, tasks and async methods with the
// fields of the framework's classes.
//
//   WaitScene scene;
//   const ObjectId account = scene.Object("Shop.Account");
//   scene.Thread({.os_id = 11, .stack = {"System.Threading.Monitor.Enter", "Shop.A.Pay"},
//                 .waiting_monitor = account});
//   const std::unique_ptr<HeapModel> model = scene.Build();
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/heap_builder.h"

namespace hindsight::testing {

class WaitScene {
 public:
  using ClassIndex = analyzer::ClassIndex;
  using ObjectId = analyzer::ObjectId;
  static constexpr ObjectId kNone = analyzer::kNoObject;

  // Task.m_stateFlags.
  static constexpr int64_t kPromise = 0x2000000;
  static constexpr int64_t kQueued = 0x10000;
  static constexpr int64_t kRunning = 0x30000;
  static constexpr int64_t kDone = 0x1000000;

  // `has_values`: false for a heap that was walked in the pause, which has references alone.
  explicit WaitScene(bool has_values = true);

  HeapBuilder& heap() { return heap_; }

  // Kept alive by a handle, like everything that follows, until Drop is called: what is added after
  // that is garbage.
  void Drop() { is_dropping_ = true; }
  ObjectId Object(std::string_view type, std::vector<std::string> slots = {});
  ObjectId Lock(uint32_t owner_os_id);
  ObjectId ReaderWriterLock(int64_t id, int64_t writer, int64_t upgrader = -1);
  // The thread has entered that lock for reading.
  void Reader(uint32_t os_id, int64_t lock_id);
  ObjectId Semaphore(int64_t count, int64_t max);
  ObjectId ThreadObject(uint64_t clr_thread, int64_t managed_id, ObjectId context = kNone);
  // A WaitHandle, and the SafeWaitHandle in it.
  struct WaitHandle {
    ObjectId object = kNone, safe = kNone;
  };
  WaitHandle Handle(std::string_view type);
  ObjectId Context(std::string_view type);  // with a queue, see Post
  ObjectId ContextWithoutQueue(std::string_view type, ObjectId inner = kNone);
  ObjectId Pool(int64_t max_threads);

  // A promise; `result` as in Task<result>, empty for Task.
  ObjectId Promise(std::string_view result = "", int64_t flags = kPromise);
  ObjectId CompletionSource(ObjectId task, std::string_view result = "");
  // An object of a class derived from TaskCompletionSource<result>, that completes `task`.
  ObjectId Waiter(std::string_view type, ObjectId task);
  // Task.WaitAsync of `task`.
  ObjectId WaitAsync(ObjectId task);
  ObjectId Delay();
  ObjectId SourceTask(std::string_view source);  // ValueTask.AsTask of a source of this type
  ObjectId SourceTask(ObjectId source);
  // A task that runs a delegate.
  ObjectId Task(int64_t flags, int64_t id = 0);
  // A task whose delegate belongs to this closure or object: "Shop.Cart+<>c__DisplayClass3_0".
  ObjectId TaskOf(std::string_view target, int64_t flags);
  ObjectId WhenAll(const std::vector<ObjectId>& tasks);
  ObjectId WhenAny(const std::vector<ObjectId>& tasks);
  // SemaphoreSlim.WaitAsync; the waits for one semaphore are queued in the order in which they are
  // added.
  ObjectId SemaphoreWait(ObjectId semaphore);
  // An async method: "Shop.Cart+<PayAsync>d__4" at the await with the number `state` (-1: it runs)
  // of `awaited`, where it has registered itself unless that is done.
  ObjectId Async(std::string_view machine, int64_t state, ObjectId awaited = kNone,
                 ObjectId context = kNone, ObjectId self = kNone, int64_t id = 0);
  // Makes the async method await `awaited`.
  void Await(ObjectId async, ObjectId awaited, ObjectId context = kNone);
  // Its continuation is in the context's queue, or in the pool's.
  void Post(ObjectId context, ObjectId async);
  void Queue(ObjectId task);
  // Task.Wait for `task`: the event to be put on the thread's stack.
  ObjectId WaitEvent(ObjectId task);
  void Runs(uint32_t os_id, ObjectId task);  // Task.t_currentTask

  void Thread(const HeapThreadSpec& thread) { heap_.Thread(thread); }

  std::unique_ptr<analyzer::HeapModel> Build();

 private:
  ClassIndex Class(std::string_view name, std::vector<std::string> slots,
                   std::vector<std::string> values = {}, ClassIndex base = 0);
  ClassIndex Generic(std::string_view name, std::string_view argument,
                     std::vector<std::string> slots, std::vector<std::string> values = {},
                     ClassIndex base = 0);
  ObjectId Alive(ClassIndex type);
  void Continue(ObjectId task, ObjectId with);
  void SetValue(ObjectId object, std::string_view field, int64_t value);
  ObjectId ActionOf(ObjectId async);

  const bool has_values_;
  bool is_dropping_ = false;
  HeapBuilder heap_;
  std::map<std::string, ClassIndex> classes_;
  std::map<ObjectId, std::vector<ObjectId>> continuations_;
  std::map<ObjectId, std::vector<ObjectId>> posted_;
  std::map<ObjectId, ObjectId> last_wait_, queue_of_;
  std::map<ObjectId, bool> is_done_;
  std::vector<ObjectId> queued_;
  ClassIndex task_ = 0;
};

}  // namespace hindsight::testing
