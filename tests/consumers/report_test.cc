// The report's page, opened in a browser: it shows what the commands say, works by keyboard,
// requests nothing from the network, and never treats a name as markup.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/consumers/profile_recording.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

using nlohmann::json;

// A recording whose every name is one of `names`: types, methods, messages, threads, the process.
RecordingBuilder NamedRecording(const std::vector<std::string>& names) {
  constexpr uint64_t kStartNs = 1'000'000'000'000, kStartUnixNs = 1'790'000'000'000'000'000;
  Recording body;
  SegmentStart& start = *body.add_packet()->mutable_segment_start();
  start.set_monotonic_ns(kStartNs);
  start.set_unix_ns(kStartUnixNs);
  Process& process = *body.add_packet()->mutable_process();
  process.set_pid(4242);
  process.set_application(names[0]);
  process.set_host(names[0]);
  process.set_runtime_version(names[0]);
  process.set_recording_started_unix_ns(kStartUnixNs);
  process.set_recording_started_monotonic_ns(kStartNs);
  for (const char* source : {"exceptions", "threads"}) process.add_source(source);
  const auto string = [&](uint32_t id, const std::string& text) {
    String& made = *body.add_packet()->mutable_string();
    made.set_id(id);
    made.set_value(text);
  };
  for (uint32_t i = 0; i < names.size(); ++i) string(i + 1, names[i]);
  Module& module = *body.add_packet()->mutable_module();
  module.set_id(1);
  module.set_path(1);
  module.set_assembly(1);
  module.set_mvid("0123456789abcdef");
  for (uint32_t i = 1; i <= names.size(); ++i) {
    Thread& thread = *body.add_packet()->mutable_thread();
    thread.set_id(i);
    thread.set_os_id(4241 + i);
    thread.set_name(i);
    Type& type = *body.add_packet()->mutable_type();
    type.set_id(i);
    type.set_name(i);
    type.set_module(1);
    Method& method = *body.add_packet()->mutable_method();
    method.set_id(i);
    method.set_name(i);
    method.set_type(i);
    method.set_module(1);
    Frame& frame = *body.add_packet()->mutable_frame();
    frame.set_id(i);
    frame.set_method(i);
    frame.set_address(0x7f0000000000 + 4096 * i);
    Stack& stack = *body.add_packet()->mutable_stack();
    stack.set_id(i);
    stack.set_parent(i - 1);
    stack.set_frame(i);
    Packet& packet = *body.add_packet();
    packet.set_time_delta_ns(1'000'000);
    Exception& thrown = *packet.mutable_exception();
    thrown.set_id_delta(i);
    thrown.set_thread(i);
    thrown.set_type(i);
    thrown.set_message(i);
    thrown.set_stack(i);
  }
  RecordingBuilder builder;
  builder.AddSegment(body);
  return builder;
}

class ReportPage : public ::testing::Test {
 protected:
  RunResult Run(const std::vector<std::string>& command) {
    RunResult result = RunProgram(command);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    return result;
  }

  std::string Recording(const std::string& name, const ProfileSettings& settings = {}) {
    ProfileTruth truth;
    ProfileRecording(settings, truth).WriteFolder(folder_.path() / name);
    return folder_ / name;
  }

  std::string Report(const std::vector<std::string>& recordings) {
    std::vector<std::string> command = {HINDSIGHT_BINARY, "report", "-o", folder_ / "report.html"};
    command.insert(command.end(), recordings.begin(), recordings.end());
    Run(command);
    return folder_ / "report.html";
  }

  // What the page shows; see report.mjs. What holds for every page is checked here.
  json Look(const std::string& file, const std::string& pictures = "") {
    std::vector<std::string> command = {HINDSIGHT_NODE, HINDSIGHT_CONSUMERS "/report.mjs",
                                        HINDSIGHT_CHROMIUM, file};
    const char* folder = std::getenv("HINDSIGHT_PICTURES");
    if (folder != nullptr && !pictures.empty()) {
      command.push_back(std::string(folder) + "/" + pictures);
    }
    const RunResult result = Run(command);
    const json seen = result.exit_code == 0 ? json::parse(result.out) : json::object();
    if (seen.empty()) return seen;
    EXPECT_EQ(seen["requests"], 0);
    EXPECT_TRUE(seen["plain"].empty()) << seen["plain"];
    EXPECT_EQ(seen["alerts"], 0);
    for (const auto& [width, taken] : seen["widest"].items()) {
      EXPECT_LE(taken.get<int>(), std::stoi(width)) << "scrolls sideways";
    }
    for (const auto& [theme, least] : seen["contrast"].items()) {
      EXPECT_GE(least["ratio"].get<double>(), 4.5) << theme << ": " << least;
    }
    EXPECT_GE(seen["used"].get<double>(), 0.94) << "of a screen of 2560 pixels";
    EXPECT_TRUE(seen["cramped"].empty()) << seen["cramped"];
    // On a phone all but the summary is closed, so that the page is a few screens long.
    const json& phone = seen["phone"];
    EXPECT_GE(phone["closed"].size() + 2, seen["sections"].size());
    EXPECT_LE(phone["height"].get<int>(), 7 * 844) << phone;
    EXPECT_GT(phone["whole"], phone["height"]);
    EXPECT_EQ(seen["idle"], "2,3,1,4 true,false");
    EXPECT_EQ(seen["print"]["contents"], false);
    EXPECT_EQ(seen["print"]["paper"], "rgb(251, 250, 248)");
    return seen;
  }

