// Single requests in a recording are those that the server served, with the database commands and
// the calls that each made, on all runtimes, from the start and attached; and commands that a
// database's driver executes, with and without Entity Framework Core.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "tests/live/harness/application.h"
#include "tests/live/harness/sample.h"
#ifdef HINDSIGHT_POSTGRES
#include "tests/support/postgres_server.h"
#endif

namespace hindsight::live {
namespace {

using Json = nlohmann::json;

constexpr int kRequests = 12, kBooksOfAShelf = 20;

std::vector<std::string> Queries(int runtime) {
  if (runtime == 8) return {HINDSIGHT_QUERIES_8};
  if (runtime == 9) return {HINDSIGHT_QUERIES_9};
  return {HINDSIGHT_DOTNET, HINDSIGHT_QUERIES_10};
}

const Json& RowWith(const Json& rows, const std::string& key, const Json& value) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const Json& one) { return one.at(key) == value; });
  if (row == rows.end()) throw std::runtime_error("no " + value.dump() + " in " + rows.dump());
  return *row;
}

class RequestDetailsTest : public ::testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(RequestDetailsTest, AreThoseOfTheServerWithWhatTheyAsked) {
  const auto [runtime, attached] = GetParam();
  const Workspace out;
  SampleApplication::Start start{.command = Queries(runtime),
                                 .arguments = {"--requests", std::to_string(kRequests)},
                                 .waits_to_go = true};
  if (!attached) start.environment = StartUp(out / "out", "requests.details=texts");
  SampleApplication application(start);
  if (attached) application.Attach("threads,gc,locks,cpu,requests", {"requests.details=texts"});
  const std::filesystem::path recording =
      WhenListening(attached ? application.output() : out / "out");
  ASSERT_FALSE(recording.empty());
  ASSERT_TRUE(WaitUntil(
      [&] { return !HindsightJson("requests", recording).at("details").at("from_ns").is_null(); }));
  application.Go();
  if (attached) application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");

  const Json details = HindsightJson("requests", recording).at("details");
  EXPECT_EQ(details.at("is_partial"), false);
  // All routes, those called by /remote twice, and requests to an unknown path.
  EXPECT_EQ(details.at("count"), 8 * kRequests);
  const Json& routes = details.at("routes");
  EXPECT_EQ(routes.size(), 7u) << routes;
  const auto expect = [&](const Json& route, int count, int commands, int calls) -> const Json& {
    const Json& row = RowWith(routes, "route", route);
    EXPECT_EQ(row.at("count"), count) << row;
    EXPECT_EQ(row.at("commands"), commands) << row;
    EXPECT_EQ(row.at("calls"), calls) << row;
    EXPECT_EQ(row.at("failed"), 0) << row;
    const Json& times = row.at("times");
    const auto total = times.at("total_ns").get<int64_t>();
    EXPECT_GT(total, 0);
    for (const char* part : {"database_ns", "calls_ns", "pause_ns", "unknown_ns"}) {
      EXPECT_LE(times.at(part).get<int64_t>(), total) << part << row;
    }
    return row;
  };
  const int each = kRequests * (1 + kBooksOfAShelf);
  expect("GET /books/{id}", 2 * kRequests, 2 * kRequests, 0);
  expect("GET /shelves/{shelf}", kRequests, kRequests, 0);
  const Json& one_by_one = expect("GET /shelves/{shelf}/each", kRequests, each, 0);
  EXPECT_GT(one_by_one.at("times").at("database_ns"), 0);
  const Json& remote = expect("GET /remote/{id}", kRequests, 0, kRequests);
  EXPECT_GT(remote.at("times").at("calls_ns"),
            remote.at("times").at("total_ns").get<int64_t>() / 4);
  const Json& slow = expect("GET /slow", kRequests, 0, 0);
  EXPECT_GE(slow.at("p50_ns"), 19'000'000);
  EXPECT_GT(slow.at("times").at("unknown_ns"), slow.at("times").at("total_ns").get<int64_t>() / 2);
  const Json& busy = expect("GET /busy", kRequests, 0, 0);
  EXPECT_GT(busy.at("times").at("cpu_ns"), 0) << busy;
  EXPECT_EQ(slow.at("times").at("database_ns"), 0);
  expect(nullptr, kRequests, 0, 0);

