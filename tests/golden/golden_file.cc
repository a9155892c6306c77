#include "tests/golden/golden_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/recording_builder.h"

namespace hindsight::testing {

void ExpectFile(const std::filesystem::path& file, const std::string& actual) {
  if (std::getenv("HINDSIGHT_REGENERATE") != nullptr) {
    WriteFile(file, actual);
    ADD_FAILURE() << "written anew: " << file;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(file)) << "run with HINDSIGHT_REGENERATE=1 to write " << file;
  EXPECT_EQ(actual, ReadFile(file)) << file;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace hindsight::testing
