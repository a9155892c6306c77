#include "analyzer/analyses/pattern.h"

#include <algorithm>
#include <cstddef>

namespace hindsight::analyzer {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool Same(char a, char b) { return Lower(a) == Lower(b); }

// Only goes back to the last *: at most |pattern| * |text| steps.
bool MatchesGlob(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || Same(pattern[p], text[t]))) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  if (pattern.find_first_of("*?") != std::string_view::npos) return MatchesGlob(pattern, text);
  return std::search(text.begin(), text.end(), pattern.begin(), pattern.end(), Same) !=
             text.end() ||
         pattern.empty();
}

}  // namespace hindsight::analyzer
