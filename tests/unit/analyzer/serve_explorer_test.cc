// Which address shows what, with a fake source.
#include "analyzer/serve/explorer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/heap_builder.h"

namespace hindsight::analyzer {
namespace {

using nlohmann::json;

class MadeUpSource : public RecordingSource {
 public:
  std::string Place() const override { return "/recordings"; }
  Result<std::vector<FoundRecording>> List() override {
    return std::vector{*Find("a.hindsight"), *Find("b.hindsight")};
  }
  Result<FoundRecording> Find(std::string_view name) override {
    asked_for.emplace_back(name);
    if (name != "a.hindsight" && name != "b.hindsight") return Error{"There is none."};
    FoundRecording found;
    found.path = "/recordings/" + std::string(name);
    found.bytes = bytes;
    return found;
  }
  Result<std::string> Brief(const std::string& path) override {
    return "{\"path\": \"" + path + "\"}";
  }
  Result<std::string> Report(const std::string& path, const std::string& earlier,
                             const PageFrame& frame) override {
    ++reports;
    return path + "|" + earlier + "|" + frame.head + frame.foot;
  }
  Result<std::vector<HeapFacts>> Snapshots(const std::string&) override {
    HeapFacts facts;
    facts.number = 3;
    facts.certified_objects = 7;
    return std::vector{HeapFacts(), facts};
  }
  Result<std::unique_ptr<HeapParts>> Heap(const std::string& path,
                                          std::optional<uint32_t> snapshot) override {
    ++heaps;
    if (snapshot.value_or(1) != 1) return Error{"There is no snapshot " + path + "."};
    testing::HeapBuilder heap;
    heap.Root(heap.Add(heap.Class("Shop.<b>Order</b>", {})));
    auto parts = std::make_unique<HeapParts>();
    parts->model = heap.Build();
    return parts;
  }
  Result<std::string> Events(const std::string&, const EventScope& scope) override {
    return "[" + std::to_string(scope.from_ns) + ", " + std::to_string(scope.to_ns) + ", \"" +
           scope.thread + "\"]";
  }
  Result<std::string> Flames(const std::string&, const EventScope& scope,
                             std::string_view signal) override {
    return std::string(signal) + " " + std::to_string(scope.from_ns) + " " + scope.thread;
  }
  Result<std::string> Sql(const std::string&, const std::string& query,
                          const HeapAsker& heap) override {
    if (query != "objects") return query;
    const auto asked = heap();
    if (!asked) return asked.error();
    return std::to_string((*asked)->Tables(false).model->graph.size());
  }
  Result<std::string> HeapDiff(const std::string& path, std::optional<uint32_t> snapshot,
                               const std::string& later, std::optional<uint32_t> number) override {
    return path + " " + std::to_string(snapshot.value_or(0)) + " " + later + " " +
           std::to_string(number.value_or(0));
  }

  std::vector<std::string> asked_for;
  uint64_t bytes = 100;
  int reports = 0, heaps = 0;
};

class ServeExplorer : public ::testing::Test {
 protected:
  HttpResponse Ask(const std::string& rest) {
    return explorer_.Answer({"GET", "/t0ken/" + rest, "127.0.0.1:80", ""});
  }
  int Status(const std::string& rest) { return Ask(rest).status; }
  HttpResponse Post(const std::string& rest) {
    return explorer_.Answer({"POST", "/t0ken/" + rest, "127.0.0.1:80", "http://127.0.0.1:80"});
  }

