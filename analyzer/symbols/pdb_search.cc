#include "analyzer/symbols/pdb_search.h"

#include <optional>
#include <span>
#include <vector>

#include "analyzer/base/file_name.h"
#include "analyzer/base/regular_file.h"
#include "analyzer/symbols/inflate.h"
#include "analyzer/symbols/pe_image.h"

namespace hindsight::analyzer::symbols {
namespace {

std::optional<std::string> ReadWhole(const std::string& path) {
  int error = 0;
  const std::optional<RegularFile> file = RegularFile::Open(path, error);
  if (!file || file->size() > kMostFileBytes) return std::nullopt;
  std::string bytes(static_cast<size_t>(file->size()), '\0');
  bytes.resize(file->ReadAt(0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

class Search {
 public:
  Search(const WantedPdb& wanted, SymbolFolders& folders)
      : wanted_(wanted),
        folders_(folders),
        module_name_(FileName(wanted.module_path)),
        id_(wanted.pdb_id),
        pdb_path_(wanted.pdb_path) {}

  FoundPdb Run();

 private:
  // Files that may be the module itself.
  std::vector<std::string> Modules() const;
  std::vector<std::string> Pdbs() const;
  // Takes the id from the module's own file.
  void LearnId();
  bool TryPdb(const std::string& path);
  bool TryEmbedded(const std::string& path);
  bool Take(std::string bytes, const std::string& path);

  const WantedPdb& wanted_;
  SymbolFolders& folders_;
  const std::string module_name_;
  std::string id_;
  std::string pdb_path_;
  FoundPdb found_;
};

std::vector<std::string> Search::Modules() const {
  std::vector<std::string> paths;
  if (wanted_.module_path.starts_with('/')) paths.emplace_back(wanted_.module_path);
  const auto& named = folders_.Named(module_name_);
  paths.insert(paths.end(), named.begin(), named.end());
  return paths;
}

std::vector<std::string> Search::Pdbs() const {
  const std::string by_module = std::string(Stem(module_name_)) + ".pdb";
  std::vector<std::string> names = {by_module};
  const std::string by_compiler(FileName(pdb_path_));
  if (!by_compiler.empty() && by_compiler != by_module) names.push_back(by_compiler);

  std::vector<std::string> paths;
  for (const std::string& name : names) {
    if (!wanted_.module_path.starts_with('/')) continue;
    const size_t folder = wanted_.module_path.size() - module_name_.size();
    paths.push_back(std::string(wanted_.module_path.substr(0, folder)) + name);
  }
  if (pdb_path_.starts_with('/')) paths.push_back(pdb_path_);
  for (const std::string& name : names) {
    for (std::string& path : folders_.ServerPaths(name, id_)) paths.push_back(std::move(path));
    const auto& named = folders_.Named(name);
    paths.insert(paths.end(), named.begin(), named.end());
  }
  return paths;
}

void Search::LearnId() {
  if (wanted_.mvid.empty()) return;
  for (const std::string& path : Modules()) {
    const auto bytes = ReadWhole(path);
    if (!bytes) continue;
    const auto image = ParsePeImage(*bytes, path);
    if (!image) continue;
    if (image->mvid != wanted_.mvid) {
      found_.other_build = path;
      continue;
    }
    id_ = image->pdb_id;
    pdb_path_ = std::string(image->pdb_path);
    return;
  }
}

bool Search::Take(std::string bytes, const std::string& path) {
  auto pdb = PortablePdb::Parse(std::move(bytes), path);
  if (!pdb) return false;
  if ((*pdb)->id() != id_) {
    found_.other_build = path;
    return false;
  }
  found_.pdb = std::move(*pdb);
  return true;
}

bool Search::TryPdb(const std::string& path) {
  auto bytes = ReadWhole(path);
  return bytes && Take(std::move(*bytes), path);
}

bool Search::TryEmbedded(const std::string& path) {
  const auto file = ReadWhole(path);
  if (!file) return false;
  const auto image = ParsePeImage(*file, path);
  if (!image || image->embedded.empty() || image->embedded_size > kMostFileBytes) return false;
  auto bytes = Inflate(image->embedded, image->embedded_size);
  return bytes && Take(std::move(*bytes), path);
}

FoundPdb Search::Run() {
  if (module_name_.empty()) return {};
  if (id_.empty()) LearnId();
  if (id_.empty()) return std::move(found_);
  for (const std::string& path : Pdbs()) {
    if (TryPdb(path)) return std::move(found_);
  }
  for (const std::string& path : Modules()) {
    if (TryEmbedded(path)) return std::move(found_);
  }
  return std::move(found_);
}

}  // namespace

FoundPdb FindPdb(const WantedPdb& wanted, SymbolFolders& folders) {
  return Search(wanted, folders).Run();
}

}  // namespace hindsight::analyzer::symbols
