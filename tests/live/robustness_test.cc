// Whatever happens to the recorder, the application does not notice; whatever happens to the
// process, the recording holds everything that is older than a second.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "tests/live/harness/process.h"
#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"
#include "tests/live/harness/truth.h"

namespace hindsight::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr char kStormOutput[] = "ready\ndone\n";

size_t Lines(const std::string& text) { return std::ranges::count(text, '\n'); }

// ---- kill -9 ------------------------------------------------------------------------------------

// The recorder writes a segment at the latest after a second; the rest is for the scheduler of a
// busy machine.
constexpr milliseconds kPromise{1000};
constexpr milliseconds kSchedulingSlack{500};

int Kills() {
  const char* text = std::getenv("HINDSIGHT_LIVE_REPEATS");
  return text == nullptr ? 5 : std::atoi(text);
}

// The number of throws so far, in a file that the storm maps, too.
class Counter {
 public:
  explicit Counter(const std::filesystem::path& file) {
    const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (ftruncate(descriptor, kBytes) == 0) {
      void* mapped = mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, descriptor, 0);
      if (mapped != MAP_FAILED) value_ = static_cast<const int64_t*>(mapped);
    }
    close(descriptor);
  }
  ~Counter() { munmap(const_cast<int64_t*>(value_), kBytes); }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  uint64_t Read() const { return static_cast<uint64_t>(__atomic_load_n(value_, __ATOMIC_RELAXED)); }

 private:
  static constexpr size_t kBytes = 4096;
  const int64_t* value_ = nullptr;
};

uint64_t RecordedTicks(const std::filesystem::path& recording) {
  uint64_t ticks = 0;
  for (const ReportedGroup& group : Groups(recording)) {
    EXPECT_EQ(group.type, "ExceptionStorm.TickException");
    ticks += group.count;
  }
  return ticks;
}

TEST(KillTest, LosesAtMostTheLastSecondAndSaysSo) {
  std::mt19937 random(std::random_device{}());
  const int kills = Kills();
  ASSERT_GT(kills, 0);
  for (int kill = 0; kill < kills; ++kill) {
    const Workspace workspace;
    const Counter counter(workspace / "ticks");
    Process storm({.arguments = Storm(10, {"--tick", workspace / "ticks"}),
                   .environment = StartUp(workspace / "out")},
                  workspace.path());
    ASSERT_TRUE(WaitUntil([&] { return counter.Read() > 0; })) << storm.Errors();

    const milliseconds life(std::uniform_int_distribution<int>(0, 3500)(random));
    SCOPED_TRACE("kill " + std::to_string(kill) + " after " + std::to_string(life.count()) + " ms");
    std::deque<std::pair<steady_clock::time_point, uint64_t>> history;  // of the last moments
    const auto end = steady_clock::now() + life;
    while (steady_clock::now() < end) {
      history.emplace_back(steady_clock::now(), counter.Read());
      std::this_thread::sleep_for(milliseconds(2));
    }
    const auto promised = steady_clock::now() - kPromise - kSchedulingSlack;
    storm.Signal(SIGKILL);
    ASSERT_TRUE(storm.Wait());
    const uint64_t thrown = counter.Read();
    uint64_t safe = 0;
    for (const auto& [time, count] : history) safe = time < promised ? count : safe;

    const auto recordings = RecordingsIn(workspace / "out");
    ASSERT_EQ(recordings.size(), 1u);
    const Ended verified = Hindsight("verify", recordings.front());
    ASSERT_LE(verified.exit_code, 1) << verified.Describe();
    const nlohmann::json json = HindsightJson("verify", recordings.front());
    EXPECT_FALSE(json.at("closed_in_order").get<bool>());
    EXPECT_TRUE(json.at("lost_events").empty()) << json.at("lost_events");
    EXPECT_EQ(json.at("lost_segments"), 0);
    if (json.at("intact_segments") == 0) {
      EXPECT_EQ(safe, 0u);
      continue;
    }
    const uint64_t recorded = RecordedTicks(recordings.front());
    EXPECT_GE(recorded, safe);
    EXPECT_LE(recorded, thrown + 1);  // the one in flight is counted after its catch
  }
}

// ---- Disks --------------------------------------------------------------------------------------

// Root is refused like any other user.
void GiveUpRootsRights() {
  prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE);
  prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH);
  prctl(PR_CAPBSET_DROP, CAP_FOWNER);
}

