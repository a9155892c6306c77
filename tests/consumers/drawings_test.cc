// The drawings of the report in a browser: they show what the commands report about the same
// recording.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/heap_encoder.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"
#include "tests/support/wait_scene.h"

namespace hindsight::testing {
namespace {

using analyzer::ClassIndex;
using analyzer::ObjectId;
using nlohmann::json;

class Drawings : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const analyzer::HeapModel& model) {
    const HeapFile file = EncodeHeap(model);
    const std::string path = folder_ / (name + ".hsr");
    WriteFile(path, file.bytes());
    return path;
  }

  json Ask(const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {HINDSIGHT_BINARY};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const RunResult result = RunProgram(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? json::parse(result.out) : json();
  }

  // What a browser shows in the report on `recordings`.
  json Look(const std::vector<std::string>& recordings) {
    const std::string page = folder_ / "report.html";
    std::vector<std::string> command = {HINDSIGHT_BINARY, "report"};
    command.insert(command.end(), recordings.begin(), recordings.end());
    command.insert(command.end(), {"-o", page});
    const RunResult made = RunProgram(command);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    command = {HINDSIGHT_NODE, HINDSIGHT_CONSUMERS "/drawings.mjs", HINDSIGHT_CHROMIUM, page};
    if (const char* pictures = std::getenv("HINDSIGHT_PICTURES")) command.emplace_back(pictures);
    const RunResult seen = RunProgram(command);
    EXPECT_EQ(seen.exit_code, 0) << seen.out << seen.err;
    return seen.exit_code == 0 ? json::parse(seen.out) : json();
  }

  // Nothing from elsewhere, readable in both themes, and no wider than a phone.
  static void ExpectGoodManners(const json& seen) {
    EXPECT_LE(seen["wide"], 0);
    EXPECT_EQ(seen["requests"], 0);
    for (const char* theme : {"light", "dark"}) EXPECT_GE(seen["contrast"][theme], 4.5) << theme;
  }

  const TempDir folder_;
};

// Orders that accumulate in a list; a buffer; hostile names.
std::unique_ptr<analyzer::HeapModel> Shop(uint64_t orders) {
  HeapBuilder heap;
  const ClassIndex list = heap.Class(
      heap.Type("System.Collections.Generic.List`1", {heap.Type("Shop.Order")}), {"_items"});
  const ClassIndex order = heap.Class("Shop.Order", {"_note"}, 640);
  const ClassIndex bytes = heap.PlainArray("System.Byte", 1);
  const ObjectId all = heap.Add(list);
  const ObjectId items = heap.Add(heap.Array("Shop.Order"), orders);
  heap.Refer(all, "_items", items);
  for (uint64_t i = 0; i < orders; ++i) {
    const ObjectId one = heap.Add(order);
    heap.Refer(one, "_note", heap.Add(bytes, 200));
    heap.Refer(items, i, one);
  }
  heap.Static("Shop.Program", "orders_", all);
  heap.Static("Shop.Program", "buffer_", heap.Add(bytes, 1 << 20));
  const std::string names[] = {"Shop.</script><script>alert(1)</script>", "Shop.<img src=x>",
                               "Shop.\xe2\x80\xaegnp.exe", std::string(10'000, 'N')};
  for (const std::string& name : names) {
    heap.Static("Shop.Hostile", name, heap.Add(heap.Class(name, {}, 200'000)));
  }
  return heap.Build();
}

TEST_F(Drawings, TheTreemapShowsTheDominatorTree) {
  const std::string recording = Write("shop", *Shop(4000));
  const json seen = Look({recording});
  ASSERT_TRUE(seen.contains("boxes"));
  const json tree = Ask({"dominators", recording, "--json", "--min-share", "0"})["tree"];
  size_t hostile = 0;
  for (const json& box : seen["boxes"]) {
    const std::string type = box["type"];
    if (type.find("\xe2\x80\xa6") != std::string::npos ||
        type.find("\\u202e") != std::string::npos) {
      ++hostile;  // shortened or written out
      continue;
    }
    if (type.find('<') < type.find("List<")) ++hostile;
    bool is_there = false;
    for (const json& node : tree["nodes"]) {
      is_there |= node["type"] == type && node["bytes"] == box["retained"] &&
                  node["objects"] == box["objects"];
    }
    EXPECT_TRUE(is_there) << box;
  }
  EXPECT_EQ(hostile, 4u);
  EXPECT_GE(seen["boxes"].size(), 7u);
  const json leaks = Ask({"leaks", recording, "--json"});
  ASSERT_EQ(leaks["suspects"].size(), 1u);
  ASSERT_EQ(seen["suspects"].size(), 1u);
  EXPECT_EQ(seen["selected"]["type"], leaks["suspects"][0]["type"]);
  EXPECT_EQ(seen["selected"]["path"].back(), "Order");
  EXPECT_EQ(seen["selected"]["path"].front(), leaks["suspects"][0]["path"].front());
  EXPECT_EQ(seen["walked"], true);
  EXPECT_EQ(seen["zoomed"]["out"], 1);
  EXPECT_GT(seen["zoomed"]["in"], 1);
  ExpectGoodManners(seen);
}

TEST_F(Drawings, TheTreemapOfTwoHeapsShowsWhatGrew) {
  const std::string before = Write("before", *Shop(500)), now = Write("now", *Shop(4000));
  const json seen = Look({before, now});
  ASSERT_TRUE(seen.contains("boxes"));
  std::map<std::string, std::string> grew;  // by type: the first box
  for (const json& box : seen["boxes"]) grew.try_emplace(box["type"], box["grew"]);
  EXPECT_EQ(grew["Shop.Order"], "1");
  EXPECT_EQ(grew["Shop.<img src=x>"], "0");
}

// "monitor Shop.Account 0x7f..."
std::string Text(const json& thing) {
  return thing["kind"].get<std::string>() + " " + thing["type"].get<std::string>() + " " +
         thing["object"].get<std::string>();
}

// Thread 4000 + n waits for the monitor.
void Wait(WaitScene& scene, uint32_t n, const std::string& method, ObjectId wanted) {
  scene.Thread({.os_id = 4000 + n,
                .name = "worker " + std::to_string(n),
                .clr_thread = 0x7f00'0000 + n,
                .managed_id = n,
                .stack = {"System.Threading.Monitor.Enter", method},
                .objects = {{.object = wanted, .frame = 0}},
                .waiting_monitor = wanted});
}

TEST_F(Drawings, TheWaitGraphShowsTheDeadlocks) {
  WaitScene scene;
  const uint32_t count = 3;
  std::vector<ObjectId> locks;
  for (uint32_t i = 0; i < count; ++i) {
    locks.push_back(scene.Object(i == 0 ? "Shop.<b>Account</b>" : "Shop.Ledger"));
    scene.heap().Monitor({locks[i], 4001 + i, i + 1, 0, true});
  }
  for (uint32_t i = 0; i < count; ++i) {
    Wait(scene, i + 1, "Shop.Bank.Step", locks[(i + 1) % count]);
  }
  for (uint32_t i = 0; i < 300; ++i) Wait(scene, 100 + i, "Shop.Web.Handle", locks[0]);
  const std::string recording = Write("waits", *scene.Build());
  const json reported = Ask({"deadlocks", recording, "--json"})["deadlocks"];
  ASSERT_EQ(reported.size(), 1u);
  const json seen = Look({recording});
  ASSERT_EQ(seen["graphs"].size(), 1u);
  const json& graph = seen["graphs"][0];
  EXPECT_EQ(graph["nodes"].size(), 2 * count);
  EXPECT_EQ(graph["crowds"], json::array({reported[0]["victims"]}));
  EXPECT_EQ(graph["words"], 2 * count + 1);
  for (const json& member : reported[0]["members"]) {
    bool is_there = false;
    for (const json& node : graph["nodes"]) {
      if (node["name"] != member["thread"]["name"]) continue;
      is_there = true;
      EXPECT_EQ(node["member"], true);
      EXPECT_EQ(node["facts"]["waits for"], json::array({Text(member["waits_for"])}));
      EXPECT_EQ(node["facts"]["holds"], json::array({Text(member["holds"][0])}));
    }
    EXPECT_TRUE(is_there) << member["thread"];
  }
  // Each waits for what the next one holds, and the last for what the first does.
  ASSERT_EQ(graph["edges"].size(), 2 * count);
  for (size_t i = 0; i < 2 * count; ++i) {
    EXPECT_EQ(graph["edges"][i],
              json::array({i, (i + 1) % (2 * count), i % 2 == 0 ? "waits for" : "held by"}));
  }
  ExpectGoodManners(seen);
}

TEST_F(Drawings, WithoutADeadlockTheWaitGraphShowsQueues) {
  WaitScene scene;
  const ObjectId cache = scene.Object("Shop.Cache");
  scene.heap().Monitor({cache, 4001, 1, 0, true});
  scene.Thread({.os_id = 4001,
                .name = "loader",
                .clr_thread = 0x7f00'0001,
                .managed_id = 1,
                .stack = {"Shop.Cache.Load"}});
  for (uint32_t n = 10; n < 40; ++n) Wait(scene, n, "Shop.Web.Handle", cache);
  const json seen = Look({Write("queue", *scene.Build())});
  ASSERT_EQ(seen["graphs"].size(), 1u);
  const json& graph = seen["graphs"][0];
  EXPECT_EQ(graph["title"], "30 wait for monitor Cache");
  EXPECT_EQ(graph["edges"], json::array({json::array({0, 1, "held by"})}));
  EXPECT_EQ(graph["crowds"], json::array({30}));
  EXPECT_EQ(graph["nodes"][1]["name"], "loader");
  ExpectGoodManners(seen);
}

}  // namespace
}  // namespace hindsight::testing
