// What a snapshot says about locks and stacks is exactly what the samples do with them: attached
// after the fact, on every runtime, with both kinds of garbage collector.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzer/model/display_names.h"
#include "tests/live/harness/application.h"
#include "tests/live/harness/heap_snapshot.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

using analyzer::HeapGraph;
using analyzer::HeapModel;
using analyzer::HeapStackObject;
using analyzer::HeapThread;
using analyzer::kNoObject;
using analyzer::ObjectId;

// A snapshot by the names of its types, methods and threads.
class View {
 public:
  explicit View(const HeapModel& model) : model_(model) {
    for (const HeapThread& thread : model.graph.threads()) {
      threads_.emplace(std::string(model.dictionaries.String(thread.name)), &thread);
      names_[thread.os_id] = std::string(model.dictionaries.String(thread.name));
    }
  }

  const HeapThread* Thread(const std::string& name) const {
    const auto found = threads_.find(name);
    return found == threads_.end() ? nullptr : found->second;
  }
  std::string Type(ObjectId id) const {
    const HeapGraph& graph = model_.graph;
    return id == kNoObject ? ""
                           : analyzer::TypeDisplayName(model_.dictionaries,
                                                       graph.classes()[graph.ClassOf(id)].type);
  }
  // Shop.Cart.Add; innermost first.
  std::vector<std::string> Frames(const HeapThread& thread) const {
    std::vector<std::string> frames;
    for (const analyzer::MethodId id : model_.dictionaries.Path(thread.stack)) {
      const analyzer::Method& method = model_.dictionaries.method(id);
      frames.push_back(analyzer::TypeDisplayName(model_.dictionaries, method.type) + "." +
                       std::string(model_.dictionaries.String(method.name)));
    }
    return frames;
  }
  // Types of the objects that are in this method's frame.
  std::set<std::string> ObjectsIn(const HeapThread& thread, std::string_view method) const {
    std::set<std::string> types;
    const std::vector<std::string> frames = Frames(thread);
    for (const HeapStackObject& object : thread.objects) {
      if (object.frame < frames.size() && frames[object.frame] == method) {
        types.insert(Type(object.object));
      }
    }
    return types;
  }
  // "TYPE held by THREAD xRECURSION, waited for", for the types of these namespaces.
  std::set<std::string> Locks() const {
    std::set<std::string> locks;
    for (const analyzer::HeapMonitor& monitor : model_.graph.monitors()) {
      const std::string type = Type(monitor.object);
      if (!type.starts_with("HeldLocks.") && !type.starts_with("Deadlock.")) continue;
      const auto owner = names_.find(monitor.owner_os_id);
      std::string text = type + " held by " + (owner == names_.end() ? "?" : owner->second) + " x" +
                         std::to_string(monitor.recursion + 1);
      if (monitor.waited_for) text += ", waited for";
      if (owner != names_.end() && Thread(owner->second)->managed_id != monitor.owner_managed_id) {
        text += ", by another id";
      }
      locks.insert(std::move(text));
    }
    return locks;
  }
  std::map<std::string, std::string> Waits() const {
    std::map<std::string, std::string> waits;
    for (const auto& [name, thread] : threads_) {
      if (thread->waiting_monitor != kNoObject) waits[name] = Type(thread->waiting_monitor);
    }
    return waits;
  }

 private:
  const HeapModel& model_;
  std::map<std::string, const HeapThread*> threads_;
  std::map<uint32_t, std::string> names_;
};

class HeapLocksTest : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  static SampleApplication::Start Sample(EnvironmentVariables environment) {
    return {.command = WaitSamples(std::get<0>(GetParam())),
            .arguments = {"Deadlock", "--locks", "2", "+", "HeldLocks"},
            .environment = std::move(environment)};
  }
  static void ExpectTheTruth(const std::filesystem::path& file);
  static EnvironmentVariables Collector() {
    return {{"DOTNET_gcServer", std::get<1>(GetParam()) ? "1" : "0"}, {"DOTNET_GCHeapCount", "2"}};
  }
};