  MadeUpSource source_;
  Processes processes_{std::nullopt, "/recordings"};
  Explorer explorer_{"t0ken", source_, processes_};
};

TEST_F(ServeExplorer, EveryAddressIsBehindTheToken) {
  for (const char* target : {"/", "/api/list", "/files/explorer.js", "/wrong/api/list",
                             "/report?recording=a.hindsight", "/favicon.ico"}) {
    EXPECT_EQ(explorer_.Answer({"GET", target, "127.0.0.1:80", ""}).status, 403) << target;
  }
  EXPECT_EQ(explorer_.Answer({"GET", "/t0ken/api/list", "evil.example", ""}).status, 421);
  EXPECT_EQ(
      explorer_.Answer({"GET", "/t0ken/api/list", "127.0.0.1:80", "http://evil.example"}).status,
      403);
  EXPECT_TRUE(source_.asked_for.empty()) << "refused before anything is looked for";
}

TEST_F(ServeExplorer, PagesAndFilesAreThere) {
  EXPECT_EQ(Ask("").type, "text/html; charset=utf-8");
  EXPECT_EQ(Ask("?view=heap&recording=x").status, 200) << "the view is the page's own affair";
  for (const char* file : {"explorer.js", "report.js", "beside_report.js"}) {
    const HttpResponse script = Ask("files/" + std::string(file));
    EXPECT_EQ(script.type, "text/javascript; charset=utf-8");
    EXPECT_FALSE(script.body.empty());
  }
  EXPECT_EQ(Ask("files/report.css").type, "text/css; charset=utf-8");
  EXPECT_NE(Ask("files/tables.txt").body.find("cpu_by_method"), std::string::npos);
  // The policy forbids inline styles.
  EXPECT_EQ(Ask("").body.find("<style"), std::string::npos);
  EXPECT_EQ(Ask("").body.find("<script>"), std::string::npos);
  EXPECT_EQ(Ask("").body.find("style="), std::string::npos);
}

TEST_F(ServeExplorer, WhatIsNowhereIsNotFound) {
  for (const char* rest : {"x", "api", "api/", "api/none", "api/list/", "api/list/x", "files/",
                           "files/none", "files/explorer.html", "report/", "x/y/z"}) {
    EXPECT_EQ(Status(rest), 404) << rest;
  }
  for (const char* rest : {"..", "files/..", "files/%2e%2e", "files/..%2fexplorer.js", "%00",
                           "api/list?a=%", "api/list?a&a", "files/%2fetc%2fpasswd"}) {
    EXPECT_EQ(Status(rest), 400) << rest;
  }
}

TEST_F(ServeExplorer, ARecordingIsNamedAndNeverAPath) {
  for (const char* rest :
       {"report", "api/brief", "api/types", "api/object?address=0x1", "api/sql", "api/events",
        "api/flames?signal=cpu", "api/heapdiff", "api/snapshots"}) {
    EXPECT_EQ(Status(rest), 400) << rest << ": the recording is missing";
  }
  // Whatever is given is a name that the source does not have.
  EXPECT_EQ(Status("api/brief?recording=..%2F..%2Fetc%2Fpasswd"), 422);
  EXPECT_EQ(source_.asked_for.back(), "../../etc/passwd");
  EXPECT_EQ(Status("report?recording=a.hindsight&earlier=..%2Fx"), 422);
}

TEST_F(ServeExplorer, ReportsAreMadeOnceUntilTheRecordingGrows) {
  const std::string page = Ask("report?recording=a.hindsight").body;
  EXPECT_TRUE(page.starts_with("/recordings/a.hindsight||<link"));
  EXPECT_NE(page.find("files/beside_report.js"), std::string::npos);
  Ask("report?recording=a.hindsight");
  EXPECT_EQ(source_.reports, 1);
  EXPECT_TRUE(Ask("report?recording=b.hindsight&earlier=a.hindsight")
                  .body.starts_with("/recordings/b.hindsight|/recordings/a.hindsight|"));
  source_.bytes = 200;
  Ask("report?recording=a.hindsight");
  EXPECT_EQ(source_.reports, 3);
}

TEST_F(ServeExplorer, AHeapIsReadOnce) {
  const std::string heap = "recording=a.hindsight&snapshot=1";
  EXPECT_EQ(Ask("api/types?" + heap).type, "application/json; charset=utf-8");
  const json page =
      json::parse(Ask("api/instances?" + heap + "&type=Shop.%3Cb%3EOrder%3C/b%3E").body);
  EXPECT_EQ(page["type"], "Shop.<b>Order</b>");
  const std::string address = page["objects"][0]["address"];
  EXPECT_EQ(Status("api/object?" + heap + "&address=" + address), 200);
  EXPECT_EQ(Status("api/path?" + heap + "&address=" + address), 200);
  EXPECT_EQ(Status("api/dominated?" + heap + "&address=" + address), 200);
  EXPECT_EQ(Status("api/dominated?" + heap), 200);
  EXPECT_EQ(source_.heaps, 1);
  EXPECT_EQ(Status("api/types?recording=a.hindsight&snapshot=2"), 422);
  EXPECT_EQ(Status("api/types?recording=a.hindsight&snapshot=2"), 422) << "a failure is not kept";
  EXPECT_EQ(source_.heaps, 3);
}

TEST_F(ServeExplorer, MalformedParametersAreUsageErrors) {
  const std::string heap = "recording=a.hindsight";
  for (const char* wrong : {"snapshot=x", "snapshot=-1", "snapshot=4294967296", "snapshot=1%00"}) {
    EXPECT_EQ(Status("api/types?" + heap + "&" + wrong), 400) << wrong;
  }
  for (const char* wrong : {"from=-1", "from=x", "rows=501", "rows=99999999999999999999999"}) {
    EXPECT_EQ(Status("api/instances?" + heap + "&type=x&" + wrong), 400) << wrong;
    EXPECT_EQ(Status("api/dominated?" + heap + "&" + wrong), 400) << wrong;
  }
  EXPECT_EQ(Status("api/object?" + heap + "&address=0x1&references_from=x"), 400);
  EXPECT_EQ(Status("api/object?" + heap + "&address=nonsense"), 400);
  EXPECT_EQ(Status("api/object?" + heap + "&address=0x1"), 422);
  for (const char* wrong : {"from=x", "to=-5", "from=5&to=5", "from=6&to=5"}) {
    EXPECT_EQ(Status("api/events?" + heap + "&" + wrong), 400) << wrong;
    EXPECT_EQ(Status("api/flames?signal=cpu&" + heap + "&" + wrong), 400) << wrong;
  }
  EXPECT_EQ(Status("api/flames?" + heap), 400);
  EXPECT_EQ(Status("api/flames?signal=locks&" + heap), 400)
      << "waits for locks are of no time and thread";
  EXPECT_EQ(Ask("api/flames?signal=wall&to=3&" + heap).body.substr(0, 5), "wall ");
  EXPECT_EQ(Ask("api/flames?signal=exceptions&from=3&thread=w&" + heap).body, "exceptions 3 w");
  EXPECT_EQ(Ask("api/events?" + heap + "&from=1&to=2&thread=w%2A").body, "[1, 2, \"w*\"]");
  EXPECT_EQ(Status("api/sql?" + heap + "&query=" + std::string(9000, 'x')), 400);
  EXPECT_EQ(Ask("api/sql?" + heap + "&query=SELECT+1").body, "SELECT 1");
}

TEST_F(ServeExplorer, AQueryAboutObjectsReadsAHeap) {
  const std::string heap = "recording=a.hindsight&snapshot=1";
  EXPECT_EQ(Ask("api/sql?" + heap + "&query=SELECT+1").body, "SELECT 1");
  EXPECT_EQ(source_.heaps, 0);
  EXPECT_EQ(Ask("api/sql?" + heap + "&query=objects").body, "1");
  EXPECT_EQ(Ask("api/types?" + heap).status, 200);
  EXPECT_EQ(source_.heaps, 1) << "the same that the other views show";
  EXPECT_EQ(Status("api/sql?recording=a.hindsight&snapshot=2&query=objects"), 422);
}

TEST_F(ServeExplorer, WhatChangesSomethingIsPostedAndNothingElseIs) {
  for (const char* rest : {"do/record", "do/record?pid=1", "do/none"}) {
    EXPECT_EQ(Status(rest), 405) << rest;
    EXPECT_EQ(Ask(rest).allow, "POST");
    EXPECT_EQ(Post(rest).status, 422) << rest << ": no trigger is installed";
  }
  for (const char* rest : {"", "api/list", "api/status", "files/explorer.js", "do", "do/", "do/a/b",
                           "report?recording=a.hindsight"}) {
    EXPECT_NE(Post(rest).status, 200) << rest;
  }
  EXPECT_EQ(Post("api/list").status, 405);
  EXPECT_EQ(Post("api/list").allow, "GET, HEAD");
  EXPECT_EQ(explorer_.Answer({"POST", "/t0ken/do/stop", "127.0.0.1:80", ""}).status, 403);
  EXPECT_NE(Ask("api/processes").body.find("hindsight-trigger"), std::string::npos);
  EXPECT_EQ(Status("api/status?pid=1"), 422);
}

TEST_F(ServeExplorer, TwoHeapsMayBeOfOneRecording) {
  EXPECT_EQ(Ask("api/heapdiff?recording=a.hindsight&earlier_snapshot=1&snapshot=2").body,
            "/recordings/a.hindsight 1 /recordings/a.hindsight 2");
  EXPECT_EQ(Ask("api/heapdiff?recording=b.hindsight&earlier=a.hindsight").body,
            "/recordings/a.hindsight 0 /recordings/b.hindsight 0");
  const json snapshots = json::parse(Ask("api/snapshots?recording=a.hindsight").body);
  ASSERT_EQ(snapshots["snapshots"].size(), 1u) << "one has no objects";
  EXPECT_EQ(snapshots["snapshots"][0]["snapshot"], 3);
}

}  // namespace
}  // namespace hindsight::analyzer
