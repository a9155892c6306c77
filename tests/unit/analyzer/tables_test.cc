// A model's rows, and queries on them.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/exports/tables/csv_folder.h"
#include "analyzer/exports/tables/database.h"
#include "analyzer/exports/tables/query.h"
#include "analyzer/exports/tables/tables.h"
#include "tests/support/profile_scene.h"
#include "tests/support/recording_builder.h"

namespace hindsight::analyzer {
namespace {

using testing::ProfileScene;
using testing::TempDir;

constexpr char kHostile[] = "Shop.'); DROP TABLE threads; --<script>";

class RecordingTables : public ::testing::Test {
 protected:
  RecordingTables() {
    Model& model = scene_.model();
    model.facts.application = "Shop";
    model.facts.host = std::string("till\0\xff", 6);
    model.facts.cpu_on = true;
    model.facts.last_ns = 1'000'000'000;
    const auto pay = scene_.Call({"Shop.Program.Main", "Shop.Order.Pay"});
    // A recursion: Parse is on the path twice.
    const auto parse = scene_.Call({"Shop.Program.Main", "Shop.Order.Parse", "Shop.Order.Pay",
                                    "Shop.Order.Parse", std::string(kHostile) + ".Run"});
    scene_.Thread("worker");
    scene_.Cpu(pay, 3);
    scene_.Cpu(parse, 2);
    scene_.Allocate(pay, kHostile, 10, 1000);
    parts_.recording_id = 0xfedcba9876543210;
    parts_.events = &model;
  }

  static Database Memory() {
    Result<Database> database = Database::OpenMemory();
    EXPECT_TRUE(database.ok()) << database.error().sentence;
    return std::move(*database);
  }

  void Fill(Database& database, const TableNames& wanted = {}) {
    DatabaseSink sink(database);
    WriteTables(parts_, wanted, sink);
    ASSERT_TRUE(sink.status().ok()) << sink.status().error().sentence;
  }

