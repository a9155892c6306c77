#include "analyzer/report/cpu/cpu_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "analyzer/analyses/overview/overview_rules.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

using testing::ProfileScene;

class CpuReportTest : public ::testing::Test {
 protected:
  std::string Text(const CpuQuery& query = {}, CpuTextOptions options = {}) {
    return CpuText(AnalyzeCpu(scene_.model(), query), query, options);
  }
  bool Says(const std::string& part, const CpuQuery& query = {}) {
    const std::string text = Text(query, Wide());
    return text.find(part) != std::string::npos || (ADD_FAILURE() << text, false);
  }
  static CpuTextOptions Wide() {
    CpuTextOptions options;
    options.style.width = 200;
    return options;
  }

  ProfileScene scene_;
};

TEST_F(CpuReportTest, FitsTheTerminal) {
  const std::string name =
      "Shop.Warehouse.Bookkeeping.GeneralLedgerOfTheWholeCompanyFactory.MakeAnotherOneOfThese";
  std::vector<std::string> path;
  for (int i = 0; i < 60; ++i) {
    path.push_back(name + std::to_string(i));
    scene_.Cpu(scene_.Call(path), 7, i % 2 == 0 ? 1 : scene_.Thread("worker " + name));
  }
  CpuQuery query;
  query.paths.line_of = [](MethodId, int32_t) { return std::string("GeneralLedger.cs:1234"); };
  for (const bool by_thread : {false, true}) {
    for (const size_t width : {size_t{60}, size_t{80}, size_t{200}}) {
      CpuTextOptions options;
      options.style.width = width;
      options.by_thread = by_thread;
      std::istringstream lines(Text(query, options));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(TextColumns(line), width) << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
      }
    }
  }
}

TEST_F(CpuReportTest, SaysWhatAShareIsWorth) {
  scene_.Cpu(scene_.Call({"Shop.P.Main", "Shop.P.A"}), 60, 1, 0);
  scene_.Cpu(scene_.Call({"Shop.P.Main", "Shop.P.B"}), 40, 1, 600'000'000);
  scene_.model().facts.last_ns = 2'000'000'000;
  EXPECT_TRUE(Says("1.00 s of CPU time in 2.00 s: 0.50 of a core used on average."));
  EXPECT_TRUE(Says("60.0 ±9.6 %"));
  EXPECT_TRUE(Says("40.0 ±9.6 %"));
}

TEST_F(CpuReportTest, DoesNotRankMethodsOfFewSamples) {
  scene_.Cpu(scene_.Call({"Shop.P.Main"}), 96);
  for (const char* rare : {"Shop.P.X", "Shop.P.Y"}) {
    scene_.Cpu(scene_.Call({"Shop.P.Main", rare}), 2);
  }
  EXPECT_TRUE(Says("and 2 more methods, 4.0 % together: fewer than 5 samples each"));
}

