// The catalogue of a folder: what was written is read back, and what is damaged is read from the
// recordings again.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/fleet/catalogue.h"
#include "analyzer/fleet/catalogue_row.h"
#include "tests/support/recording_builder.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;
using hindsight::testing::ReadFile;
using hindsight::testing::TempDir;
using hindsight::testing::WriteFile;

RecordingRow Sample(const std::string& path = "web-1/Shop.hindsight") {
  RecordingRow row;
  row.path = path;
  row.stamp = {3, 1'000'000, 1'795'000'000'123'456'789};
  row.recording_id = UINT64_MAX;
  row.application = "Shop \"x\"\n";
  row.host = "web-1";
  row.runtime = "10.0.1";
  row.build = "00112233";
  row.pid = 4711;
  row.process_started_unix_ns = 5;
  row.started_unix_ns = 6;
  row.duration_ns = 7;
  row.covered = 0x3ff;
  row.numbers[0] = 0.25;
  row.numbers[5] = 1e9;
  row.findings = {{Severity::kWarning, Signal::kExceptions, "storm", "Shop.Lost", "title",
                   "exceptions --type Shop.Lost", 0.5}};
  return row;
}

TEST(Catalogue, ARowIsReadAsItWasWritten) {
  const RecordingRow row = Sample();
  const std::optional<RecordingRow> read = ParseCatalogueRow(CatalogueLine(row));
  ASSERT_TRUE(read);
  EXPECT_EQ(CatalogueLine(*read), CatalogueLine(row));
  EXPECT_EQ(read->stamp, row.stamp);
  EXPECT_EQ(read->recording_id, row.recording_id);
  EXPECT_EQ(read->application, row.application);
  EXPECT_EQ(read->numbers, row.numbers);
  ASSERT_EQ(read->findings.size(), 1u);
  EXPECT_EQ(read->findings[0].severity, Severity::kWarning);
  EXPECT_EQ(read->findings[0].signal, Signal::kExceptions);
  EXPECT_EQ(CatalogueLine(row).find('\n'), std::string::npos);
}