  // Commands that are repeated, and where.
  const Json& commands = details.at("commands");
  const auto again = std::find_if(commands.begin(), commands.end(), [](const Json& row) {
    return row.at("route") == "GET /shelves/{shelf}/each" && row.at("per_request") > 2;
  });
  ASSERT_NE(again, commands.end()) << commands;
  EXPECT_EQ(again->at("count"), kRequests * kBooksOfAShelf);
  EXPECT_EQ(again->at("requests"), kRequests);
  EXPECT_EQ(again->at("most_per_request"), kBooksOfAShelf);
  EXPECT_TRUE(again->at("what").get<std::string>().starts_with("SELECT "));
  EXPECT_NE(again->at("text").get<std::string>().find("FROM \"Books\""), std::string::npos);
  EXPECT_EQ(again->at("place"), "Queries.Shelves.Title");
  const Json& outside = RowWith(commands, "place", "Queries.Library.TakeStock");
  EXPECT_EQ(outside.at("count"), kRequests);
  EXPECT_EQ(outside.at("in_request"), false);
  // And nothing of the path or of the values.
  EXPECT_EQ(details.dump().find("book 1"), std::string::npos);

  ASSERT_FALSE(details.at("slowest").empty());
  const Json summary = HindsightJson("summary", recording);
  std::vector<std::string> titles;
  for (const Json& finding : summary.at("findings")) {
    if (finding.at("kind") == "repeated-command") titles.push_back(finding.at("title"));
  }
  ASSERT_EQ(titles.size(), 1u) << summary.at("findings");
  EXPECT_EQ(titles.front(),
            "GET /shelves/{shelf}/each: the same command 20 times a request (N+1), in "
            "Queries.Shelves.Title");
}

INSTANTIATE_TEST_SUITE_P(Net, RequestDetailsTest,
                         ::testing::Combine(::testing::ValuesIn(kRuntimes), ::testing::Bool()),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "Attach" : "StartUp");
                         });

#ifdef HINDSIGHT_POSTGRES
class DriverCommandsTest : public ::testing::TestWithParam<int> {};

// What Entity Framework Core executes through the driver counts once.
TEST_P(DriverCommandsTest, CountOnce) {
  using hindsight::testing::PostgresServer;
  const PostgresServer postgres;
  const std::string connection = "Host=" + postgres.host() + ";Username=" + PostgresServer::kUser +
                                 ";Database=" + PostgresServer::kDatabase;
  const Workspace out;
  SampleApplication application(
      {.command = Queries(GetParam()),
       .arguments = {"--requests", std::to_string(kRequests), "--postgres", connection},
       .environment = StartUp(out / "out", "requests.details=texts"),
       .waits_to_go = true});
  const std::filesystem::path recording = WhenListening(out / "out");
  ASSERT_FALSE(recording.empty());
  ASSERT_TRUE(WaitUntil(
      [&] { return !HindsightJson("requests", recording).at("details").at("from_ns").is_null(); }));
  application.Go();
  EXPECT_EQ(application.End(), "done\n");

  const Json details = HindsightJson("requests", recording).at("details");
  const auto expect = [&](const char* route, int commands) {
    const Json& row = RowWith(details.at("routes"), "route", route);
    EXPECT_EQ(row.at("commands"), commands) << row;
    EXPECT_GT(row.at("times").at("database_ns"), 0) << row;
  };
  expect("GET /books/{id}", 2 * kRequests);
  expect("GET /shelves/{shelf}/each", kRequests * (1 + kBooksOfAShelf));
  expect("GET /catalogue/{shelf}", kRequests * (2 + kBooksOfAShelf));

  const Json& commands = details.at("commands");
  const auto again = std::find_if(commands.begin(), commands.end(), [](const Json& row) {
    return row.at("route") == "GET /catalogue/{shelf}" && row.at("per_request") > 2;
  });
  ASSERT_NE(again, commands.end()) << commands;
  EXPECT_EQ(again->at("count"), kRequests * kBooksOfAShelf);
  EXPECT_EQ(again->at("text"), "SELECT \"Title\", ARRAY[?] FROM \"Books\" WHERE \"Id\" = ?");
  EXPECT_EQ(again->at("place"), "Queries.Shelves.WithoutEntities");
  const Json& outside = RowWith(commands, "place", "Queries.Library.TakeStock");
  EXPECT_EQ(outside.at("count"), kRequests);
}

INSTANTIATE_TEST_SUITE_P(Net, DriverCommandsTest, ::testing::ValuesIn(kRuntimes),
                         [](const auto& info) { return std::to_string(info.param); });
#endif

}  // namespace
}  // namespace hindsight::live
