// Tables of many recordings in the engines that they go to when one file is not enough: PostgreSQL,
// and Parquet by DuckDB. Run by the scripts that are written next to the tables, as a user would.
#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/consumers/profile_recording.h"
#include "tests/support/documented_queries.h"
#include "tests/support/postgres_server.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Everything that CSV, COPY and a script's line could trip over.
constexpr char kHostileHost[] = "till, \"2\"\n\\.\n'; DROP TABLE recordings; -- \xc3\xa9";
// psql would take the second line for the end of the file.
constexpr char kHostileHostInCsv[] = "till, \"2\"\n\\. \n'; DROP TABLE recordings; -- \xc3\xa9";

class Engines : public ::testing::Test {
 public:
  static RunResult Hindsight(std::vector<std::string> arguments,
                             const std::vector<std::string>& recordings) {
    arguments.insert(arguments.begin(), HINDSIGHT_BINARY);
    arguments.insert(arguments.end(), recordings.begin(), recordings.end());
    return RunProgram(arguments);
  }

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

// With the commands that load and ask it.
class Postgres : public PostgresServer {
 public:
  RunResult Load(const std::string& tables) const {
    return RunProgram({"/bin/sh", "-c",
                       "cd \"$1\" && exec \"$2\" -X -q \"$3\" -f load-postgresql.sql", "sh", tables,
                       HINDSIGHT_PSQL, Address()});
  }
  // The rows of a query, each an array of texts.
  json Rows(const std::string& query) const {
    const RunResult result =
        RunProgram({HINDSIGHT_PSQL, "-X", "-q", "-A", "-t", "-F", "\x1f", "-R", "\x1e", "-P",
                    "null=null", Address(), "-c", "SET search_path = hindsight", "-c", query});
    EXPECT_EQ(result.exit_code, 0) << query << "\n" << result.err;
    json rows = json::array();
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line, '\x1e');) {
      if (line.ends_with('\n')) line.pop_back();
      if (line.empty()) continue;
      json row = json::array();
      size_t begin = 0;
      while (true) {
        const size_t end = line.find('\x1f', begin);
        row.push_back(line.substr(begin, end - begin));
        if (end == line.npos) break;
        begin = end + 1;
      }
      rows.push_back(row);
    }
    return rows;
  }
  RunResult Export(const std::vector<std::string>& recordings) const {
    return Engines::Hindsight({"export", "--to", Address()}, recordings);
  }
  std::string Ask(const std::string& query) const {
    const RunResult result = RunProgram({HINDSIGHT_PSQL, "-X", "-q", "-A", "-t", Address(), "-c",
                                         "SET search_path = hindsight", "-c", query});
    EXPECT_EQ(result.exit_code, 0) << query << "\n" << result.err;
    return result.out.substr(0, result.out.find_last_not_of('\n') + 1);
  }

 private:
  std::string Address() const {
    return std::string("postgresql://") + kUser + "@/" + kDatabase + "?host=" + host();
  }
};

TEST_F(Engines, PostgresqlHasTheSameRows) {
  const Postgres server;
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
  const Postgres server;
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
  const Postgres server;
  const std::string tables = Tables({Recording(0)}, "tables");
  ASSERT_EQ(server.Load(tables).exit_code, 0);
  server.Ask("UPDATE schema_version SET version = 99");
  const RunResult refused = server.Load(tables);
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.err.find("another version than these tables"), std::string::npos)
      << refused.err;
  EXPECT_EQ(server.Ask("SELECT count(*) FROM recordings"), "1");
}

TEST_F(Engines, ExportToPostgresqlReplacesWhatIsThere) {
  const Postgres server;
  const RunResult first = server.Export(All());
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.err, "");
  EXPECT_TRUE(first.out.starts_with("Loaded 3 recordings, ")) << first.out;
  const auto counts = Counts(Tables(All(), "tables"));
  // Changes one recording, as if it had been read by an earlier version.
  server.Ask("DELETE FROM findings; UPDATE recordings SET pid = 1");
  server.Ask(
      "INSERT INTO threads (recording, thread) SELECT recording, 1000000 FROM "
      "recordings");
  const RunResult second = server.Export(All());
  ASSERT_EQ(second.exit_code, 0) << second.err;
  for (const auto& [table, rows] : counts) {
    EXPECT_EQ(server.Ask("SELECT count(*) FROM " + table), std::to_string(rows)) << table;
  }
  EXPECT_EQ(server.Ask("SELECT count(*) FROM recordings WHERE pid = 1"), "0");
}

