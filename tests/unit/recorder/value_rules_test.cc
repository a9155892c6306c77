#include "recorder/heap/value_rules.h"

#include <gtest/gtest.h>

namespace hindsight::recorder {
namespace {

TEST(ValueRulesTest, DeniesEverythingButTheFrameworksOwnNumbers) {
  const ValueRules rules({});
  EXPECT_TRUE(rules.AllowsNumber("System.Collections.Generic.List`1", "_size"));
  EXPECT_TRUE(rules.AllowsNumber("System.Threading.Tasks.Task`1", "m_stateFlags"));
  EXPECT_FALSE(rules.AllowsNumber("Shop.List`1", "_size"));
  EXPECT_FALSE(rules.AllowsNumber("Shop.Order", "total_"));
  EXPECT_FALSE(rules.AllowsText("Shop.Order", "name_"));
  EXPECT_FALSE(rules.AllowsAllStrings());
  EXPECT_TRUE(rules.AllowsText("System.Threading.Thread", "_name"));
  EXPECT_FALSE(rules.AllowsText("Shop.Thread", "_name"));
}

TEST(ValueRulesTest, KnowsAStateMachinesStateAlsoInItsBox) {
  const ValueRules rules({});
  EXPECT_TRUE(rules.AllowsNumber("Shop.Cart+<AddAsync>d__3", "<>1__state"));
  EXPECT_TRUE(rules.AllowsNumber("Box`1", "StateMachine.<>1__state"));
  EXPECT_FALSE(rules.AllowsNumber("Shop.Cart+<AddAsync>d__3", "<total>5__2"));
}

TEST(ValueRulesTest, AllowsWhatIsNamed) {
  const std::string allowed[] = {"Shop.Order.*", "Shop.Cart.owner_.name_"};
  const ValueRules rules(allowed);
  EXPECT_TRUE(rules.AllowsNumber("Shop.Order", "total_"));
  EXPECT_TRUE(rules.AllowsText("Shop.Order", "name_"));
  EXPECT_TRUE(rules.AllowsText("Shop.Cart", "owner_.name_"));
  EXPECT_FALSE(rules.AllowsText("Shop.Cart", "name_"));
  EXPECT_FALSE(rules.AllowsAllStrings());
}

TEST(ValueRulesTest, TakesAllStringsOnlyByTheirOwnName) {
  const std::string everything[] = {"System.String"};
  EXPECT_TRUE(ValueRules(everything).AllowsAllStrings());
  const std::string star[] = {"*"};
  EXPECT_FALSE(ValueRules(star).AllowsAllStrings());
}

}  // namespace
}  // namespace hindsight::recorder
