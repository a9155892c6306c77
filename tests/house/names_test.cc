// A name means one thing: no two classes of the product have the same name, whatever their program.
// Exempt are nested classes, unnamed namespaces, and variants in the files of each system or
// processor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hindsight {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = HINDSIGHT_SOURCE_DIR;

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// C++ tokens, without comments, texts and preprocessor lines.
std::vector<std::string_view> TokensOf(std::string_view text) {
  std::vector<std::string_view> tokens;
  const auto end_of = [&text](std::string_view mark, size_t from) {
    const size_t at = text.find(mark, from);
    return at == std::string_view::npos ? text.size() : at + mark.size();
  };
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//") || rest.starts_with('#')) {
      at = end_of("\n", at);
    } else if (rest.starts_with("/*")) {
      at = end_of("*/", at + 2);
    } else if (rest.starts_with("R\"")) {
      const size_t open = text.find('(', at);
      at = end_of(")" + std::string(text.substr(at + 2, open - at - 2)) + "\"", open);
    } else if (rest.front() == '"' || rest.front() == '\'') {
      for (++at; at < text.size() && text[at] != rest.front(); ++at) {
        if (text[at] == '\\') ++at;
      }
      ++at;
    } else if (IsWord(rest.front())) {
      size_t length = 1;
      // 1'000: the separator in a number does not begin a character literal.
      const bool is_number = std::isdigit(static_cast<unsigned char>(rest.front())) != 0;
      while (length < rest.size() &&
             (IsWord(rest[length]) || (is_number && rest[length] == '\''))) {
        ++length;
      }
      tokens.push_back(rest.substr(0, length));
      at += length;
    } else {
      const size_t length = rest.starts_with("::") ? 2 : 1;
      if (std::isspace(static_cast<unsigned char>(rest.front())) == 0) {
        tokens.push_back(rest.substr(0, length));
      }
      at += length;
    }
  }
  return tokens;
}

// The name of the class or enum that is defined at `at`, where its keyword is; empty if it is only
// declared, is nested in another class, or is a specialization of a template.
std::optional<std::string_view> DefinedAt(const std::vector<std::string_view>& tokens, size_t at) {
  const auto token = [&tokens](size_t i) {
    return i < tokens.size() ? tokens[i] : std::string_view(";");
  };
  const auto skip = [&token](size_t i, std::string_view open, std::string_view close) {
    int depth = 0;
    do {
      if (token(i) == open) ++depth;
      if (token(i) == close) --depth;
      if (token(i) == ";") break;
      ++i;
    } while (depth > 0);
    return i;
  };
  size_t i = at + 1;
  if (token(i) == "class" || token(i) == "struct") ++i;  // enum class
  while (true) {
    if (token(i) == "[") {
      i = skip(i, "[", "]");
    } else if (token(i) == "alignas") {
      i = skip(i + 1, "(", ")");
    } else {
      break;
    }
  }
  if (token(i).empty() || !IsWord(token(i).front())) return std::nullopt;
  const std::string_view name = token(i++);
  if (token(i) == "final") ++i;
  if (token(i) == "{") return name;
  if (token(i) != ":") return std::nullopt;
  while (token(i) != "{" && token(i) != ";" && token(i) != "(") ++i;
  return token(i) == "{" ? std::optional(name) : std::nullopt;
}

// The classes in named namespaces, and not in a class or function.
std::set<std::string> ClassesOf(std::string_view text) {
  const std::vector<std::string_view> tokens = TokensOf(text);
  std::set<std::string> classes;
  std::vector<bool> scopes;  // open braces: whether each is that of a namespace with a name
  bool opens_namespace = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    if (token == "namespace") {
      opens_namespace = i + 1 < tokens.size() && tokens[i + 1] != "{";
    } else if (token == ";") {
      opens_namespace = false;
    } else if (token == "{") {
      scopes.push_back(std::exchange(opens_namespace, false));
    } else if (token == "}" && !scopes.empty()) {
      scopes.pop_back();
    } else if (token == "class" || token == "struct" || token == "union" || token == "enum") {
      const bool is_inside = std::find(scopes.begin(), scopes.end(), false) != scopes.end();
      const bool is_again = i > 0 && (tokens[i - 1] == "enum" || tokens[i - 1] == "friend");
      if (is_inside || is_again) continue;
      if (const auto name = DefinedAt(tokens, i)) classes.emplace(*name);
    }
  }
  return classes;
}

std::string TextOf(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Without the part that names a system or a processor.
std::string CommonName(std::string name) {
  for (const std::string_view suffix : {"_linux", "_windows", "_x64", "_arm64"}) {
    if (const size_t at = name.rfind(suffix); at != std::string::npos) {
      name.erase(at, suffix.size());
    }
  }
  return name;
}

TEST(Names, ClassesAreFoundWhereTheyAreDefined) {
  const std::set<std::string> found = ClassesOf(R"(
    #define MACRO class InMacro {
    namespace a::b {
    class Declared;  // class InComment {
    class Plain { struct Nested { int x; }; };
    struct Derived final : Base<int>, public Other { int n = 1'000; char c = '{'; };
    template <typename T> class [[nodiscard]] Marked {};
    class [[nodiscard]] Marked<void> {};
    struct Plain::Part { int y; };
    enum class Kind : int { kOne };
    void Function(struct Argument* argument) { struct Local {}; const char* s = "class InText {"; }
    namespace { struct Unnamed {}; }
    struct alignas(64) Aligned {};
    })");
  EXPECT_EQ(found, (std::set<std::string>{"Plain", "Derived", "Marked", "Kind", "Aligned"}));
}

TEST(Names, NoTwoClassesHaveTheSame) {
  std::map<std::string, std::map<std::string, std::string>> places;  // by class, then by file
  for (const char* top : {"proto", "recorder", "trigger", "analyzer"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cc") continue;
      const std::string file = entry.path().lexically_relative(kRoot).string();
      for (const std::string& name : ClassesOf(TextOf(entry.path()))) {
        places[name].emplace(CommonName(file), file);
      }
    }
  }
  EXPECT_GT(places.size(), 800u) << places.size();
  for (const auto& [name, files] : places) {
    if (files.size() == 1) continue;
    std::string all;
    for (const auto& [common, file] : files) all += "\n  " + file;
    ADD_FAILURE() << name << " is defined in" << all;
  }
}

}  // namespace
}  // namespace hindsight
