// Each export is opened by the tool that it is for, which shows what the recording contains.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/consumers/profile_recording.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

using nlohmann::json;

class Consumers : public ::testing::Test {
 protected:
  void SetUp() override {
    ProfileRecording({}, truth_).WriteFolder(folder_.path() / "now");
    ProfileTruth slow;
    ProfileSettings settings;
    settings.slower_checkout = 3;
    ProfileRecording(settings, slow).WriteFolder(folder_.path() / "slow");
  }

  RunResult Run(const std::vector<std::string>& command) {
    RunResult result = RunProgram(command);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    return result;
  }

  // Exports `recording` into a file of this name; returns its path.
  std::string Export(const std::string& name, std::vector<std::string> options = {},
                     const std::string& recording = "now") {
    const std::string file = folder_ / name;
    std::vector<std::string> command = {HINDSIGHT_BINARY, "export", folder_ / recording, "-o",
                                        file};
    command.insert(command.end(), options.begin(), options.end());
    Run(command);
    return file;
  }

  std::string Script(const std::string& name) { return HINDSIGHT_CONSUMERS "/" + name; }

  json Ask(const std::vector<std::string>& command) {
    const RunResult result = Run(command);
    return result.exit_code == 0 ? json::parse(result.out) : json();
  }

  // Sum of the values of `go tool pprof -raw`, by column.
  std::vector<uint64_t> PprofTotals(const std::string& file) {
    const RunResult result = Run({HINDSIGHT_GO, "tool", "pprof", "-raw", file});
    std::vector<uint64_t> totals;
    std::istringstream lines(result.out);
    bool in_samples = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("Locations")) break;
      const size_t colon = line.find(": ");
      if (in_samples && colon != std::string::npos &&
          line.find_first_not_of(" 0123456789") == colon) {
        std::istringstream values(line.substr(0, colon));
        uint64_t value = 0;
        for (size_t i = 0; values >> value; ++i) {
          totals.resize(std::max(totals.size(), i + 1));
          totals[i] += value;
        }
      }
      if (line.starts_with("Samples:")) in_samples = true;
    }
    return totals;
  }

  // A walk from hit to hit: each is shown, and all together are this share of the whole.
  static void ExpectWalk(const json& walk, double share) {
    const size_t hits = walk["hits"];
    ASSERT_GT(hits, 1u);
    ASSERT_LT(hits, 12u);
    EXPECT_EQ(walk["total"], hits);
    ASSERT_EQ(walk["steps"].size(), hits + 1);
    std::set<int> nodes;
    for (size_t i = 0; i <= hits; ++i) {
      const json& step = walk["steps"][i];
      const std::string place = std::to_string(i % hits + 1) + " of " + std::to_string(hits);
      EXPECT_TRUE(step["told"].get<std::string>().starts_with(place + "  ")) << step;
      EXPECT_TRUE(step["spoken"].get<std::string>().starts_with(place + ": " +
                                                                step["name"].get<std::string>()))
          << step;
      EXPECT_EQ(step["isSeen"], true) << step;
      nodes.insert(step["node"].get<int>());
    }
    EXPECT_EQ(nodes.size(), hits);
    EXPECT_EQ(walk["steps"][0]["node"], walk["steps"][hits]["node"]);
    EXPECT_EQ(walk["back"], walk["steps"][hits - 1]["node"]);
    char percent[32];
    std::snprintf(percent, sizeof(percent), "  ·  %.1f %%  ·  ", share * 100);
    const std::string reported = walk["steps"][0]["told"];
    EXPECT_NE(reported.find(percent), std::string::npos) << reported;
  }

  const TempDir folder_;
  ProfileTruth truth_;
};

TEST_F(Consumers, PprofHasAllOfEachSignal) {
  EXPECT_EQ(PprofTotals(Export("cpu.pb.gz")),
            (std::vector<uint64_t>{truth_.samples, truth_.cpu_ns}));
  EXPECT_EQ(PprofTotals(Export("exceptions.pb.gz", {"--signal", "exceptions"})),
            (std::vector<uint64_t>{truth_.exceptions}));
  EXPECT_EQ(PprofTotals(Export("locks.pb.gz", {"--signal", "locks"})),
            (std::vector<uint64_t>{truth_.lock_waits, truth_.lock_ns}));
  const std::vector<uint64_t> allocated =
      PprofTotals(Export("allocations.pprof", {"--signal", "allocations"}));
  ASSERT_EQ(allocated.size(), 2u);
  // Each object of n bytes was sampled with a probability of nearly n / 100 KiB.
  EXPECT_NEAR(static_cast<double>(allocated[1]), 200 * 102400.0, 200 * 102400.0 * 0.005);
}