TEST_F(CpuReportTest, CountsOnlyTheTimeAndTheThreadAskedFor) {
  const CallId call = scene_.Call({"Shop.P.Main"});
  const ThreadIndex worker = scene_.Thread("worker");
  scene_.Cpu(call, 100, 1, 0);
  scene_.Cpu(call, 50, worker, 2'000'000'000);
  scene_.model().facts.last_ns = 4'000'000'000;
  CpuQuery query;
  query.from_ns = 2'000'000'000;
  EXPECT_TRUE(Says("500.0 ms of CPU time in 2.00 s: 0.25 of a core", query));
  query = {};
  query.thread = "work*";
  EXPECT_TRUE(Says("50 samples", query));
  query.thread = "4001";
  EXPECT_TRUE(Says("100 samples", query));
  query.thread = "nobody";
  EXPECT_TRUE(Says("No sample matches", query));
}

TEST_F(CpuReportTest, SaysWhyThereIsNothing) {
  EXPECT_TRUE(Says("The process was idle"));
  scene_.model().facts.notes = {"The source cpu has no samples: no signal was delivered."};
  EXPECT_TRUE(Says("No CPU sample was recorded; see the note below."));
  EXPECT_TRUE(Says("Note: The source cpu has no samples"));
  EXPECT_EQ(Text().find("idle"), std::string::npos);
  scene_.model().facts.notes.clear();
  scene_.model().facts.cpu_on = false;
  EXPECT_TRUE(Says("record with `sources=+cpu`"));
}

TEST_F(CpuReportTest, ReportsWhatTheRecorderCouldNotSample) {
  scene_.Cpu(scene_.Call({"Shop.P.Main"}), 20);
  scene_.model().facts.notes = {"3 threads are not sampled by the source cpu: no more timers.",
                                "Heap snapshots are refused."};
  EXPECT_TRUE(Says("Note: 3 threads are not sampled by the source cpu: no more timers."));
  EXPECT_EQ(Text().find("Heap"), std::string::npos);
}

TEST_F(CpuReportTest, FindsTheCollectorByTheTimeOfItsPauses) {
  const CallId call = scene_.Call({"Shop.P.Main", "libcoreclr.so!"});
  scene_.Cpu(call, 20);
  scene_.model().collections.pauses = {
      {.at_ns = 5'000'000, .stopping_ns = 0, .total_ns = 100'000'000, .reason = 1},
      {.at_ns = 150'000'000, .stopping_ns = 0, .total_ns = 100'000'000, .reason = 6}};
  NameRuntimeWork(scene_.model());
  EXPECT_TRUE(Says("runtime: GC"));
  EXPECT_TRUE(Says("50.0 %", {}));
  EXPECT_TRUE(Says("`hindsight gc` shows why"));
}

// The hint for a recording in which `frame` had this many of 1000 samples.
std::string HintOfShare(const std::string& frame, double share) {
  ProfileScene scene;
  const auto samples = static_cast<uint32_t>(std::lround(share * 1000));
  scene.Cpu(scene.Call({"Shop.P.Main", frame}), samples);
  const auto ns = static_cast<int64_t>(samples * ProfileScene::kPeriodNs);
  scene.Cpu(scene.Call({"Shop.P.Main"}), 1000 - samples, 1, ns);
  if (frame.starts_with("libcoreclr.so")) {  // the collector is what runs in its pauses
    scene.model().collections.pauses = {
        {.at_ns = -1, .stopping_ns = 0, .total_ns = static_cast<uint64_t>(ns), .reason = 1}};
  }
  NameRuntimeWork(scene.model());
  CpuTextOptions options;
  options.style.width = 200;
  const std::string text = CpuText(AnalyzeCpu(scene.model(), {}), {}, options);
  const size_t last = text.rfind("Much of the time");
  return last == text.npos ? std::string() : text.substr(last);
}

TEST_F(CpuReportTest, PointsToTheCollectorFromAShareOn) {
  const double least = kHintRules.collecting_share;
  const char* says = "Much of the time went into garbage collection";
  EXPECT_NE(HintOfShare("libcoreclr.so!", least).find(says), std::string::npos);
  EXPECT_EQ(HintOfShare("libcoreclr.so!", least - 0.001).find(says), std::string::npos);
}

TEST_F(CpuReportTest, PointsToTheCompilerFromAShareOn) {
  const double least = kHintRules.compiling_share;
  const char* says = "Much of the time went into JIT compilation";
  EXPECT_NE(HintOfShare("libclrjit.so!", least).find(says), std::string::npos);
  EXPECT_EQ(HintOfShare("libclrjit.so!", least - 0.001).find(says), std::string::npos);
}

TEST_F(CpuReportTest, PointsToThreadsWhereFewerCoresAreUsed) {
  scene_.Cpu(scene_.Call({"Shop.P.Main"}), 100);
  const double ns = 100 * static_cast<double>(ProfileScene::kPeriodNs) / kHintRules.idle_cores;
  scene_.model().facts.last_ns = std::lround(ns);
  EXPECT_EQ(Text({}, Wide()).find("Little CPU time was used"), std::string::npos);
  scene_.model().facts.last_ns = std::lround(ns * 1.001);
  EXPECT_TRUE(Says("Little CPU time was used: `hindsight threads`"));
}

TEST_F(CpuReportTest, SaysWhoseInlinedMethodsAreHiddenFromAShareOn) {
  const auto says = [](double share) {
    ProfileScene scene;
    const auto samples = static_cast<uint32_t>(std::lround(share * 1000));
    scene.Cpu(scene.Call({"Shop.P.Main", "Shop.P.Hot"}), samples);
    for (uint32_t i = 0; i < 100; ++i) {
      const uint32_t part = (1000 - samples) * (i + 1) / 100 - (1000 - samples) * i / 100;
      scene.Cpu(scene.Call({"Shop.P.Main", "Shop.P.M" + std::to_string(i)}), part);
    }
    const std::string text = CpuText(AnalyzeCpu(scene.model(), {}), {}, Wide());
    return text.find("inlined into Shop.P.Hot") != std::string::npos;
  };
  EXPECT_TRUE(says(kHintRules.inlined_share));
  EXPECT_FALSE(says(kHintRules.inlined_share - 0.001));
}

TEST_F(CpuReportTest, FocusIsOnAMethodAndWhatItCalls) {
  scene_.Cpu(scene_.Call({"Shop.P.Main", "Shop.P.Parse", "Shop.P.Next"}), 30);
  scene_.Cpu(scene_.Call({"Shop.P.Main", "Shop.P.Other"}), 70);
  CpuQuery query;
  query.focus = "parse";
  EXPECT_TRUE(Says("In 'parse' (1 method), total: 300.0 ms, 30.0 ±9.0 %", query));
  query.focus = "absent";
  EXPECT_TRUE(Says("No method on a path matches 'absent'.", query));
}

TEST_F(CpuReportTest, JsonHasEverything) {
  for (int i = 0; i < 30; ++i) {
    scene_.Cpu(scene_.Call({"Shop.P.Main", "Shop.P.M" + std::to_string(i)}), 1);
  }
  const auto json = nlohmann::json::parse(CpuJson(AnalyzeCpu(scene_.model(), {}), {}));
  EXPECT_EQ(json["methods"].size(), 31u);
  EXPECT_EQ(json["paths"].size(), 31u);
  EXPECT_EQ(json["paths"][0]["method"], "Shop.P.Main");
  EXPECT_EQ(json["paths"][1]["depth"], 1);
  EXPECT_EQ(json["samples"], 30);
  EXPECT_EQ(json["threads"][0]["thread"]["name"], "main");
  EXPECT_DOUBLE_EQ(json["methods"][30]["total_share"].get<double>(), 1);
}

}  // namespace
}  // namespace hindsight::analyzer
