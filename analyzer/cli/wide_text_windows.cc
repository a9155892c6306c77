#include "analyzer/cli/wide_text_windows.h"

#include <windows.h>

#include <shellapi.h>

namespace hindsight::cli {
namespace {

// Backslashes are only special before quotation marks.
std::wstring QuotedWord(const std::wstring& word) {
  if (!word.empty() && word.find_first_of(L" \t\"") == word.npos) return word;
  std::wstring out = L"\"";
  size_t backslashes = 0;
  for (const wchar_t c : word) {
    if (c == L'\\') {
      ++backslashes;
      continue;
    }
    out.append(c == L'"' ? 2 * backslashes + 1 : backslashes, L'\\');
    backslashes = 0;
    out += c;
  }
  out.append(2 * backslashes, L'\\');
  return out + L'"';
}

}  // namespace

std::string Utf8(std::wstring_view text) {
  const int length = static_cast<int>(text.size());
  const int size =
      WideCharToMultiByte(CP_UTF8, 0, text.data(), length, nullptr, 0, nullptr, nullptr);
  std::string utf8(static_cast<size_t>(size), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), length, utf8.data(), size, nullptr, nullptr);
  return utf8;
}

std::wstring Utf16(std::string_view text) {
  const int length = static_cast<int>(text.size());
  const int size = MultiByteToWideChar(CP_UTF8, 0, text.data(), length, nullptr, 0);
  std::wstring utf16(static_cast<size_t>(size), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), length, utf16.data(), size);
  return utf16;
}

std::vector<std::string> Words(const wchar_t* command_line) {
  std::vector<std::string> words;
  // For an empty line, it would return the path of this program.
  if (*command_line == L'\0') return words;
  int count = 0;
  wchar_t** const found = CommandLineToArgvW(command_line, &count);
  for (int i = 0; found != nullptr && i < count; ++i) words.push_back(Utf8(found[i]));
  LocalFree(found);
  return words;
}

std::wstring CommandLine(const std::vector<std::string>& words) {
  std::wstring line;
  for (const std::string& word : words)
    line += (line.empty() ? L"" : L" ") + QuotedWord(Utf16(word));
  return line;
}

}  // namespace hindsight::cli