TEST_F(Consumers, PprofKnowsThreadsModulesAndNames) {
  const std::string file = Export("cpu.pb.gz");
  const std::string raw = Run({HINDSIGHT_GO, "tool", "pprof", "-raw", file}).out;
  EXPECT_NE(raw.find("thread:[Main (4242)]"), std::string::npos);
  EXPECT_NE(raw.find("host:[till-1]"), std::string::npos);
  EXPECT_NE(raw.find("/lib/libcoreclr.so 1234abcd"), std::string::npos);
  EXPECT_NE(raw.find("Shop.Checkout.Pay"), std::string::npos);
  const std::string top = Run({HINDSIGHT_GO, "tool", "pprof", "-top", file}).out;
  EXPECT_NE(top.find("of 30000ms total"), std::string::npos) << top;
}

TEST_F(Consumers, PprofDistinguishesRecordingsOfAFleet) {
  std::vector<std::string> files;
  for (const char* host : {"till-1", "till-2"}) {
    ProfileTruth truth;
    const std::string recording = folder_ / (std::string("shop-") + host);
    ProfileRecording({.host = host}, truth).WriteFolder(recording);
    for (const char* signal : {"cpu", "allocations", "exceptions", "locks"}) {
      files.push_back(folder_ / (std::string(host) + signal + ".pb.gz"));
      Run({HINDSIGHT_BINARY, "export", recording, "--signal", signal, "-o", files.back()});
    }
  }
  for (const std::string& file : files) {
    const std::string tags = Run({HINDSIGHT_GO, "tool", "pprof", "-tags", file}).out;
    for (const char* tag : {"process", "host", "version", "build"}) {
      EXPECT_NE(tags.find(std::string(" ") + tag + ": Total"), std::string::npos) << file << tags;
    }
    EXPECT_NE(tags.find("10.0.1"), std::string::npos) << tags;
  }
  const std::string both = Run({HINDSIGHT_GO, "tool", "pprof", "-tags", files[0], files[4]}).out;
  EXPECT_NE(both.find("(50.00%): till-1"), std::string::npos) << both;
  EXPECT_NE(both.find("(50.00%): till-2"), std::string::npos) << both;
}

TEST_F(Consumers, SpeedscopeShowsAllThreads) {
  const json rows = Ask({HINDSIGHT_NODE, Script("speedscope.mjs"), HINDSIGHT_CHROMIUM,
                         Export("cpu.speedscope.json"), folder_.path().string()});
  EXPECT_EQ(rows[1], json::array({"1", "Shop: CPU time", "30.00s"}));
  EXPECT_EQ(rows[2], json::array({"2", "Main (4242)", "10.00s"}));
  EXPECT_NE(rows.dump().find("Shop.<script>alert(1)</script>;x.Run"), std::string::npos);
}

TEST_F(Consumers, SpeedscopeReadsCollapsedStacks) {
  const std::string file = Export("cpu.collapsed");
  const json rows = Ask({HINDSIGHT_NODE, Script("speedscope.mjs"), HINDSIGHT_CHROMIUM, file,
                         folder_.path().string()});
  EXPECT_NE(rows.dump().find("Shop.<script>alert(1)</script>:x.Run"), std::string::npos);
  uint64_t total = 0;
  std::istringstream lines(ReadFile(file));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(line.find(' '), line.rfind(' ')) << line;
    total += std::stoull(line.substr(line.rfind(' ')));
  }
  EXPECT_EQ(total, truth_.cpu_ns);
}

TEST_F(Consumers, PerformancePanelReadsTheTrace) {
  const json seen = Ask({HINDSIGHT_NODE, Script("trace.mjs"), Export("all.trace.json")});
  EXPECT_EQ(seen["process"], json::array({"Shop"}));
  // Microseconds: samples before the first of a recording's thread reach back before its start.
  double cpu_us = 0;
  for (const auto& [name, thread] : seen["threads"].items()) {
    if (thread.contains("cpu")) cpu_us += thread["cpu"]["outermost"].get<double>();
  }
  const double whole_us = static_cast<double>(truth_.cpu_ns) / 1000;
  EXPECT_LE(cpu_us, whole_us);
  // A wait was on the third worker's time: its samples lie inside the wait's slice.
  EXPECT_GE(cpu_us, 0.95 * whole_us);
  EXPECT_EQ(seen["threads"]["worker 3 (4244)"]["wait"]["outermost"], truth_.lock_ns / 1000);
  EXPECT_EQ(seen["threads"]["Stop-the-world pauses"]["gc"]["count"], 10);
  EXPECT_EQ(seen["threads"]["Collections"]["gc"]["count"], 10);
}

