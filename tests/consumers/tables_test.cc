// Recordings as tables, as a user makes and queries them; also read by the program sqlite3.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/consumers/profile_recording.h"
#include "tests/support/documented_queries.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kFleet = 20;

// Twenty recordings of five hosts, in a folder each.
class TableFiles : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempDir;
    for (int i = 0; i < kFleet; ++i) {
      ProfileSettings settings;
      settings.seconds = 2;
      settings.recording_id = 1000 + static_cast<uint64_t>(i);
      settings.host = "till-" + std::to_string(i % 5);
      settings.busy = i % 2 == 1;
      ProfileTruth truth;
      ProfileRecording(settings, truth).WriteFolder(Fleet(i));
      samples_ += truth.samples;
      exceptions_ += truth.exceptions;
    }
  }
  static void TearDownTestSuite() { delete folder_; }

  static std::string Fleet(int i) { return *folder_ / ("shop-" + std::to_string(i)); }

  static RunResult Hindsight(std::vector<std::string> arguments, bool as_nobody = false) {
    arguments.insert(arguments.begin(), HINDSIGHT_BINARY);
    return RunProgram(arguments, as_nobody);
  }

  static RunResult Export(int first, int count, const std::string& file,
                          const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"export", "-o", file};
    arguments.insert(arguments.end(), options.begin(), options.end());
    for (int i = first; i < first + count; ++i) arguments.push_back(Fleet(i));
    return Hindsight(arguments);
  }

  static json Ask(const std::string& what, const std::string& sql) {
    const RunResult result = Hindsight({"sql", "--json", what, sql});
    EXPECT_EQ(result.exit_code, 0) << sql << "\n" << result.err;
    return result.exit_code == 0 ? json::parse(result.out)["rows"] : json();
  }

  static inline TempDir* folder_ = nullptr;
  static inline uint64_t samples_ = 0, exceptions_ = 0;
  const TempDir out_;
};

TEST_F(TableFiles, AFleetIsOneDatabase) {
  const std::string file = out_ / "fleet.db";
  ASSERT_EQ(Export(0, 10, file).exit_code, 0);
  // A later call adds to it; what it already contains is not added again.
  const RunResult added = Export(8, 12, file);
  ASSERT_EQ(added.exit_code, 0) << added.err;
  EXPECT_FALSE(fs::exists(file + ".part"));
  EXPECT_EQ(Ask(file, "SELECT count(*), count(DISTINCT host) FROM recordings"),
            json::parse("[[20, 5]]"));
  EXPECT_EQ(Ask(file, "SELECT count(*) FROM cpu_samples")[0][0], samples_);
  EXPECT_EQ(Ask(file, "SELECT sum(count) FROM exceptions")[0][0], exceptions_);
  EXPECT_EQ(RunProgram({HINDSIGHT_SQLITE3, file,
                        "SELECT count(*) FROM cpu_samples; PRAGMA integrity_check; "
                        "PRAGMA foreign_key_check; PRAGMA user_version"})
                .out,
            std::to_string(samples_) + "\nok\n1\n");
}

TEST_F(TableFiles, EveryDocumentedQueryAnswers) {
  const std::string file = out_ / "fleet.db";
  ASSERT_EQ(Export(0, kFleet, file).exit_code, 0);
  const std::vector<std::string> queries = DocumentedQueries(HINDSIGHT_TABLES_MD);
  EXPECT_GE(queries.size(), 10u);
  for (const std::string& query : queries) {
    const json rows = Ask(file, query);
    EXPECT_FALSE(rows.empty()) << query;
    // The same for a recording, without a database.
    EXPECT_TRUE(Ask(Fleet(1), query).is_array()) << query;
  }
}