TEST(DiskTest, AFolderThatCannotBeWrittenLeavesTheProcessUnrecorded) {
  const Workspace workspace;
  std::filesystem::create_directory(workspace / "out");
  chmod((workspace / "out").c_str(), 0500);
  const Ended ended = RunToEnd({.arguments = Storm(10),
                                .environment = StartUp(workspace / "out"),
                                .before_exec = GiveUpRootsRights});
  EXPECT_EQ(ended.exit_code, 0) << ended.Describe();
  EXPECT_EQ(ended.output, kStormOutput);
  EXPECT_EQ(Lines(ended.errors), 1u) << ended.errors;
  EXPECT_NE(ended.errors.find(workspace / "out"), std::string::npos) << ended.errors;
  EXPECT_TRUE(RecordingsIn(workspace / "out").empty());
}

TEST(DiskTest, AFolderThatVanishesDisturbsNothing) {
  const Workspace workspace;
  Process storm(
      {.arguments = Storm(10, {"--scale", "50", "--rounds", "2", "--go", workspace / "go"}),
       .environment = StartUp(workspace / "out")},
      workspace.path());
  WriteFile(workspace / "go.1");
  ASSERT_TRUE(WaitUntil([&] { return std::filesystem::exists(workspace / "go.1.done"); }));
  std::filesystem::remove_all(workspace / "out");
  WriteFile(workspace / "go.2");
  const auto ended = storm.Wait();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 0) << ended->Describe();
  EXPECT_EQ(ended->output, kStormOutput);
  EXPECT_LE(Lines(ended->errors), 1u) << ended->errors;
}

// An application closes one descriptor too many, and then has a file of its own in its place. Its
// content is not the recorder's, and the recording continues elsewhere.
TEST(DiskTest, WritesNothingToFilesThatHaveTakenItsDescriptors) {
  const Workspace workspace;
  EnvironmentVariables environment = StartUp(workspace / "out");
  environment.emplace_back("LD_PRELOAD", HINDSIGHT_LOST_DESCRIPTORS);
  environment.emplace_back("LOST_DESCRIPTORS", workspace.path());
  Process storm({.arguments = Storm(10, {"--scale", "50", "--rounds", "2", "--go", workspace / "go",
                                         "--end", workspace / "end"}),
                 .environment = environment},
                workspace.path());
  WriteFile(workspace / "go.1");
  ASSERT_TRUE(WaitUntil([&] { return std::filesystem::exists(workspace / "go.1.done"); }));
  WriteFile(workspace / "go");
  ASSERT_TRUE(WaitUntil([&] { return std::filesystem::exists(workspace / "done"); }));
  WriteFile(workspace / "go.2");
  ASSERT_TRUE(WaitUntil([&] { return std::filesystem::exists(workspace / "go.2.done"); }));
  EXPECT_TRUE(WaitUntil([&] { return RecordingsIn(workspace / "out").size() == 2; }));
  WriteFile(workspace / "end");
  const auto ended = storm.Wait();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 0) << ended->Describe();
  EXPECT_EQ(ended->output, kStormOutput);
  size_t ledgers = 0;
  for (const auto& entry : std::filesystem::directory_iterator(workspace.path())) {
    if (!entry.path().filename().string().starts_with("ledger-")) continue;
    ++ledgers;
    EXPECT_EQ(entry.file_size(), 8u) << entry.path();
  }
  EXPECT_GE(ledgers, 3u);  // two of the folder, and the file
}

// A file system of 256 KiB on the output folder, half full, visible only to the storm.
class FullDiskTest : public testing::Test {
 protected:
  static constexpr char kFiller[] = "filler";
  static inline const char* folder_ = nullptr;

  static bool WriteOnce(const char* file, const char* text) {
    const int descriptor = open(file, O_WRONLY | O_CLOEXEC);
    const bool written = write(descriptor, text, strlen(text)) > 0;
    close(descriptor);
    return written;
  }

  // Root in a user namespace of its own, if it is not root already.
  static bool BecomeRoot() {
    char map[64];
    snprintf(map, sizeof map, "0 %u 1", geteuid());
    return unshare(CLONE_NEWUSER) == 0 && WriteOnce("/proc/self/uid_map", map);
  }

