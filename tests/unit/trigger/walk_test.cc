#include "trigger/target/walk.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace hindsight::trigger {
namespace {

namespace fs = std::filesystem;

class WalkTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/walk-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder_ = pattern;
    fs::create_directories(folder_ / "a/b");
    std::ofstream(folder_ / "a/b/file") << "x";
    root_.reset(open(folder_.c_str(), O_PATH | O_DIRECTORY));
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<std::string> Paths(const Walk& walk) {
    std::vector<std::string> paths;
    for (const WalkStep& step : walk.steps) paths.push_back(step.path);
    return paths;
  }

  fs::path folder_;
  UniqueFd root_;
};

using Steps = std::vector<std::string>;

TEST_F(WalkTest, ShowsEveryFolderOnTheWay) {
  const Walk walk = WalkFrom(root_.get(), "//a/./b/../b/file");
  ASSERT_TRUE(walk.target);
  EXPECT_EQ(Paths(walk), (Steps{"/", "/a", "/a/b", "/a/b", "/a/b/file"}));
  EXPECT_TRUE(S_ISREG(walk.steps.back().info.st_mode));
}

TEST_F(WalkTest, StaysBelowTheRootWhateverTheLinksSay) {
  fs::create_symlink("/a/b", folder_ / "absolute");
  fs::create_symlink("../../../../a/b/file", folder_ / "a/climbing");
  EXPECT_EQ(Paths(WalkFrom(root_.get(), "/absolute/file")),
            (Steps{"/", "/a", "/a/b", "/a/b/file"}));
  EXPECT_EQ(Paths(WalkFrom(root_.get(), "/a/climbing")),
            (Steps{"/", "/a", "/a", "/a/b", "/a/b/file"}));
  EXPECT_FALSE(WalkFrom(root_.get(), "/../../etc/passwd").target);
}

TEST_F(WalkTest, SaysWhereItFailed) {
  const Walk missing = WalkFrom(root_.get(), "/a/c/file");
  EXPECT_FALSE(missing.target);
  EXPECT_EQ(missing.error, ENOENT);
  EXPECT_EQ(missing.failed_at, "/a/c");
  EXPECT_EQ(Paths(missing), (Steps{"/", "/a"}));

  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_EQ(WalkFrom(root_.get(), "/loop").error, ELOOP);
  EXPECT_EQ(WalkFrom(root_.get(), "/a/b/file/x").error, ENOTDIR);
}

}  // namespace
}  // namespace hindsight::trigger
