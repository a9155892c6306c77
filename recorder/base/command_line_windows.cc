#include "recorder/base/command_line_windows.h"

#include "recorder/base/wide_text_windows.h"

namespace hindsight::recorder {
namespace {

constexpr size_t kMaxArguments = 256;
constexpr size_t kMaxBytes = 16u << 10;

bool IsBlank(wchar_t c) { return c == L' ' || c == L'\t'; }

// The program's name has no escapes.
std::wstring TakeProgram(std::wstring_view& line) {
  std::wstring name;
  bool quoted = false;
  size_t at = 0;
  for (; at < line.size() && (quoted || !IsBlank(line[at])); ++at) {
    if (line[at] == L'"') {
      quoted = !quoted;
    } else {
      name += line[at];
    }
  }
  line.remove_prefix(at);
  return name;
}

// Backslashes are literal unless a quote follows: then each pair is one backslash, and an odd one
// makes the quote literal. Inside quotes, two quotes are a literal one.
std::wstring TakeArgument(std::wstring_view& line) {
  std::wstring argument;
  bool quoted = false;
  size_t at = 0;
  while (at < line.size() && (quoted || !IsBlank(line[at]))) {
    size_t slashes = 0;
    while (at < line.size() && line[at] == L'\\') {
      ++slashes;
      ++at;
    }
    const bool before_quote = at < line.size() && line[at] == L'"';
    argument.append(before_quote ? slashes / 2 : slashes, L'\\');
    if (!before_quote) {
      if (at < line.size() && (quoted || !IsBlank(line[at]))) argument += line[at++];
      continue;
    }
    ++at;
    if (slashes % 2 != 0) {
      argument += L'"';
    } else if (quoted && at < line.size() && line[at] == L'"') {
      argument += line[at++];
    } else {
      quoted = !quoted;
    }
  }
  line.remove_prefix(at);
  return argument;
}

}  // namespace

std::vector<std::string> SplitCommandLine(std::wstring_view line) {
  std::vector<std::string> arguments;
  if (line.empty()) return arguments;
  arguments.push_back(Utf8(TakeProgram(line)));
  size_t bytes = arguments.back().size();
  while (arguments.size() < kMaxArguments) {
    while (!line.empty() && IsBlank(line[0])) line.remove_prefix(1);
    if (line.empty()) break;
    std::string argument = Utf8(TakeArgument(line));
    bytes += argument.size();
    if (bytes > kMaxBytes) break;
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace hindsight::recorder
