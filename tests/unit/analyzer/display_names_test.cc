// Names of generic types and methods, which nobody reads beyond a line or two.
#include "analyzer/model/display_names.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace hindsight::analyzer {
namespace {

class DisplayNamesTest : public ::testing::Test {
 protected:
  TypeId TypeOf(std::string_view name, std::vector<TypeId> arguments = {}) {
    Type type;
    type.name = dictionaries_.AddString(name);
    type.arguments = std::move(arguments);
    return dictionaries_.AddType(type);
  }
  std::string MethodOver(std::vector<TypeId> arguments) {
    Method method;
    method.type = TypeOf("Shop.Session");
    method.name = dictionaries_.AddString("Get");
    method.arguments = std::move(arguments);
    return MethodDisplayName(dictionaries_, dictionaries_.AddMethod(method));
  }

  Dictionaries dictionaries_;
};

TEST_F(DisplayNamesTest, ShortArgumentsAreComplete) {
  const TypeId lines = TypeOf("System.Collections.Generic.List`1", {TypeOf("Shop.Line")});
  EXPECT_EQ(MethodOver({lines}), "Shop.Session.Get<System.Collections.Generic.List<Shop.Line>>");
}

TEST_F(DisplayNamesTest, LongArgumentsAreOutlined) {
  const std::string space = "Acme.Storage.With.A.Long.Name.Of.Its.Own.";
  std::vector<TypeId> keys;
  for (const char* name : {"Key", "Value", "Input", "Output"}) keys.push_back(TypeOf(space + name));
  const TypeId context = TypeOf(space + "Context`4", keys);
  const TypeId array = [&] {
    Type type;
    type.element = context;
    type.rank = 1;
    return dictionaries_.AddType(type);
  }();
  EXPECT_EQ(MethodOver({context, TypeOf("System.Int32"), array}),
            "Shop.Session.Get<Context<...>, int, Context<...>[]>");
  EXPECT_EQ(TypeDisplayName(dictionaries_, TypeOf("Shop.Cart`1", {context})),
            "Shop.Cart<Context<...>>");
  EXPECT_EQ(MethodOver({TypeOf("System.ValueTuple`2", {context, context})}),
            "Shop.Session.Get<(...)>");
  EXPECT_EQ(MethodOver({TypeOf("System.Nullable`1", {context})}),
            "Shop.Session.Get<Context<...>?>");
}

TEST_F(DisplayNamesTest, SoManyArgumentsAreNotListed) {
  std::vector<TypeId> arguments;
  for (int i = 0; i < 12; ++i) {
    arguments.push_back(TypeOf("Shop.ATypeWithALongName" + std::to_string(i)));
  }
  const std::string name = MethodOver(arguments);
  EXPECT_EQ(name, "Shop.Session.Get<...>");
}

}  // namespace
}  // namespace hindsight::analyzer
