// Processes that wait, made in memory, and what `deadlocks`, `tasks` and `summary` say about them:
// compared with wait_cases/NAME.<report>, as texts for 80 and for 200 columns and as JSON.
//
// With HINDSIGHT_REGENERATE=1 in the environment the expected reports are written instead, and the
// test fails so that nobody mistakes it for a pass. Read the difference before you commit it.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/analyses/waits/deadlocks.h"
#include "analyzer/analyses/waits/stuck_tasks.h"
#include "analyzer/report/overview/overview_report.h"
#include "analyzer/report/waits/deadlocks_report.h"
#include "analyzer/report/waits/tasks_report.h"
#include "tests/golden/golden_file.h"
#include "tests/support/wait_scene.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;
using testing::ExpectFile;
using testing::HeapThreadSpec;
using testing::WaitScene;

constexpr size_t kGroups = 20;

HeapThreadSpec Thread(uint32_t n, std::string name, std::vector<std::string> stack) {
  return {.os_id = 4000 + n,
          .name = std::move(name),
          .clr_thread = 0x7f00'0000 + n,
          .managed_id = n,
          .stack = std::move(stack)};
}

HeapThreadSpec InMonitor(uint32_t n, std::string name, std::string method, ObjectId wanted,
                         ObjectId kept = kNoObject) {
  HeapThreadSpec thread = Thread(n, std::move(name),
                                 {"System.Threading.Monitor.Enter", std::move(method),
                                  "System.Threading.Thread.StartCallback"});
  thread.waiting_monitor = wanted;
  thread.objects = {{.object = wanted, .frame = 0}};
  if (kept != kNoObject) thread.objects.push_back({.object = kept, .frame = 1});
  return thread;
}

void Circle(WaitScene& scene) {
  const ObjectId account = scene.Object("Shop.Account");
  const ObjectId ledger = scene.Object("Shop.Bookkeeping.GeneralLedgerOfTheWholeCompany");
  scene.heap().Monitor({account, 4001, 1, 0, true});
  scene.heap().Monitor({ledger, 4002, 2, 1, true});
  scene.Thread(InMonitor(1, "book", "Shop.Bank.Book", ledger, account));
  scene.Thread(InMonitor(2, "post", "Shop.Bank.Post", account, ledger));
  for (uint32_t i = 0; i < 300; ++i) {
    scene.Thread(InMonitor(10 + i, "request", "Shop.Web.Handle", account));
  }
  scene.Thread(Thread(3, "", {}));
}

