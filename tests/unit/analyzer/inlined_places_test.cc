// A small method that the JIT compiler inlines into its caller at a later tier: one place.
#include "analyzer/analyses/places/inlined_places.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/exceptions.h"
#include "analyzer/analyses/waits/lock_contention.h"
#include "tests/support/profile_scene.h"
#include "tests/unit/analyzer/comparison_sides.h"

namespace hindsight::analyzer {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr char kFirst[] = "System.Linq.Enumerable.First";

class InlinedPlacesTest : public ::testing::Test {
 protected:
  // Innermost first, like all paths here.
  std::vector<MethodId> Path(const std::vector<std::string>& names) {
    std::vector<MethodId> path;
    for (const std::string& name : names) path.push_back(scene_.Method(name));
    return path;
  }

  struct Events {
    std::vector<std::string> path;
    int64_t first_ns = 0, last_ns = 0;
    uint64_t what = 1;
    uint64_t count = 10;
  };
  // The name of the place of each.
  std::vector<std::string> PlacesOf(const std::vector<Events>& all) {
    for (const Events& events : all) Path(events.path);
    Places places(scene_.model());
    InlinedPlaces inlined(places);
    for (const Events& events : all) {
      inlined.Add(events.what, Path(events.path), {events.count, events.first_ns, events.last_ns});
    }
    std::vector<std::string> names;
    for (const Events& events : all) {
      const PlaceId id = inlined.Of(events.what, Path(events.path));
      names.push_back(MethodNames(scene_.model().dictionaries).Display(places[id].site));
    }
    return names;
  }

