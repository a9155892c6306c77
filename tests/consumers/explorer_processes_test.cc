// The list of processes on the explorer's page, in a browser. The trigger is a script that says
// what the real one says; tests/live/serve_test.cc has the real one.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/consumers/profile_recording.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"
#include "tests/support/serving.h"

namespace hindsight::testing {
namespace {

using nlohmann::json;

// Stores what it does in files next to it: calls, recording. A recording that ends is moved into
// the folder from `made`.
constexpr char kTrigger[] = R"sh(#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo "$*" >>calls
case $1 in
  list)
    state=no
    [ -e recording ] && state=recording
    cat <<END
[{"pid": 4242, "user": "shop", "runtime": "10.0.1", "recorded": "$state", "command": "Shop <img src=x onerror=alert(1)> --port 80", "note": ""},
 {"pid": 77, "user": "root", "runtime": "", "recorded": "", "command": "other", "note": "The process is stopped."}]
END
    ;;
  status)
    echo '{"ok": true, "pid": 4242, "status": {"state": "recording", "output": "/served/Shop", "elapsed_ns": 3000000000, "events": 1234, "lost": 5, "written_bytes": 65536}}'
    ;;
  attach)
    touch recording
    echo "Recording process 4242: Shop"
    ;;
  snapshot)
    [ "$5" = --threads ] && { echo "The recorder refused the request." >&2; exit 36; }
    echo "Heap of process 4242: 12 objects"
    ;;
  stop)
    rm recording
    mv made/new.hindsight folder/
    echo "The recording of process 4242 is complete."
    ;;
esac
)sh";

TEST(ExplorerProcesses, AreRecordedByClicks) {
  const TempDir place;
  for (const char* name : {"folder", "made"}) std::filesystem::create_directory(place / name);
  ProfileTruth truth;
  ProfileRecording({}, truth).WriteFolder(place / "folder/old.hindsight");
  ProfileRecording({}, truth).WriteFolder(place / "made/new.hindsight");
  WriteFile(place / "hindsight-trigger", kTrigger);
  std::filesystem::permissions(place / "hindsight-trigger", std::filesystem::perms::owner_all);
  const std::string path = "PATH=" + place.path().string() + ":" + std::getenv("PATH");
  ServeProcess server({"/usr/bin/env", path, HINDSIGHT_BINARY, "serve", place / "folder"});
  std::vector<std::string> command = {HINDSIGHT_NODE, HINDSIGHT_CONSUMERS "/processes.mjs",
                                      HINDSIGHT_CHROMIUM, server.url()};
  if (const char* pictures = std::getenv("HINDSIGHT_PICTURES")) {
    command.push_back(std::string(pictures) + "/processes");
  }
  const RunResult run = RunProgram(command);
  EXPECT_EQ(server.End(SIGINT), 0);
  ASSERT_EQ(run.exit_code, 0) << run.out << run.err;
  const json seen = json::parse(run.out);

  EXPECT_EQ(seen["processes"], json({"Shop <img src=x onerror=alert(1)> --port 80", "other"}));
  EXPECT_EQ(seen["before"], json::array({"old.hindsight"}));
  EXPECT_EQ(seen["after"].size(), 2u);
  EXPECT_EQ(seen["recorded"], "Recording process 4242: Shop");
  EXPECT_EQ(seen["live"],
            "for 3.00 s · 1,234 events · 64.0 KiB written · 5 dropped · into /served/Shop");
  EXPECT_EQ(seen["snapshot"], "Heap of process 4242: 12 objects");
  EXPECT_EQ(seen["stopped"], "The recording of process 4242 is complete.");
  EXPECT_EQ(seen["refused"], "The recorder refused the request.\n(exit code 36)");
  EXPECT_EQ(seen["alerts"], 0);
  for (const auto& [where, taken] : seen["widest"].items()) {
    EXPECT_LE(taken.get<int>(), std::stoi(where.substr(where.rfind(' ')))) << where;
  }
  for (const auto& [where, least] : seen["contrast"].items()) {
    EXPECT_GE(least["ratio"].get<double>(), 4.5) << where << ": " << least;
  }
  // The calls other than looks, in order: the other page's request is not among them.
  std::string did;
  std::istringstream calls(ReadFile(place / "calls"));
  for (std::string line; std::getline(calls, line);) {
    if (!line.starts_with("list ") && !line.starts_with("status ")) did += line + "\n";
  }
  const std::string folder = place / "folder";
  EXPECT_EQ(did, "attach 4242 --output " + folder + " --for 10s\nsnapshot 4242 --output " + folder +
                     "\nstop 4242\nsnapshot 4242 --output " + folder + " --threads\n");
}

}  // namespace
}  // namespace hindsight::testing
