#include "analyzer/analyses/waits/processor_wait.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/thread_snapshots.h"

namespace hindsight::analyzer {
namespace {

constexpr int64_t kOneSecond = 1'000'000'000;

// `ready` and `used` threads on average over this many seconds.
Model With(double ready, double used, double cpus, double seconds = 10) {
  Model model;
  model.facts.cpus = cpus;
  model.waits.ready_over_ns = seconds * 1e9;
  model.waits.ready_ns = ready * seconds * 1e9;
  model.waits.ran_ns = used * seconds * 1e9;
  return model;
}

TEST(ProcessorWait, TakesThreadsThatWereReadyAndProcessorsThatWereNotGot) {
  EXPECT_TRUE(ProcessorWaitOf(With(1, 1, 2)).is_short);
  EXPECT_FALSE(ProcessorWaitOf(With(0.99, 0.5, 2)).is_short);   // too few were ready
  EXPECT_FALSE(ProcessorWaitOf(With(1.01, 1.01, 2)).is_short);  // it got more than half
  // It has all that it may use: its own threads compete.
  EXPECT_FALSE(ProcessorWaitOf(With(100, 2, 2)).is_short);
  EXPECT_FALSE(ProcessorWaitOf(With(100, 0.5, 0.5)).is_short);
  EXPECT_TRUE(ProcessorWaitOf(With(100, 1, 2)).is_short);
  // What they could not have used does not count.
  EXPECT_TRUE(ProcessorWaitOf(With(1, 1, 64)).is_short);
  EXPECT_FALSE(ProcessorWaitOf(With(1, 1.1, 64)).is_short);
}

// They yield the processor before they go to sleep.
TEST(ProcessorWait, WorkersWithoutWorkAreReadyForNothing) {
  Model model = With(3, 0.1, 2);
  const auto stack = [&](const std::vector<std::pair<std::string, std::string>>& frames) {
    StackId id = 0;
    for (const auto& [type_name, name] : frames) {
      Type type;
      type.name = model.dictionaries.AddString(type_name);
      Method method;
      method.type = model.dictionaries.AddType(type);
      method.name = model.dictionaries.AddString(name);
      id = model.dictionaries.AddStack(id, model.dictionaries.AddMethod(method));
    }
    return id;
  };
  const std::pair<std::string, std::string> worker = {
      "System.Threading.PortableThreadPool+WorkerThread", "WorkerThreadStart"};
  const StackId idle = stack({worker, {"System.Threading.LowLevelLifoSemaphore", "Wait"}});
  const StackId busy = stack({worker, {"Shop.Cart", "Load"}});
  const auto add = [&](StackId before, StackId after) {
    ThreadInterval interval;
    interval.ready_ns = 10'000'000'000;
    interval.before.stack = before;
    interval.after.stack = after;
    model.waits.intervals.push_back(interval);
  };
  EXPECT_DOUBLE_EQ(ProcessorWaitOf(model).ready_for_work, 3);
  add(idle, idle);
  EXPECT_DOUBLE_EQ(ProcessorWaitOf(model).ready_for_work, 2);
  add(idle, busy);
  add(busy, idle);
  EXPECT_DOUBLE_EQ(ProcessorWaitOf(model).ready_for_work, 2);
  EXPECT_DOUBLE_EQ(ProcessorWaitOf(model).ready, 3);
  // Before the first look at a new one.
  add(0, idle);
  model.waits.intervals.back().from_begin = true;
  EXPECT_DOUBLE_EQ(ProcessorWaitOf(model).ready_for_work, 1);
  add(0, busy);
  model.waits.intervals.back().from_begin = true;
  EXPECT_DOUBLE_EQ(ProcessorWaitOf(model).ready_for_work, 1);
  // Task.Wait yields it, too.
  const StackId wait =
      stack({worker, {"Shop.Cart", "Load"}, {"System.Threading.Tasks.Task", "InternalWait"}});
  add(wait, busy);
  EXPECT_DOUBLE_EQ(ProcessorWaitOf(model).ready_for_work, 1);
  add(wait, wait);
  EXPECT_DOUBLE_EQ(ProcessorWaitOf(model).ready_for_work, 0);
}

TEST(ProcessorWait, AContainersLimitIsUsedUp) {
  const auto is_at_limit = [](double ready, double used, double limit) {
    Model model = With(ready, used, limit > 0 ? limit : 2);
    model.facts.cpu_limit = limit;
    return ProcessorWaitOf(model).is_at_limit;
  };
  EXPECT_TRUE(is_at_limit(1, 0.38, 0.5));
  EXPECT_FALSE(is_at_limit(1, 0.37, 0.5));
  EXPECT_FALSE(is_at_limit(0.99, 0.5, 0.5));  // nobody waits
  EXPECT_FALSE(is_at_limit(100, 2, 0));       // that is all the machine has
}

TEST(ProcessorWait, ShortTimesAndOlderRecordingsShowNothing) {
  EXPECT_TRUE(ProcessorWaitOf(With(10, 0.1, 2, 2)).is_short);
  EXPECT_FALSE(ProcessorWaitOf(With(10, 0.1, 2, 1.99)).is_short);
  EXPECT_FALSE(ProcessorWaitOf(Model()).is_short);
}

TEST(ProcessorWait, HasWords) {
  EXPECT_EQ(ProcessorWaitText(ProcessorWaitOf(With(17.2, 0.18, 2))),
            "on average 17 threads were ready to run, and the process got 0.2 of 2.0 CPUs");
  EXPECT_EQ(ProcessorWaitText(ProcessorWaitOf(With(1.7, 0.004, 0.5))),
            "on average 1.7 threads were ready to run, and the process got 0.00 of 0.5 CPUs");
}

class Snapshots {
 public:
  void Take(int64_t at_ns, const std::vector<ThreadInSnapshot>& threads, uint32_t announced = 0) {
    ThreadSnapshot head;
    head.number = ++number_;
    head.at_ns = at_ns;
    head.announced = announced == 0 ? static_cast<uint32_t>(threads.size()) : announced;
    tracker_.Begin(std::move(head));
    for (const ThreadInSnapshot& thread : threads) tracker_.Add(number_, thread);
  }
  Waits Finish() {
    Waits waits;
    tracker_.Finish(waits);
    return waits;
  }