  static void MountSmallDisk() {
    const bool mounted = (geteuid() == 0 || BecomeRoot()) && unshare(CLONE_NEWNS) == 0 &&
                         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount("small", folder_, "tmpfs", 0, "size=256k,mode=0700") == 0 &&
                         chdir(folder_) == 0;
    const int filler = open(kFiller, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (!mounted || fallocate(filler, 0, 0, 128 << 10) != 0 || chdir("/") != 0) {
      perror("a small disk");
      _exit(125);
    }
  }
};

TEST_F(FullDiskTest, LeavesTheApplicationAloneAndCountsTheLoss) {
  const Workspace workspace;
  const std::string out = workspace / "out";
  std::filesystem::create_directory(out);
  folder_ = out.c_str();
  Process storm({.arguments = Storm(10, {"--scale", "200", "--rounds", "2", "--go",
                                         workspace / "go", "--end", workspace / "end"}),
                 .environment = StartUp(out),
                 .before_exec = MountSmallDisk},
                workspace.path());
  ASSERT_TRUE(storm.WaitForOutput("ready")) << storm.Errors();
  WriteFile(workspace / "go.1");
  // The threads of each path have names: they fill the disk soon.
  ASSERT_TRUE(WaitUntil([&] { return Lines(storm.Errors()) > 0; })) << storm.Output();
  ASSERT_TRUE(WaitUntil([&] { return std::filesystem::exists(workspace / "go.1.done"); }));

  // What is there can be read; once there is space again, the recording continues and says what is
  // missing.
  const std::filesystem::path disk = "/proc/" + std::to_string(storm.pid()) + "/root" + out;
  const auto recordings = RecordingsIn(disk);
  ASSERT_EQ(recordings.size(), 1u);
  const Ended report = Hindsight("exceptions", recordings.front());
  EXPECT_EQ(report.exit_code, 0) << report.Describe();
  std::filesystem::remove(disk / kFiller);
  WriteFile(workspace / "go.2");
  EXPECT_TRUE(WaitUntil([&] {
    const nlohmann::json verified = HindsightJson("verify", recordings.front());
    return !verified.at("missing_segments").empty() || !verified.at("lost_events").empty();
  })) << Hindsight("verify", recordings.front()).Describe();
  EXPECT_EQ(Hindsight("verify", recordings.front()).exit_code, 1);

  WriteFile(workspace / "end");
  const auto ended = storm.Wait();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 0) << ended->Describe();
  EXPECT_EQ(ended->output, kStormOutput);
  EXPECT_EQ(Lines(ended->errors), 1u) << ended->errors;
}

// ---- The queue of signals -----------------------------------------------------------------------

constexpr rlim_t kQueue = 8;  // slots; the managed threads need more than half of them

// A user of its own, whose queue is empty.
void HaveAShortQueue() {
  const rlimit queue = {kQueue, kQueue};
  if (unshare(CLONE_NEWUSER) != 0 || setrlimit(RLIMIT_SIGPENDING, &queue) != 0) _exit(125);
}

// The runtime stops threads with signals that need a slot there, and waits forever without one.
TEST(SignalQueueTest, IsLeftToTheApplication) {
  const Ended tried = RunToEnd({.arguments = {"unshare", "--user", "true"}});
  if (tried.exit_code != 0) GTEST_SKIP() << "no user of its own: " << tried.errors;
  const Workspace workspace;
  Process storm({.arguments = Storm(10, {"--end", workspace / "end"}),
                 .environment = StartUp(workspace / "out", "cpu.hz=1000"),
                 .before_exec = HaveAShortQueue},
                workspace.path());
  const auto used = [&] {
    std::ifstream status("/proc/" + std::to_string(storm.pid()) + "/status");
    uint64_t places = 0;
    for (std::string line; std::getline(status, line);) {
      // Until it has a user of its own, it has our queue.
      if (line.starts_with("SigQ:") && line.ends_with("/" + std::to_string(kQueue))) {
        places = std::strtoull(line.c_str() + 5, nullptr, 10);
      }
    }
    return places;
  };
  uint64_t most = 0;
  ASSERT_TRUE(WaitUntil([&] {
    most = std::max(most, used());
    const auto recordings = RecordingsIn(workspace / "out");
    return recordings.size() == 1 &&
           Hindsight("info", recordings.front()).output.find("queue of signals") !=
               std::string::npos;
  })) << most;
  EXPECT_GT(most, 0u);
  EXPECT_LE(most, kQueue * 3 / 4);
  WriteFile(workspace / "end");
  const auto ended = storm.Wait();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 0) << ended->Describe();
  EXPECT_EQ(ended->output, kStormOutput);
}

// ---- Which processes ----------------------------------------------------------------------------

TEST(CrowdTest, EveryProcessHasItsOwnRecording) {
  constexpr int kChildren = 4;
  const Workspace workspace;
  const Ended ended = RunToEnd({.arguments = Storm(10, {"--children", std::to_string(kChildren)}),
                                .environment = StartUp(workspace / "out")});
  ASSERT_EQ(ended.exit_code, 0) << ended.Describe();
  EXPECT_EQ(ended.output, kStormOutput);
  EXPECT_EQ(ended.errors, "");

  const Truth truth(StormTruth());
  const auto recordings = RecordingsIn(workspace / "out");
  ASSERT_EQ(recordings.size(), kChildren + 1u);
  std::set<int> pids;
  for (const auto& recording : recordings) {
    EXPECT_TRUE(HindsightJson("verify", recording).at("intact").get<bool>()) << recording;
    EXPECT_EQ(truth.Differences(Groups(recording), {}), "") << recording;
    pids.insert(HindsightJson("info", recording).at("process").at("pid").get<int>());
  }
  EXPECT_EQ(pids.size(), recordings.size());
}

