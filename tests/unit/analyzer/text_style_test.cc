// Which part of a name is dropped when it is too long.
#include "analyzer/report/text_style.h"

#include <gtest/gtest.h>

#include <string>

namespace hindsight::analyzer {
namespace {

constexpr char kName[] = "Shop.Payments.Internal.Gateway<Shop.Data.Order>.ChargeAsync";

TEST(ShortenMiddle, ANameLosesNamespacesBeforeItsMiddle) {
  const TextStyle style;
  EXPECT_EQ(ShortenMiddle(style, kName, 100), kName);
  EXPECT_EQ(ShortenMiddle(style, kName, 54), "…Internal.Gateway<Shop.Data.Order>.ChargeAsync");
  EXPECT_EQ(ShortenMiddle(style, kName, 46), "…Internal.Gateway<Shop.Data.Order>.ChargeAsync");
  EXPECT_EQ(ShortenMiddle(style, kName, 45), "…Gateway<Shop.Data.Order>.ChargeAsync");
  EXPECT_EQ(ShortenMiddle(style, kName, 36), "Gateway<Shop.Data.Order>.ChargeAsync");
  const std::string cut = ShortenMiddle(style, kName, 30);
  EXPECT_TRUE(cut.starts_with("Gateway<")) << cut;
  EXPECT_TRUE(cut.ends_with(".ChargeAsync")) << cut;
  EXPECT_LE(TextColumns(cut), 30u);
}

TEST(ShortenMiddle, ProseIsCutInItsMiddle) {
  const TextStyle style{.unicode = false};
  const std::string cut = ShortenMiddle(style, "static Shop.Program.feed_ -> Shop.Feed", 24);
  EXPECT_TRUE(cut.starts_with("static")) << cut;
  EXPECT_NE(cut.find("..."), std::string::npos) << cut;
  EXPECT_EQ(TextColumns(cut), 24u);
}

TEST(ShortenMiddle, NothingIsCutWhereNothingIsShortened) {
  const TextStyle style{.shortens = false};
  EXPECT_EQ(ShortenMiddle(style, kName, 10), kName);
  EXPECT_EQ(ShortenEnd(style, kName, 10), kName);
}

}  // namespace
}  // namespace hindsight::analyzer
