// Real disks that are full or read-only, and folders that belong to others. Mounts happen in a
// mount namespace of the test's own: as root, or in a user namespace where the system allows one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/unit/recorder/output_test_support.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kMiB = 1u << 20;

class OutputDisk : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string uid = std::to_string(geteuid());
    const std::string gid = std::to_string(getegid());
    if (geteuid() == 0) {
      ASSERT_EQ(unshare(CLONE_NEWNS), 0) << "root may not make a mount namespace here";
    } else {
      ASSERT_EQ(unshare(CLONE_NEWUSER | CLONE_NEWNS), 0)
          << "this system allows no user namespaces: run this test as root";
      WriteFile("/proc/self/setgroups", "deny");
      WriteFile("/proc/self/uid_map", "0 " + uid + " 1");
      WriteFile("/proc/self/gid_map", "0 " + gid + " 1");
    }
    ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
  }

  ~OutputDisk() override {
    if (mounted_) umount2(disk_.c_str(), MNT_DETACH);
  }

  // Mounts a tmpfs with these options at disk_.
  void Mount(const std::string& options, unsigned long flags = 0) {
    std::filesystem::create_directory(disk_);
    ASSERT_EQ(mount("tmpfs", disk_.c_str(), "tmpfs", flags, ("mode=0700," + options).c_str()), 0)
        << strerror(errno);
    mounted_ = true;
  }

  void Open() {
    WriterConfig config = ConfigFor(disk_);
    config.retry_after_ns = 0;
    std::string why;
    ASSERT_TRUE(writer_.Open(config, &why)) << why;
  }

  uint64_t FreeBytes() const {
    struct statvfs disk {};
    EXPECT_EQ(statvfs(disk_.c_str(), &disk), 0);
    return disk.f_bavail * disk.f_frsize;
  }

  // Another user's file that takes all but `left` bytes.
  void Fill(uint64_t left) {
    const int file = open((disk_ + "/filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_GE(file, 0);
    struct stat status {};
    fstat(file, &status);
    const uint64_t free = FreeBytes();
    if (free > left) {
      ASSERT_EQ(posix_fallocate(file, status.st_size, static_cast<off_t>(free - left)), 0);
    }
    close(file);
  }

  TemporaryFolder tmp_;
  const std::string disk_ = tmp_ / "disk";
  bool mounted_ = false;
  SegmentWriter writer_;
};

TEST_F(OutputDisk, TheRingShrinksToTheDiskAndLeavesAReserve) {
  Mount("size=8m");
  Open();
  for (uint32_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(WriteSegment(writer_, i, 300'000)) << writer_.last_error();
    ASSERT_GE(FreeBytes(), 8 * kMiB / 100);
  }
  EXPECT_EQ(writer_.stats().segments_lost, 0u);
  const ReadResult read = ReadRecording(writer_.path());
  EXPECT_EQ(read.faults, std::vector<std::string>());
  EXPECT_EQ(read.segments.back().header.sequence, 99u);
  EXPECT_GT(read.segments.size() * 300'000, 5 * kMiB) << "gives up more than it has to";
}

TEST_F(OutputDisk, ADiskThatOthersFilledIsLeftAloneUntilThereIsSpace) {
  Mount("size=16m");
  Open();
  for (uint32_t i = 0; i < 20; ++i) ASSERT_TRUE(WriteSegment(writer_, i, 300'000));
  const size_t files = Names(writer_.path()).size();
  StderrCapture capture;
  uint32_t lost = 0;
  for (uint32_t i = 20; i < 60; ++i) {
    Fill(64 << 10);  // and again, as soon as the recorder has freed something
    lost += !WriteSegment(writer_, i, 300'000);
  }
  EXPECT_EQ(lost, 39u) << "one segment for the file that was given up";
  EXPECT_TRUE(writer_.is_failing());
  EXPECT_GE(Names(writer_.path()).size() + 1, files) << "gave up more than one file in vain";

  ASSERT_EQ(unlink((disk_ + "/filler").c_str()), 0);
  for (uint32_t i = 60; i < 70; ++i) ASSERT_TRUE(WriteSegment(writer_, i, 300'000));
  EXPECT_FALSE(writer_.is_failing());
  EXPECT_EQ(writer_.stats().segments_lost, lost);

  const ReadResult read = ReadRecording(writer_.path());
  EXPECT_EQ(read.faults, std::vector<std::string>());
  EXPECT_EQ(read.torn_bytes, 0u);
  uint64_t missing = 0;
  for (size_t i = 1; i < read.segments.size(); ++i) {
    missing += read.segments[i].header.sequence - read.segments[i - 1].header.sequence - 1;
    if (read.segments[i].header.sequence == 60) {
      EXPECT_NE(read.segments[i].file, read.segments[i - 1].file);
    }
  }
  EXPECT_EQ(missing, lost);
  const std::string text = capture.Text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_NE(text.find("is left to the application; the recording continues and counts the loss: "
                      "free up space, or lower limit.disk\n"),
            std::string::npos)
      << text;
}

// What was lost, and how the recording ended, has to be known afterwards.
TEST_F(OutputDisk, TheLastSegmentMayUseTheReserve) {
  Mount("size=16m");
  Open();
  ASSERT_TRUE(WriteSegment(writer_, 0, 300'000));
  StderrCapture capture;
  Fill(64 << 10);
  EXPECT_FALSE(WriteSegment(writer_, 1, 1000));
  EXPECT_TRUE(WriteSegment(writer_, 2, 1000, SegmentKind::kLast)) << writer_.last_error();
  const ReadResult read = ReadRecording(writer_.path());
  EXPECT_EQ(read.faults, std::vector<std::string>());
  EXPECT_EQ(read.segments.back().header.sequence, 2u);
  EXPECT_EQ(read.segments.back().header.kind, SegmentKind::kLast);
}

TEST_F(OutputDisk, ADiskWithoutInodesIsExplainedAtOpen) {
  Mount("size=8m,nr_inodes=1");
  std::string why;
  EXPECT_FALSE(writer_.Open(ConfigFor(disk_), &why));
  EXPECT_NE(why.find("No space left on device; set output= to a folder with free space"),
            std::string::npos)
      << why;
}

TEST_F(OutputDisk, AReadOnlyDiskIsExplainedAtOpen) {
  Mount("size=8m", MS_RDONLY);
  std::string why;
  EXPECT_FALSE(writer_.Open(ConfigFor(disk_), &why));
  EXPECT_NE(why.find("Read-only file system"), std::string::npos) << why;
  EXPECT_FALSE(writer_.Open(ConfigFor(disk_ + "/below"), &why));
  EXPECT_NE(why.find("it does not exist and cannot be created (Read-only file system)"),
            std::string::npos)
      << why;
}

// Gives up root's right to ignore permissions, for good: under ctest, each test runs in its own
// process.
void ObeyPermissions() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2];
  ASSERT_EQ(syscall(SYS_capget, &header, data), 0);
  for (const int capability : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH}) {
    data[0].effective &= ~(1u << capability);
  }
  ASSERT_EQ(syscall(SYS_capset, &header, data), 0);
}

void IgnorePermissions() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2];
  ASSERT_EQ(syscall(SYS_capget, &header, data), 0);
  data[0].effective = data[0].permitted;
  ASSERT_EQ(syscall(SYS_capset, &header, data), 0);
}

TEST_F(OutputDisk, AFolderTurnedReadOnlyCostsSegmentsUntilItIsWritableAgain) {
  Mount("size=64m");
  Open();
  uint32_t i = 0;
  while (writer_.stats().stored_bytes < 2 * kMiB) ASSERT_TRUE(WriteSegment(writer_, i++, 300'000));
  ObeyPermissions();
  ASSERT_EQ(chmod(writer_.path().c_str(), 0500), 0);
  StderrCapture capture;
  while (WriteSegment(writer_, i, 300'000)) ASSERT_LT(++i, 100u) << "the folder was still writable";
  EXPECT_FALSE(WriteSegment(writer_, i + 1, 300'000));
  ASSERT_EQ(chmod(writer_.path().c_str(), 0700), 0);
  EXPECT_TRUE(WriteSegment(writer_, i + 2, 300'000)) << writer_.last_error();
  IgnorePermissions();
  EXPECT_EQ(writer_.stats().segments_lost, 2u);
  EXPECT_EQ(ReadRecording(writer_.path()).segments.back().header.sequence, i + 2);
  const std::string text = capture.Text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_NE(text.find("Permission denied"), std::string::npos) << text;
}

TEST_F(OutputDisk, AFolderThatMayNotBeReadOrWrittenIsExplained) {
  std::filesystem::create_directories(tmp_ / "closed/inside");
  ASSERT_EQ(chmod((tmp_ / "closed").c_str(), 0), 0);
  ObeyPermissions();
  std::string why;
  EXPECT_FALSE(writer_.Open(ConfigFor(tmp_ / "closed/inside"), &why));
  EXPECT_NE(why.find((tmp_ / "closed/inside") + ": Permission denied; set output= to a folder that "
                                                "this process can reach"),
            std::string::npos)
      << why;
  IgnorePermissions();
  ASSERT_EQ(chmod((tmp_ / "closed").c_str(), 0700), 0);
}

// A folder of a user that is neither root nor this process's. In a user namespace without other
// users, the system's own folders are such.
std::string ForeignFolder(const TemporaryFolder& tmp, const std::string& name) {
  const std::string path = tmp / name;
  std::filesystem::create_directories(path);
  return chown(path.c_str(), 12345, 12345) == 0 ? path : "/usr";
}

TEST_F(OutputDisk, RefusesAFolderOfAnotherUser) {
  const std::string folder = ForeignFolder(tmp_, "foreign");
  std::string why;
  EXPECT_FALSE(writer_.Open(ConfigFor(folder), &why));
  EXPECT_NE(why.find("cannot record to " + folder + ": it belongs to user "), std::string::npos)
      << why;
  EXPECT_NE(why.find("set output= to a folder of root"), std::string::npos) << why;
}

TEST_F(OutputDisk, RefusesADefaultFolderThatAnotherUserMadeFirst) {
  const std::string folder = ForeignFolder(tmp_, "hindsight-0");
  WriterConfig config = ConfigFor(folder + "/recordings");
  config.folder.is_default = true;
  std::string why;
  EXPECT_FALSE(writer_.Open(config, &why));
  EXPECT_NE(why.find(folder + ": it belongs to user "), std::string::npos) << why;
  EXPECT_FALSE(std::filesystem::exists(folder + "/recordings"));
}

TEST_F(OutputDisk, RefusesALinkOfAnotherUserOnTheWay) {
  std::filesystem::create_directory(tmp_ / "real");
  const std::string link = tmp_ / "link";
  ASSERT_EQ(symlink((tmp_ / "real").c_str(), link.c_str()), 0);
  ASSERT_EQ(lchown(link.c_str(), 12345, 12345), 0) << "run this test as root";
  std::string why;
  EXPECT_FALSE(writer_.Open(ConfigFor(link + "/output"), &why));
  EXPECT_NE(why.find(link + ": it is a symbolic link that belongs to user 12345"),
            std::string::npos)
      << why;
  EXPECT_TRUE(Names(tmp_ / "real").empty());
}

}  // namespace
}  // namespace hindsight::recorder
