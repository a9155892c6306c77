// What becomes of names that are too long for their place.
#include "analyzer/report/text_style.h"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/report/table.h"

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

// In a pipe, names are written in full.
TEST(Table, ALongNameDoesNotPushOtherRowsApart) {
  Table table({{"type", Table::Align::kLeft, true}, {"by", Table::Align::kLeft, true}});
  const std::string longer(300, 'x');
  table.AddRow({"string", "Main"});
  table.AddRow({longer, "Main"});
  const std::string full = table.Render(TextStyle{.shortens = false});
  EXPECT_NE(full.find("\n" + longer + "  Main\n"), std::string::npos);
  EXPECT_EQ(full.find("Main"), full.find("string") + 102);
  const std::string line = table.Render(TextStyle{.width = 80});
  EXPECT_EQ(line.find(longer), std::string::npos);
}

}  // namespace
}  // namespace hindsight::analyzer
