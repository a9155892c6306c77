// Recordings in a folder, found by their names.
#include "analyzer/reader/find_recordings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/recording_builder.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;
using testing::TempDir;
using testing::WriteFile;

class FindRecordingsTest : public ::testing::Test {
 protected:
  std::string Add(const std::string& name) {
    fs::create_directory(folder_ / name);
    WriteFile(fs::path(folder_ / name) / "000001.hsr", "12345");
    return folder_ / name;
  }

  const TempDir folder_;
};

TEST_F(FindRecordingsTest, TheNewestComesFirstWhateverItsName) {
  Add("Zoo-17-20261121T120129Z.hindsight");
  const std::string newest = Add("My-App-4711-20261122T000000Z-2.hindsight");
  Add("My-App-4711-20261122T000000Z.hindsight");
  WriteFile(fs::path(newest) / "heap-000001.hsr", "123");
  fs::create_directory(folder_ / "other");
  const auto all = FindRecordings(folder_.path());
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[0].application, "My-App");
  EXPECT_EQ((*all)[0].pid, 4711u);
  EXPECT_EQ((*all)[0].started_unix_ns, 1795305600ull * 1'000'000'000ull);
  EXPECT_EQ((*all)[2].application, "Zoo");
  uint64_t snapshots = 0;
  for (const FoundRecording& found : *all) {
    if (found.path != newest) continue;
    EXPECT_EQ(found.bytes, 8u);
    snapshots = found.snapshots;
  }
  EXPECT_EQ(snapshots, 1u);
  EXPECT_EQ(*NewestRecording(folder_.path()), (*all)[0].path);
}

TEST_F(FindRecordingsTest, ACopyIsAsOldAsWhatItCopies) {
  Add("Shop-4711-20261121T120129Z-kept-20261122T000000Z.hindsight");
  const auto all = FindRecordings(folder_.path());
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ(all->front().application, "Shop");
  EXPECT_EQ(all->front().pid, 4711u);
  EXPECT_LT(all->front().started_unix_ns, 1795305600ull * 1'000'000'000ull);
}

TEST_F(FindRecordingsTest, ANameOfOnesOwnCountsByItsLastWrite) {
  Add("Zoo-17-20101121T120129Z.hindsight");
  const std::string mine = Add("before.hindsight");
  const Result<std::string> newest = NewestRecording(folder_.path());
  ASSERT_TRUE(newest);
  EXPECT_EQ(*newest, mine);
}

TEST_F(FindRecordingsTest, SaysThatThereIsNone) {
  EXPECT_EQ(NewestRecording(folder_.path()).error().sentence,
            "There is no recording in " + folder_.path().string() + ".");
  EXPECT_NE(NewestRecording(folder_ / "absent").error().sentence.find("Cannot read the folder"),
            std::string::npos);
}

}  // namespace
}  // namespace hindsight::analyzer
