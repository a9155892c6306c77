// Tables of many recordings in the engines that they go to when one file is not enough: PostgreSQL,
// and Parquet by DuckDB. Run by the scripts that lie beside the tables, as a user would.
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/consumers/profile_recording.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Everything that CSV, COPY and a line of a script could stumble over.
constexpr char kHostileHost[] = "till, \"2\"\n\\.\n'; DROP TABLE recordings; -- \xc3\xa9";
// psql would take the second line for the end of the file.
constexpr char kHostileHostInCsv[] = "till, \"2\"\n\\. \n'; DROP TABLE recordings; -- \xc3\xa9";

class Engines : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    recordings_ = new TempDir;
    for (uint64_t i = 0; i < 3; ++i) {
      ProfileSettings settings;
      settings.seconds = 2;
      settings.recording_id = 2000 + i;
      settings.host = i == 2 ? kHostileHost : "till-" + std::to_string(i);
      ProfileTruth truth;
      ProfileRecording(settings, truth).WriteFolder(Recording(i));
    }
  }
  static void TearDownTestSuite() { delete recordings_; }

  static std::string Recording(uint64_t i) { return *recordings_ / ("shop-" + std::to_string(i)); }
  static std::vector<std::string> All() { return {Recording(0), Recording(1), Recording(2)}; }

  static RunResult Hindsight(std::vector<std::string> arguments,
                             const std::vector<std::string>& recordings) {
    arguments.insert(arguments.begin(), HINDSIGHT_BINARY);
    arguments.insert(arguments.end(), recordings.begin(), recordings.end());
    return RunProgram(arguments);
  }

  std::string Tables(const std::vector<std::string>& recordings, const std::string& name) {
    const std::string folder = out_ / name;
    const RunResult result =
        Hindsight({"export", "--format", "csv", "--output", folder}, recordings);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return folder;
  }

  // Rows of each table, as `hindsight sql` counts them.
  static std::map<std::string, uint64_t> Counts(const std::string& tables) {
    std::map<std::string, uint64_t> counts;
    for (const auto& file : fs::directory_iterator(tables)) {
      if (file.path().extension() != ".csv") continue;
      const std::string table = file.path().stem();
      std::vector<std::string> arguments = {HINDSIGHT_BINARY, "sql", "--json"};
      for (const std::string& recording : All()) arguments.push_back(recording);
      arguments.push_back("SELECT count(*) FROM " + table);
      const RunResult result = RunProgram(arguments);
      counts[table] = json::parse(result.out)["rows"][0][0];
    }
    return counts;
  }

  static inline TempDir* recordings_ = nullptr;
  const TempDir out_;
};

#ifdef HINDSIGHT_POSTGRES

// A server of its own, reached through a socket in its folder.
class PostgresServer {
 public:
  PostgresServer() {
    // As root it refuses to run; the folder is then its user's.
    fs::permissions(folder_.path(), fs::perms::all);
    Run({Program("initdb"), "-D", Data(), "-A", "trust", "-U", "hindsight", "--no-sync"});
    Run({Program("pg_ctl"), "-D", Data(), "-w", "-l", folder_ / "log", "-o",
         "-c listen_addresses='' -c fsync=off -c unix_socket_directories=" +
             folder_.path().string(),
         "start"});
  }
  ~PostgresServer() { Run({Program("pg_ctl"), "-D", Data(), "-m", "immediate", "stop"}); }

  RunResult Load(const std::string& tables) const {
    return RunProgram({"/bin/sh", "-c",
                       "cd \"$1\" && exec \"$2\" -X -q \"$3\" -f load-postgresql.sql", "sh", tables,
                       HINDSIGHT_PSQL, Address()});
  }
  std::string Ask(const std::string& query) const {
    const RunResult result = RunProgram({HINDSIGHT_PSQL, "-X", "-q", "-A", "-t", Address(), "-c",
                                         "SET search_path = hindsight", "-c", query});
    EXPECT_EQ(result.exit_code, 0) << query << "\n" << result.err;
    return result.out.substr(0, result.out.find_last_not_of('\n') + 1);
  }

 private:
  static std::string Program(const std::string& name) {
    return std::string(HINDSIGHT_POSTGRES "/") + name;
  }
  std::string Data() const { return folder_ / "data"; }
  std::string Address() const {
    return "postgresql://hindsight@/postgres?host=" + folder_.path().string();
  }
  static void Run(const std::vector<std::string>& command) {
    const RunResult result = RunProgram(command, true);
    EXPECT_EQ(result.exit_code, 0) << command[0] << "\n" << result.out << result.err;
  }