TEST_F(TableFiles, ObjectsAreOfOneRecording) {
  const RunResult two =
      RunProgram({HINDSIGHT_BINARY, "sql", Fleet(0), Fleet(1), "SELECT count(*) FROM objects"});
  EXPECT_EQ(two.exit_code, 64) << two.out;
  EXPECT_NE(two.err.find("of one recording"), std::string::npos) << two.err;
  // These have no snapshot; a database has no such table.
  EXPECT_EQ(RunProgram({HINDSIGHT_BINARY, "sql", Fleet(0), "SELECT count(*) FROM refs"}).exit_code,
            2);
  const std::string file = out_ / "one.db";
  ASSERT_EQ(Export(0, 1, file).exit_code, 0);
  EXPECT_EQ(RunProgram({HINDSIGHT_BINARY, "sql", file, "SELECT count(*) FROM objects"}).exit_code,
            64);
}

TEST_F(TableFiles, ARecordingAnswersByItself) {
  EXPECT_EQ(Ask(Fleet(0), "SELECT name FROM threads ORDER BY thread LIMIT 1"),
            json::parse(R"([["Main"]])"));
  const RunResult text =
      Hindsight({"sql", Fleet(0), "SELECT name, os_id FROM threads ORDER BY thread LIMIT 2"});
  EXPECT_EQ(text.out, "name      os_id\nMain       4242\nworker 2   4243\n") << text.err;
  const RunResult csv =
      Hindsight({"sql", "--csv", Fleet(0), Fleet(1), "SELECT host, NULL, '' FROM recordings"});
  EXPECT_EQ(csv.out, "host,NULL,''\r\ntill-0,,\"\"\r\ntill-1,,\"\"\r\n") << csv.err;
  const RunResult wrong = Hindsight({"sql", Fleet(0), "SELECT nme FROM threads"});
  EXPECT_EQ(wrong.exit_code, 64);
  EXPECT_NE(wrong.err.find("no such column: nme"), std::string::npos) << wrong.err;
  EXPECT_NE(Hindsight({"sql", "--tables"}).out.find("cpu_by_method"), std::string::npos);
}

TEST_F(TableFiles, WhatIsThereIsNotLost) {
  const std::string file = out_ / "mine.db";
  WriteFile(file, "a diary");
  const RunResult refused = Export(0, 1, file);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--force"), std::string::npos) << refused.err;
  EXPECT_EQ(ReadFile(file), "a diary");
  EXPECT_EQ(Export(0, 1, file, {"--force"}).exit_code, 0);
  EXPECT_EQ(Ask(file, "SELECT count(*) FROM recordings")[0][0], 1);

  // A recording that cannot be read, after one that can: nothing is created, or nothing changes.
  const std::string bad = out_ / "bad.hsr";
  WriteFile(bad, "no recording");
  EXPECT_EQ(Hindsight({"export", Fleet(1), bad, "-o", out_ / "new.db"}).exit_code, 2);
  EXPECT_FALSE(fs::exists(out_ / "new.db"));
  EXPECT_FALSE(fs::exists(out_ / "new.db.part"));
  EXPECT_EQ(Hindsight({"export", Fleet(1), bad, "-o", file}).exit_code, 2);
  EXPECT_EQ(Ask(file, "SELECT count(*) FROM recordings")[0][0], 1);
}

TEST_F(TableFiles, AFolderThatMayNotBeWrittenIsSaid) {
  const std::string closed = out_ / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec);
  fs::permissions(out_.path(), fs::perms::all);
  fs::permissions(folder_->path(), fs::perms::all);
  for (const char* format : {"sqlite", "csv"}) {
    const RunResult result =
        Hindsight({"export", Fleet(0), "-o", closed + "/x", "--format", format}, true);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("Cannot write " + closed + "/x.part: Permission denied"),
              std::string::npos)
        << result.err;
  }
}