  testing::ProfileScene scene_;
};

using Names = std::vector<std::string>;

TEST_F(InlinedPlacesTest, WhatItsCallerDoesFromThenOnIsTheMethods) {
  EXPECT_EQ(PlacesOf({{{kFirst, "Shop.Stock.Now", "Shop.Stock.Of"}, 0, 5 * kSecond},
                      {{kFirst, "Shop.Stock.Of"}, 5 * kSecond, 9 * kSecond}}),
            Names({"Shop.Stock.Now", "Shop.Stock.Now"}));
}

TEST_F(InlinedPlacesTest, CallsThatHadBegunGoOnForAWhile) {
  const auto place = [&](int64_t last_ns, int64_t end_ns) {
    return PlacesOf({{{kFirst, "Shop.Stock.Now", "Shop.Stock.Of"}, 0, last_ns},
                     {{kFirst, "Shop.Stock.Of"}, 50 * kSecond, end_ns}})[1];
  };
  // A second.
  EXPECT_EQ(place(51 * kSecond, 90 * kSecond), "Shop.Stock.Now");
  EXPECT_EQ(place(51 * kSecond + 1, 90 * kSecond), "Shop.Stock.Of");  // both do it
  // Less, if everything took less.
  EXPECT_EQ(place(50 * kSecond + kSecond / 10, 51 * kSecond), "Shop.Stock.Now");
  EXPECT_EQ(place(50 * kSecond + kSecond / 10 + 1, 51 * kSecond), "Shop.Stock.Of");
}

TEST_F(InlinedPlacesTest, FewEventsComeInAnyOrder) {
  const auto place = [&](uint64_t before, uint64_t after) {
    return PlacesOf({{{kFirst, "Shop.Stock.Now", "Shop.Stock.Of"}, 0, kSecond, 1, before},
                     {{kFirst, "Shop.Stock.Of"}, 5 * kSecond, 9 * kSecond, 1, after}})[1];
  };
  EXPECT_EQ(place(7, 9), "Shop.Stock.Now");  // 1 in 11,440
  EXPECT_EQ(place(7, 8), "Shop.Stock.Of");   // 1 in 6,435
  EXPECT_EQ(place(1, 10'000), "Shop.Stock.Now");
  EXPECT_EQ(place(1, 9'998), "Shop.Stock.Of");
}

TEST_F(InlinedPlacesTest, TheMethodAndItsCallerMayMoveTogether) {
  EXPECT_EQ(PlacesOf({{{kFirst, "Shop.Stock.Now", "Shop.Stock.Of", "Shop.Web.Show"}, 0, kSecond},
                      {{kFirst, "Shop.Web.Show"}, 5 * kSecond, 9 * kSecond}})[1],
            "Shop.Stock.Now");
}

TEST_F(InlinedPlacesTest, NoTwoMethodsAreTakenForOne) {
  // A method that did something else; one whose caller did it before; one that is called by another
  // method.
  EXPECT_EQ(PlacesOf({{{kFirst, "Shop.A", "Shop.Of"}, 0, kSecond, 1},
                      {{kFirst, "Shop.Of"}, 5 * kSecond, 9 * kSecond, 2}})[1],
            "Shop.Of");
  EXPECT_EQ(PlacesOf({{{kFirst, "Shop.A", "Shop.Of"}, 5 * kSecond, 9 * kSecond},
                      {{kFirst, "Shop.Of"}, 0, kSecond}})[1],
            "Shop.Of");
  EXPECT_EQ(PlacesOf({{{kFirst, "Shop.A", "Shop.Other"}, 0, kSecond},
                      {{kFirst, "Shop.Of"}, 5 * kSecond, 9 * kSecond}})[1],
            "Shop.Of");
  // Either may be in it.
  EXPECT_EQ(PlacesOf({{{kFirst, "Shop.A", "Shop.Of"}, 0, kSecond},
                      {{kFirst, "Shop.B", "Shop.Of"}, 0, kSecond},
                      {{kFirst, "Shop.Of"}, 5 * kSecond, 9 * kSecond}})[2],
            "Shop.Of");
  // What the method throws itself, and what framework code that it calls throws.
  EXPECT_EQ(PlacesOf({{{"Shop.A", "Shop.Of"}, 0, kSecond},
                      {{kFirst, "Shop.Of"}, 5 * kSecond, 9 * kSecond}})[1],
            "Shop.Of");
}

TEST_F(InlinedPlacesTest, TheBodyOfAnAsyncMethodIsNeverInlined) {
  EXPECT_EQ(PlacesOf({{{kFirst, "Shop.Stock+<Now>d__1.MoveNext", "Shop.Of"}, 0, kSecond},
                      {{kFirst, "Shop.Of"}, 5 * kSecond, 9 * kSecond}})[1],
            "Shop.Of");
  // It may well be what a method is inlined into.
  EXPECT_EQ(PlacesOf({{{kFirst, "Shop.Now", "Shop.Stock+<Of>d__1.MoveNext"}, 0, kSecond},
                      {{kFirst, "Shop.Stock+<Of>d__1.MoveNext"}, 5 * kSecond, 9 * kSecond}})[1],
            "Shop.Now");
}

TEST_F(InlinedPlacesTest, ThrowsAreOneFindingAtTheMethod) {
  Model& model = scene_.model();
  model.facts.last_ns = 10 * kSecond;
  const auto add = [&](const std::vector<std::string>& path, int64_t first_ns, uint64_t count) {
    ExceptionGroup group;
    Type type;
    type.name = model.dictionaries.AddString("System.FormatException");
    group.type = model.dictionaries.AddType(type);
    for (const std::string& method : path) {
      group.stack = model.dictionaries.AddStack(group.stack, scene_.Method(method));
    }
    group.first_ns = first_ns;
    group.last_ns = first_ns + kSecond;
    group.count = count;
    model.exceptions.groups.push_back(group);
  };
  add({"Shop.Program.Main", "Shop.Reader.Parse", "Shop.Reader.Fail"}, 0, 5);
  add({"Shop.Program.Main", "Shop.Reader.Parse"}, 3 * kSecond, 90);
  const ExceptionReport report = AnalyzeExceptions(model, {}, INT64_MIN, INT64_MAX);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].group.count, 95u);
  EXPECT_EQ(report.names.Display(report.findings[0].place.site), "Shop.Reader.Fail");
  EXPECT_EQ(report.findings[0].variants.front().count, 5u);
  // The place stays the same when its own path is queried.
  const ExceptionReport all = AnalyzeExceptions(
      model, {.type = {}, .method = "Shop.Reader.Parse", .thread = {}}, INT64_MIN, INT64_MAX);
  EXPECT_EQ(all.findings[0].group.count, 95u);
}

TEST_F(InlinedPlacesTest, WaitsAreOneRowAtTheMethod) {
  Model& model = scene_.model();
  model.facts.last_ns = 10 * kSecond;
  const auto add = [&](std::vector<std::string> path, int64_t at_ns) {
    path.push_back("System.Threading.Monitor.Enter_Slowpath");
    WaitGroup group;
    group.kind = WaitKind::kMonitor;
    for (const std::string& method : path) {
      group.stack = model.dictionaries.AddStack(group.stack, scene_.Method(method));
    }
    group.count = group.total_ns = 10;
    model.waits.groups.push_back(group);
    for (int64_t i = 0; i < 10; ++i) {
      model.waits.rows.push_back(
          {.at_ns = at_ns + i, .duration_ns = 1, .kind = group.kind, .stack = group.stack});
    }
  };
  add({"Shop.Stock.Of", "Shop.Stock.Now"}, 0);
  add({"Shop.Stock.Of"}, 5 * kSecond);
  const LockReport report = AnalyzeLocks(model);
  ASSERT_EQ(report.locks.size(), 1u);
  EXPECT_EQ(report.locks[0].count(), 20u);
  EXPECT_EQ(report.names.Display(report.locks[0].site), "Shop.Stock.Now");
}

// Two recordings, each of one tier.
TEST_F(ComparisonTest, AThrowAndAWaitOfAMethodThatIsInlinedInOneAreNeitherNewNorGone) {
  before_.Throw("System.FormatException", {"Shop.Main", "Shop.Parse", "Shop.Fail"}, 10);
  after_.Throw("System.FormatException", {"Shop.Main", "Shop.Parse"}, 10);
  before_.Wait({"Shop.Main", "Shop.Of", "Shop.Now"}, 10, 50'000'000);
  after_.Wait({"Shop.Main", "Shop.Of"}, 10, 50'000'000);
  EXPECT_TRUE(Compare().is_empty());
}

TEST_F(ComparisonTest, AThrowInTheCallerOfTheMethodThatThrewBesidesIsNew) {
  before_.Throw("System.FormatException", {"Shop.Main", "Shop.Parse", "Shop.Fail"}, 10);
  after_.Throw("System.FormatException", {"Shop.Main", "Shop.Parse", "Shop.Fail"}, 10);
  after_.Throw("System.FormatException", {"Shop.Main", "Shop.Parse"}, 10);
  EXPECT_EQ(OnlyTitle(), "System.FormatException in Shop.Parse is new: 10.0/s");
}

}  // namespace
}  // namespace hindsight::analyzer
