// The page of `hindsight serve`, in a browser: from the list to a report, and from the types of a
// heap to an object and its path from a root. It shows what the commands say, makes no other
// requests, and never treats a name as markup.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/consumers/profile_recording.h"
#include "tests/support/heap_builder.h"
#include "tests/support/heap_encoder.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"
#include "tests/support/serving.h"

namespace hindsight::testing {
namespace {

using analyzer::ClassIndex;
using analyzer::ObjectId;
using nlohmann::json;

constexpr char kOrder[] = "Shop.Order<img src=x onerror=alert(1)>";

// Orders with notes in a list, and hostile names.
std::unique_ptr<analyzer::HeapModel> Shop(uint64_t orders) {
  HeapBuilder heap;
  const ClassIndex list =
      heap.Class(heap.Type("System.Collections.Generic.List`1", {heap.Type(kOrder)}), {"_items"});
  const ClassIndex order = heap.Class(kOrder, {"_note", "_<b>next</b>"}, 640);
  const ClassIndex bytes = heap.PlainArray("System.Byte", 1);
  const ObjectId all = heap.Add(list);
  const ObjectId items = heap.Add(heap.Array(kOrder), orders);
  heap.Refer(all, "_items", items);
  for (uint64_t i = 0; i < orders; ++i) {
    const ObjectId one = heap.Add(order);
    heap.Refer(one, "_note", heap.Add(bytes, 8 * (i % 1000)));
    heap.Refer(items, i, one);
  }
  heap.Static("Shop.Program", "orders_</script><script>alert(2)</script>", all);
  heap.Static("Shop.Hostile", "x", heap.Add(heap.Class("Shop.\xe2\x80\xaegnp.exe", {}, 200'000)));
  return heap.Build();
}

class ExplorerPage : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / (name + ".hindsight"); }

  void WriteHeap(const std::string& name, uint64_t orders) {
    std::filesystem::create_directories(Path(name));
    const HeapFile file = EncodeHeap(*Shop(orders));
    WriteFile(Path(name) + "/" + file.name(), file.bytes());
  }

  json Ask(std::vector<std::string> command) {
    command.insert(command.begin(), HINDSIGHT_BINARY);
    command.emplace_back("--json");
    const RunResult result = RunProgram(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? json::parse(result.out) : json();
  }

  // What the browser shows; see explorer.mjs.
  json Look() {
    ServeProcess server({HINDSIGHT_BINARY, "serve", folder_.path().string()});
    std::vector<std::string> command = {HINDSIGHT_NODE, HINDSIGHT_CONSUMERS "/explorer.mjs",
                                        HINDSIGHT_CHROMIUM, server.url(), kOrder};
    if (const char* pictures = std::getenv("HINDSIGHT_PICTURES")) {
      command.push_back(std::string(pictures) + "/explorer");
    }
    const RunResult seen = RunProgram(command);
    EXPECT_EQ(seen.exit_code, 0) << seen.out << seen.err;
    EXPECT_EQ(server.End(SIGINT), 0);
    return seen.exit_code == 0 ? json::parse(seen.out) : json();
  }

  // The flame graph of each part of `profile` has what the commands say of that part.
  void ExpectFlames(const json& flames) {
    EXPECT_FALSE(flames["part"].contains("function"));
    for (const char* name : {"part", "other", "thread"}) {
      const json& shown = flames[name];
      std::vector<std::string> command = {"cpu", Path("profile")};
      for (const char* option : {"from", "to", "thread"}) {
        if (!shown.contains(option)) continue;
        command.push_back(std::string("--") + option);
        command.push_back(shown[option].get<std::string>() +
                          (std::string(option) == "thread" ? "" : "s"));
      }
      const json cpu = Ask(command);
      if (std::string(name) == "part") {
        EXPECT_EQ(shown["total"], cpu["cpu_ns"]) << shown;
        continue;
      }
      // In the middle is one function: its total is that of its row, if it has one there.
      EXPECT_EQ(shown["middle"], "Shop.Checkout.Pay");
      EXPECT_EQ(shown["search"], "Pay$");
      for (const json& row : cpu["methods"]) {
        if (row["method"] != "Shop.Checkout.Pay") continue;
        EXPECT_EQ(shown["total"], row["total_ns"]) << shown;
      }
    }
    EXPECT_NE(flames["part"]["from"], flames["other"]["from"]);
    EXPECT_TRUE(flames["thread"].contains("thread"));
    const json& allocated = flames["allocated"];
    const json allocations =
        Ask({"allocations", Path("profile"), "--from", allocated["from"].get<std::string>() + "s",
             "--to", allocated["to"].get<std::string>() + "s"});
    EXPECT_NEAR(allocated["total"].get<double>(), allocations["bytes"].get<double>(), 1);
    EXPECT_EQ(allocated["middle"], "") << "a call of another signal";
  }

  // The flame graph and the places of a part have what `wall` says of that part.
  void ExpectWaits(const json& waits) {
    const json& part = waits["part"];
    const json wall = Ask({"wall", Path("waits"), "--from", part["from"].get<std::string>() + "s",
                           "--to", part["to"].get<std::string>() + "s"});
    ASSERT_GT(wall["places"].size(), 2u);
    ASSERT_EQ(waits["places"].size(), wall["places"].size());
    uint64_t total_ns = 0;  // it has no CPU samples
    for (size_t i = 0; i < wall["places"].size(); ++i) {
      const json& place = wall["places"][i];
      total_ns += place["total_ns"].get<uint64_t>();
      EXPECT_EQ(waits["places"][i][1], place["state"]);
      EXPECT_EQ(waits["places"][i][3], place["total_ns"]);
    }
    EXPECT_EQ(part["total"], total_ns);
    // How long one thread waited, according to its row.
    const json& thread = waits["thread"];
    EXPECT_EQ(thread["signal"], "wall");
    for (const json& row : wall["threads"]) {
      if (std::to_string(row["thread"]["os_id"].get<int>()) != thread["thread"]) continue;
      uint64_t waited_ns = 0;
      for (const char* state : {"lock", "task", "signal", "sleep", "native"}) {
        waited_ns += row["states_ns"][state].get<uint64_t>();
      }
      EXPECT_EQ(thread["total"], waited_ns);
      EXPECT_GT(waited_ns, 0u);
      return;
    }
    ADD_FAILURE() << "no such thread: " << thread;
  }

  const TempDir folder_;
};

// Cells of a table of references: slot, type, address, retained.
void ExpectReference(const json& cells, const json& reported, const char* end, bool slot_first) {
  const json& object = reported[end];
  EXPECT_EQ(cells[slot_first ? 0 : 1], reported["slot"]);
  EXPECT_EQ(cells[slot_first ? 1 : 0], object["type"]);
  EXPECT_EQ(cells[2], object["address"]);
  EXPECT_EQ(cells[3], object["retained_bytes"]);
}

TEST_F(ExplorerPage, ShowsWhatTheCommandsSay) {
  ProfileTruth truth;
  ProfileRecording({}, truth).WriteFolder(Path("profile"));
  RecordingBuilder waits;
  waits.AddText(ReadFile(HINDSIGHT_GOLDEN_CASES "/locks_wall.textproto"));
  waits.WriteFolder(Path("waits"));
  WriteHeap("earlier", 400);
  WriteHeap("later", 4000);
  const json seen = Look();
  ASSERT_TRUE(seen.contains("recordings"));

  // The list, with the first finding of each.
  ASSERT_EQ(seen["recordings"].size(), 4u);
  for (const json& card : seen["recordings"]) {
    const json findings = Ask({"summary", Path("x").substr(0, Path("x").rfind('/') + 1) +
                                              card["name"].get<std::string>()})["findings"];
    const std::string brief = card["brief"];
    if (findings.empty()) {
      EXPECT_EQ(card["badge"], "no findings");
    } else {
      EXPECT_EQ(card["badge"], findings[0]["severity"]);
    }
    EXPECT_EQ(brief.find("reading"), std::string::npos);
  }
  EXPECT_EQ(seen["compared"], "What changed");

  // Types, the instances of one, an object, its path.
  const json heap = Ask({"heap", Path("later"), "--sort", "retained", "--top", "0"});
  size_t types = 0;
  for (const json& row : heap["types"]) {
    const std::string name = row["type"];
    if (name.find("\xe2\x80\xae") != std::string::npos) continue;  // written out on the page
    ++types;
    ASSERT_TRUE(seen["types"].contains(name)) << name;
    EXPECT_EQ(seen["types"][name], (json{row["retained_bytes"], row["bytes"], row["objects"],
                                         row["unreachable_bytes"]}));
  }
  EXPECT_EQ(seen["types"].size(), types + 1);
  EXPECT_TRUE(seen["types"].contains("Shop.\\u202egnp.exe"));
  const json retained = Ask({"retained", Path("later"), "--all", "--top", "5000"});
  std::vector<json> orders;
  for (const json& row : retained["objects"]) {
    if (row["type"] == kOrder) orders.push_back(json{row["address"], row["retained_bytes"]});
  }
  ASSERT_EQ(seen["instances"].size(), 50u);
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(seen["instances"][i], orders[i]) << i;

  const std::string address = seen["instances"][0][0];
  const json object = Ask({"object", address, Path("later")})["object"];
  EXPECT_EQ(seen["object"]["facts"]["address"], address);
  EXPECT_EQ(seen["object"]["path"], object["path"]);
  ASSERT_EQ(seen["object"]["references"].size(), object["references"].size());
  ExpectReference(seen["object"]["references"][0], object["references"][0], "target", true);
  ASSERT_EQ(seen["object"]["referrers"].size(), 1u);
  ExpectReference(seen["object"]["referrers"][0], object["referrers"][0], "holder", false);
  EXPECT_EQ(seen["object"]["steps"].back(), address);
  EXPECT_EQ(seen["object"]["steps"].size(), 3u);
  EXPECT_EQ(seen["dominated"].size(), 2u);

  // A part of the time.
  const json cpu =
      Ask({"cpu", Path("profile"), "--from", seen["part"]["from"].get<std::string>() + "s", "--to",
           seen["part"]["to"].get<std::string>() + "s"});
  ASSERT_GT(cpu["methods"].size(), 3u);
  std::map<std::string, json> methods;
  for (const json& row : cpu["methods"]) methods.emplace(row["method"], row["self_ns"]);
  EXPECT_EQ(seen["methods"], json(methods));
  ExpectFlames(seen["flames"]);
  ExpectWaits(seen["waits"]);

  const json answer = Ask({"sql", Path("profile"), "SELECT name FROM threads ORDER BY name"});
  EXPECT_EQ(seen["answer"].size(), answer["rows"].size());
  const json counted = Ask({"sql", Path("later"),
                            "SELECT type, count(*), sum(size) FROM objects GROUP BY type"})["rows"];
  ASSERT_GT(counted.size(), 3u);
  for (const json& row : counted) {
    const std::string name = row[0];
    if (name.find("\xe2\x80\xae") != std::string::npos) continue;  // written out on the page
    EXPECT_EQ(seen["counted"][name], (json{row[1], row[2]}));
  }
  const json diff = Ask({"diff", Path("earlier"), Path("later"), "--heap"});
  ASSERT_GT(diff["types"].size(), 0u);
  for (const json& row : diff["types"])
    EXPECT_EQ(seen["changes"][row["type"]], row["retained_bytes"]);

  EXPECT_EQ(seen["alerts"], 0);
  EXPECT_TRUE(seen["elsewhere"].empty()) << seen["elsewhere"];
  for (const auto& [where, taken] : seen["widest"].items()) {
    EXPECT_LE(taken.get<int>(), std::stoi(where.substr(where.rfind(' ')))) << where;
  }
  for (const auto& [where, least] : seen["contrast"].items()) {
    EXPECT_GE(least["ratio"].get<double>(), 4.5) << where << ": " << least;
  }
}

}  // namespace
}  // namespace hindsight::testing
