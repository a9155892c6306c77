#include "analyzer/analyses/places/own_methods.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/analyses/cpu/cpu_profile.h"
#include "analyzer/analyses/places/called_methods.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

using testing::ProfileScene;

class OwnMethodsTest : public ::testing::Test {
 protected:
  // "Method self/total" for those that are reported, in order.
  std::string Reported(MethodOrder order = MethodOrder::kUsual) {
    CpuQuery query;
    query.order = order;
    const CpuProfileReport report = AnalyzeCpu(scene_.model(), query);
    std::string out;
    for (const OwnMethod& method : report.own.methods) {
      if (method.passes_on) continue;
      out += report.paths.frames[method.frame].name + " " + std::to_string(method.self.samples) +
             "/" + std::to_string(method.total.samples) + "\n";
    }
    inside_ = report.own.inside.samples;
    return out;
  }

  ProfileScene scene_;
  uint64_t inside_ = 0;
};

// CPU time of LINQ and of code without a name counts for the caller; Wrap and Burn only pass on.
TEST_F(OwnMethodsTest, AMethodHasWhatItCallsOfOthers) {
  const std::vector<std::string> hot = {"Shop.Repo.Burn", "Shop.Repo.Wrap", "System.Linq.Sum",
                                        "Shop.Repo.Heavy"};
  const auto with = [](std::vector<std::string> path, const std::string& leaf) {
    path.push_back(leaf);
    return path;
  };
  scene_.Cpu(scene_.Call(hot), 50);
  scene_.Cpu(scene_.Call(with(hot, "libm.so.6!")), 30);
  scene_.Cpu(scene_.Call(with(hot, "System.Math.Sin")), 10);
  scene_.Cpu(scene_.Call({"Shop.Repo.Burn", "Shop.Repo.Wrap", "System.Linq.Sum"}), 4);
  scene_.Cpu(scene_.Call({"System.IO.Stream.Read", "libc.so.6!"}), 6);
  EXPECT_EQ("Shop.Repo.Heavy 90/90\n", Reported());
  EXPECT_EQ(94u, inside_);
}

// The deepest of others' code that has this much: not code that only a part is spent in, nor code
// that belongs to another method of yours.
TEST_F(OwnMethodsTest, TheDeepestCalleeWithAPartIsOfOthersCode) {
  scene_.Cpu(scene_.Call({"Shop.Api.Run", "Shop.Find.All", "System.Linq.Where", "System.Regex.Scan",
                          "System.Regex.Try", "System.Regex.Back"}),
             40);
  scene_.Cpu(scene_.Call({"Shop.Api.Run", "Shop.Find.All", "System.Linq.Where", "System.Regex.Scan",
                          "System.Regex.Try", "libc.so.6!"}),
             50);
  scene_.Cpu(scene_.Call({"Shop.Api.Run", "Shop.Find.All"}), 10);
  scene_.Cpu(scene_.Call({"Shop.Api.Run", "System.Regex.Try"}), 5);
  const CpuProfileReport report = AnalyzeCpu(scene_.model(), {});
  const auto find = [&](std::string_view own, double part) {
    FrameId frame = 0;
    while (report.paths.frames[frame].name != own) ++frame;
    double total = 0;
    for (const OwnMethod& method : report.own.methods) {
      if (method.frame == frame) total = method.total.amount;
    }
    const OthersMethod callee = DeepestCallee(report.paths, report.own, frame, part * total);
    return std::pair(report.paths.frames[callee.frame].name, callee.total.samples);
  };
  EXPECT_EQ(find("Shop.Find.All", 0.9), std::pair(std::string("System.Regex.Try"), uint64_t{90}));
  EXPECT_EQ(find("Shop.Find.All", 0.4), std::pair(std::string("System.Regex.Back"), uint64_t{40}));
  EXPECT_EQ(find("Shop.Find.All", 0.91).second, 0u);
  EXPECT_EQ(find("Shop.Api.Run", 0.5).second, 0u);
}

