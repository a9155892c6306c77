// The thresholds of OverviewRules for CPU time, each at its edge.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/hot_method.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "tests/unit/analyzer/overview_rules_test.h"

namespace hindsight::analyzer {
namespace {

TEST_F(OverviewRulesTest, WhatAHotMethodCallsIsReportedIfItHasMostOfIt) {
  model().facts.cpus = 1;
  Burn({"Shop.Program.Main", "Shop.Order.Find", "System.Regex.Scan"}, 300);
  Burn({"Shop.Program.Main", "Shop.Order.Find"}, 300);
  const std::string reported = "Of these, 300 are in System.Regex.Scan.";
  rules_.hot_callee = 0.499;
  EXPECT_NE(Find("hot-path").evidence.find(reported), std::string::npos);
  rules_.hot_callee = 0.501;
  EXPECT_EQ(Find("hot-path").evidence.find("Of these"), std::string::npos);
}

// 0.8 of one CPU; three quarters of that on one path, and half of it in one more call.
TEST_F(OverviewRulesTest, APathIsHotByWhatItTakesOfTheProcessAndTheProcessOfTheCpus) {
  model().facts.cpus = 1;
  Burn({"Shop.Program.Main", "Shop.Order.Parse"}, 200);
  Burn({"Shop.Program.Main", "Shop.Order.Parse", "Shop.Order.Line"}, 400);
  Burn({"Shop.Program.Main", "Shop.Mail.Send"}, 100);
  Burn({"Shop.Program.Main", "Shop.Log.Write"}, 100);
  rules_.hot_part = 0.67;  // 400 of 600
  EXPECT_EQ(Find("hot-path").subject, "Shop.Order.Parse");
  rules_.hot_part = 0.66;
  EXPECT_EQ(Find("hot-path").subject, "Shop.Order.Line");
  rules_.hot_part = 0.67;

  rules_.busy_cpus = 0.799;
  rules_.hot_share = 0.749;
  EXPECT_EQ(Find("hot-path").severity, Severity::kWarning);
  rules_.hot_share = 0.751;
  EXPECT_EQ(Find("hot-path").severity, Severity::kNote);
  rules_.hot_share = 0.749;
  rules_.busy_cpus = 0.801;
  EXPECT_EQ(Find("hot-path").severity, Severity::kNote);

  rules_.hot_note_share = 0.749;
  EXPECT_TRUE(Finds("hot-path"));
  rules_.hot_note_share = 0.751;
  EXPECT_FALSE(Finds("hot-path"));
  rules_.hot_note_share = 0.749;
  rules_.hot_cores = 0.799;
  EXPECT_TRUE(Finds("hot-path"));
  rules_.hot_cores = 0.801;
  EXPECT_FALSE(Finds("hot-path"));
}

// Two hot paths side by side: neither is below the other.
TEST_F(OverviewRulesTest, WhatIsNotBelowAHotMethodIsNotTheDeeperOne) {
  Burn({"Shop.Program.Main", "Shop.Order.Parse"}, 500);
  Burn({"Shop.Program.Main", "Shop.Mail.Send"}, 400);
  EXPECT_EQ(Find("hot-path").subject, "Shop.Order.Parse");
}

TEST_F(OverviewRulesTest, AMethodThatOnlyCallsOthersIsReportedWithThem) {
  Burn({"Shop.Program.Main", "Shop.Work.Run", "Shop.Work.Step", "Shop.Order.Parse"}, 500);
  Burn({"Shop.Program.Main", "Shop.Work.Run", "Shop.Mail.Send"}, 400);
  Burn({"Shop.Program.Main", "Shop.Work.Run"}, 100);
  const Finding found = Find("hot-path");
  EXPECT_EQ(found.subject, "Shop.Work.Run");
  EXPECT_TRUE(
      found.title.ends_with("of the CPU time, mostly through Shop.Order.Parse and Shop.Mail.Send"))
      << found.title;
  const CpuProfileReport& report = reports_.events->cpu;
  const auto through = [&] { return FindHotMethod(report, rules_)->through.size(); };
  const auto spread = [&] { return FindHotMethod(report, rules_)->spread_over; };
  rules_.hot_own = 0.0999;
  EXPECT_EQ(through(), 0u);
  EXPECT_EQ(spread(), 0u);
  rules_.hot_own = 0.1001;
  EXPECT_EQ(through(), 2u);
  rules_.hot_through = 0.901;  // then it is too little to be most
  EXPECT_EQ(through(), 0u);
  EXPECT_EQ(spread(), 0u);
  rules_.hot_through = 0.899;
  EXPECT_EQ(through(), 2u);
  rules_.hot_through_each = 0.401;
  EXPECT_EQ(through(), 0u);
  EXPECT_EQ(spread(), 2u);
  rules_.hot_through_each = 0.399;
  EXPECT_EQ(through(), 2u);
  rules_.hot_through_reported = 1;
  EXPECT_EQ(through(), 0u);
}

TEST_F(OverviewRulesTest, TimeThatIsSpreadOverManyMethodsIsSaidToBe) {
  for (const char* callee : {"Shop.Part.A", "Shop.Part.B", "Shop.Part.C", "Shop.Part.D",
                             "Shop.Part.E", "Shop.Part.F", "Shop.Part.G", "Shop.Part.H"}) {
    Burn({"Shop.Program.Main", "Shop.Work.Run", callee}, 50);
  }
  EXPECT_TRUE(Find("hot-path").title.ends_with("spread over 8 methods that it calls"))
      << Find("hot-path").title;
}

// A method that does little itself is reported only if threads begin elsewhere most of its time.
TEST_F(OverviewRulesTest, AMethodBeginsThreadsFromAShareOfItsTimeOn) {
  for (const char* callee : {"Shop.Part.A", "Shop.Part.B", "Shop.Part.C", "Shop.Part.D"}) {
    Burn({"Shop.Work.Run", callee}, 50);
    Burn({"Shop.Program.Main", "Shop.Work.Run", callee}, 50);
  }
  EXPECT_FALSE(Finds("hot-path"));
  rules_.begins_share = 0.499;
  EXPECT_FALSE(Finds("hot-path"));
  rules_.begins_share = 0.501;
  EXPECT_EQ(Find("hot-path").subject, "Shop.Work.Run");
}

TEST_F(OverviewRulesTest, AMethodThatBeginsThreadsIsReportedFromAShareOfItsOwnOn) {
  Burn({"Shop.Program.Main"}, 40);
  for (const char* method : {"Shop.Part.A", "Shop.Part.B", "Shop.Part.C"}) {
    Burn({"Shop.Program.Main", method}, 20);
  }
  rules_.hot_self = 0.399;
  EXPECT_EQ(Find("hot-path").subject, "Shop.Program.Main");
  rules_.hot_self = 0.401;
  EXPECT_FALSE(Finds("hot-path"));
}

TEST_F(OverviewRulesTest, TheCompilersTimeIsReportedFromAShareOn) {
  Burn({"Shop.Program.Main", "Shop.Order.Parse"}, 150);
  Burn({"Shop.Program.Main", "libclrjit.so!"}, 50);
  NameRuntimeWork(model());
  const auto is_reported = [this] {
    return Find("hot-path").evidence.find("The JIT compiler took") != std::string::npos;
  };
  rules_.much_compiling = 0.249;
  EXPECT_TRUE(is_reported());
  rules_.much_compiling = 0.251;
  EXPECT_FALSE(is_reported());
}

}  // namespace
}  // namespace hindsight::analyzer
