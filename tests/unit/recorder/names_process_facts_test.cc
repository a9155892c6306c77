#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "recorder/base/process_facts.h"
#include "recorder/base/process_parsers.h"

namespace hindsight::recorder {
namespace {

using std::string_literals::operator""s;
using Names = std::vector<std::string>;

TEST(CommandLine, SplitsAtNul) {
  EXPECT_EQ(ParseCommandLine("dotnet\0app.dll\0\0x y\0"s), (Names{"dotnet", "app.dll", "", "x y"}));
  EXPECT_EQ(ParseCommandLine("no-end"), Names{"no-end"});
  EXPECT_EQ(ParseCommandLine(""), Names{});
}

TEST(CommandLine, IsBounded) {
  std::string many;
  for (size_t i = 0; i < kMaxArguments + 10; ++i) many += "a\0"s;
  EXPECT_EQ(ParseCommandLine(many).size(), kMaxArguments);
  const Names cut = ParseCommandLine(std::string(kMaxCommandLineBytes + 5, 'x'));
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut[0].size(), kMaxCommandLineBytes);
}

TEST(EnvironmentNames, HoldNoValues) {
  EXPECT_EQ(ParseEnvironmentNames("PATH=/bin\0SECRET=a=b\0HOME=\0PATH=again\0"s),
            (Names{"HOME", "PATH", "SECRET"}));
  EXPECT_EQ(ParseEnvironmentNames("novalue\0=odd\0\0A=1"s), Names{"A"});
  EXPECT_EQ(ParseEnvironmentNames(std::string(kMaxEnvironmentNameBytes + 1, 'x') + "=1"), Names{});
}

TEST(EnvironmentNames, AreBounded) {
  std::string many;
  for (size_t i = 0; i < 2 * kMaxEnvironmentNames; ++i) many += "N" + std::to_string(i) + "=1\0"s;
  EXPECT_EQ(ParseEnvironmentNames(many).size(), kMaxEnvironmentNames);
}

TEST(RuntimeSettings, AreTheRuntimesAndNumbers) {
  EXPECT_EQ(ParseRuntimeSettings("PATH=1\0DOTNET_gcServer=1\0COMPlus_GCHeapCount=0x10\0"s),
            (Names{"COMPlus_GCHeapCount=0x10", "DOTNET_gcServer=1"}));
  // Of the SDK; no number; empty; too long; without a value; of another program.
  for (const char* other : {"DOTNET_NOLOGO=1", "DOTNET_GCName=libclrgc.so",
                            "DOTNET_gcServer=", "DOTNET_Token=0123456789abcdef0", "DOTNET_gcServer",
                            "MY_DOTNET_gcServer=1", "DOTNET_=1", "DOTNET_gcServer=0x"}) {
    EXPECT_EQ(ParseRuntimeSettings(other), Names{}) << other;
  }
}

TEST(OpenFiles, AreCounted) {
  const uint32_t before = CountOpenFiles();
  EXPECT_GE(before, 3u);
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  EXPECT_EQ(CountOpenFiles(), before + 1);
  close(file);
  EXPECT_EQ(CountOpenFiles(), before);
}

TEST(StartTicks, LooksBehindTheName) {
  const std::string fields = "S 1 2 3 0 -1 4194304 100 0 0 0 5 6 0 0 20 0 8 0 987654 1000 200";
  EXPECT_EQ(ParseStartTicks("42 (app) " + fields), 987654u);
  EXPECT_EQ(ParseStartTicks("42 (a) S) b (c) " + fields), 987654u);
  EXPECT_EQ(ParseStartTicks("42 (app) S 1 2"), std::nullopt);
  EXPECT_EQ(ParseStartTicks("42 (app)"), std::nullopt);
  EXPECT_EQ(ParseStartTicks(""), std::nullopt);
}

TEST(BootSeconds, FindsItsLine) {
  EXPECT_EQ(ParseBootSeconds("cpu  1 2 3\nintr 5\nbtime 1700000000\nprocesses 9\n"), 1700000000u);
  EXPECT_EQ(ParseBootSeconds("cpu 1\nbtime x\n"), std::nullopt);
  EXPECT_EQ(ParseBootSeconds("not btime 5\n"), std::nullopt);
}

TEST(Cgroups, ShowsWhetherAGroupEndsAsAWhole) {
  char name[] = "/tmp/hindsight-cgroup-XXXXXX";
  const std::filesystem::path mount = mkdtemp(name);
  std::filesystem::create_directories(mount / "pod/app");
  const std::string mounts = "30 20 0:26 / " + mount.string() + " rw,nosuid - cgroup2 cgroup2 rw\n";
  const auto is_killed = [&] { return IsKilledAsGroup("0::/pod/app\n", mounts); };
  const auto put = [&](const char* file, const char* text) { std::ofstream(mount / file) << text; };
  EXPECT_FALSE(is_killed()) << "a kernel without it";
  put("pod/app/memory.oom.group", "0\n");
  EXPECT_FALSE(is_killed());
  put("pod/memory.oom.group", "1\n");
  EXPECT_TRUE(is_killed()) << "the pod ends as a whole";
  put("pod/memory.oom.group", "0\n");
  put("pod/app/memory.oom.group", "1\n");
  EXPECT_TRUE(is_killed());
  EXPECT_FALSE(IsKilledAsGroup("4:memory:/pod/app\n", mounts));
  EXPECT_FALSE(IsKilledAsGroup("0::/pod/app\n", ""));
  std::filesystem::remove_all(mount);
}

TEST(Cgroups, ReadsBothVersions) {
  const CgroupPaths v2 = ParseCgroupPaths("0::/user.slice/app.scope\n");
  EXPECT_EQ(v2.unified, "/user.slice/app.scope");
  EXPECT_FALSE(v2.memory || v2.cpu);

  const CgroupPaths v1 = ParseCgroupPaths(
      "9:name=systemd:/x\n4:memory:/docker/a:b\n3:cpuset:/\n2:cpu,cpuacct:/docker/c\n0::/\n");
  EXPECT_EQ(v1.memory, "/docker/a:b");
  EXPECT_EQ(v1.cpu, "/docker/c");
  EXPECT_EQ(v1.unified, "/");
  EXPECT_FALSE(ParseCgroupPaths("2:cpuacct:/x\nrubbish\n::\n").cpu);
}

TEST(Cgroups, FindsMounts) {
  const CgroupMounts mounts = ParseCgroupMounts(
      "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw\n"
      "32 31 0:29 / /sys/fs/cgroup/cpu rw shared:5 master:1 - cgroup cgroup rw,cpu,cpuacct\n"
      "35 31 0:32 /docker/abc /sys/fs/cgroup/my\\040memory rw - cgroup cgroup rw,memory\n"
      "36 31 0:33 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
      "rubbish - cgroup\n");
  ASSERT_TRUE(mounts.cpu && mounts.memory && mounts.unified);
  EXPECT_EQ(mounts.cpu->point, "/sys/fs/cgroup/cpu");
  EXPECT_EQ(mounts.memory->root, "/docker/abc");
  EXPECT_EQ(mounts.memory->point, "/sys/fs/cgroup/my memory");
  EXPECT_EQ(mounts.unified->point, "/sys/fs/cgroup/unified");
}

TEST(Cgroups, WalksUpToTheMount) {
  const CgroupMount whole = {"/", "/m"};
  EXPECT_EQ(CgroupFolders(whole, "/a/b"), (Names{"/m/a/b", "/m/a", "/m"}));
  EXPECT_EQ(CgroupFolders(whole, "/"), Names{"/m"});
  // In a container the path is the host's and the mount begins at the container's own group.
  const CgroupMount part = {"/docker/abc", "/m"};
  EXPECT_EQ(CgroupFolders(part, "/docker/abc"), Names{"/m"});
  EXPECT_EQ(CgroupFolders(part, "/docker/abc/x"), (Names{"/m/x", "/m"}));
  EXPECT_EQ(CgroupFolders(part, "/docker/abcdef"), Names{"/m"});
  EXPECT_EQ(CgroupFolders(whole, "/../../other"), Names{"/m"});
}

TEST(Cgroups, AreBoundedInDepth) {
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "/x";
  EXPECT_EQ(CgroupFolders({"/", "/m"}, deep).size(), kMaxCgroupDepth + 1);
}

TEST(Limits, AreReadOrAbsent) {
  EXPECT_EQ(ParseMemoryLimit("536870912\n"), 536870912u);
  EXPECT_EQ(ParseMemoryLimit("max\n"), std::nullopt);
  EXPECT_EQ(ParseMemoryLimit("9223372036854771712\n"), std::nullopt);
  EXPECT_EQ(ParseMemoryLimit(""), std::nullopt);
  EXPECT_EQ(ParseCpuMax("150000 100000\n"), 1.5);
  EXPECT_EQ(ParseCpuMax("max 100000\n"), std::nullopt);
  EXPECT_EQ(ParseCpuMax("150000"), std::nullopt);
  EXPECT_EQ(ParseCpuQuota("50000\n", "100000\n"), 0.5);
  EXPECT_EQ(ParseCpuQuota("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(ParseCpuQuota("1", "0"), std::nullopt);
}

TEST(ProcessFacts, DescribeThisProcess) {
  const ProcessFacts facts = ReadProcessFacts();
  EXPECT_EQ(facts.pid, static_cast<uint32_t>(getpid()));
  EXPECT_EQ(facts.application, "recorder_names_test");
  ASSERT_FALSE(facts.command_line.empty());
  EXPECT_FALSE(facts.architecture.empty());
  EXPECT_TRUE(facts.os.starts_with("Linux "));
  EXPECT_FALSE(facts.host.empty());
  EXPECT_GE(facts.cpus, 1u);
  EXPECT_LE(facts.cpus, static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_CONF)));
  EXPECT_GT(facts.physical_memory_bytes, 16u << 20);
  const uint64_t now = static_cast<uint64_t>(time(nullptr)) * 1'000'000'000;
  EXPECT_LT(facts.started_unix_ns, now + 3'000'000'000);
  EXPECT_GT(facts.started_unix_ns + 3'600'000'000'000, now);
  const bool has_path = getenv("PATH") != nullptr;
  EXPECT_EQ(std::count(facts.environment_names.begin(), facts.environment_names.end(), "PATH"),
            has_path ? 1 : 0);
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  EXPECT_EQ(facts.open_files_limit, files.rlim_cur == RLIM_INFINITY ? 0 : files.rlim_cur);
}

}  // namespace
}  // namespace hindsight::recorder