TEST_F(OwnMethodsTest, AMethodThatFansOutIsReportedWithAllItCalls) {
  scene_.Cpu(scene_.Call({"Shop.Order.Process", "Shop.Order.Price"}), 30);
  scene_.Cpu(scene_.Call({"Shop.Order.Process", "Shop.Order.Check", "Shop.Order.Price"}), 20);
  scene_.Cpu(scene_.Call({"Shop.Order.Process", "Shop.Order.Check"}), 25);
  EXPECT_EQ("Shop.Order.Process 0/75\nShop.Order.Price 50/50\nShop.Order.Check 25/45\n",
            Reported());
  EXPECT_EQ("Shop.Order.Price 50/50\nShop.Order.Check 25/45\nShop.Order.Process 0/75\n",
            Reported(MethodOrder::kSelf));
}

TEST_F(OwnMethodsTest, WhatAMethodCallsIsReportedOnceForEachSample) {
  scene_.Cpu(scene_.Call({"Shop.A.Run", "Shop.B.Run", "System.Linq.Sum", "Shop.C.Run"}), 20);
  scene_.Cpu(scene_.Call({"Shop.A.Run", "Shop.B.Run", "Shop.A.Run", "Shop.B.Run"}), 10);
  scene_.Cpu(scene_.Call({"Shop.A.Run", "System.Linq.Sum", "Shop.C.Run"}), 5);
  scene_.Cpu(scene_.Call({"Shop.D.Run", "Shop.C.Run"}), 7);
  const CpuProfileReport report = AnalyzeCpu(scene_.model(), {});
  FrameId frame = 0;
  while (report.paths.frames[frame].name != "Shop.A.Run") ++frame;
  std::string reported;
  for (const CalledMethod& called : CalledBy(report.paths, report.own, frame)) {
    reported += report.paths.frames[called.frame].name + " " +
                std::to_string(called.direct.samples) + "/" + std::to_string(called.total.samples) +
                "\n";
  }
  EXPECT_EQ("Shop.B.Run 30/30\nShop.C.Run 5/25\n", reported);
}

TEST_F(OwnMethodsTest, AMethodPassesOnFromItsRulesOn) {
  const auto reported = [](uint32_t self, uint32_t most, uint32_t other) {
    ProfileScene scene;
    scene.Cpu(scene.Call({"Shop.A.Run"}), self);
    scene.Cpu(scene.Call({"Shop.A.Run", "Shop.B.Run"}), most);
    scene.Cpu(scene.Call({"Shop.A.Run", "Shop.C.Run"}), other);
    const CpuProfileReport report = AnalyzeCpu(scene.model(), {});
    for (const OwnMethod& method : report.own.methods) {
      if (report.paths.frames[method.frame].name == "Shop.A.Run") return !method.passes_on;
    }
    return false;
  };
  EXPECT_FALSE(reported(9, 90, 1));
  EXPECT_TRUE(reported(10, 90, 0));  // a tenth is its own
  EXPECT_TRUE(reported(9, 89, 2));   // less than nine tenths go into one
}

TEST_F(OwnMethodsTest, RecursionCountsNothingTwice) {
  scene_.Cpu(scene_.Call({"Shop.A.Run", "Shop.B.Run", "Shop.A.Run", "Shop.B.Run"}), 20);
  scene_.Cpu(scene_.Call({"Shop.A.Run"}), 10);
  EXPECT_EQ("Shop.A.Run 10/30\nShop.B.Run 20/20\n", Reported());
}

// What the server does further down is not the middleware's.
TEST_F(OwnMethodsTest, WhatAPipelineCallsIsNotTheMiddlewares) {
  constexpr char kNext[] = "Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke";
  for (const char* handler : {"Shop.Api.List", "Shop.Api.Get", "Shop.Api.Put"}) {
    scene_.Cpu(scene_.Call({"Shop.Tracing.InvokeAsync", kNext, handler}), 20);
  }
  scene_.Cpu(scene_.Call({"Shop.Tracing.InvokeAsync", kNext}), 30);
  scene_.Cpu(scene_.Call({"Shop.Tracing.InvokeAsync"}), 2);
  EXPECT_EQ("Shop.Api.List 20/20\nShop.Api.Get 20/20\nShop.Api.Put 20/20\n", Reported());
  EXPECT_EQ(62u, inside_);
}

}  // namespace
}  // namespace hindsight::analyzer