TEST_F(Engines, ExportersAtOnceLoseNothing) {
  const Postgres server;
  std::vector<std::future<RunResult>> exports;
  for (const std::vector<std::string>& recordings :
       {All(), {Recording(0)}, {Recording(1), Recording(2)}, All()}) {
    exports.push_back(std::async(std::launch::async,
                                 [&server, recordings] { return server.Export(recordings); }));
  }
  for (auto& one : exports) {
    const RunResult result = one.get();
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  for (const auto& [table, rows] : Counts(Tables(All(), "tables"))) {
    EXPECT_EQ(server.Ask("SELECT count(*) FROM " + table), std::to_string(rows)) << table;
  }
}

TEST_F(Engines, AnExportThatCannotReachItsDatabaseLeavesNothing) {
  const RunResult result = RunProgram(
      {"/usr/bin/env", "TMPDIR=" + out_.path().string(), HINDSIGHT_BINARY, "export", Recording(0),
       "--to", "postgresql://user:secret@/db?host=" + out_.path().string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("psql ended with 2"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("Nothing was changed in postgresql://user@/db."), std::string::npos)
      << result.err;
  EXPECT_EQ(result.err.find("secret"), std::string::npos) << result.err;
  EXPECT_TRUE(fs::is_empty(out_.path()));
}

TEST_F(Engines, AnInterruptedExportEndsItsToolAndLeavesNothing) {
  fs::create_directory(out_ / "bin");
  fs::create_directory(out_ / "tmp");
  // Stands in for psql: says that it runs, and continues until it is asked to end.
  std::ofstream(out_ / "bin/psql") << "#!/bin/sh\ntouch \"$HINDSIGHT_TEST/runs\"\nexec sleep 600\n";
  fs::permissions(out_ / "bin/psql", fs::perms::owner_all);
  const RunResult result =
      RunProgram({"/bin/sh", "-c",
                  "export HINDSIGHT_TEST=\"$1\" TMPDIR=\"$1/tmp\" PATH=\"$1/bin:$PATH\"\n"
                  "\"$2\" export \"$3\" --to postgresql://db & export=$!\n"
                  "until [ -e \"$1/runs\" ]; do sleep 0.02; done\n"
                  "kill -TERM $export; wait $export",
                  "sh", out_.path().string(), HINDSIGHT_BINARY, Recording(0)});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("was ended by signal 15"), std::string::npos) << result.err;
  EXPECT_TRUE(fs::is_empty(out_ / "tmp"));
}

#endif

TEST_F(Engines, ExportSaysWhatItNeeds) {
  const RunResult without =
      RunProgram({"/usr/bin/env", "PATH=" + out_.path().string(), HINDSIGHT_BINARY, "export",
                  Recording(0), "--to", "postgresql://db"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_NE(without.err.find("apt install postgresql-client"), std::string::npos) << without.err;
  const RunResult other = Hindsight({"export", "--to", "mysql://db"}, {Recording(0)});
  EXPECT_EQ(other.exit_code, 64);
  EXPECT_NE(other.err.find("postgresql://USER@HOST/DATABASE"), std::string::npos) << other.err;
  EXPECT_EQ(Hindsight({"export"}, {Recording(0)}).exit_code, 64);
  EXPECT_EQ(Hindsight({"export", "--to", "postgresql://db", "--thread", "main"}, {Recording(0)})
                .exit_code,
            64);
}

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

// The program `duckdb` in a folder for PATH: the real engine, with a stand-in for its program.
class DuckDb {
 public:
  explicit DuckDb(const std::string& script = "exec " HINDSIGHT_NODE " " HINDSIGHT_CONSUMERS
                                              "/duckdb.mjs \"$@\"\n") {
    std::ofstream(bin_ / "duckdb") << "#!/bin/sh\n" << script;
    fs::permissions(bin_ / "duckdb", fs::perms::owner_all);
  }

  RunResult Export(const std::vector<std::string>& recordings, const std::string& folder) const {
    std::vector<std::string> command = {
        "/usr/bin/env", Path(), HINDSIGHT_BINARY, "export", "--format", "parquet", "-o", folder};
    command.insert(command.end(), recordings.begin(), recordings.end());
    return RunProgram(command);
  }
  json Ask(const std::string& folder, const std::string& query) const {
    const RunResult result = RunProgram(
        {"/usr/bin/env", Path(), "/bin/sh", "-c",
         "cd \"$1\" && exec duckdb -json -cmd '.read views.sql' -c \"$2\"", "sh", folder, query});
    EXPECT_EQ(result.exit_code, 0) << query << "\n" << result.err;
    return result.exit_code == 0 ? json::parse(result.out) : json::array();
  }

 private:
  std::string Path() const { return "PATH=" + bin_.path().string() + ":/usr/bin:/bin"; }

  const TempDir bin_;
};

TEST_F(Engines, ParquetHasTheSameRowsHoweverManyExportsWroteThem) {
  const DuckDb duckdb;
  const std::string folder = out_ / "lake/hindsight";
  fs::create_directory(out_ / "lake");
  const RunResult first = duckdb.Export({Recording(0)}, folder);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  ASSERT_EQ(duckdb.Export({Recording(1), Recording(2)}, folder).exit_code, 0);
  std::string query;
  json expected = json::array();
  for (const auto& [table, rows] : Counts(Tables(All(), "tables"))) {
    query += (query.empty() ? "SELECT '" : " UNION ALL SELECT '") + table +
             "' AS name, count(*)::DOUBLE FROM " + table;
    expected.push_back({table, static_cast<double>(rows)});
  }
  EXPECT_EQ(duckdb.Ask(folder, query + " ORDER BY name"), expected);
  const json days =
      duckdb.Ask(folder, "SELECT DISTINCT strftime(day, '%Y-%m-%d'), application FROM cpu_samples");
  ASSERT_EQ(days.size(), 1u) << days;
  EXPECT_TRUE(fs::is_directory(folder + "/cpu_samples/day=" + days[0][0].get<std::string>() +
                               "/application=" + days[0][1].get<std::string>()));
  // Private, and nothing else is left.
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  EXPECT_EQ(std::distance(fs::directory_iterator(out_ / "lake"), fs::directory_iterator()), 1);
}

TEST_F(Engines, ParquetThatCouldNotBeWrittenLeavesNothing) {
  fs::create_directory(out_ / "lake");
  const std::string folder = out_ / "lake/hindsight";
  for (const char* script : {"exit 1\n", "exit 0\n"}) {
    const RunResult result = DuckDb(script).Export(All(), folder);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("duckdb could not write the tables"), std::string::npos)
        << result.err;
    EXPECT_TRUE(fs::is_empty(out_ / "lake"));
  }
  const RunResult without = RunProgram({"/usr/bin/env", "PATH=/nowhere", HINDSIGHT_BINARY, "export",
                                        Recording(0), "--format", "parquet", "-o", folder});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_NE(without.err.find("duckdb.org/install"), std::string::npos) << without.err;
  std::ofstream(out_ / "lake/diary") << "mine";
  const RunResult refused = DuckDb().Export(All(), out_ / "lake");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("is not a folder of Parquet tables"), std::string::npos)
      << refused.err;
}

#ifdef HINDSIGHT_POSTGRES

// Cells as texts that are the same whichever engine wrote them, with rows in a defined order.
std::multiset<std::string> Plain(const json& rows) {
  std::multiset<std::string> plain;
  for (const json& row : rows) {
    std::string line;
    for (const json& cell : row) {
      double number = 0;
      const std::string text = cell.is_string() ? cell.get<std::string>() : cell.dump();
      const char* const end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(text.data(), end, number);
      char rounded[32];
      std::snprintf(rounded, sizeof rounded, "%.9g", number);
      line += (error == std::errc() && stop == end ? rounded : text) + "|";
    }
    plain.insert(line);
  }
  return plain;
}

TEST_F(Engines, DocumentedQueriesSayTheSameInAllEngines) {
  // No names with a comma or a line break: this is about queries.
  const std::vector<std::string> recordings = {Recording(0), Recording(1)};
  const Postgres server;
  ASSERT_EQ(server.Export(recordings).exit_code, 0);
  const DuckDb duckdb;
  const std::string folder = out_ / "parquet";
  ASSERT_EQ(duckdb.Export(recordings, folder).exit_code, 0);
  const std::vector<std::string> queries = DocumentedQueries(HINDSIGHT_TABLES_MD);
  EXPECT_EQ(queries.size(), 10u);
  for (const std::string& query : queries) {
    std::vector<std::string> arguments = {"sql", "--json", Recording(0), Recording(1), query};
    const RunResult result = Hindsight(arguments, {});
    ASSERT_EQ(result.exit_code, 0) << query << result.err;
    const auto expected = Plain(json::parse(result.out)["rows"]);
    EXPECT_FALSE(expected.empty()) << query;
    EXPECT_EQ(Plain(duckdb.Ask(folder, query)), expected) << query;
    EXPECT_EQ(Plain(server.Rows(query)), expected) << query;
  }
}

TEST_F(Engines, QueriesOfTheFleetPageRun) {
  const DuckDb duckdb;
  const std::string folder = out_ / "parquet";
  ASSERT_EQ(duckdb.Export(All(), folder).exit_code, 0);
  const std::vector<std::string> queries = DocumentedQueries(HINDSIGHT_FLEET_MD);
  ASSERT_FALSE(queries.empty());
  for (std::string query : queries) {
    for (size_t at; (at = query.find("s3://bucket/hindsight")) != query.npos;) {
      query.replace(at, std::strlen("s3://bucket/hindsight"), folder);
    }
    // Regardless of time.
    if (const size_t at = query.find("current_date - 7"); at != query.npos) {
      query.replace(at, std::strlen("current_date - 7"), "DATE '1970-01-01'");
    }
    const json rows = duckdb.Ask(folder, query);
    EXPECT_FALSE(rows.empty()) << query;
  }
}

#endif

#endif

}  // namespace
}  // namespace hindsight::testing
