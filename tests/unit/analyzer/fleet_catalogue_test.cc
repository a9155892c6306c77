// The catalogue of a folder: what is written is what is read, and what is damaged is read again.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "analyzer/fleet/catalogue.h"
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

TEST(Catalogue, SurvivesItsOwnDamage) {
  const TempDir folder;
  const std::string path = folder.path().string();
  ASSERT_TRUE(WriteCatalogue(path, "1.0", {{"a", Sample("a")}, {"b", Sample("b")}}));
  const std::string file = path + "/" + std::string(kCatalogueName);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(ReadCatalogue(path, "1.0").size(), 2u);
  EXPECT_TRUE(ReadCatalogue(path, "1.1").empty());  // another version judges otherwise

  const std::string whole = ReadFile(file);
  WriteFile(file, whole.substr(0, whole.size() - 20));
  EXPECT_EQ(ReadCatalogue(path, "1.0").size(), 1u);
  WriteFile(file, "garbage\n" + whole);
  EXPECT_TRUE(ReadCatalogue(path, "1.0").empty());
  fs::remove(file);
  EXPECT_TRUE(ReadCatalogue(path, "1.0").empty());
  fs::create_directory(file);
  EXPECT_TRUE(ReadCatalogue(path, "1.0").empty());
  EXPECT_FALSE(WriteCatalogue(path, "1.0", {}));
  EXPECT_EQ(std::distance(fs::directory_iterator(path), fs::directory_iterator()), 1);
}

TEST(Catalogue, ALinkIsNotFollowed) {
  const TempDir folder, other;
  ASSERT_TRUE(WriteCatalogue(other.path().string(), "1.0", {{"a", Sample("a")}}));
  fs::create_symlink(other / kCatalogueName, folder / kCatalogueName);
  EXPECT_TRUE(ReadCatalogue(folder.path().string(), "1.0").empty());
  ASSERT_TRUE(WriteCatalogue(folder.path().string(), "1.0", {}));
  EXPECT_FALSE(fs::is_symlink(folder / kCatalogueName));
  EXPECT_EQ(ReadCatalogue(other.path().string(), "1.0").size(), 1u);
}

}  // namespace
}  // namespace hindsight::analyzer
