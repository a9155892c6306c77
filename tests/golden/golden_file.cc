#include "tests/golden/golden_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

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

std::string WithoutFolder(std::string text, const std::filesystem::path& folder,
                          const std::string& name) {
  const std::string plain = folder.string();
  std::string in_json;
  for (const char c : plain) in_json.append(c == '\\' ? 2 : 1, c);
  for (const std::string& written : {in_json, plain}) {
    for (size_t at = text.find(written); at != text.npos; at = text.find(written, at)) {
      text.replace(at, written.size(), name);
      for (at += name.size(); at < text.size(); ++at) {
        if (std::string_view(" '\"\n<;").find(text[at]) != std::string_view::npos) break;
        if (text[at] != '\\') continue;
        if (text[at + 1] == '"') break;
        text.replace(at, text[at + 1] == '\\' ? 2 : 1, "/");
      }
    }
  }
  return text;
}

}  // namespace hindsight::testing