  const TempDir folder_;
};

TEST_F(Engines, PostgresqlHasTheSameRows) {
  const PostgresServer server;
  const std::string tables = Tables(All(), "tables");
  const RunResult loaded = server.Load(tables);
  ASSERT_EQ(loaded.exit_code, 0) << loaded.err;
  EXPECT_EQ(loaded.err, "");
  for (const auto& [table, rows] : Counts(tables)) {
    EXPECT_EQ(server.Ask("SELECT count(*) FROM " + table), std::to_string(rows)) << table;
  }
  EXPECT_EQ(server.Ask("SELECT host FROM recordings WHERE host LIKE 'till, %'"), kHostileHostInCsv);
  for (const char* view : {"cpu_by_method", "cpu_by_thread", "allocations_by_type",
                           "allocations_by_method", "exception_paths", "exceptions_by_place",
                           "waits_by_method", "pauses_by_kind", "heap_by_type"}) {
    server.Ask(std::string("SELECT * FROM ") + view);
  }
  EXPECT_EQ(server.Ask("SELECT sum(self_ns) FROM cpu_by_method"),
            server.Ask("SELECT sum(cpu_ns) FROM cpu_samples"));
}

TEST_F(Engines, PostgresqlTakesARecordingOnceHoweverManyLoadIt) {
  const PostgresServer server;
  const std::string all = Tables(All(), "all");
  const std::string one = Tables({Recording(0)}, "one");
  const std::string two = Tables({Recording(1), Recording(2)}, "two");
  ASSERT_EQ(server.Load(one).exit_code, 0);
  std::vector<std::future<RunResult>> loads;
  for (const std::string& tables : {all, one, two, all}) {
    loads.push_back(
        std::async(std::launch::async, [&server, tables] { return server.Load(tables); }));
  }
  for (auto& load : loads) {
    const RunResult result = load.get();
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  for (const auto& [table, rows] : Counts(all)) {
    EXPECT_EQ(server.Ask("SELECT count(*) FROM " + table), std::to_string(rows)) << table;
  }
}

TEST_F(Engines, PostgresqlOfAnotherVersionIsLeftAlone) {
  const PostgresServer server;
  const std::string tables = Tables({Recording(0)}, "tables");
  ASSERT_EQ(server.Load(tables).exit_code, 0);
  server.Ask("UPDATE schema_version SET version = 99");
  const RunResult refused = server.Load(tables);
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.err.find("another version than these tables"), std::string::npos)
      << refused.err;
  EXPECT_EQ(server.Ask("SELECT count(*) FROM recordings"), "1");
}

#endif

#ifdef HINDSIGHT_NODE

TEST_F(Engines, DuckDbWritesParquetByDayAndApplication) {
  const std::string tables = Tables(All(), "tables");
  fs::create_directory(tables + "/parquet");
  const RunResult result = RunProgram({HINDSIGHT_NODE, HINDSIGHT_CONSUMERS "/parquet.mjs", tables});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json seen = json::parse(result.out);
  for (const auto& [table, rows] : Counts(tables)) {
    // A table without rows has no files.
    EXPECT_EQ(seen["rows"].value(table, uint64_t{0}), rows) << table;
  }
  std::vector<std::string> arguments = {HINDSIGHT_BINARY, "sql", "--json"};
  for (const std::string& recording : All()) arguments.push_back(recording);
  arguments.emplace_back(
      "SELECT r.application, r.host, sum(s.cpu_ns) FROM cpu_samples s JOIN recordings r "
      "USING (recording) GROUP BY r.recording ORDER BY r.host");
  const json expected = json::parse(RunProgram(arguments).out)["rows"];
  ASSERT_EQ(seen["cpu"].size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const json& row = seen["cpu"][i];
    json row_of_sql = expected[i];
    if (row_of_sql[1] == kHostileHost) row_of_sql[1] = kHostileHostInCsv;
    EXPECT_EQ(json::array({row[1], row[2], row[3]}), row_of_sql);
    EXPECT_EQ(row[0].get<std::string>().size(), 10u) << row;  // 2026-11-25
  }
}

#endif

}  // namespace
}  // namespace hindsight::testing
