// Processes that do not see our files: namespaces as containers have them, without their engines.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/live/trigger_stage.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using trigger::TriggerExit;

// How often a file of this name is mapped, each inode once.
size_t Mapped(const std::string& pid, const std::string& name) {
  std::vector<std::string> paths;
  std::istringstream lines(ReadFile("/proc/" + pid + "/maps"));
  for (std::string line; std::getline(lines, line);) {
    const size_t slash = line.find('/');
    if (slash == std::string::npos || line.find('/' + name) == std::string::npos) continue;
    const std::string path = line.substr(slash);
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  }
  return paths.size();
}

class Container : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "namespaces need root";
    const Ended tried = RunToEnd({.arguments = {"unshare", "--mount", "--pid", "--fork", "true"}});
    if (!tried.Succeeded()) GTEST_SKIP() << "no namespaces here: " << tried.errors;
    fs::create_directory(stage_ / "root");
  }
  // Another root folder, with its own /tmp and /proc and everything else from outside except our
  // library. `more`: further commands for its shell, before the old root is gone.
  std::vector<std::string> Inside(const std::string& more = "true") {
    const std::string root = (stage_ / "root").string();
    const std::string stage = stage_.folder().string();
    const std::string script =
        "set -e; mount --make-rprivate /; mount --rbind / " + root + "; cd " + root +
        "; mount -t tmpfs none tmp; mount -t tmpfs none dev/shm; mkdir -p ." + stage +
        "; mount --rbind " + stage + " ." + stage + "; mount -t tmpfs none ." + stage +
        "/lib; mount -t proc none proc; mkdir tmp/old; " + more +
        "; pivot_root . tmp/old; umount -l /tmp/old; rmdir /tmp/old; exec \"$@\"";
    return {"unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh"};
  }
  // The application is the child of unshare, and pid 1 in there.
  static std::string PidIn(const Application& container) {
    std::string pid;
    WaitUntil([&] {
      pid = ReadFile("/proc/" + container.Pid() + "/task/" + container.Pid() + "/children");
      return !pid.empty();
    });
    return std::to_string(std::atoi(pid.c_str()));
  }
  static bool HasBrought(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with("hindsight-lib-")) return true;
    }
    return false;
  }

  Stage stage_;
};

TEST_F(Container, GetsTheLibraryAndKeepsNothing) {
  Application container(stage_, {}, Inside());
  const std::string pid = PidIn(container);
  const fs::path tmp = "/proc/" + pid + "/root/tmp";
  for (int round = 0; round < 3; ++round) {
    const Ended attached = stage_.Run({"attach", pid, "--output", stage_.Recordings()});
    ASSERT_TRUE(Is(attached, TriggerExit::kOk));
    EXPECT_FALSE(HasBrought(tmp)) << "round " << round;
    const json status = stage_.RunJson({"status", pid});
    ASSERT_TRUE(status["ok"]) << status;
    ASSERT_TRUE(Is(stage_.Run({"stop", pid}), TriggerExit::kOk));
  }
  // The first copy serves all rounds.
  EXPECT_EQ(Mapped(pid, "libhindsight.so"), 1u);
  const json snapshot = stage_.RunJson({"snapshot", pid});
  EXPECT_TRUE(snapshot["ok"]) << snapshot;
  EXPECT_FALSE(HasBrought(tmp));
  EXPECT_EQ(Mapped(pid, "libhindsight.so"), 1u);
  EXPECT_TRUE(container.EndsWell());
}

TEST_F(Container, WithATmpThatMapsNoCodeGetsItElsewhere) {
  Application container(stage_, {}, Inside("mount -o remount,noexec tmp"));
  const std::string pid = PidIn(container);
  ASSERT_TRUE(Is(stage_.Run({"attach", pid, "--output", stage_.Recordings()}), TriggerExit::kOk));
  EXPECT_NE(ReadFile("/proc/" + pid + "/maps").find("hindsight-lib-"), std::string::npos);
  EXPECT_FALSE(HasBrought("/proc/" + pid + "/root/tmp"));
  EXPECT_FALSE(HasBrought("/proc/" + pid + "/root/var/tmp"));
  ASSERT_TRUE(Is(stage_.Run({"stop", pid}), TriggerExit::kOk));
  EXPECT_TRUE(container.EndsWell());
}

TEST_F(Container, OfAnotherUserWithItsOwnTmpdir) {
  fs::create_directory(stage_ / "its");
  ASSERT_EQ(chown((stage_ / "its").c_str(), kNobody, kNobody), 0);
  std::vector<std::string> inside = Inside();
  for (const char* word : {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}) {
    inside.emplace_back(word);
  }
  Application container(
      stage_, {{"TMPDIR", (stage_ / "its").string()}, {"DOTNET_CLI_HOME", "/tmp"}}, inside);
  const std::string pid = PidIn(container);
  ASSERT_TRUE(Is(stage_.Run({"attach", pid, "--output", stage_.Recordings()}), TriggerExit::kOk));
  EXPECT_FALSE(HasBrought(stage_ / "its"));
  EXPECT_NE(ReadFile("/proc/" + pid + "/maps").find((stage_ / "its").string() + "/hindsight-lib-"),
            std::string::npos);
  EXPECT_TRUE(fs::exists(stage_ / "its/hindsight-65534/control/1.sock"));
  ASSERT_TRUE(Is(stage_.Run({"stop", pid}), TriggerExit::kOk));
  EXPECT_TRUE(container.EndsWell());
}

TEST_F(Container, WithoutAFolderForItIsRefusedWithAllReasons) {
  Application container(
      stage_, {},
      Inside("mount -o remount,noexec tmp; mount -t tmpfs -o noexec none var/tmp; "
             "mount -t tmpfs -o noexec none dev/shm; mount -t tmpfs -o noexec none run"));
  const std::string pid = PidIn(container);
  const Ended attached = stage_.Run({"attach", pid});
  EXPECT_TRUE(Is(attached, TriggerExit::kLibraryMissing, "noexec"));
  EXPECT_NE(attached.errors.find("/dev/shm"), std::string::npos) << attached.errors;
  EXPECT_NE(attached.errors.find("/proc/" + pid + "/root"), std::string::npos) << attached.errors;
  EXPECT_TRUE(container.EndsWell());
}

TEST_F(Container, ALibraryThatWasNamedIsNotReplacedByOurs) {
  Application container(stage_, {}, Inside());
  const std::string pid = PidIn(container);
  EXPECT_TRUE(Is(stage_.Run({"attach", pid, "--profiler", stage_.Library()}),
                 TriggerExit::kLibraryMissing, "in its own mount namespace"));
  EXPECT_TRUE(container.EndsWell());
}

}  // namespace
}  // namespace hindsight::live
