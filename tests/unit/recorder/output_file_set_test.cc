#include "recorder/output/file_set.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/recorder/output_test_support.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kMiB = 1u << 20;

class OutputFileSet : public testing::Test {
 protected:
  void Open(uint64_t limit) {
    folder_ = Descriptor(open(tmp_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(folder_);
    files_.Open(folder_.get(), limit);
  }
  // Appends as SegmentWriter does.
  int Append(const std::string& text) {
    files_.NeedsNewFile();
    if (const int error = files_.EnsureFile()) return error;
    return files_.Append(Bytes(text));
  }

  TemporaryFolder tmp_;
  Descriptor folder_;
  FileSet files_;
};

TEST_F(OutputFileSet, FilesAreNumberedAndPrivate) {
  const mode_t before = umask(0);
  Open(4 * kMiB);
  EXPECT_TRUE(files_.NeedsNewFile());
  EXPECT_EQ(Append("one"), 0);
  EXPECT_FALSE(files_.NeedsNewFile());
  EXPECT_EQ(Append("two"), 0);
  files_.EndFile();
  EXPECT_EQ(Append("three"), 0);
  umask(before);
  EXPECT_EQ(Names(tmp_.path()), (std::vector<std::string>{"000001.hsr", "000002.hsr"}));
  EXPECT_EQ(ReadFile(tmp_ / "000001.hsr"), "onetwo");
  EXPECT_EQ(ReadFile(tmp_ / "000002.hsr"), "three");
  struct stat status;
  ASSERT_EQ(stat((tmp_ / "000001.hsr").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(OutputFileSet, AFileEndsAtASixteenthOfTheLimit) {
  for (const auto& [limit, file] : {std::pair{4 * kMiB, kMiB}, {32 * kMiB, 2 * kMiB}}) {
    Open(limit);
    const uint32_t first = files_.file_number();
    for (uint64_t written = 0; written < file; written += kMiB / 2) {
      EXPECT_LE(files_.file_number(), first + 1);
      ASSERT_EQ(Append(std::string(kMiB / 2, 'x')), 0);
    }
    EXPECT_TRUE(files_.NeedsNewFile()) << limit;
    for (const std::string& name : Names(tmp_.path())) unlink((tmp_ / name).c_str());
  }
}

TEST_F(OutputFileSet, TheSumNeverExceedsTheLimitAndTheNewestStay) {
  const uint64_t limit = 5 * kMiB + 12345;
  Open(limit);
  for (int i = 0; i < 400; ++i) {
    const size_t size = 1 + static_cast<size_t>(i) * 7919 % (kMiB / 3);
    ASSERT_EQ(Append(std::string(size, 'x')), 0);
    ASSERT_LE(SumOfSizes(tmp_.path()), limit);
    ASSERT_EQ(SumOfSizes(tmp_.path()), files_.stored_bytes());
  }
  const std::vector<std::string> names = Names(tmp_.path());
  EXPECT_EQ(names.back(), FileName(files_.file_number()));
  EXPECT_EQ(names.front(),
            FileName(files_.file_number() + 1 - static_cast<uint32_t>(names.size())));
  EXPECT_GT(SumOfSizes(tmp_.path()), limit - 2 * kMiB) << "deletes more than it has to";
  EXPECT_EQ(files_.files_created(), files_.files_deleted() + names.size());
}

TEST_F(OutputFileSet, NeverOpensAFileThatIsThere) {
  WriteFile(tmp_ / "victim", "precious");
  ASSERT_EQ(symlink((tmp_ / "victim").c_str(), (tmp_ / "000001.hsr").c_str()), 0);
  WriteFile(tmp_ / "000002.hsr", "not ours");
  Open(4 * kMiB);
  EXPECT_EQ(Append("ours"), 0);
  EXPECT_EQ(files_.file_number(), 3u);
  EXPECT_EQ(ReadFile(tmp_ / "victim"), "precious");
  EXPECT_EQ(ReadFile(tmp_ / "000002.hsr"), "not ours");
  EXPECT_EQ(ReadFile(tmp_ / "000003.hsr"), "ours");
}

TEST_F(OutputFileSet, GoesOnInANewFileWhenSomebodyDeletesTheCurrentOne) {
  Open(4 * kMiB);
  EXPECT_EQ(Append("gone"), 0);
  ASSERT_EQ(unlink((tmp_ / "000001.hsr").c_str()), 0);
  EXPECT_TRUE(files_.NeedsNewFile());
  EXPECT_EQ(Append("here"), 0);
  EXPECT_EQ(files_.stored_bytes(), 4u);
  EXPECT_EQ(ReadFile(tmp_ / "000002.hsr"), "here");
}

// An application may close descriptors that are not its own, and then gets their numbers for its
// own files. `put` puts a file that it opens in the place of one of ours.
void Put(int file, int in_place_of) {
  ASSERT_EQ(dup2(file, in_place_of), in_place_of);
  close(file);
}

// The lowest free descriptor: the next one to be assigned.
int NextDescriptor() {
  const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(next);
  return next;
}

TEST_F(OutputFileSet, WritesNothingToAFileThatHasTakenItsDescriptor) {
  Open(4 * kMiB);
  const int ours = NextDescriptor();
  ASSERT_EQ(Append("one"), 0);
  WriteFile(tmp_ / "ledger", "precious");
  Put(open((tmp_ / "ledger").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC), ours);
  EXPECT_EQ(files_.Append(Bytes("two")), EBADF) << "between two segments";
  EXPECT_STREQ(files_.reason(), "something in this process has closed the file");
  EXPECT_EQ(Append("three"), 0) << "goes on in a new file";
  EXPECT_EQ(files_.Close(), EBADF);
  EXPECT_EQ(ReadFile(tmp_ / "ledger"), "precious");
  EXPECT_EQ(ReadFile(tmp_ / "000001.hsr"), "one");
  EXPECT_EQ(ReadFile(tmp_ / "000002.hsr"), "three");
  EXPECT_EQ(fcntl(ours, F_GETFD), 0) << "the application's file was closed";
  close(ours);
}

TEST_F(OutputFileSet, NoticesBeforeASegmentThatItsDescriptorWasClosed) {
  Open(4 * kMiB);
  const int ours = NextDescriptor();
  ASSERT_EQ(Append(std::string(kMiB / 2, 'x')), 0);
  close(ours);
  EXPECT_TRUE(files_.NeedsNewFile());
  for (int i = 0; i < 9; ++i) {
    ASSERT_EQ(Append(std::string(kMiB / 2, 'y')), 0);
    ASSERT_LE(SumOfSizes(tmp_.path()), 4 * kMiB) << "the lost file counts";
  }
  EXPECT_FALSE(std::filesystem::exists(tmp_ / "000001.hsr")) << "it is the oldest";
}

TEST_F(OutputFileSet, TouchesNothingInAFolderThatHasTakenItsDescriptor) {
  Open(2 * kMiB);
  ASSERT_EQ(Append(std::string(kMiB, 'x')), 0);
  std::filesystem::create_directory(tmp_ / "theirs");
  WriteFile(tmp_ / "theirs/000001.hsr", "precious");
  Put(open((tmp_ / "theirs").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder_.get());
  EXPECT_EQ(Append(std::string(kMiB, 'y')), ESTALE);
  EXPECT_EQ(Append(std::string(kMiB, 'y')), ESTALE);
  EXPECT_EQ(Names(tmp_ / "theirs"), std::vector<std::string>{"000001.hsr"});
  EXPECT_EQ(ReadFile(tmp_ / "theirs/000001.hsr"), "precious");
}

TEST_F(OutputFileSet, RotatesOnAfterSomebodyDeletedOldFiles) {
  Open(4 * kMiB);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(Append(std::string(kMiB, 'x')), 0);
  ASSERT_EQ(unlink((tmp_ / "000001.hsr").c_str()), 0);
  ASSERT_EQ(unlink((tmp_ / "000002.hsr").c_str()), 0);
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(Append(std::string(kMiB, 'x')), 0);
    ASSERT_LE(SumOfSizes(tmp_.path()), 4 * kMiB);
  }
  EXPECT_EQ(SumOfSizes(tmp_.path()), files_.stored_bytes());
}

TEST_F(OutputFileSet, RefusesWhatTheLimitCannotHold) {
  Open(kMiB);
  EXPECT_EQ(Append(std::string(kMiB + 1, 'x')), EFBIG);
  EXPECT_STREQ(files_.reason(), "it would be larger than limit.disk allows");
  EXPECT_TRUE(Names(tmp_.path()).empty()) << "an empty file was left behind";
  EXPECT_EQ(Append(std::string(kMiB, 'x')), 0);
  EXPECT_EQ(files_.file_number(), 1u);
}

TEST_F(OutputFileSet, BoundsTheNumberOfFilesToo) {
  Open(4 * kMiB);
  for (int i = 0; i < 600; ++i) {
    files_.EndFile();
    ASSERT_EQ(Append("x"), 0);
  }
  EXPECT_LE(Names(tmp_.path()).size(), 257u);
  EXPECT_EQ(Names(tmp_.path()).back(), "000600.hsr");
  EXPECT_EQ(SumOfSizes(tmp_.path()), files_.stored_bytes());
}

}  // namespace
}  // namespace hindsight::recorder