 private:
  uint32_t number_ = 0;
  ThreadSnapshotTracker tracker_;
};

ThreadInSnapshot AwaitOf(uint32_t thread, uint64_t cpu_ns, uint64_t ready_ns) {
  ThreadInSnapshot wall_site;
  wall_site.thread = thread;
  wall_site.cpu_ns = cpu_ns;
  wall_site.ready_ns = ready_ns;
  return wall_site;
}

TEST(ProcessorWait, SumsWhatThreadsDidBetweenSnapshots) {
  Snapshots snapshots;
  snapshots.Take(kOneSecond, {AwaitOf(1, 500, 9000)});
  snapshots.Take(3 * kOneSecond, {AwaitOf(1, 700, 9300), AwaitOf(2, 30, 4)});  // 2 is new
  snapshots.Take(4 * kOneSecond, {AwaitOf(1, 800, 9300)}, 2);                  // not whole
  snapshots.Take(5 * kOneSecond, {AwaitOf(1, 900, 9400)});
  const Waits waits = snapshots.Finish();
  EXPECT_DOUBLE_EQ(waits.ready_over_ns, 4e9);
  EXPECT_DOUBLE_EQ(waits.ran_ns, 200 + 30 + 100);
  EXPECT_DOUBLE_EQ(waits.ready_ns, 300 + 4 + 100);
}

TEST(ProcessorWait, NoThreadDoesMoreThanTheTimeHolds) {
  Snapshots snapshots;
  snapshots.Take(0, {AwaitOf(1, 1, 5)});
  snapshots.Take(kOneSecond, {AwaitOf(1, UINT64_MAX, UINT64_MAX)});
  snapshots.Take(2 * kOneSecond, {AwaitOf(1, 0, 1)});  // less than before
  const Waits waits = snapshots.Finish();
  EXPECT_DOUBLE_EQ(waits.ran_ns, 1e9);
  EXPECT_DOUBLE_EQ(waits.ready_ns, 1e9);
}

TEST(ProcessorWait, SnapshotsWithoutItCountForNothing) {
  Snapshots snapshots;
  snapshots.Take(0, {AwaitOf(1, 1, 0)});
  snapshots.Take(kOneSecond, {AwaitOf(1, 1000, 0)});
  EXPECT_EQ(snapshots.Finish().ready_over_ns, 0);
}

}  // namespace
}  // namespace hindsight::analyzer
