#include "recorder/output/recording_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "proto/file_names.h"
#include "tests/unit/recorder/output_test_support.h"

namespace hindsight::recorder {
namespace {

constexpr char kName[] = "Shop.Web-4711-20231114T221320Z.hindsight";

mode_t Mode(const std::string& path) {
  struct stat status;
  EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

// Creates the folder, or returns the sentence that says why not.
std::string Create(const FolderRequest& request, RecordingFolder* folder = nullptr) {
  RecordingFolder own;
  std::string why;
  return (folder != nullptr ? folder : &own)->Create(request, &why) ? "" : why;
}

TEST(OutputRecordingFolder, IsNamedAfterApplicationProcessAndStart) {
  TemporaryFolder tmp;
  RecordingFolder folder;
  ASSERT_EQ(Create(RequestFor(tmp.path() + "///"), &folder), "");
  EXPECT_EQ(folder.path(), tmp / kName);
  EXPECT_EQ(Names(tmp.path()), std::vector<std::string>{kName});
}

TEST(OutputRecordingFolder, IsPrivateWhateverTheUmask) {
  for (const mode_t mask : {0, 0777, 0700, 0300, 0400}) {
    TemporaryFolder tmp;
    const mode_t before = umask(mask);
    RecordingFolder folder;
    const std::string why = Create(RequestFor(tmp / "a/b"), &folder);
    umask(before);
    ASSERT_EQ(why, "");
    EXPECT_EQ(Mode(tmp / "a"), 0700u) << std::oct << mask;
    EXPECT_EQ(Mode(tmp / "a/b"), 0700u) << std::oct << mask;
    EXPECT_EQ(Mode(folder.path()), 0700u) << std::oct << mask;
    EXPECT_EQ(fcntl(folder.fd(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  }
}

TEST(OutputRecordingFolder, NeverUsesAFolderThatExists) {
  TemporaryFolder tmp;
  RecordingFolder folder;
  for (const char* suffix : {"", "-2", "-3"}) {
    ASSERT_EQ(Create(RequestFor(tmp.path()), &folder), "");
    EXPECT_EQ(folder.path(), tmp / "Shop.Web-4711-20231114T221320Z" + suffix + ".hindsight");
  }
}

TEST(OutputRecordingFolder, GivesUpWhenEveryNameIsTaken) {
  TemporaryFolder tmp;
  for (int i = 1; i <= 100; ++i) ASSERT_EQ(Create(RequestFor(tmp.path())), "");
  const std::string why = Create(RequestFor(tmp.path()));
  EXPECT_NE(why.find("that name is taken, up to -100"), std::string::npos) << why;
}

TEST(OutputRecordingFolder, DoesNotFollowALinkThatHasItsName) {
  TemporaryFolder tmp;
  TemporaryFolder elsewhere;
  ASSERT_EQ(symlink(elsewhere.path().c_str(), (tmp / kName).c_str()), 0);
  RecordingFolder folder;
  ASSERT_EQ(Create(RequestFor(tmp.path()), &folder), "");
  EXPECT_EQ(folder.path(), tmp / "Shop.Web-4711-20231114T221320Z-2.hindsight");
  EXPECT_TRUE(Names(elsewhere.path()).empty());
}

TEST(OutputRecordingFolder, SanitizesTheApplication) {
  EXPECT_EQ(SanitizedApplication("a/../b c\n\xc3\xa4;$"), "a_.._b_c_____");
  EXPECT_EQ(SanitizedApplication(""), "process");
  EXPECT_EQ(SanitizedApplication("../.."), "_._..");
  EXPECT_EQ(SanitizedApplication("-rf"), "_rf");
  EXPECT_EQ(SanitizedApplication(std::string(500, 'x')), std::string(64, 'x'));
}

TEST(OutputRecordingFolder, RefusesAnOutputThatIsALink) {
  TemporaryFolder tmp;
  std::filesystem::create_directory(tmp / "real");
  std::filesystem::create_directory_symlink(tmp / "real", tmp / "link");
  const std::string why = Create(RequestFor(tmp / "link"));
  EXPECT_EQ(why, "cannot record to " + (tmp / "link") + ": it is a symbolic link (of " +
                     (geteuid() == 0 ? "root" : "user " + std::to_string(geteuid())) +
                     "); set output= to the folder that it points to");
  EXPECT_TRUE(Names(tmp / "real").empty());
}

TEST(OutputRecordingFolder, FollowsItsOwnLinksOnTheWay) {
  TemporaryFolder tmp;
  std::filesystem::create_directories(tmp / "deep/real");
  std::filesystem::create_directory_symlink(tmp / "deep/real", tmp / "absolute");
  std::filesystem::create_directory_symlink("../deep/./real", tmp / "deep/relative");
  EXPECT_EQ(Create(RequestFor(tmp / "absolute/one")), "");
  EXPECT_EQ(Create(RequestFor(tmp / "deep/relative/two")), "");
  EXPECT_EQ(Names(tmp / "deep/real"), (std::vector<std::string>{"one", "two"}));
}

TEST(OutputRecordingFolder, EndsOnLinksThatGoInCircles) {
  TemporaryFolder tmp;
  std::filesystem::create_directory_symlink(tmp / "b", tmp / "a");
  std::filesystem::create_directory_symlink(tmp / "a", tmp / "b");
  const std::string why = Create(RequestFor(tmp / "a/output"));
  EXPECT_NE(why.find("the symbolic link cannot be followed"), std::string::npos) << why;
}

TEST(OutputRecordingFolder, RefusesAFolderThatEverybodyMayChange) {
  TemporaryFolder tmp;
  std::filesystem::create_directory(tmp / "open");
  ASSERT_EQ(chmod((tmp / "open").c_str(), 0777), 0);
  EXPECT_EQ(
      Create(RequestFor(tmp / "open")),
      "cannot record to " + (tmp / "open") +
          ": others may write to it; chmod it (o-w or +t), or set output= to a new folder in it");
  EXPECT_TRUE(Names(tmp / "open").empty());
  EXPECT_EQ(Create(RequestFor(tmp / "open/new")), "");
  ASSERT_EQ(chmod((tmp / "open").c_str(), 01777), 0);
  EXPECT_EQ(Create(RequestFor(tmp / "open")), "");
}

TEST(OutputRecordingFolder, RefusesWhatIsNoFolder) {
  TemporaryFolder tmp;
  WriteFile(tmp / "file", "x");
  EXPECT_EQ(Create(RequestFor(tmp / "file")),
            "cannot record to " + (tmp / "file") + ": it is not a folder; set output= to a folder");
  EXPECT_EQ(Create(RequestFor(tmp / "file/below")),
            "cannot record to " + (tmp / "file/below") + ": " + (tmp / "file") +
                ": it is not a folder; set output= to a folder");
}

TEST(OutputRecordingFolder, RefusesPathsThatAreNotPlain) {
  TemporaryFolder tmp;
  EXPECT_NE(Create(RequestFor("")).find("not an absolute path"), std::string::npos);
  EXPECT_NE(Create(RequestFor("tmp/x")).find("not an absolute path"), std::string::npos);
  EXPECT_NE(Create(RequestFor(tmp / "../x")).find("contains .."), std::string::npos);
  EXPECT_NE(Create(RequestFor("/" + std::string(5000, 'x'))).find("too long"), std::string::npos);
  EXPECT_NE(Create(RequestFor(tmp / std::string(300, 'x'))).find(": File name too long; "),
            std::string::npos);
}

TEST(OutputRecordingFolder, MakesTheLastTwoLevelsOfTheDefaultOnly) {
  TemporaryFolder tmp;
  FolderRequest request = RequestFor(tmp / "hindsight-0/recordings");
  request.is_default = true;
  EXPECT_EQ(Create(request), "");
  EXPECT_EQ(Mode(tmp / "hindsight-0"), 0700u);
  EXPECT_EQ(Mode(tmp / "hindsight-0/recordings"), 0700u);

  request.output = tmp / "missing/hindsight-0/recordings";
  const std::string why = Create(request);
  EXPECT_NE(why.find((tmp / "missing") + ": No such file or directory"), std::string::npos) << why;
  EXPECT_EQ(Names(tmp.path()), std::vector<std::string>{"hindsight-0"});
}

TEST(OutputRecordingFolder, DefaultLevelsHaveToBeTheUsersAlone) {
  TemporaryFolder tmp;
  FolderRequest request = RequestFor(tmp / "hindsight-0/recordings");
  request.is_default = true;
  for (const mode_t mode : {0770, 0702, 01777}) {
    std::filesystem::create_directory(tmp / "hindsight-0");
    ASSERT_EQ(chmod((tmp / "hindsight-0").c_str(), mode), 0);
    const std::string why = Create(request);
    EXPECT_NE(why.find((tmp / "hindsight-0") + ": others may write to it; chmod it to 0700"),
              std::string::npos)
        << why;
    std::filesystem::remove(tmp / "hindsight-0");
  }
  std::filesystem::create_directory(tmp / "elsewhere");
  std::filesystem::create_directory_symlink(tmp / "elsewhere", tmp / "hindsight-0");
  const std::string why = Create(request);
  EXPECT_NE(why.find("it is a symbolic link"), std::string::npos) << why;
  EXPECT_TRUE(Names(tmp / "elsewhere").empty());
}

TEST(OutputRecordingFolder, LeavesNoDescriptorBehind) {
  TemporaryFolder tmp;
  const size_t before = Names("/proc/self/fd").size();
  Create(RequestFor(tmp / "a/b/c"));
  Create(RequestFor(tmp / "../x"));
  Create(RequestFor("/proc/self/cmdline/x"));
  EXPECT_EQ(Names("/proc/self/fd").size(), before);
}

}  // namespace
}  // namespace hindsight::recorder
