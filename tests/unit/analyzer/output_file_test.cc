// The files that a command writes: its own are private and complete; others are not replaced.
#include "analyzer/commands/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "analyzer/base/private_file.h"
#include "tests/support/recording_builder.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;
using analyzer::OutputFile;
using analyzer::Result;

mode_t ModeOf(const std::string& file) {
  struct stat status {};
  return lstat(file.c_str(), &status) == 0 ? status.st_mode : 0;
}

class Output : public ::testing::Test {
 protected:
  ~Output() override { umask(umask_); }

  // The message of an error; empty if it was written.
  static std::string Write(const std::string& name, const std::string& text) {
    Result<OutputFile> file = OutputFile::Create(name);
    if (!file) return file.error().sentence;
    file->Write(text);
    const Result<void> done = file->Finish();
    return done ? "" : done.error().sentence;
  }

  const TempDir dir_;
  const std::string file_ = dir_ / "report.html";
  const mode_t umask_ = umask(022);
};

TEST_F(Output, FilesAreTheUsersAlone) {
  for (const mode_t mask : {0, 022, 0777}) {
    umask(mask);
    fs::remove(file_);
    EXPECT_EQ(Write(file_, "one"), "");
    EXPECT_EQ(ModeOf(file_), S_IFREG | 0600u) << mask;
  }
  EXPECT_EQ(chmod(file_.c_str(), 0666), 0);
  EXPECT_EQ(Write(file_, "two"), "");
  EXPECT_EQ(ModeOf(file_), S_IFREG | 0600u) << "what is replaced is a new file";
  EXPECT_EQ(ReadFile(file_), "two");
  EXPECT_FALSE(fs::exists(file_ + ".part"));
}

TEST_F(Output, ADeviceStaysADevice) {
  const std::string null = dir_ / "null";
  if (mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0) {
    EXPECT_EQ(Write(null, "text"), "");
    EXPECT_TRUE(S_ISCHR(ModeOf(null)));
  }
  EXPECT_EQ(Write("/dev/null", "text"), "");
  EXPECT_TRUE(S_ISCHR(ModeOf("/dev/null")));
}

TEST_F(Output, APipeIsWrittenTo) {
  const std::string pipe = dir_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = ReadFile(pipe); });
  EXPECT_EQ(Write(pipe, "text"), "");
  reader.join();
  EXPECT_EQ(read, "text");
  EXPECT_TRUE(S_ISFIFO(ModeOf(pipe)));
}

TEST_F(Output, ALinkStaysALink) {
  WriteFile(file_, "a longer text");
  ASSERT_EQ(chmod(file_.c_str(), 0640), 0);
  const std::string link = dir_ / "link";
  fs::create_symlink(file_, link);
  EXPECT_EQ(Write(link, "text"), "");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(ReadFile(file_), "text");
  EXPECT_EQ(ModeOf(file_), S_IFREG | 0640u);
  // A dangling link creates no file somewhere else.
  const std::string nowhere = dir_ / "nowhere";
  fs::create_symlink(dir_ / "elsewhere", nowhere);
  EXPECT_NE(Write(nowhere, "text").find("No such file"), std::string::npos);
  EXPECT_FALSE(fs::exists(dir_ / "elsewhere"));
}

TEST_F(Output, AFolderIsRefusedBeforeTheWork) {
  const Result<OutputFile> file = OutputFile::Create(dir_.path());
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().sentence.find("Is a directory"), std::string::npos);
}

// A link at the path of the unfinished file is not followed.
TEST_F(Output, ALinkInThePlaceOfThePartIsNotFollowed) {
  const std::string victim = dir_ / "victim";
  WriteFile(victim, "precious");
  fs::create_symlink(victim, file_ + ".part");
  EXPECT_EQ(Write(file_, "text"), "");
  EXPECT_EQ(ReadFile(victim), "precious");
  EXPECT_EQ(ReadFile(file_), "text");
}

}  // namespace
}  // namespace hindsight::testing
