#include "analyzer/reader/file_dictionary.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

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

}  // namespace
}  // namespace hindsight::testing
