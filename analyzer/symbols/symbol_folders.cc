#include "analyzer/symbols/symbol_folders.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "analyzer/base/path_text.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer::symbols {
namespace {

namespace fs = std::filesystem;

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

// A GUID as stored: its first three parts are little-endian numbers.
std::string GuidDigits(std::string_view guid) {
  constexpr size_t kOrder[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
  std::string bytes;
  for (const size_t i : kOrder) bytes += guid[i];
  return FormatHex(bytes);
}

bool MayHaveSymbols(std::string_view lower_name) {
  return lower_name.ends_with(".pdb") || lower_name.ends_with(".dll") ||
         lower_name.ends_with(".exe") || lower_name.ends_with(".dbg") ||
         lower_name.ends_with(".debug") || lower_name.ends_with(".so") ||
         lower_name.find(".so.") != std::string_view::npos;
}

}  // namespace

std::string_view Stem(std::string_view file_name) {
  return file_name.substr(0, file_name.rfind('.'));
}

void SymbolFolders::List() {
  listed_ = true;
  size_t entries = 0;
  for (const std::string& folder : folders_) {
    std::error_code error;
    fs::recursive_directory_iterator entry(PathOf(folder),
                                           fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      if (++entries > kMostEntries) {
        incomplete_ = true;
        return;
      }
      if (entry.depth() >= kMostDepth && entry.recursion_pending()) {
        entry.disable_recursion_pending();
        std::error_code ignored;
        incomplete_ = incomplete_ || entry->is_directory(ignored);
      }
      const std::string name = LowerCase(entry->path().filename().string());
      if (!MayHaveSymbols(name)) continue;
      std::vector<std::string>& files = files_[name];
      if (files.size() < kMostOfOneName) {
        files.push_back(entry->path().string());
      } else {
        incomplete_ = true;
      }
    }
  }
}

const std::vector<std::string>& SymbolFolders::Named(std::string_view file_name) {
  if (!listed_) List();
  static const std::vector<std::string> kNone;
  const auto found = files_.find(LowerCase(file_name));
  return found == files_.end() ? kNone : found->second;
}

std::vector<std::string> SymbolFolders::ServerPaths(std::string_view pdb_name,
                                                    std::string_view id) const {
  std::vector<std::string> paths;
  if (id.size() < 16 || pdb_name.empty()) return paths;
  const std::string digits = GuidDigits(id);
  std::string upper = digits;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
  // The protocol's keys are in lower case; some tools keep the case of the file name.
  const std::string name(pdb_name);
  const std::string lower = LowerCase(pdb_name);
  for (const std::string& folder : folders_) {
    paths.push_back(folder + "/" + lower + "/" + digits + "ffffffff/" + lower);
    paths.push_back(folder + "/" + name + "/" + upper + "FFFFFFFF/" + name);
    paths.push_back(folder + "/" + name + "/" + digits + "FFFFFFFF/" + name);
    paths.push_back(folder + "/" + name + "/" + digits + "ffffffff/" + name);
  }
  return paths;
}

}  // namespace hindsight::analyzer::symbols
