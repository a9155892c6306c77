#include <windows.h>

#include "analyzer/cli/arguments.h"
#include "analyzer/cli/wide_text_windows.h"

namespace hindsight::cli {

// Not those of main, which are in the system's code page.
std::vector<std::string> Arguments(int, char**) {
  std::vector<std::string> words = Words(GetCommandLineW());
  if (!words.empty()) words.erase(words.begin());
  return words;
}

}  // namespace hindsight::cli
