// Recordings pulled out of a folder that is laid out by hand.
#include "trigger/pull/pull.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "proto/segment.h"

namespace hindsight::trigger {
namespace {

namespace fs = std::filesystem;

class PullTest : public testing::Test {
 protected:
  PullTest() : root_(open("/", O_PATH | O_DIRECTORY)) {
    char name[] = "/tmp/hindsight-pull-XXXXXX";
    folder_ = mkdtemp(name);
    fs::create_directories(folder_ / "in/Shop-7.hindsight");
    fs::create_directories(folder_ / "in/Shop-8.hindsight");
    fs::create_directory(folder_ / "out");
  }
  ~PullTest() override { fs::remove_all(folder_); }

  static std::string SegmentOf(const std::string& body) {
    SegmentHeader header;
    header.compressed_bytes = static_cast<uint32_t>(body.size());
    header.raw_bytes = header.compressed_bytes;
    std::string bytes(kSegmentHeaderBytes, '\0');
    EncodeSegmentHeader(header, std::span<std::byte, kSegmentHeaderBytes>(
                                    reinterpret_cast<std::byte*>(bytes.data()), bytes.size()));
    return bytes + body;
  }
  void Put(const std::string& file, const std::string& bytes) const {
    std::ofstream(folder_ / "in" / file, std::ios::binary) << bytes;
  }
  static std::string Text(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string Out(const std::string& file) const { return Text(folder_ / "out" / file); }

  Expected<Pulled> PullTo(PullTarget& target, std::vector<std::string> more = {},
                          std::string application = "") const {
    PullRequest request;
    request.root = root_.get();
    request.owner = geteuid();
    request.folders = {(folder_ / "in").string()};
    request.folders.insert(request.folders.end(), more.begin(), more.end());
    request.application = std::move(application);
    return PullRecordings(request, target);
  }
  Expected<Pulled> Pull(std::vector<std::string> more = {}) const {
    FolderTarget target((folder_ / "out").string());
    return PullTo(target, std::move(more));
  }

  UniqueFd root_;
  fs::path folder_;
};

TEST_F(PullTest, CopiesEveryRecordingUnderItsNameForTheOwnerAlone) {
  const std::string one = SegmentOf("one");
  Put("Shop-7.hindsight/000001.hsr", one);
  Put("Shop-7.hindsight/heap-000001.hsr", "a heap");
  Put("Shop-7.hindsight/notes.txt", "no part of a recording");
  Put("Shop-8.hindsight/000001.hsr", SegmentOf("other"));
  // The same folder again, and one that does not exist.
  const auto pulled = Pull({(folder_ / "in/../in").string(), "/there/is/none"});
  ASSERT_TRUE(pulled) << pulled.failure().what;
  ASSERT_EQ(pulled->recordings.size(), 2u);
  EXPECT_EQ(pulled->recordings[0], (PulledRecording{"Shop-7.hindsight", 2, one.size() + 6}));
  EXPECT_EQ(Out("Shop-7.hindsight/000001.hsr"), one);
  EXPECT_EQ(Out("Shop-7.hindsight/heap-000001.hsr"), "a heap");
  EXPECT_FALSE(fs::exists(folder_ / "out/Shop-7.hindsight/notes.txt"));
  struct stat info = {};
  ASSERT_EQ(stat((folder_ / "out/Shop-7.hindsight").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700u);
  ASSERT_EQ(stat((folder_ / "out/Shop-7.hindsight/000001.hsr").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
}

TEST_F(PullTest, LeavesOtherApplicationsAlone) {
  const std::string time = "-20261126T120000Z";
  const std::vector<std::string> own = {"Shop-7" + time, "Shop-8" + time + "-2",
                                        "Shop-9" + time + "-kept" + time};
  for (const std::string& name : own) {
    fs::create_directory(folder_ / "in" / (name + ".hindsight"));
    Put(name + ".hindsight/000001.hsr", SegmentOf("one"));
  }
  for (const std::string& name :
       {"Shop.Api-7" + time, "Shop-2-7" + time, "Shop-7" + time.substr(1), "Other-7" + time}) {
    fs::create_directory(folder_ / "in" / (name + ".hindsight"));
    Put(name + ".hindsight/000001.hsr", SegmentOf("other"));
  }
  FolderTarget target((folder_ / "out").string());
  const auto pulled = PullTo(target, {}, "Shop");
  ASSERT_TRUE(pulled) << pulled.failure().what;
  ASSERT_EQ(pulled->recordings.size(), own.size());
  for (size_t i = 0; i < own.size(); ++i) {
    EXPECT_EQ(pulled->recordings[i].name, own[i] + ".hindsight");
  }
  // With the two that are always there, whose names have no time.
  EXPECT_EQ(pulled->others, 6u);
  EXPECT_FALSE(fs::exists(folder_ / "out/Shop-2-7-20261126T120000Z.hindsight"));
}

TEST_F(PullTest, CompletesWhatWasPulledAndDeletesNothing) {
  const std::string first = SegmentOf("first"), second = SegmentOf("second");
  Put("Shop-7.hindsight/000001.hsr", first);
  Put("Shop-7.hindsight/000002.hsr", first + second.substr(0, second.size() - 1));
  ASSERT_TRUE(Pull());
  EXPECT_EQ(Out("Shop-7.hindsight/000002.hsr"), first) << "a segment that is being written";

  fs::remove(folder_ / "in/Shop-7.hindsight/000001.hsr");
  Put("Shop-7.hindsight/000002.hsr", first + second);
  auto pulled = Pull();
  ASSERT_TRUE(pulled);
  EXPECT_EQ(pulled->recordings[0].files, 1u);
  EXPECT_EQ(Out("Shop-7.hindsight/000001.hsr"), first);
  EXPECT_EQ(Out("Shop-7.hindsight/000002.hsr"), first + second);

  pulled = Pull();
  ASSERT_TRUE(pulled);
  EXPECT_EQ(pulled->recordings[0], (PulledRecording{"Shop-7.hindsight", 0, 0}));
}

TEST_F(PullTest, FollowsNoLinks) {
  Put("secret", "secret");
  fs::create_directory_symlink("/etc", folder_ / "in/Linked.hindsight");
  fs::create_symlink(folder_ / "in/secret", folder_ / "in/Shop-7.hindsight/000001.hsr");
  Put("Shop-8.hindsight/000001.hsr", SegmentOf("one"));
  EXPECT_FALSE(Pull()) << "a link instead of a file";
  fs::remove(folder_ / "in/Shop-7.hindsight/000001.hsr");
  const auto pulled = Pull();
  ASSERT_TRUE(pulled) << pulled.failure().what;
  ASSERT_EQ(pulled->recordings.size(), 1u);
  EXPECT_EQ(pulled->recordings[0].name, "Shop-8.hindsight");
}

TEST_F(PullTest, LeavesNoPartOfAFileThatCouldNotBeWritten) {
  Put("Shop-7.hindsight/000001.hsr", SegmentOf("one"));
  fs::create_directories(folder_ / "out/Shop-7.hindsight/000001.hsr/in-the-way");
  EXPECT_FALSE(Pull());
  EXPECT_FALSE(fs::exists(folder_ / "out/Shop-7.hindsight/000001.hsr.part"));
}

TEST_F(PullTest, NothingIsNoFailure) {
  const auto pulled = Pull();
  ASSERT_TRUE(pulled);
  EXPECT_TRUE(pulled->recordings.empty());
}

// Read by the system's own tar.
TEST_F(PullTest, StreamsATar) {
  const std::string one = SegmentOf(std::string(700, 'x'));
  Put("Shop-7.hindsight/000001.hsr", one);
  Put("Shop-7.hindsight/heap-000001.hsr", std::string(512, 'h'));
  Put("Shop-8.hindsight/000001.hsr", SegmentOf("two"));
  const fs::path stream = folder_ / "stream.tar";
  const UniqueFd file(open(stream.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  TarTarget target(file.get());
  ASSERT_TRUE(PullTo(target));
  const std::string command = "tar -xf " + stream.string() + " -C " + (folder_ / "out").string();
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(Out("Shop-7.hindsight/000001.hsr"), one);
  EXPECT_EQ(Out("Shop-7.hindsight/heap-000001.hsr"), std::string(512, 'h'));
  EXPECT_EQ(Out("Shop-8.hindsight/000001.hsr"), SegmentOf("two"));
  struct stat info = {};
  ASSERT_EQ(stat((folder_ / "out/Shop-7.hindsight").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700u);
}

}  // namespace
}  // namespace hindsight::trigger