  json Ask(std::vector<std::string> command) {
    command.insert(command.begin(), HINDSIGHT_BINARY);
    command.emplace_back("--json");
    const RunResult result = Run(command);
    return result.exit_code == 0 ? json::parse(result.out) : json();
  }

  const TempDir folder_;
};

TEST_F(ReportPage, ShowsWhatTheCommandsSay) {
  const std::string recording = Recording("now");
  const json seen = Look(Report({recording}), "profile");

  const json summary = Ask({"summary", recording});
  ASSERT_EQ(seen["findings"].size(), summary["findings"].size());
  for (size_t i = 0; i < summary["findings"].size(); ++i) {
    for (const char* key : {"severity", "kind", "title", "command"}) {
      EXPECT_EQ(seen["findings"][i][key], summary["findings"][i][key]);
    }
  }
  EXPECT_EQ(seen["coverage"].size(), summary["coverage"].size());

  const json cpu = Ask({"cpu", recording});
  const json& methods = seen["tables"]["cpu/methods"]["rows"];
  ASSERT_EQ(methods.size(), cpu["methods"].size());
  for (size_t i = 0; i < methods.size(); ++i) {
    const json& method = cpu["methods"][i];
    EXPECT_EQ(methods[i], json::array({method["method"], method["self_ns"], method["self_share"],
                                       method["total_share"], method["self_samples"]}));
  }
  const json exceptions = Ask({"exceptions", recording});
  const json& group = seen["tables"]["exceptions/groups"]["rows"][0];
  EXPECT_EQ(group[0], exceptions["groups"][0]["type"]["name"]);
  EXPECT_EQ(group[1], exceptions["groups"][0]["count"]);

  const json gc = Ask({"gc", recording});
  const json& kinds = seen["tables"]["gc/pauses/by_kind"]["rows"];
  ASSERT_EQ(kinds.size(), gc["pauses"]["by_kind"].size());
  EXPECT_EQ(kinds[0][2], gc["pauses"]["by_kind"][0]["total_ns"]);

  const json locks = Ask({"locks", recording});
  EXPECT_EQ(seen["tables"]["locks/waits"]["rows"][0][3], locks["waits"][0]["total_ns"]);

  const json allocations = Ask({"allocations", recording});
  const json& types = seen["tables"]["allocations/types"]["rows"];
  ASSERT_EQ(types.size(), allocations["types"].size());
  for (size_t i = 0; i < types.size(); ++i) {
    EXPECT_EQ(types[i][0], allocations["types"][i]["type"]);
    EXPECT_EQ(types[i][1], allocations["types"][i]["bytes"]);
  }
  // Each finding leads to its section; the first method, to its callers and callees.
  EXPECT_EQ(seen["leads_to"].size(), summary["findings"].size());
  EXPECT_EQ(seen["method"]["shown"], seen["method"]["name"]);
  EXPECT_EQ(seen["method"]["sum"], seen["method"]["total"]);
  EXPECT_EQ(seen["flames"]["cpu"], cpu["cpu_ns"]);
  EXPECT_EQ(seen["flames"]["exceptions"], exceptions["exceptions"]);
  EXPECT_EQ(seen["flames"].size(), 5u);

  const json wall = Ask({"wall", recording, "--timeline"});
  const json& lanes = wall["timeline"]["lanes"];
  ASSERT_FALSE(lanes.empty());
  ASSERT_EQ(seen["lanes"].size(), lanes.size());
  for (size_t i = 0; i < lanes.size(); ++i) {
    const std::string name = lanes[i]["thread"]["name"];
    EXPECT_NE(seen["lanes"][i].get<std::string>().find(name), std::string::npos);
  }
}