// A limit on file sizes stands in for a full disk.
TEST_F(TableFiles, WhereThereIsNoRoomNothingChanges) {
  const std::string file = out_ / "fleet.db", tables = out_ / "tables";
  ASSERT_EQ(Export(0, 1, file).exit_code, 0);
  const std::string before = ReadFile(file);
  const auto cramped = [](const std::string& options) {
    return RunProgram({"sh", "-c",
                       "trap '' XFSZ; ulimit -f 60; exec " + std::string(HINDSIGHT_BINARY) +
                           " export " + Fleet(1) + " " + options});
  };
  for (const std::string& options :
       {"-o " + file, "-o " + file + " --force", "-o " + tables + " --format csv"}) {
    const RunResult result = cramped(options);
    EXPECT_EQ(result.exit_code, 2) << options;
    EXPECT_NE(result.err.find("Cannot write"), std::string::npos) << result.err;
  }
  EXPECT_EQ(ReadFile(file), before);
  EXPECT_FALSE(fs::exists(tables));
  EXPECT_EQ(std::distance(fs::directory_iterator(out_.path()), fs::directory_iterator()), 1);
}

TEST_F(TableFiles, NoOutputTakesThePlaceOfARecording) {
  const std::string copy = out_ / "shop";
  fs::copy(Fleet(0), copy);
  const std::string file = copy + "/000001.hsr";
  const std::string before = ReadFile(file);
  const std::vector<std::vector<std::string>> commands = {
      {"export", copy, "-o", file, "--format", "sqlite", "--force"},
      {"export", copy, "-o", copy, "--format", "csv", "--force"},
      {"export", copy, "-o", copy, "--format", "sqlite", "--force"},
      {"export", copy, "-o", file, "--format", "pprof"},
      {"report", copy, "-o", file},
  };
  for (const std::vector<std::string>& command : commands) {
    const RunResult result = Hindsight(command);
    EXPECT_EQ(result.exit_code, 64);
    EXPECT_NE(result.err.find(" is a recording; choose another output path"), std::string::npos)
        << result.err;
  }
  EXPECT_EQ(ReadFile(file), before);
  // Nor that of anything other than tables.
  const std::string mine = out_ / "mine";
  fs::create_directory(mine);
  WriteFile(mine + "/diary.txt", "dear diary");
  EXPECT_EQ(Export(0, 1, mine, {"--format", "csv", "--force"}).exit_code, 2);
  EXPECT_EQ(ReadFile(mine + "/diary.txt"), "dear diary");
}

TEST_F(TableFiles, ARecordingIsNoDatabase) {
  const std::string file = out_ / "fleet.db";
  ASSERT_EQ(Export(0, 1, file).exit_code, 0);
  const RunResult mixed = Hindsight({"sql", Fleet(0), file, "SELECT * FROM recordings"});
  EXPECT_EQ(mixed.exit_code, 2);
  EXPECT_NE(mixed.err.find("not a Hindsight recording"), std::string::npos) << mixed.err;
  EXPECT_EQ(Hindsight({"sql", file, Fleet(0), "SELECT * FROM recordings"}).exit_code, 64);
  const RunResult none = Hindsight({"sql", file, "SELECT * FROM basket"});
  EXPECT_EQ(none.exit_code, 64);
  EXPECT_NE(none.err.find("no such table: basket"), std::string::npos) << none.err;
  EXPECT_EQ(Hindsight({"sql", file, "DROP TABLE threads"}).exit_code, 64);
}

TEST_F(TableFiles, CsvHasEveryTable) {
  const std::string tables = out_ / "tables";
  ASSERT_EQ(Export(0, 2, tables, {"--format", "csv"}).exit_code, 0);
  const std::string samples = ReadFile(tables + "/cpu_samples.csv");
  const auto rows = static_cast<uint64_t>(std::count(samples.begin(), samples.end(), '\n')) - 1;
  EXPECT_EQ(json(rows),
            Ask(Fleet(0), "SELECT count(*) FROM cpu_samples")[0][0].get<uint64_t>() +
                Ask(Fleet(1), "SELECT count(*) FROM cpu_samples")[0][0].get<uint64_t>());
  EXPECT_EQ(Export(0, 1, tables, {"--format", "csv"}).exit_code, 2);
  EXPECT_EQ(Export(0, 1, tables, {"--format", "csv", "--force"}).exit_code, 0);
}

}  // namespace
}  // namespace hindsight::testing
