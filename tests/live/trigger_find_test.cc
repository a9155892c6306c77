// Which process is meant, and whether the library can be loaded.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <future>

#include "tests/live/harness/sample.h"
#include "tests/live/trigger_stage.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using trigger::TriggerExit;

// Steady under a name that no other process on the machine has.
class Named : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<std::string> steady = Steady();
    const fs::path dll = steady.back();
    name_ = "Steady" + std::to_string(getpid());
    fs::create_directory(stage_ / "app");
    fs::copy_file(dll, stage_ / ("app/" + name_ + ".dll"));
    fs::copy_file(fs::path(dll).replace_extension("runtimeconfig.json"),
                  stage_ / ("app/" + name_ + ".runtimeconfig.json"));
    command_ = {steady.front(), (stage_ / ("app/" + name_ + ".dll")).string(), "--end",
                (stage_ / "end").string()};
  }
  Ended Attach(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"attach", "--output", stage_.Recordings()});
    return stage_.Run(std::move(arguments));
  }

  Stage stage_;
  std::string name_;
  std::vector<std::string> command_;
};

TEST_F(Named, IsFoundByItsNameUnlessThereAreSeveral) {
  EXPECT_TRUE(Is(Attach({"--name", name_}), TriggerExit::kNoSuchProcess, name_));
  Process first({.arguments = command_}, stage_.folder());
  ASSERT_TRUE(first.WaitForOutput("ready"));
  const Ended attached = Attach({"--name", name_});
  ASSERT_TRUE(Is(attached, TriggerExit::kOk));
  EXPECT_NE(attached.output.find("Recording process " + std::to_string(first.pid())),
            std::string::npos);
  EXPECT_TRUE(Is(stage_.Run({"status", "--name", name_}), TriggerExit::kOk));
  Process second({.arguments = command_}, stage_.folder());
  ASSERT_TRUE(second.WaitForOutput("ready"));
  const Ended several = stage_.Run({"stop", "--name", name_});
  EXPECT_TRUE(Is(several, TriggerExit::kSeveralProcesses, std::to_string(first.pid())));
  EXPECT_NE(several.errors.find(std::to_string(second.pid())), std::string::npos);
  EXPECT_TRUE(Is(stage_.Run({"stop", std::to_string(first.pid())}), TriggerExit::kOk));
  EXPECT_TRUE(
      Is(Attach({"--name", name_, std::to_string(first.pid())}), TriggerExit::kUsage, "PID"));
}

TEST_F(Named, IsWaitedFor) {
  EXPECT_TRUE(Is(Attach({"--name", name_, "--wait", "--wait-timeout", "0.2"}),
                 TriggerExit::kNoSuchProcess));
  auto attached = std::async(std::launch::async, [&] {
    return Attach({"--name", name_, "--wait"});
  });
  // In progress, and not only requested.
  ASSERT_EQ(attached.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  Process process({.arguments = command_}, stage_.folder());
  const Ended ended = attached.get();
  EXPECT_TRUE(Is(ended, TriggerExit::kOk, "Waiting for " + name_));
  EXPECT_TRUE(process.WaitForOutput("ready"));
  EXPECT_TRUE(Is(stage_.Run({"stop", "--name", name_}), TriggerExit::kOk));
  WriteFile(stage_ / "end");
  const std::optional<Ended> steady = process.Wait();
  ASSERT_TRUE(steady);
  EXPECT_EQ(steady->output, "ready\ndone\n") << steady->Describe();
  EXPECT_EQ(steady->errors, "");
}

// ---- The library's file -------------------------------------------------------------------------

class LibraryFile : public testing::Test {
 protected:
  Ended Attach(const Application& application, const std::string& library) {
    return stage_.Run(
        {"attach", application.Pid(), "--profiler", library, "--output", stage_.Recordings()});
  }
  void ExpectToRecord(Application& application, const std::string& library) {
    ASSERT_TRUE(Is(Attach(application, library), TriggerExit::kOk));
    ASSERT_TRUE(Is(stage_.Run({"stop", application.Pid()}), TriggerExit::kOk));
  }

  Stage stage_;
};

TEST_F(LibraryFile, ThatIsNotWholeIsRefused) {
  Application application(stage_);
  const std::string whole = ReadFile(stage_.Library());
  const std::string part = (stage_ / "part.so").string();
  // Each of them has all headers; the third has its full length, but no valid end.
  for (const std::string& bytes :
       {whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1),
        whole.substr(0, whole.size() / 2) + std::string(whole.size() - whole.size() / 2, '\0')}) {
    WriteFile(part, bytes);
    EXPECT_TRUE(Is(Attach(application, part), TriggerExit::kLibraryDamaged, "incomplete"));
    EXPECT_TRUE(application.IsRunning());
  }
  WriteFile(part, whole);
  ExpectToRecord(application, part);
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(LibraryFile, ThatWasReplacedByRenamingIsFine) {
  Application application(stage_);
  ExpectToRecord(application, stage_.Library());
  const std::string fresh = stage_.Library() + ".new";
  fs::copy_file(stage_.Library(), fresh);
  fs::rename(fresh, stage_.Library());
  ExpectToRecord(application, stage_.Library());
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(LibraryFile, ThatWasOverwrittenWhileMappedIsRefused) {
  for (const std::string& other :
       {ReadFile(HINDSIGHT_PLAIN_LIBRARY), ReadFile(HINDSIGHT_ANSWERING_PROFILER)}) {
    Application application(stage_);
    const std::string library = (stage_ / "cp.so").string();
    WriteFile(library, ReadFile(stage_.Library()));
    ExpectToRecord(application, library);
    WriteFile(library, other);  // as cp does
    EXPECT_TRUE(Is(Attach(application, library), TriggerExit::kLibraryDamaged, "mapped"));
    // A new file of that name does not help, since the loader goes by the name; nor does another
    // library, since the loader reads all that are loaded.
    fs::rename(library, library + ".old");
    fs::copy_file(stage_.Library(), library);
    EXPECT_TRUE(Is(Attach(application, library), TriggerExit::kLibraryDamaged, "mapped"));
    EXPECT_TRUE(Is(Attach(application, stage_.Library()), TriggerExit::kLibraryDamaged, "restart"));
    EXPECT_TRUE(application.IsRunning());
    // Its threads would crash as they end, which is not under test.
    application.process().Signal(SIGKILL);
    application.process().Wait();
    fs::remove(library);
  }
}

}  // namespace
}  // namespace hindsight::live