TEST_F(Consumers, FlameGraphWorksInABrowser) {
  std::vector<std::string> command = {HINDSIGHT_NODE, Script("flamegraph.mjs"), HINDSIGHT_CHROMIUM,
                                      Export("cpu.html"), "Area1"};
  if (const char* pictures = std::getenv("HINDSIGHT_PICTURES")) command.emplace_back(pictures);
  const json seen = Ask(command);
  EXPECT_EQ(seen["total"], truth_.cpu_ns);
  EXPECT_EQ(seen["folded"], truth_.cpu_ns);
  EXPECT_GT(seen["matched"], 0);
  EXPECT_LT(seen["matched"], truth_.cpu_ns);
  EXPECT_EQ(seen["reset"], true);
  ExpectWalk(seen["walk"], seen["matched"].get<double>() / static_cast<double>(truth_.cpu_ns));
  // Callers and callees of two functions, whose sums the script checks; and of one that calls
  // itself.
  EXPECT_EQ(seen["sandwich"].size(), 2u);
  EXPECT_LT(seen["sandwich"]["JIT_NewArr1"]["total"], seen["sandwich"]["Server.Serve"]["total"]);
  EXPECT_EQ(seen["recursion"]["callers"], (json{{"f", 101111}, {"f a", 11}, {"f b", 1100}}));
  EXPECT_EQ(seen["recursion"]["callees"],
            (json{{"f", 101111}, {"f g", 11}, {"f g f", 11}, {"f g f h", 1}, {"f h", 100}}));
  EXPECT_GT(seen["saved"], 5);  // calls in the pictures
  EXPECT_EQ(seen["requests"], 0);
  const double share = seen["zoomed"]["total"].get<double>() / static_cast<double>(truth_.cpu_ns);
  EXPECT_NEAR(seen["zoomed"]["covers"].get<double>(), share, 1e-6);
  // What the search says is what pprof says.
  const std::string top =
      Run({HINDSIGHT_GO, "tool", "pprof", "-raw", "-focus=Checkout", Export("cpu.pb.gz")}).out;
  EXPECT_NE(top.find("Shop.Checkout.Pay"), std::string::npos);
}

TEST_F(Consumers, FlameGraphComparesTwoRecordings) {
  std::vector<std::string> command = {HINDSIGHT_NODE, Script("flamegraph.mjs"), HINDSIGHT_CHROMIUM,
                                      Export("diff.html", {"--baseline", folder_ / "now"}, "slow"),
                                      "Pay"};
  if (const char* pictures = std::getenv("HINDSIGHT_PICTURES")) {
    std::filesystem::create_directories(std::string(pictures) + "/diff");
    command.push_back(std::string(pictures) + "/diff");
  }
  const json seen = Ask(command);
  EXPECT_EQ(seen["base"], truth_.cpu_ns);
  EXPECT_GT(seen["matched"].get<double>(), 0.5 * static_cast<double>(truth_.cpu_ns));
  // Side by side, each shows what the commands say about its recording.
  const json& sides = seen["sides"];
  EXPECT_EQ(sides["before"], truth_.cpu_ns);
  EXPECT_EQ(sides["after"], seen["total"]);
  EXPECT_EQ(sides["oneColour"], true);
  for (const auto& [width, taken] : sides["widest"].items()) EXPECT_LE(taken, std::stoi(width));
  int compared = 0;
  for (const auto& [side, recording] : {std::pair(0, "now"), std::pair(1, "slow")}) {
    const json cpu = json::parse(
        Run({HINDSIGHT_BINARY, "cpu", folder_ / recording, "--native", "--plumbing", "--json"})
            .out);
    for (const json& row : cpu["methods"]) {
      const std::string name = row["method"];
      if (!name.starts_with("Shop.") || !sides["functions"].contains(name)) continue;
      const double total = row["total_ns"];
      EXPECT_NEAR(sides["functions"][name][side].get<double>(), total, 2 + 1e-6 * total) << name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 8);
}

TEST_F(Consumers, WhatMakesNoSenseIsRefused) {
  const auto refused = [&](std::vector<std::string> options, const std::string& sentence) {
    std::vector<std::string> command = {HINDSIGHT_BINARY, "export", folder_ / "now", "-o"};
    command.insert(command.end(), options.begin(), options.end());
    const RunResult result = RunProgram(command);
    EXPECT_EQ(result.exit_code, 64) << result.out << result.err;
    EXPECT_NE(result.err.find(sentence), std::string::npos) << result.err;
  };
  refused({folder_ / "x.json"}, "is not clear from its name");
  refused({folder_ / "x.html", "--signal", "locks", "--thread", "Main"}, "summed over");
  refused({folder_ / "x.pb.gz", "--baseline", folder_ / "slow"}, "--format flamegraph only");
  refused({folder_ / "x.heapsnapshot", "--from", "1s"}, "A heap snapshot is one moment");
  refused({folder_ / "x.trace.json", "--signal", "cpu"}, "all signals");
  refused({folder_ / "x.html", "--from", "5s", "--to", "2s"}, "is not after");
}

}  // namespace
}  // namespace hindsight::testing
