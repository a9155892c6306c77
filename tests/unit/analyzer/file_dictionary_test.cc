#include "analyzer/reader/file_dictionary.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace hindsight::testing {
namespace {

using analyzer::TextArena;

TEST(TextArenaTest, HoldsAnEmptyTextBeforeAnyOther) {
  TextArena arena;
  EXPECT_EQ(arena.Add("", 100), "");
  EXPECT_EQ(arena.Add("name", 100), "name");
}

TEST(TextArenaTest, KeepsTextsApartAcrossBlocks) {
  TextArena arena;
  const std::string large(3u << 20, 'x');
  const std::string_view first = arena.Add("first", 4u << 20);
  const std::string_view second = arena.Add(large, 4u << 20);
  const std::string_view third = arena.Add("third", 4u << 20);
  EXPECT_EQ(first, "first");
  EXPECT_EQ(second, large);
  EXPECT_EQ(third, "third");
}

TEST(TextArenaTest, GivesNothingBeyondItsLimit) {
  TextArena arena;
  EXPECT_EQ(arena.Add("12345", 8), "12345");
  EXPECT_EQ(arena.Add("6789", 8), "");
  EXPECT_EQ(arena.Add("678", 8), "678");
}

// The dictionaries of a file in which dynamic method 1 calls methods 2, 3, ...: those of `names`,
// declared in `assembly`.
class OfDynamicMethod {
 public:
  explicit OfDynamicMethod(const std::vector<std::string>& names,
                           std::string_view assembly = "Shop") {
    Text(1, std::string(assembly));
    hindsight::Module module;
    module.set_id(1);
    module.set_assembly(1);
    file_.Add(module);
    hindsight::Method dynamic;
    dynamic.set_id(1);
    dynamic.set_is_dynamic(true);
    for (uint32_t i = 0; i < names.size(); ++i) {
      Text(2 + i, names[i]);
      hindsight::Method method;
      method.set_id(2 + i);
      method.set_name(2 + i);
      method.set_module(1);
      file_.Add(method);
      dynamic.add_inline_candidate(2 + i);
    }
    file_.Add(dynamic);
  }

  // The names of the stack of these methods, from the outermost; that of the dynamic one is empty.
  std::vector<std::string> NamesOf(const std::vector<uint32_t>& methods) {
    for (const uint32_t method : methods) {
      hindsight::Frame frame;
      frame.set_id(++last_);
      frame.set_method(method);
      file_.Add(frame);
      hindsight::Stack stack;
      stack.set_id(last_);
      stack.set_frame(last_);
      if (method != methods.front()) stack.set_parent(last_ - 1);
      file_.Add(stack);
    }
    places_ = file_.PlacesOf(last_);
    std::vector<std::string> names, calls;
    for (analyzer::StackId id = file_.StackOf(last_); id != 0; id = model_.stack(id).parent) {
      names.emplace_back(NameOf(model_.stack(id).method));
    }
    for (analyzer::CallId id = file_.CallOf(last_); id != 0; id = calls_.node(id).parent) {
      calls.push_back(NameOf(calls_.node(id).method));
    }
    EXPECT_EQ(names, calls);
    return {names.rbegin(), names.rend()};
  }
  const std::vector<uint32_t>& places() const { return places_; }

 private:
  void Text(uint32_t id, const std::string& value) {
    hindsight::String text;
    text.set_id(id);
    text.set_value(value);
    file_.Add(text);
  }
  std::string NameOf(analyzer::MethodId method) {
    return std::string(model_.String(model_.method(method).name));
  }

  analyzer::Dictionaries model_;
  analyzer::CallTree calls_;
  analyzer::FileDictionary file_{model_, &calls_};
  std::vector<uint32_t> places_;
  uint32_t last_ = 0;
};

using Names = std::vector<std::string>;

TEST(FileDictionaryTest, TheOneMethodOfYoursThatADynamicOneCallsIsInlinedThere) {
  OfDynamicMethod one({"Buy"});
  EXPECT_EQ(one.NamesOf({1}), Names({"", "Buy"}));
  EXPECT_EQ(one.places(), std::vector<uint32_t>({1}));
  OfDynamicMethod with_accessors({"get_Cart", ".ctor", "Buy", "set_Cart"});
  EXPECT_EQ(with_accessors.NamesOf({1}), Names({"", "Buy"}));
  OfDynamicMethod several({"Buy", "Sell"});
  EXPECT_EQ(several.NamesOf({1}), Names({""}));
  EXPECT_EQ(OfDynamicMethod({"Buy"}, "System.Linq").NamesOf({1}), Names({""}));
}

TEST(FileDictionaryTest, AMethodWithAFrameOfItsOwnWasNotInlined) {
  OfDynamicMethod one({"Buy"});
  EXPECT_EQ(one.NamesOf({1, 2}), Names({"", "Buy"}));
  EXPECT_EQ(one.places(), std::vector<uint32_t>({0, 1}));
}

}  // namespace
}  // namespace hindsight::testing