TEST(MatchTest, LeavesOtherProcessesAlone) {
  const Workspace workspace;
  const Ended other = RunToEnd(
      {.arguments = Storm(10), .environment = StartUp(workspace / "out", "match=*Other.dll*")});
  EXPECT_EQ(other.exit_code, 0) << other.Describe();
  EXPECT_EQ(other.output, kStormOutput);
  EXPECT_EQ(other.errors, "");
  EXPECT_TRUE(RecordingsIn(workspace / "out").empty());

  const Ended same =
      RunToEnd({.arguments = Storm(10),
                .environment = StartUp(workspace / "out", "match=*ExceptionStorm*")});
  EXPECT_EQ(same.exit_code, 0) << same.Describe();
  EXPECT_EQ(same.errors, "");
  EXPECT_EQ(RecordingsIn(workspace / "out").size(), 1u);
}

// ---- Options that are wrong ---------------------------------------------------------------------

class WrongOptionTest : public testing::TestWithParam<const char*> {};

TEST_P(WrongOptionTest, IsOneLineOnStderrAndNothingElse) {
  const Workspace workspace;
  for (const int runtime : kRuntimes) {
    SCOPED_TRACE(runtime);
    const Ended ended = RunToEnd(
        {.arguments = Storm(runtime), .environment = StartUp(workspace / "out", GetParam())});
    EXPECT_EQ(ended.exit_code, 0) << ended.Describe();
    EXPECT_EQ(ended.output, kStormOutput);
    EXPECT_EQ(Lines(ended.errors), 1u) << ended.errors;
    EXPECT_TRUE(ended.errors.starts_with("hindsight: ")) << ended.errors;
    EXPECT_TRUE(RecordingsIn(workspace / "out").empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Options, WrongOptionTest,
                         testing::Values("nonsense=1", "for=soon", "sources=everything",
                                         "limit.memory=1", "output=again;", "match", "=",
                                         "exceptions.messages=perhaps"));

// Nothing reads what the process writes to stderr, and the pipe is full.
void FillStderr() {
  int ends[2];
  if (pipe(ends) != 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0) _exit(125);
  while (write(ends[1], "full", 4) > 0) {
  }
  if (fcntl(ends[1], F_SETFL, 0) != 0 || dup2(ends[1], STDERR_FILENO) < 0) _exit(125);
}

TEST(WrongOptionsTest, DoNotWaitUntilSomebodyReadsOfThem) {
  const Workspace workspace;
  const Ended ended = RunToEnd({.arguments = Storm(10),
                                .environment = StartUp(workspace / "out", "nonsense=1"),
                                .before_exec = FillStderr});
  EXPECT_EQ(ended.exit_code, 0) << ended.Describe();
  EXPECT_EQ(ended.output, kStormOutput);
}

TEST(WrongOptionsTest, CannotChangeHowAProcessFails) {
  const Workspace workspace;
  const std::vector<std::string> storm = Storm(10, {"--unhandled", "main"});
  const Ended bare = RunToEnd({.arguments = storm});
  const Ended wrong =
      RunToEnd({.arguments = storm, .environment = StartUp(workspace / "out", "nonsense=1")});
  EXPECT_EQ(wrong.signal, bare.signal);
  EXPECT_EQ(wrong.output, bare.output);
  EXPECT_TRUE(wrong.errors.ends_with(bare.errors)) << wrong.errors;
}

// ---- The end of a recording ---------------------------------------------------------------------

TEST(DurationTest, EndsTheRecordingAndLeavesTheProcess) {
  const Workspace workspace;
  Process storm({.arguments = Storm(10, {"--end", workspace / "end"}),
                 .environment = StartUp(workspace / "out", "for=500ms")},
                workspace.path());
  ASSERT_TRUE(storm.WaitForOutput("done")) << storm.Errors();
  ASSERT_TRUE(WaitUntil([&] {
    const auto recordings = RecordingsIn(workspace / "out");
    return recordings.size() == 1 &&
           HindsightJson("verify", recordings.front()).at("end") == "duration_over";
  }));
  EXPECT_TRUE(storm.IsRunning());
  WriteFile(workspace / "end");
  const auto ended = storm.Wait();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 0) << ended->Describe();
  EXPECT_EQ(ended->errors, "");
}

}  // namespace
}  // namespace hindsight::live
