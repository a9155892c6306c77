// Which libraries a process may load, judged on real files and folders.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "trigger/preflight/preflight.h"

namespace hindsight::trigger {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kSomebody = 12345;

class LibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(geteuid(), 0u) << "this test gives files to other users: run it as root";
    umask(022);
    char pattern[] = "/tmp/library-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder_ = pattern;
    fs::permissions(folder_, fs::perms(0755));
    library_ = folder_ / "lib.so";
    fs::copy_file(HINDSIGHT_ANY_LIBRARY, library_);
    fs::permissions(library_, fs::perms(0644));
    Expected<Process> self = InspectProcess(getpid());
    ASSERT_TRUE(self);
    process_ = *std::move(self);
    process_.uid = kSomebody;
    process_.gid = kSomebody;
    process_.groups = {kSomebody};
  }
  void TearDown() override { fs::remove_all(folder_); }

  TriggerExit Judge(const std::string& path) {
    const Check wrong = CheckLibrary(process_, path);
    if (!wrong) return TriggerExit::kOk;
    what_ = wrong->what;
    EXPECT_FALSE(wrong->next.empty()) << wrong->what;
    return wrong->code;
  }
  TriggerExit Judge() { return Judge(library_.string()); }

  fs::path folder_;
  fs::path library_;
  Process process_;
  std::string what_;
};

TEST_F(LibraryTest, AReadableLibraryOfRootsIsFine) {
  EXPECT_EQ(Judge(), TriggerExit::kOk) << what_;
}

TEST_F(LibraryTest, PathsThatNameNoLibrary) {
  EXPECT_EQ(Judge("lib.so"), TriggerExit::kLibraryPath);
  EXPECT_EQ(Judge('/' + std::string(5000, 'x')), TriggerExit::kLibraryPath);
  EXPECT_EQ(Judge((folder_ / "missing.so").string()), TriggerExit::kLibraryMissing);
  EXPECT_EQ(Judge(folder_.string()), TriggerExit::kLibraryNotALibrary);
  EXPECT_NE(what_.find("folder"), std::string::npos);
  std::ofstream(folder_ / "text.so") << "not a library";
  EXPECT_EQ(Judge((folder_ / "text.so").string()), TriggerExit::kLibraryNotALibrary);
  EXPECT_EQ(Judge("/proc/self/exe"), TriggerExit::kLibraryNotALibrary);
  EXPECT_EQ(Judge("/dev/null"), TriggerExit::kLibraryNotALibrary);
}

TEST_F(LibraryTest, UnreadableForTheProcess) {
  fs::permissions(library_, fs::perms(0600));
  EXPECT_EQ(Judge(), TriggerExit::kLibraryUnreadable);
  // The group's bits apply to a member of the group, the owner's to the owner, and no others.
  ASSERT_EQ(chown(library_.c_str(), 0, kSomebody), 0);
  fs::permissions(library_, fs::perms(0640));
  EXPECT_EQ(Judge(), TriggerExit::kOk) << what_;
  fs::permissions(library_, fs::perms(0604));
  EXPECT_EQ(Judge(), TriggerExit::kLibraryUnreadable);
  ASSERT_EQ(chown(library_.c_str(), kSomebody, 0), 0);
  fs::permissions(library_, fs::perms(0044));
  EXPECT_EQ(Judge(), TriggerExit::kLibraryUnreadable);
  process_.uid = 0;
  ASSERT_EQ(chown(library_.c_str(), 0, 0), 0);
  EXPECT_EQ(Judge(), TriggerExit::kOk) << what_;
}

TEST_F(LibraryTest, AFolderOnTheWayThatTheProcessMayNotEnter) {
  fs::permissions(folder_, fs::perms(0700));
  EXPECT_EQ(Judge(), TriggerExit::kLibraryUnreadable);
  EXPECT_NE(what_.find(folder_.string()), std::string::npos) << what_;
  // Also through a symbolic link.
  fs::path link = folder_.string() + "-link";
  fs::create_directory_symlink(folder_, link);
  EXPECT_EQ(Judge((link / "lib.so").string()), TriggerExit::kLibraryUnreadable);
  fs::remove(link);
}

TEST_F(LibraryTest, ChangeableByOthers) {
  fs::permissions(library_, fs::perms(0666));
  EXPECT_EQ(Judge(), TriggerExit::kLibraryUnsafe);
  fs::permissions(library_, fs::perms(0644));
  fs::permissions(folder_, fs::perms(0777));
  EXPECT_EQ(Judge(), TriggerExit::kLibraryUnsafe);
  fs::permissions(folder_, fs::perms(01777));
  EXPECT_EQ(Judge(), TriggerExit::kOk) << what_;
  fs::permissions(folder_, fs::perms(0775));
  EXPECT_EQ(Judge(), TriggerExit::kOk) << "root's own group: " << what_;
  ASSERT_EQ(chown(folder_.c_str(), 0, 100), 0);
  EXPECT_EQ(Judge(), TriggerExit::kLibraryUnsafe);
  ASSERT_EQ(chown(folder_.c_str(), kSomebody, kSomebody), 0);
  EXPECT_EQ(Judge(), TriggerExit::kOk) << "the user's private group: " << what_;
  ASSERT_EQ(chown(folder_.c_str(), kSomebody + 1, 0), 0);
  EXPECT_EQ(Judge(), TriggerExit::kLibraryUnsafe);
  EXPECT_NE(what_.find("belongs to 12346"), std::string::npos) << what_;
}

// The same bytes, marked as built for another machine.
TEST_F(LibraryTest, BuiltForAnotherProcessor) {
  std::fstream file(library_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(18);  // e_machine
  file.put(static_cast<char>(0xb7));
  file.close();
  EXPECT_EQ(Judge(), TriggerExit::kArchitecture);
  EXPECT_NE(what_.find("arm64"), std::string::npos) << what_;
}

// The program is then an emulator, as where arm64 containers run on x64.
TEST_F(LibraryTest, BuiltForTheProcessorOfTheRuntime) {
  const auto make_arm64 = [](const fs::path& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(18);  // e_machine
    file.put(static_cast<char>(0xb7));
  };
  const fs::path runtime = folder_ / "libcoreclr.so";
  fs::copy_file(HINDSIGHT_ANY_LIBRARY, runtime);
  make_arm64(runtime);
  process_.runtime_path = runtime.string();
  EXPECT_EQ(Judge(), TriggerExit::kArchitecture);
  EXPECT_NE(what_.find("runs as arm64"), std::string::npos) << what_;
  make_arm64(library_);
  EXPECT_EQ(Judge(), TriggerExit::kOk) << what_;
}

TEST_F(LibraryTest, CopiedInPart) {
  fs::resize_file(library_, fs::file_size(library_) - 100);
  EXPECT_EQ(Judge(), TriggerExit::kLibraryDamaged);
  EXPECT_NE(what_.find("incomplete"), std::string::npos) << what_;
}

TEST_F(LibraryTest, BuiltForBothLibcs) {
  process_.musl = true;
  process_.glibc = false;
  EXPECT_EQ(Judge(), TriggerExit::kOk) << what_;
}

TEST_F(LibraryTest, BuiltForAnotherLibc) {
  process_.musl = true;
  process_.glibc = false;
  fs::copy_file(HINDSIGHT_GLIBC_LIBRARY, library_, fs::copy_options::overwrite_existing);
  EXPECT_EQ(Judge(), TriggerExit::kLibc);
  EXPECT_NE(what_.find("built for glibc"), std::string::npos) << what_;
}

}  // namespace
}  // namespace hindsight::trigger