TEST(Catalogue, WhatIsNoRowIsNone) {
  const std::string good = CatalogueLine(Sample());
  EXPECT_FALSE(ParseCatalogueRow(""));
  EXPECT_FALSE(ParseCatalogueRow("{}"));
  EXPECT_FALSE(ParseCatalogueRow("[1]"));
  EXPECT_FALSE(ParseCatalogueRow(good.substr(0, good.size() / 2)));
  EXPECT_FALSE(ParseCatalogueRow(std::string(100'000, '[')));
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return ParseCatalogueRow(text).has_value();
  };
  EXPECT_TRUE(with("4711", "4712"));
  EXPECT_FALSE(with("4711", "-1"));
  EXPECT_FALSE(with("4711", "4294967296"));
  EXPECT_FALSE(with("\"warning\"", "\"worse\""));
  EXPECT_FALSE(with("\"exceptions\"", "\"weather\""));
  EXPECT_FALSE(with("0.25", "\"0.25\""));
  EXPECT_FALSE(with("0.25", "1e999"));
  EXPECT_FALSE(with("0.25", "1e300"));
  EXPECT_FALSE(with("\"host\"", "\"hosts\""));
  EXPECT_FALSE(with("00112233", std::string(500, '0')));
}

// The paths that a catalogue has; those in `refused` are rejected.
std::vector<std::string> Known(Catalogue& catalogue, const std::string& refused = "") {
  std::vector<std::string> paths;
  catalogue.Read([&](RecordingRow&& row) {
    paths.push_back(row.path);
    return row.path != refused;
  });
  return paths;
}

std::vector<std::string> KnownIn(const std::string& folder, const std::string& made_by = "1.0") {
  Catalogue catalogue(folder, made_by);
  return Known(catalogue);
}

using Paths = std::vector<std::string>;

void Make(const std::string& folder, const Paths& paths) {
  Catalogue catalogue(folder, "1.0");
  for (const std::string& path : paths) catalogue.Add(Sample(path));
  EXPECT_TRUE(catalogue.Finish());
}

TEST(Catalogue, SurvivesItsOwnDamage) {
  const TempDir folder;
  const std::string path = folder.path().string();
  Make(path, {"a", "b"});
  const std::string file = path + "/" + std::string(kCatalogueName);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(KnownIn(path), (Paths{"a", "b"}));
  EXPECT_EQ(KnownIn(path, "1.1"), Paths{});  // another version judges differently

  const std::string whole = ReadFile(file);
  WriteFile(file, whole.substr(0, whole.size() - 20));
  EXPECT_EQ(KnownIn(path), Paths{"a"});
  // Anything longer than a row is one invalid line.
  const size_t line = whole.find('\n', whole.find('\n') + 1) + 1;
  for (const size_t size : {kMostCatalogueLineBytes, kMostCatalogueLineBytes + 1,
                            kMostCatalogueLineBytes + 2, 3 * kMostCatalogueLineBytes}) {
    WriteFile(file, whole.substr(0, line) + std::string(size, '[') + "\n" + whole.substr(line));
    EXPECT_EQ(KnownIn(path), (Paths{"a", "b"}));
  }
  WriteFile(file, "garbage\n" + whole);
  EXPECT_EQ(KnownIn(path), Paths{});
  fs::remove(file);
  EXPECT_EQ(KnownIn(path), Paths{});
  fs::create_directory(file);
  EXPECT_EQ(KnownIn(path), Paths{});
  Catalogue catalogue(path, "1.0");
  catalogue.Add(Sample("a"));
  EXPECT_FALSE(catalogue.Finish());
  EXPECT_EQ(std::distance(fs::directory_iterator(path), fs::directory_iterator()), 1);
}

TEST(Catalogue, KeepsWhatIsOfUse) {
  const TempDir folder;
  const std::string path = folder.path().string();
  const std::string file = path + "/" + std::string(kCatalogueName);
  Make(path, {"a", "b", "c"});
  const std::string before = ReadFile(file);
  {
    Catalogue catalogue(path, "1.0");
    EXPECT_EQ(Known(catalogue).size(), 3u);
    EXPECT_TRUE(catalogue.Finish());
  }
  EXPECT_EQ(ReadFile(file), before);
  {
    Catalogue catalogue(path, "1.0");
    EXPECT_EQ(Known(catalogue, "b").size(), 3u);
    EXPECT_TRUE(catalogue.Finish());
  }
  EXPECT_EQ(KnownIn(path), (Paths{"a", "c"}));
  // What is added is stored at once, whatever happens to the process.
  Catalogue catalogue(path, "1.0");
  EXPECT_EQ(Known(catalogue, "a").size(), 2u);
  catalogue.Add(Sample("d"));
  EXPECT_EQ(KnownIn(path), (Paths{"c", "d"}));
  catalogue.Add(Sample("e"));
  EXPECT_EQ(KnownIn(path), (Paths{"c", "d", "e"}));
  EXPECT_TRUE(catalogue.Finish());
  EXPECT_EQ(std::distance(fs::directory_iterator(path), fs::directory_iterator()), 1);
}

// A line without its end may be the beginning of a longer one, even if it can be read as a row.
TEST(Catalogue, ALineWithoutAnEndIsNone) {
  const TempDir folder;
  const std::string path = folder.path().string();
  const std::string file = path + "/" + std::string(kCatalogueName);
  Make(path, {"a", "b"});
  const std::string whole = ReadFile(file);
  WriteFile(file, whole.substr(0, whole.size() - 1));
  EXPECT_EQ(KnownIn(path), Paths{"a"});
}

TEST(Catalogue, ALinkIsNotFollowed) {
  const TempDir folder, other;
  Make(other.path().string(), {"a"});
  fs::create_symlink(other / kCatalogueName, folder / kCatalogueName);
  EXPECT_EQ(KnownIn(folder.path().string()), Paths{});
  Make(folder.path().string(), {"b"});
  EXPECT_FALSE(fs::is_symlink(folder / kCatalogueName));
  EXPECT_EQ(KnownIn(other.path().string()), Paths{"a"});
}

}  // namespace
}  // namespace hindsight::analyzer
