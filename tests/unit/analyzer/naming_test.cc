#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/naming/method_names.h"
#include "analyzer/naming/type_names.h"

namespace hindsight::analyzer::naming {
namespace {

using Arguments = std::vector<std::string>;

struct TypeCase {
  std::string_view raw;
  Arguments arguments;
  std::string_view expected;
};

TEST(IsStateMachineType, KnowsThoseOfMethodsAndOfLocalFunctions) {
  EXPECT_TRUE(IsStateMachineType("Shop.Cart+<AddAsync>d__4"));
  EXPECT_TRUE(IsStateMachineType("Program+<<<Main>$>g__Run|0_1>d"));
  EXPECT_FALSE(IsStateMachineType("Shop.Cart"));
  EXPECT_FALSE(IsStateMachineType("Shop.Cart+<AddAsync>d__4+Inner"));
  EXPECT_FALSE(IsStateMachineType(""));
}

TEST(TypeName, IsWhatACSharpProgrammerWrites) {
  const TypeCase cases[] = {
      {"System.Int32", {}, "int"},
      {"System.String", {}, "string"},
      {"System.Object", {}, "object"},
      {"System.IO.IOException", {}, "System.IO.IOException"},
      {"System.Int32x", {}, "System.Int32x"},
      {"Shop.Map`2", {"string", "int"}, "Shop.Map<string, int>"},
      {"Shop.Map`2", {}, "Shop.Map<,>"},
      {"Shop.Outer`1+Inner", {"int"}, "Shop.Outer<int>.Inner"},
      {"Shop.Outer`1+Inner`1", {"int", "string"}, "Shop.Outer<int>.Inner<string>"},
      {"Shop.Cart+Item", {}, "Shop.Cart.Item"},
      {"System.Nullable`1", {"int"}, "int?"},
      {"System.ValueTuple`2", {"int", "string"}, "(int, string)"},
      {"Shop.List`1", {"System.__Canon"}, "Shop.List<T>"},
      {"Shop.Map`2", {"System.__Canon", "System.__Canon"}, "Shop.Map<T1, T2>"},
      {"Shop.<p>FFAB8B9CDD__Hidden", {}, "Shop.Hidden"},
      {"<p>FFAB8B9CDD__Hidden`1", {"int"}, "Hidden<int>"},
      {"<>f__AnonymousType0`2", {"int", "string"}, "AnonymousType#0<int, string>"},
      {"Shop.Cart+<Add>d__4`1", {"int"}, "Shop.Cart.Add<int>"},
      {"Program+<<Main>$>d__0", {}, "Program.Main"},
      {"Program+<>c__DisplayClass0_0+<<<Main>$>b__2>d", {}, "Program.Main.lambda#2"},
      {"", {}, ""},
  };
  for (const TypeCase& c : cases) EXPECT_EQ(TypeName(c.raw, c.arguments), c.expected) << c.raw;
}

TEST(TypeName, KeepsWhatFollowsNoPattern) {
  for (const std::string_view raw :
       {"<", ">", "`", "`1", "A`", "A`x", "A`99999999999999999999", "<<<", "<>", "<a", "a>b",
        "Shop.<p>Fxyz__Hidden", "<p>F__Hidden", "<PrivateImplementationDetails>"}) {
    EXPECT_EQ(TypeName(raw), raw);
  }
}

TEST(TypeName, SurvivesMissingAndSuperfluousArguments) {
  EXPECT_EQ(TypeName("A`2+B`1", Arguments{"int"}), "A<int>.B<>");
  EXPECT_EQ(TypeName("A", Arguments{"int"}), "A");
}

TEST(ArrayName, PutsTheOuterBracketsFirst) {
  EXPECT_EQ(ArrayName("int", 1), "int[]");
  EXPECT_EQ(ArrayName("int", 2), "int[,]");
  EXPECT_EQ(ArrayName("int[,]", 1), "int[][,]");
  EXPECT_EQ(ArrayName("int[][,]", 3), "int[,,][][,]");
  EXPECT_EQ(ArrayName("]", 1), "][]");
}

TEST(ShortTypeName, DropsNamespacesInArgumentsToo) {
  EXPECT_EQ(ShortTypeName("Shop.List<Shop.Item, System.IO.File[]>"), "List<Item, File[]>");
  EXPECT_EQ(ShortTypeName("int"), "int");
}

struct MethodCase {
  std::string_view type;
  std::string_view method;
  std::string_view expected;
};

// The raw names are the C# compiler's own, for .NET 10.
TEST(MethodName, UndoesWhatTheCompilerDid) {
  const MethodCase cases[] = {
      {"Shop.Cart", "Pay", "Shop.Cart.Pay"},
      {"Shop.Cart+<AddAsync>d__4", "MoveNext", "Shop.Cart.AddAsync"},
      {"Shop.Cart+<It>d__29", "System.IDisposable.Dispose", "Shop.Cart.It.IDisposable.Dispose"},
      {"Shop.Cart+<Shop-IBag<System-Int32>-Add>d__5", "MoveNext", "Shop.Cart.IBag<int>.Add"},
      {"Shop.Program+<>c", "<Main>b__0_1", "Shop.Program.Main.lambda#1"},
      {"Shop.Cart+<>c__DisplayClass30_0", "<Cap>b__2", "Shop.Cart.Cap.lambda#2"},
      {"Shop.Cart+<>c__DisplayClass30_0+<<Cap>b__2>d", "MoveNext", "Shop.Cart.Cap.lambda#2"},
      {"Shop.Cart+<>c__DisplayClass30_0+<<Cap>g__AL|3>d", "MoveNext", "Shop.Cart.Cap.AL"},
      {"Shop.Cart+<>c__DisplayClass30_0", "<Cap>g__LF|1", "Shop.Cart.Cap.LF"},
      {"Shop.Cart", "<Add>g__Retry|0_1", "Shop.Cart.Add.Retry"},
      {"Shop.Cart+<>c", "<.ctor>b__21_0", "Shop.Cart..ctor.lambda#0"},
      {"Shop.Cart+<>c", ".cctor", "Shop.Cart.closure..cctor"},
      {"Program", "<Main>$", "Program.Main"},
      {"Program", "<Main>", "Program.Main"},
      {"Program+<<Main>$>d__0", "MoveNext", "Program.Main"},
      {"Program+<>c", "<<Main>$>b__0_3", "Program.Main.lambda#3"},
      {"Program", "<<Main>$>g__SLocal|0_1", "Program.Main.SLocal"},
      {"Shop.Cart", ".ctor", "Shop.Cart..ctor"},
      {"Shop.Cart", ".cctor", "Shop.Cart..cctor"},
      {"Shop.Cart", "get_Count", "Shop.Cart.Count.get"},
      {"Shop.Cart", "set_Count", "Shop.Cart.Count.set"},
      {"Shop.Cart", "get_Item", "Shop.Cart.this[].get"},
      {"Shop.Cart", "add_Changed", "Shop.Cart.Changed.add"},
      {"Shop.Cart", "remove_Changed", "Shop.Cart.Changed.remove"},
      {"Shop.Cart", "get_", "Shop.Cart.get_"},
      {"Shop.Cart", "op_Addition", "Shop.Cart.operator +"},
      {"Shop.Cart", "op_CheckedUnaryNegation", "Shop.Cart.operator checked -"},
      {"Shop.Cart", "op_Implicit", "Shop.Cart.implicit operator"},
      {"Shop.Cart", "op_Unheard", "Shop.Cart.op_Unheard"},
      {"Shop.Cart", "Shop.IBag<System.Int32>.Add", "Shop.Cart.IBag<int>.Add"},
      {"Shop.Cart", "Shop.IBag<System.String>.get_Count", "Shop.Cart.IBag<string>.Count.get"},
      {"System.String", "Concat", "string.Concat"},
      {"", "lambda_method1", "lambda_method1"},
  };
  for (const MethodCase& c : cases) {
    EXPECT_EQ(MethodName(c.type, {}, c.method).name, c.expected) << c.type << " " << c.method;
  }
}

TEST(MethodName, GivesTypeAndMethodTheirOwnArguments) {
  EXPECT_EQ(MethodName("Shop.Map`2", Arguments{"string", "int"}, "Find", Arguments{"long"}).name,
            "Shop.Map<string, int>.Find<long>");
  EXPECT_EQ(MethodName("Shop.Map`1+<AddAsync>d__23`1", Arguments{"int", "string"}, "MoveNext").name,
            "Shop.Map<int>.AddAsync<string>");
  EXPECT_EQ(MethodName("Shop.A`1+<>c__0`1", Arguments{"int", "string"}, "<M>b__0_0").name,
            "Shop.A<int>.M.lambda#0");
}

TEST(MethodName, KnowsStateMachines) {
  EXPECT_TRUE(MethodName("Shop.Cart+<AddAsync>d__4", {}, "MoveNext").is_state_machine);
  EXPECT_FALSE(MethodName("Shop.Cart+<AddAsync>d__4", {}, "SetStateMachine").is_state_machine);
  EXPECT_FALSE(MethodName("Shop.Cart", {}, "MoveNext").is_state_machine);
}

TEST(IsPlumbing, KnowsTheMachineryOfAwaits) {
  EXPECT_TRUE(IsPlumbing("System.Runtime.CompilerServices.TaskAwaiter`1", "GetResult"));
  EXPECT_TRUE(IsPlumbing("System.Runtime.ExceptionServices.ExceptionDispatchInfo", "Throw"));
  EXPECT_TRUE(IsPlumbing("System.Threading.Tasks.Task", "Wait"));
  EXPECT_FALSE(IsPlumbing("System.Threading.Tasks.Parallel", "For"));
  EXPECT_FALSE(IsPlumbing("Shop.Cart", "Pay"));
  EXPECT_FALSE(IsPlumbing("", ""));
}

TEST(MethodName, KeepsWhatFollowsNoPattern) {
  for (const std::string_view raw :
       {"<", "<>", "<a", "<>b__0", "<Add>b__", "<Add>b__x", "<Add>b__1_x", "<Add>g__|0_1",
        "<Add>g__Retry", "<Clone>$", "<Other>", "<Add>k__BackingField", ".", "..", "a.", ".a"}) {
    EXPECT_EQ(MethodName("", {}, raw).name, raw);
  }
}

TEST(MethodName, IsLinearInNestingAndLength) {
  const std::string deep = std::string(10000, '<') + "a" + std::string(10000, '>');
  EXPECT_EQ(MethodName("", {}, deep).name, deep);
  std::string nested = "Main";
  for (int i = 0; i < 1000; ++i) nested = "<" + nested + ">b__0_1";
  EXPECT_LT(MethodName("T", {}, nested).name.size(), nested.size() + 100);
}

}  // namespace
}  // namespace hindsight::analyzer::naming