void Window(WaitScene& scene) {
  const ObjectId context = scene.Context("Shop.Dispatcher");
  scene.ThreadObject(0x7f00'0001, 1, context);
  const ObjectId load =
      scene.Async("Shop.Window+<LoadAsync>d__2", 0, scene.Promise("", WaitScene::kDone), context);
  scene.Post(context, load);
  HeapThreadSpec window = Thread(
      1, "window",
      {"System.Threading.Monitor.Wait", "System.Threading.ManualResetEventSlim.Wait",
       "System.Threading.Tasks.Task`1.get_Result", "Shop.Window.OnClick", "Shop.Program.Main"});
  window.objects = {{.object = scene.WaitEvent(load), .frame = 1}};
  scene.Thread(window);
}

void Requests(WaitScene& scene) {
  const ObjectId pending = scene.heap().Add(scene.heap().Array("Shop.Pending"), 200);
  const ObjectId client = scene.heap().Add(scene.heap().Class("Shop.Client", {"pending_"}));
  scene.heap().Refer(client, "pending_", pending);
  scene.heap().Static("Shop.Program", "s_client", client);
  for (int i = 0; i < 200; ++i) {
    const ObjectId answer = scene.Promise("Shop.Reply");
    scene.heap().Refer(pending, uint64_t(i), scene.CompletionSource(answer, "Shop.Reply"));
    const ObjectId send = scene.Async("Shop.Client+<SendAsync>d__1", 0, answer);
    scene.Async("Shop.Service+<ServeAsync>d__2", 1, send, kNoObject, kNoObject, 500 + i);
  }
  const ObjectId gate = scene.Semaphore(0, 1);
  const ObjectId door = scene.Object("Shop.Door", {"gate_"});
  scene.heap().Refer(door, "gate_", gate);
  for (int i = 0; i < 5; ++i) {
    scene.Async("Shop.Door+<EnterAsync>d__1", 0, scene.SemaphoreWait(gate), kNoObject, door);
  }
  scene.Async("Shop.Clock+<TickAsync>d__1", 0, scene.Delay(), kNoObject, kNoObject, 7);
}

void Healthy(WaitScene& scene) {
  const ObjectId queue = scene.Object("Shop.Queue");
  scene.heap().Monitor({queue, 4001, 1, 0, true});
  HeapThreadSpec owner = Thread(1, "worker", {"Shop.Queue.Sort"});
  owner.state = ThreadRunState::kRunning;
  scene.Thread(owner);
  scene.Thread(InMonitor(2, "client", "Shop.Queue.Add", queue));
}

const std::map<std::string, std::function<void(WaitScene&)>>& Cases() {
  static const std::map<std::string, std::function<void(WaitScene&)>> kCases = {
      {"circle", Circle}, {"healthy", Healthy}, {"requests", Requests}, {"window", Window}};
  return kCases;
}

class WaitGolden : public ::testing::TestWithParam<std::string> {
 protected:
  void Expect(const std::string& suffix, const std::string& actual) {
    ExpectFile(fs::path(HINDSIGHT_GOLDEN_WAIT_CASES) / (GetParam() + "." + suffix), actual);
  }
};

TEST_P(WaitGolden, ReportsAreAsExpected) {
  WaitScene scene;
  scene.heap().facts().unix_ns = 1'795'000'000'000'000'000;
  Cases().at(GetParam())(scene);
  const std::unique_ptr<HeapModel> model = scene.Build();
  const RootPaths paths(model->graph);
  const SlotNames names(*model);
  const HeapWaits heap(*model, paths);
  const TaskAwaits before = [&] {
    TaskAwaits same = AwaitsOf(heap);
    same.snapshot = 7;
    same.unix_ns = model->graph.facts.unix_ns - 90'000'000'000;
    return same;
  }();
  const DeadlockReport deadlocks = FindDeadlocks(heap);
  const TaskAwaits* const thread_stacks = GetParam() == "requests" ? &before : nullptr;
  const TaskReport tasks = FindTasks(heap, names, thread_stacks);
  const DeadlockOrigin origin = OriginOf(heap);
  const Dominators dominators = ComputeDominators(model->graph);
  const Reports reports =
      MakeReports(nullptr, std::make_unique<HeapReports>(*model, paths, dominators, thread_stacks));
  const Overview overview = FindAll(reports);
  const std::vector<std::string> given = {"Shop.hindsight"};
  const OverviewPage page{
      .reports = &reports, .overview = &overview, .paths = given, .damages = {}};
  for (const size_t width : {size_t{80}, size_t{200}}) {
    TextStyle style;
    style.width = width;
    const std::map<std::string, std::string> texts = {
        {"deadlocks", DeadlocksText(origin, deadlocks, style)},
        {"summary", OverviewText(page, style)},
        {"tasks", TasksText(*model, tasks, kGroups, style)}};
    for (const auto& [name, text] : texts) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(TextColumns(line), width) << name << ": " << line;
        EXPECT_FALSE(line.ends_with(' ')) << name << ": " << line;
      }
      Expect(name + (width == 80 ? ".txt" : ".wide.txt"), text);
    }
  }
  Expect("deadlocks.json", DeadlocksJson(origin, deadlocks));
  Expect("summary.json", OverviewJson(page));
  Expect("tasks.json", TasksJson(*model, tasks));
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, build] : Cases()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, WaitGolden, ::testing::ValuesIn(Names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace hindsight::analyzer
