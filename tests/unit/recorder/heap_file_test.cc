// The file of a snapshot: where it is, whom it belongs to, and how room is made for it.
#include "recorder/heap/heap_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hindsight::recorder {
namespace {

namespace fs = std::filesystem;

class HeapFileTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/heap-file-test-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Put(const std::string& name, size_t bytes) {
    std::ofstream(folder_ + "/" + name) << std::string(bytes, 'x');
  }

  OpenedFolder Folder() const {
    return {Descriptor(open(folder_.c_str(), O_PATH | O_DIRECTORY)), folder_};
  }

  std::string folder_;
};

TEST_F(HeapFileTest, IsTheOwnersAloneAndNeverReplacesAnother) {
  HeapFile file;
  std::string why;
  ASSERT_TRUE(file.Create(Folder(), 7, 3, 1 << 20, &why)) << why;
  EXPECT_EQ(file.path(), folder_ + "/heap-000003.hsr");
  struct stat status;
  ASSERT_EQ(stat(file.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  HeapFile second;
  EXPECT_FALSE(second.Create(Folder(), 7, 3, 1 << 20, &why));
  EXPECT_NE(why.find("heap-000003.hsr"), std::string::npos);
}

TEST_F(HeapFileTest, FollowsNoLink) {
  fs::create_symlink(folder_ + "/elsewhere", folder_ + "/heap-000001.hsr");
  HeapFile file;
  std::string why;
  EXPECT_FALSE(file.Create(Folder(), 7, 1, 1 << 20, &why));
  EXPECT_FALSE(fs::exists(folder_ + "/elsewhere"));
}

TEST_F(HeapFileTest, DeletesTheOldestSnapshotsForRoomAndNothingElse) {
  Put("heap-000001.hsr", 500);
  Put("heap-000002.hsr", 400);
  Put("000001.hsr", 5000);
  HeapFile file;
  std::string why;
  ASSERT_TRUE(file.Create(Folder(), 7, 3, 1000, &why)) << why;
  EXPECT_FALSE(fs::exists(folder_ + "/heap-000001.hsr"));
  EXPECT_TRUE(fs::exists(folder_ + "/heap-000002.hsr"));
  EXPECT_TRUE(fs::exists(folder_ + "/000001.hsr"));
  EXPECT_EQ(file.room_bytes(), 600u);
}

TEST_F(HeapFileTest, CountsItsSegmentsFromZero) {
  HeapFile file;
  std::string why;
  ASSERT_TRUE(file.Create(Folder(), 7, 1, 1 << 20, &why)) << why;
  const std::string packet = "packet";
  bool is_new = false;
  for (uint64_t i = 0; i < 2; ++i) {
    file.BeginSegment(&is_new);
    EXPECT_EQ(is_new, i == 0);
    ASSERT_TRUE(file.Add(std::as_bytes(std::span(packet))));
    ASSERT_TRUE(file.EndSegment(SegmentKind::kHeapTables));
  }
  file.Close(true);
  std::ifstream in(folder_ + "/heap-000001.hsr", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  SegmentHeader header;
  ASSERT_EQ(DecodeSegmentHeader(std::as_bytes(std::span(bytes)), header), HeaderError::kNone);
  EXPECT_EQ(header.sequence, 0u);
  EXPECT_EQ(header.kind, SegmentKind::kHeapTables);
  EXPECT_EQ(header.file_number, 1u);
  const auto rest =
      std::as_bytes(std::span(bytes)).subspan(kSegmentHeaderBytes + header.compressed_bytes);
  ASSERT_EQ(DecodeSegmentHeader(rest, header), HeaderError::kNone);
  EXPECT_EQ(header.sequence, 1u);
}

// What the recording lists: not what others have deleted.
TEST_F(HeapFileTest, KnowsWhatItHasKeptAndWhatItHasDeleted) {
  HeapFile file;
  std::string why;
  for (uint32_t number = 1; number <= 4; ++number) {
    ASSERT_TRUE(file.Create(Folder(), 7, number, 1 << 20, &why)) << why;
    file.Close(number != 2);
  }
  EXPECT_EQ(file.kept(), (std::vector<uint32_t>{1, 3, 4}));
  fs::remove(folder_ + "/heap-000003.hsr");
  EXPECT_EQ(file.kept(), (std::vector<uint32_t>{1, 3, 4}));
  fs::resize_file(folder_ + "/heap-000001.hsr", 1 << 20);
  ASSERT_TRUE(file.Create(Folder(), 7, 5, 1 << 20, &why)) << why;
  EXPECT_EQ(file.kept(), (std::vector<uint32_t>{3, 4}));
}

TEST_F(HeapFileTest, LeavesNothingWhenItIsNotKept) {
  HeapFile file;
  std::string why;
  ASSERT_TRUE(file.Create(Folder(), 7, 1, 1 << 20, &why)) << why;
  file.Close(false);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(HeapFileTest, SaysWhichFolderIsMissing) {
  HeapFile file;
  std::string why;
  EXPECT_FALSE(file.Create({Descriptor(), folder_ + "/gone"}, 7, 1, 1 << 20, &why));
  EXPECT_NE(why.find("/gone/heap-000001.hsr: Bad file"), std::string::npos) << why;
  OpenedFolder folder = Folder();
  fs::remove_all(folder_);
  EXPECT_FALSE(file.Create(std::move(folder), 7, 1, 1 << 20, &why));
  EXPECT_NE(why.find("/heap-000001.hsr: No such file"), std::string::npos) << why;
}

// Nothing is looked up by the folder's name again: another folder may have it by now.
TEST_F(HeapFileTest, StaysInTheFolderThatWasOpened) {
  OpenedFolder folder = Folder();
  Put("heap-000001.hsr", 900);
  const std::string moved = folder_ + ".moved";
  fs::rename(folder_, moved);
  fs::create_directory(folder_);
  Put("heap-000001.hsr", 900);
  HeapFile file;
  std::string why;
  ASSERT_TRUE(file.Create(std::move(folder), 7, 2, 1000, &why)) << why;
  EXPECT_TRUE(fs::exists(moved + "/heap-000002.hsr"));
  EXPECT_FALSE(fs::exists(moved + "/heap-000001.hsr"));
  EXPECT_TRUE(fs::exists(folder_ + "/heap-000001.hsr"));
  file.Close(false);
  EXPECT_TRUE(fs::is_empty(moved));
  fs::remove_all(moved);
}

// The process's umask does not matter.
TEST_F(HeapFileTest, IsTheOwnersWhateverTheUmask) {
  for (const mode_t mask : {0777, 0, 0222, 0277}) {
    const mode_t before = umask(mask);
    HeapFile file;
    std::string why;
    const bool created = file.Create(Folder(), 7, 1, 1 << 20, &why);
    umask(before);
    ASSERT_TRUE(created) << why;
    struct stat status;
    ASSERT_EQ(fstat(file.file(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u) << std::oct << mask;
    file.Close(false);
  }
}

}  // namespace
}  // namespace hindsight::recorder