TEST_F(ReportPage, ComparesTwoRecordings) {
  ProfileSettings slow;
  slow.slower_checkout = 3;
  const std::string before = Recording("before"), after = Recording("after", slow);
  const json seen = Look(Report({before, after}), "compared");
  const json& columns = seen["tables"]["cpu/methods"]["columns"];
  EXPECT_EQ(columns[1], "self, before");
  EXPECT_EQ(columns[2], "self, after");
  EXPECT_EQ(columns[3], "change");
  // By second of each recording.
  const json cpu = Ask({"cpu", after});
  const double seconds =
      (cpu["recording"]["last_ns"].get<double>() - cpu["recording"]["first_ns"].get<double>()) /
      1e9;
  for (const json& row : seen["tables"]["cpu/methods"]["rows"]) {
    for (const json& method : cpu["methods"]) {
      if (method["method"] != row[0]) continue;
      EXPECT_NEAR(row[2].get<double>(), method["self_ns"].get<double>() / seconds, 1);
    }
  }
}

TEST_F(ReportPage, ShowsRequests) {
  const std::string recording = Recording("busy", {.seconds = 12, .busy = true});
  const json seen = Look(Report({recording}), "busy");
  const json requests = Ask({"info", recording})["requests"];
  EXPECT_EQ(seen["figures"]["requests"][0], "3,600");
  EXPECT_EQ(requests["finished"], 3600);
  EXPECT_EQ(seen["figures"]["requests"][3], std::to_string(requests["failed"].get<int>()));
  EXPECT_EQ(seen["figures"]["requests"][4], "12");  // answered with 500 or above
  EXPECT_EQ(seen["figures"]["requests"][5], "3");
  const json& rows = seen["tables"]["requests/busiest"]["rows"];
  ASSERT_EQ(rows.size(), 12u);
  EXPECT_GE(rows[0][2], rows[1][2]);
  const json& routes = seen["tables"]["requests/served"]["rows"];
  ASSERT_EQ(routes.size(), 1u);
  const json served = Ask({"requests", recording})["served"][0];
  EXPECT_EQ(routes[0][0], "GET /orders/{id}");
  EXPECT_EQ(routes[0][1], served["count"]);
  EXPECT_EQ(served["count"], 3600);
  EXPECT_EQ(routes[0][2], 12);
  EXPECT_EQ(routes[0][3], served["refused"]);
  EXPECT_EQ(routes[0][5], served["mean_ns"]);
  EXPECT_EQ(routes[0][7], served["p95_ns"]);
}

// What is gone is shown as well.
TEST_F(ReportPage, ShowsWhatOnlyTheEarlierRecordingHas) {
  NamedRecording({"Shop"}).WriteFolder(folder_.path() / "after");
  const std::string before = Recording("before", {.seconds = 12, .busy = true});
  const json seen = Look(Report({before, folder_ / "after"}), "gone");
  for (const char* id : {"cpu", "allocations", "pauses", "locks", "requests"}) {
    const std::string title = seen["headings"].value(id, "");
    EXPECT_TRUE(title.ends_with(", earlier recording")) << id << ": " << title;
  }
  EXPECT_EQ(seen["headings"]["exceptions"], "Exceptions");
  const json cpu = Ask({"cpu", before});
  EXPECT_EQ(seen["flames"]["cpu"], cpu["cpu_ns"]);
  EXPECT_EQ(seen["tables"]["cpu/methods"]["rows"][0][1], cpu["methods"][0]["self_ns"]);
  EXPECT_TRUE(seen["series"].contains("requests"));
}

TEST_F(ReportPage, TakesNoNameForMarkup) {
  const std::vector<std::string> names = {
      "<script>alert(1)</script>",
      "</script><script>alert(2)</script>",
      "<!--<script>",
      "]]><img src=x onerror=alert(3)>",
      "\" onmouseover=alert(4) x=\"",
      "a\u2028line\u2029ends",
      "\u202etxet\u202c",  // reverses its direction
      "zero\u200bwidth\ufeff",
      "&lt;b&gt;&amp;",
      "{{script}}{{data}}",
      "not \xff\xfe UTF-8",
      std::string(10'000, 'W') + "<script>alert(5)",
      "${alert(6)}`",
      "__proto__",
  };
  NamedRecording(names).WriteFolder(folder_.path() / "hostile");
  const std::string file = Report({folder_ / "hostile"});
  const json seen = Look(file, "hostile");
  std::string shown;
  for (const json& row : seen["tables"]["exceptions/groups"]["rows"]) {
    shown += row[0].get<std::string>() + "\n";
  }
  for (const char* text : {"<script>alert(1)</script>", "</script><script>alert(2)</script>",
                           "<!--<script>", "&lt;b&gt;&amp;", "{{script}}{{data}}", "__proto__",
                           "a\\u2028line\\u2029ends", "\\u202etxet\\u202c", "zero\\u200bwidth"}) {
    EXPECT_NE(shown.find(text), std::string::npos) << text << " in\n" << shown;
  }
  EXPECT_EQ(shown.find(std::string(5'000, 'W')), std::string::npos) << "a name was not cut";
  // None of the document's elements comes from the recording.
  const std::string page = ReadFile(file);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
}

}  // namespace
}  // namespace hindsight::testing
