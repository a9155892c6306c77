#include <gtest/gtest.h>

#include "recorder/names/signature.h"

namespace hindsight::recorder {
namespace {

std::string Named(std::string_view raw, std::vector<std::string> arguments = {}) {
  return CSharpTypeName(raw, arguments);
}

TEST(CSharpTypeName, UsesKeywords) {
  EXPECT_EQ(Named("System.Int32"), "int");
  EXPECT_EQ(Named("System.Decimal"), "decimal");
  EXPECT_EQ(Named("System.UIntPtr"), "nuint");
  EXPECT_EQ(Named("Shop.Int32"), "Int32");
}

TEST(CSharpTypeName, DropsTheNamespace) {
  EXPECT_EQ(Named("Shop.Orders.Cart"), "Cart");
  EXPECT_EQ(Named("Cart"), "Cart");
  EXPECT_EQ(Named("Shop.Cart+Line"), "Cart.Line");
  EXPECT_EQ(Named(""), "");
}

TEST(CSharpTypeName, KeepsDotsInsideCompilersNames) {
  EXPECT_EQ(Named("Shop.Cart+<Shop.ICart.Add>d__4"), "Cart.<Shop.ICart.Add>d__4");
  EXPECT_EQ(Named("<>f__AnonymousType0`1", {"int"}), "<>f__AnonymousType0<int>");
  EXPECT_EQ(Named("<Module>"), "<Module>");
}

TEST(CSharpTypeName, GivesEachLevelItsOwnArguments) {
  EXPECT_EQ(Named("System.Collections.Generic.List`1", {"string"}), "List<string>");
  EXPECT_EQ(Named("System.Collections.Generic.Dictionary`2+Enumerator", {"string", "int"}),
            "Dictionary<string, int>.Enumerator");
  EXPECT_EQ(Named("Shop.Outer`1+Inner`2", {"A", "B", "C"}), "Outer<A>.Inner<B, C>");
}

TEST(CSharpTypeName, SurvivesAnArityThatLies) {
  EXPECT_EQ(Named("Odd`3", {"A"}), "Odd<A>");
  EXPECT_EQ(Named("Odd", {"A", "B"}), "Odd<A, B>");
  EXPECT_EQ(Named("Odd`99999999999999999999999", {"A"}), "Odd`99999999999999999999999<A>");
  EXPECT_EQ(Named("Odd`x"), "Odd`x");
  EXPECT_EQ(Named("Open`2+Inner`1"), "Open.Inner");
}

TEST(CSharpTypeName, KnowsNullableAndTuples) {
  EXPECT_EQ(Named("System.Nullable`1", {"int"}), "int?");
  EXPECT_EQ(Named("System.ValueTuple`2", {"int", "string"}), "(int, string)");
  EXPECT_EQ(Named("System.ValueTuple`1", {"int"}), "ValueTuple<int>");
  EXPECT_EQ(Named("System.ValueTuple`3", {"int", "string"}), "ValueTuple<int, string>");
}

}  // namespace
}  // namespace hindsight::recorder
