#include "recorder/stack/unwind_rules.h"

#include <gtest/gtest.h>

#include <memory>
#include <unordered_map>
#include <vector>

namespace hindsight::recorder {
namespace {

using Kind = UnwindRule::Kind;

class UnwindRulesTest : public testing::Test {
 protected:
  // Half a megabyte: too large for a stack.
  std::unique_ptr<UnwindRules> rules_ = std::make_unique<UnwindRules>();
};

TEST_F(UnwindRulesTest, KnowsNothingAtFirst) {
  for (const uintptr_t ip : {uintptr_t{0}, uintptr_t{1}, uintptr_t{0x7f12'3456'789a}}) {
    EXPECT_EQ(rules_->Find(ip), UnwindRule{});
  }
}

TEST_F(UnwindRulesTest, GivesBackEveryRule) {
  std::vector<UnwindRule> rules;
  for (const bool managed : {false, true}) {
    rules.push_back({Kind::kFramed, managed, 0});
    rules.push_back({Kind::kOpaque, managed, 0});
    for (const uint32_t bytes : {0u, 8u, 16u, 0x100u, 0x7ff8u, 0x8000u, 0xfff8u}) {
      rules.push_back({Kind::kFrameless, managed, bytes});
    }
  }
  for (const uintptr_t ip :
       {uintptr_t{1}, uintptr_t{0x7f12'3456'789a}, uintptr_t{0x7fff'ffff'ffff}}) {
    for (const UnwindRule& rule : rules) {
      rules_->Learn(ip, rule);
      EXPECT_EQ(rules_->Find(ip), rule) << "managed " << rule.managed << ", " << rule.frame_bytes;
      EXPECT_EQ(rules_->Find(ip + 1), UnwindRule{});
      EXPECT_EQ(rules_->Find(ip - 1), UnwindRule{});
    }
  }
}

TEST_F(UnwindRulesTest, ALaterRuleReplacesTheFirst) {
  rules_->Learn(0x1000, {Kind::kFrameless, true, 24});
  rules_->Learn(0x1000, {Kind::kOpaque, true, 0});
  EXPECT_EQ(rules_->Find(0x1000), (UnwindRule{Kind::kOpaque, true, 0}));
}

// More addresses than entries: each is found as it was learned last, or not at all.
TEST_F(UnwindRulesTest, ACollisionForgetsAndNeverConfuses) {
  constexpr uint32_t kAddresses = 4u << 16;
  const auto ip_of = [](uint32_t i) { return uintptr_t{0x7f00'0000'0000} + i * 5; };
  const auto rule_of = [](uint32_t i) {
    return UnwindRule{Kind::kFrameless, i % 2 == 0, i % 8192 * 8};
  };
  for (uint32_t i = 0; i < kAddresses; ++i) {
    rules_->Learn(ip_of(i), rule_of(i));
    ASSERT_EQ(rules_->Find(ip_of(i)), rule_of(i));
  }
  uint32_t found = 0;
  for (uint32_t i = 0; i < kAddresses; ++i) {
    const UnwindRule rule = rules_->Find(ip_of(i));
    if (rule.kind == Kind::kUnknown) continue;
    ++found;
    ASSERT_EQ(rule, rule_of(i));
  }
  EXPECT_LE(found, 1u << 16);
  EXPECT_GT(found, 1u << 15);  // the table is used, without too many collisions
}

TEST_F(UnwindRulesTest, ForgetsAll) {
  for (uintptr_t ip = 0x1000; ip < 0x1100; ++ip) rules_->Learn(ip, {Kind::kFramed, true, 0});
  rules_->Forget();
  for (uintptr_t ip = 0x1000; ip < 0x1100; ++ip) EXPECT_EQ(rules_->Find(ip), UnwindRule{});
  rules_->Learn(0x1000, {Kind::kFramed, true, 0});
  EXPECT_EQ(rules_->Find(0x1000), (UnwindRule{Kind::kFramed, true, 0}));
}

TEST_F(UnwindRulesTest, ForgetsTheCodeThatHasGoneAndNothingElse) {
  for (uintptr_t ip = 0x1000; ip < 0x1100; ++ip) rules_->Learn(ip, {Kind::kFramed, true, 0});
  rules_->Forget(0x1040, 0x40);
  for (uintptr_t ip = 0x1000; ip < 0x1100; ++ip) {
    // The call in front of a return address may be the last instruction.
    const bool gone = ip >= 0x1040 && ip <= 0x1080;
    EXPECT_EQ(rules_->Find(ip).kind, gone ? Kind::kUnknown : Kind::kFramed) << ip;
  }
  rules_->Forget(0x1000, UINT32_MAX);
  EXPECT_EQ(rules_->Find(0x1000).kind, Kind::kUnknown);
}

}  // namespace
}  // namespace hindsight::recorder
