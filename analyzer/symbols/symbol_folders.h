// Folders that may contain symbols: `--symbols DIR`.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hindsight::analyzer::symbols {

// A file's name without its extension.
std::string_view Stem(std::string_view file_name);

// PDBs, assemblies, native libraries and their debug files in some folders and their subfolders, by
// name. The folders are listed when the first file is asked for; links are not followed.
class SymbolFolders {
 public:
  static constexpr size_t kMostEntries = 500'000;  // listed, over all folders
  static constexpr int kMostDepth = 12;
  static constexpr size_t kMostOfOneName = 256;

  explicit SymbolFolders(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  const std::vector<std::string>& folders() const { return folders_; }
  // Files with that name, ignoring case.
  const std::vector<std::string>& Named(std::string_view file_name);
  // Where a symbol server's folder has the PDB with that id (20 bytes): NAME/GUIDffffffff/NAME. The
  // files need not exist.
  std::vector<std::string> ServerPaths(std::string_view pdb_name, std::string_view id) const;
  // Not all files were listed, because there are more than the limits above.
  bool incomplete() const { return incomplete_; }

 private:
  void List();

  std::vector<std::string> folders_;
  std::unordered_map<std::string, std::vector<std::string>> files_;  // by name in lower case
  bool listed_ = false;
  bool incomplete_ = false;
};

}  // namespace hindsight::analyzer::symbols
