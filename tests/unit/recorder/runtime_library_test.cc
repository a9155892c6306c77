// Functions that are found in the runtime's own tables.
#include "recorder/base/runtime_library.h"

#include <gtest/gtest.h>

// In the library that stands in for the runtime's: the function of its table's entry `i`.
extern "C" void* FakeFunction(int i);

namespace hindsight::recorder {
namespace {

TEST(RuntimeEntryTest, IsFoundByName) {
  ASSERT_NE(FakeFunction(1), nullptr);
  EXPECT_EQ(RuntimeEntry("Second"), FakeFunction(1));
}

TEST(RuntimeEntryTest, IsNotGuessed) {
  EXPECT_EQ(RuntimeEntry("Secon"), nullptr);
  EXPECT_EQ(RuntimeEntry("Unknown"), nullptr);
  EXPECT_EQ(RuntimeEntry("Twice"), nullptr);
  EXPECT_EQ(RuntimeEntry("Lonely"), nullptr);
}

}  // namespace
}  // namespace hindsight::recorder