  // The result's cells, row by row.
  static std::vector<QueryCell> Ask(Database& database, const std::string& sql) {
    Result<Query> query = Query::Prepare(database, sql);
    EXPECT_TRUE(query.ok()) << query.error().sentence;
    std::vector<QueryCell> all, row;
    while (query.ok()) {
      const Result<bool> more = query->Next(row);
      EXPECT_TRUE(more.ok()) << more.error().sentence;
      if (!more.ok() || !*more) break;
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  }

  static std::string Refused(Database& database, const std::string& sql) {
    const Result<Query> query = Query::Prepare(database, sql);
    EXPECT_FALSE(query.ok()) << sql;
    return query.ok() ? "" : query.error().sentence;
  }

  ProfileScene scene_;
  TableParts parts_;
};

using Cells = std::vector<QueryCell>;

TEST_F(RecordingTables, SamplesSumUpByMethodOnceEach) {
  Database database = Memory();
  Fill(database);
  EXPECT_EQ(Ask(database, "SELECT count(*), sum(cpu_ns) FROM cpu_samples"),
            (Cells{int64_t{5}, int64_t{50'000'000}}));
  EXPECT_EQ(Ask(database,
                "SELECT self_ns, total_ns, samples FROM cpu_by_method WHERE method IN "
                "('Shop.Order.Parse', 'Shop.Order.Pay', 'Shop.Program.Main') ORDER BY method"),
            (Cells{int64_t{0}, int64_t{20'000'000}, int64_t{2},           //
                   int64_t{30'000'000}, int64_t{50'000'000}, int64_t{5},  //
                   int64_t{0}, int64_t{50'000'000}, int64_t{5}}));
  EXPECT_EQ(Ask(database, "SELECT path, depth FROM stacks ORDER BY depth LIMIT 1"),
            (Cells{std::string("Shop.Program.Main;Shop.Order.Pay"), int64_t{2}}));
}

TEST_F(RecordingTables, TheSiteOfAWaitIsWhoWaits) {
  scene_.Cpu(scene_.Call({"Shop.Program.Main", "Shop.Till.Sell", "System.Threading.Monitor.Enter",
                          "System.Threading.Monitor.Enter_Slowpath"}),
             1);
  Database database = Memory();
  Fill(database);
  EXPECT_EQ(Ask(database,
                "SELECT m.name, s.name FROM stacks k "
                "JOIN methods m ON m.recording = k.recording AND m.method = k.method "
                "JOIN methods s ON s.recording = k.recording AND s.method = k.site "
                "WHERE k.method <> k.site"),
            (Cells{std::string("System.Threading.Monitor.Enter_Slowpath"),
                   std::string("Shop.Till.Sell")}));
}

TEST_F(RecordingTables, WaitsAreNamedByTheCallThatWaited) {
  const auto stack = [&](const char* call) {
    Dictionaries& dictionaries = scene_.model().dictionaries;
    return dictionaries.AddStack(dictionaries.AddStack(0, scene_.Method("Shop.Cart.Load")),
                                 scene_.Method(call));
  };
  for (const char* call : {"System.Threading.Tasks.Task.Wait", "System.Threading.Monitor.Wait",
                           "System.Threading.SemaphoreSlim.Wait"}) {
    const StackId id = stack(call);
    scene_.model().waits.groups.push_back(
        {.kind = WaitKind::kMonitorWait, .stack = id, .count = 1, .total_ns = 10});
    scene_.model().waits.rows.push_back(
        {.at_ns = 5, .duration_ns = 10, .kind = WaitKind::kMonitorWait, .stack = id});
  }
  Database database = Memory();
  Fill(database, {"wait_places", "lock_waits"});
  const Cells expected = {"task", "pulse", "semaphore"};
  EXPECT_EQ(Ask(database, "SELECT kind FROM wait_places ORDER BY place"), expected);
  EXPECT_EQ(Ask(database, "SELECT kind FROM lock_waits ORDER BY wait"), expected);
}

TEST_F(RecordingTables, KeysAreWholeAndReferToRows) {
  Database database = Memory();
  Fill(database);
  int problems = 0;
  const auto count = [](void* out, int, char**, char**) { return ++*static_cast<int*>(out), 0; };
  ASSERT_EQ(sqlite3_exec(database.handle(), "PRAGMA foreign_key_check", count, &problems, nullptr),
            SQLITE_OK);
  EXPECT_EQ(problems, 0);
  EXPECT_EQ(Ask(database, "SELECT recording, recording_id FROM recordings"),
            (Cells{int64_t{0x1cba9876543210}, std::string("fedcba9876543210")}));
}

TEST_F(RecordingTables, NamesAreTextsWhateverTheySay) {
  Database database = Memory();
  Fill(database);
  EXPECT_EQ(Ask(database, "SELECT name FROM types"), (Cells{std::string(kHostile)}));
  EXPECT_EQ(Ask(database, "SELECT host FROM recordings"),
            (Cells{std::string("till\xef\xbf\xbd\xef\xbf\xbd")}));
  EXPECT_EQ(Ask(database, "SELECT count(*) FROM threads").size(), 1u);
}

TEST_F(RecordingTables, ARecordingReplacesItself) {
  Database database = Memory();
  Fill(database);
  parts_.recording_id = 7;
  Fill(database);
  ASSERT_TRUE(database.Remove(RecordingKey(7)).ok());
  Fill(database);
  EXPECT_EQ(Ask(database, "SELECT count(*), count(DISTINCT recording) FROM cpu_samples"),
            (Cells{int64_t{10}, int64_t{2}}));
}

TEST_F(RecordingTables, AQueryReportsWhatItReadsAlsoThroughViews) {
  Database database = Memory();
  const Result<Query> query = Query::Prepare(database, "SELECT * FROM pauses_by_kind");
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query->tables(), (TableNames{"pauses", "recordings"}));
  const Result<Query> count = Query::Prepare(database, "SELECT count(*) FROM throws");
  ASSERT_TRUE(count.ok());
  EXPECT_EQ(count->tables(), TableNames{"throws"});
}

// SQLite does not ask about the columns that USING compares.
TEST_F(RecordingTables, AQueryReportsWhatItOnlyJoins) {
  Database database = Memory();
  for (const char* sql : {"SELECT t.name FROM types t JOIN Exceptions e USING (type)",
                          "SELECT types.name FROM types NATURAL JOIN exceptions"}) {
    const Result<Query> query = Query::Prepare(database, sql);
    ASSERT_TRUE(query.ok()) << sql;
    EXPECT_EQ(query->tables(), (TableNames{"exceptions", "types"})) << sql;
  }
}

TEST_F(RecordingTables, NamesAreThereWithoutTheRowsThatUseThem) {
  Database database = Memory();
  Fill(database, {"methods", "types"});
  EXPECT_EQ(Ask(database, "SELECT count(*) FROM methods"), Cells{int64_t{4}});
  EXPECT_EQ(Ask(database, "SELECT count(*) FROM types"), Cells{int64_t{1}});
  EXPECT_EQ(Ask(database, "SELECT count(*) FROM cpu_samples"), Cells{int64_t{0}});
}

TEST_F(RecordingTables, AQueryMayOnlyRead) {
  Database database = Memory();
  for (const char* sql :
       {"DELETE FROM threads", "ATTACH '/etc/passwd' AS x", "PRAGMA user_version = 7",
        "CREATE TABLE x (y)", "INSERT INTO threads (recording, thread) VALUES (1, 2)",
        "UPDATE threads SET name = ''", "DROP TABLE threads", "BEGIN", "VACUUM INTO '/tmp/x'"}) {
    EXPECT_NE(Refused(database, sql).find("only reading is allowed"), std::string::npos) << sql;
  }
  EXPECT_NE(Refused(database, "SELECT load_extension('x')"), "");
  EXPECT_NE(Refused(database, "SELECT 1; DELETE FROM threads").find("more than one"),
            std::string::npos);
  EXPECT_NE(Refused(database, "  -- nothing"), "");
}

TEST_F(RecordingTables, AnErrorShowsThePlace) {
  Database database = Memory();
  const std::string said = Refused(database, "SELECT count(*)\nFROM threads WHERE nme = 'x'");
  EXPECT_NE(said.find("no such column: nme"), std::string::npos) << said;
  EXPECT_NE(said.find("\n  FROM threads WHERE nme = 'x'\n                     ^\n"),
            std::string::npos)
      << said;
}

TEST_F(RecordingTables, AFileOfAnotherKindIsNotOpened) {
  const TempDir folder;
  testing::WriteFile(folder.path() / "a.db", "not a database, but long enough to be read as one");
  EXPECT_FALSE(Database::Open(folder / "a.db", true).ok());
  EXPECT_FALSE(Database::IsDatabase(folder / "a.db"));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((folder / "b.db").c_str(), &other), SQLITE_OK);
  sqlite3_exec(other, "CREATE TABLE mine (x)", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  const Result<Database> opened = Database::Open(folder / "b.db", true);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().sentence.find("was not written by `hindsight export`"),
            std::string::npos);
}

// As created by an older version: without columns, without a table, and with a different view.
TEST_F(RecordingTables, ADatabaseOfAnOlderVersionGetsWhatItLacks) {
  const TempDir folder;
  {
    Result<Database> old = Database::Create(folder / "old.db");
    ASSERT_TRUE(old.ok()) << old.error().sentence;
    Fill(*old);
    std::string sql;
    for (const ViewSchema& view : Views()) sql += "DROP VIEW " + std::string(view.name) + "; ";
    const Result<void> made =
        old->Run(sql +
                 "ALTER TABLE recordings DROP COLUMN part_of; ALTER TABLE types DROP COLUMN name; "
                 "DROP TABLE pauses; CREATE VIEW cpu_by_thread AS SELECT 'old' AS recording; "
                 "CREATE VIEW mine AS SELECT count(*) AS pauses FROM pauses");
    ASSERT_TRUE(made.ok()) << made.error().sentence;
    ASSERT_TRUE(old->Close().ok());
  }
  Result<Database> database = Database::Open(folder / "old.db", true);
  ASSERT_TRUE(database.ok()) << database.error().sentence;
  for (int run = 0; run < 2; ++run) {  // the second finds nothing to do
    const Result<void> done = database->BringUpToDate();
    ASSERT_TRUE(done.ok()) << done.error().sentence;
  }
  // Existing rows have no value in the new columns; new ones have one.
  scene_.model().facts.part_of = 0x10;
  parts_.recording_id = 7;
  Fill(*database);
  EXPECT_EQ(Ask(*database,
                "SELECT r.recording = 7, t.name, r.part_of FROM recordings r "
                "JOIN types t USING (recording) ORDER BY 1"),
            (Cells{int64_t{0}, std::monostate{}, std::monostate{}, int64_t{1},
                   std::string(kHostile), std::string("0000000000000010")}));
  EXPECT_EQ(Ask(*database, "SELECT pauses FROM mine"), (Cells{int64_t{0}}));
  EXPECT_EQ(Ask(*database, "SELECT count(*) FROM cpu_by_thread WHERE recording = 'old'"),
            (Cells{int64_t{0}}));
}

TEST_F(RecordingTables, CsvHasTheSameCells) {
  const TempDir folder;
  parts_.recording_id = 7;
  {
    Result<std::unique_ptr<CsvFolder>> csv = CsvFolder::Create(folder / "tables");
    ASSERT_TRUE(csv.ok()) << csv.error().sentence;
    WriteTables(parts_, {}, **csv);
    ASSERT_TRUE((*csv)->Finish().ok());
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "tables.part"));
  const std::string types = testing::ReadFile(folder / "tables/types.csv");
  EXPECT_EQ(types, "recording,type,name\r\n7,1," + std::string(kHostile) + "\r\n");
  const std::string samples = testing::ReadFile(folder / "tables/cpu_samples.csv");
  EXPECT_EQ(std::count(samples.begin(), samples.end(), '\n'), 6);
}

TEST(TableSchemas, ReferencesAreToTablesWithOneNumber) {
  for (const TableSchema& table : Tables()) {
    EXPECT_LE(table.key_columns, table.columns.size());
    for (const ColumnSchema& column : table.columns) {
      if (column.refers.empty()) continue;
      const TableSchema* target = FindTable(column.refers);
      ASSERT_NE(target, nullptr) << table.name << '.' << column.name;
      EXPECT_EQ(target->key_columns, 1u) << column.refers;
    }
    EXPECT_NE(DescribeTables().find("\n" + std::string(table.name)), std::string::npos);
  }
}

}  // namespace
}  // namespace hindsight::analyzer