void HeapLocksTest::ExpectTheTruth(const std::filesystem::path& file) {
  ASSERT_FALSE(file.empty());
  const auto model = ReadSnapshot(file);
  EXPECT_EQ(Defects(*model), "");
  EXPECT_EQ(model->graph.monitors_unknown_because(), "");
  const View view(*model);
  EXPECT_EQ(view.Locks(), (std::set<std::string>{
                              "Deadlock.Account held by step-0 x1, waited for",
                              "Deadlock.Ledger held by step-1 x1, waited for",
                              "HeldLocks.Crowded held by crowd-holder x1, waited for",
                              "HeldLocks.Thin held by thin-holder x3",
                          }));
  EXPECT_EQ(view.Waits(), (std::map<std::string, std::string>{
                              {"step-0", "Deadlock.Ledger"},
                              {"step-1", "Deadlock.Account"},
                              {"crowd-waiter", "HeldLocks.Crowded"},
                              {"pulse-waiter", "HeldLocks.Pulsed"},
                          }));

  const HeapThread* const step = view.Thread("step-0");
  ASSERT_NE(step, nullptr);
  EXPECT_NE(step->managed_id, 0u);
  EXPECT_GT(step->cpu_ns, 0u);
  EXPECT_EQ(step->state, analyzer::ThreadRunState::kSleeping);
  const std::vector<std::string> frames = view.Frames(*step);
  EXPECT_EQ(std::ranges::count(frames, "Deadlock.Monitors.Book"), 1);
  // The monitor that it has entered is kept in the frame for the exit. The one that it waits for is
  // only known to the runtime.
  EXPECT_TRUE(view.ObjectsIn(*step, "Deadlock.Monitors.Book").contains("Deadlock.Account"));
  const HeapThread* const thin = view.Thread("thin-holder");
  ASSERT_NE(thin, nullptr);
  EXPECT_TRUE(view.ObjectsIn(*thin, "HeldLocks.Thin.Hold").contains("HeldLocks.Thin"));
  if (std::get<0>(GetParam()) >= 9) {
    const HeapThread* const holder = view.Thread("lock-holder");
    ASSERT_NE(holder, nullptr);
    bool is_reported = false;
    for (const HeapStackObject& object : holder->objects) {
      is_reported |= view.Type(object.object) == "System.Threading.Lock" &&
                     model->graph.Value(model->dictionaries, object.object, "_owningThreadId") ==
                         int64_t{holder->os_id};
    }
    EXPECT_TRUE(is_reported);
  }
}

TEST_P(HeapLocksTest, AreAsTheThreadsHoldAndWantThem) {
  SampleApplication application(Sample(Collector()));
  application.Attach("heap");
  ExpectTheTruth(application.SnapshotFile());
  EXPECT_EQ(application.End(), "done\n");
}

TEST_P(HeapLocksTest, AreTheSameFromTheStart) {
  const Workspace workspace;
  EnvironmentVariables variables = StartUp(workspace / "out", "sources=heap,locks,waits");
  for (const auto& variable : Collector()) variables.push_back(variable);
  SampleApplication application(Sample(variables));
  ExpectTheTruth(application.SnapshotFile());
  EXPECT_EQ(application.End(), "done\n");
}

TEST_P(HeapLocksTest, NothingIsLockedWhereNobodyLocks) {
  const int runtime = std::get<0>(GetParam());
  HeapApplication application(runtime, "Healthy", {}, Collector());
  std::string locked;
  const auto nothing_is_locked = [&] {
    const std::filesystem::path file = application.SnapshotFile();
    if (file.empty()) return false;
    const auto model = ReadSnapshot(file);
    EXPECT_EQ(model->graph.monitors_unknown_because(), "");
    EXPECT_GT(model->graph.threads().size(), 1u);
    const View view(*model);
    EXPECT_EQ(view.Waits(), (std::map<std::string, std::string>{}));
    locked.clear();
    for (const analyzer::HeapMonitor& monitor : model->graph.monitors()) {
      locked += view.Type(monitor.object) + " by " + std::to_string(monitor.owner_os_id) + "; ";
    }
    return locked.empty();
  };
  // The runtime's own code locks for moments, such as while it starts a thread.
  EXPECT_TRUE(WaitUntil(nothing_is_locked)) << locked;
  EXPECT_EQ(application.End(), "done\n");
}

INSTANTIATE_TEST_SUITE_P(Net, HeapLocksTest,
                         testing::Combine(testing::ValuesIn(kRuntimes), testing::Bool()),
                         [](const testing::TestParamInfo<std::tuple<int, bool>>& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "Server" : "Workstation");
                         });

}  // namespace
}  // namespace hindsight::live
