#include "analyzer/analyses/places/module_owners.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "analyzer/analyses/code_kinds.h"
#include "analyzer/base/file_name.h"
#include "analyzer/base/prefixes.h"
#include "analyzer/naming/assembly_names.h"

namespace hindsight::analyzer {
namespace {

bool IsDigitsOnly(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Folders of a path in either system's form, without the file.
std::vector<std::string_view> FoldersOf(std::string_view path) {
  std::vector<std::string_view> folders;
  while (!path.empty()) {
    const size_t end = path.find_first_of("/\\");
    if (end == path.npos) break;
    if (end > 0) folders.push_back(path.substr(0, end));
    path.remove_prefix(end + 1);
  }
  return folders;
}

// Whether `second` is somewhere directly in `first`.
bool HasFolders(const std::vector<std::string_view>& folders, std::string_view first,
                std::string_view second) {
  return std::ranges::adjacent_find(folders, [&](std::string_view one, std::string_view next) {
           return one == first && next == second;
         }) != folders.end();
}

// How many leading folders identify the checkout or its owner; 0: builds of any program on such a
// server have the same ones.
size_t TreeDepth(const std::vector<std::string_view>& folders) {
  const auto at = [&](size_t i) { return i < folders.size() ? folders[i] : std::string_view(); };
  // Deterministic builds map their sources to /_/, /_1/, ...
  if (at(0).starts_with('_') && (at(0) == "_" || IsDigitsOnly(at(0).substr(1)))) return 0;
  // Azure Pipelines: .../1/s/...
  for (size_t i = 1; i < folders.size(); ++i) {
    if (folders[i] == "s" && IsDigitsOnly(folders[i - 1])) return 0;
  }
  if (at(0) == "__w") return 2;  // GitHub, in a container
  const size_t drive = at(0).ends_with(':') ? 1 : 0;
  if (at(drive) == "home" || at(drive) == "Users") {
    const bool is_ci = (at(drive + 1) == "runner" && at(drive + 2) == "work") ||
                       (at(drive + 1) == "appveyor" && at(drive + 2) == "projects");
    return drive + (is_ci ? 4 : 2);
  }
  if (drive == 1 && (at(1) == "a" || at(1) == "projects")) return 3;  // GitHub, AppVeyor
  if (at(0) == "builds") return 3;                                    // GitLab: group, project
  return drive + 1;
}

// A program that runs others' code, and is not an application itself.
bool IsHost(std::string_view name) {
  return StartsWithAny(name, {"testhost", "Microsoft.", "vstest.", "xunit.", "ReSharperTestRunner",
                              "MSBuild", "dotnet-"}) ||
         name == "pwsh" || name == "dotnet";
}

// Ignores case and punctuation: a tool's command is often its assembly's name in lower case.
std::string Letters(std::string_view name) {
  std::string out;
  for (const unsigned char c : name) {
    if (std::isalnum(c) != 0) out += static_cast<char>(std::tolower(c));
  }
  return out;
}

// Whether the name begins with these words: ShopServer with Shop.
bool BeginsWithWords(std::string_view name, std::string_view words) {
  return !words.empty() && name.starts_with(words) &&
         (name.size() == words.size() ||
          std::isupper(static_cast<unsigned char>(name[words.size()])) != 0);
}

std::string_view FirstPart(std::string_view name) { return name.substr(0, name.find('.')); }
std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

std::string BuildTree(std::string_view pdb_path) {
  const std::vector<std::string_view> folders = FoldersOf(pdb_path);
  std::string tree;
  const size_t depth = std::min(TreeDepth(folders), folders.size());
  for (size_t i = 0; i < depth; ++i) {
    tree += '/';
    tree += folders[i];
  }
  return tree;
}

ModuleOwners::ModuleOwners(const Dictionaries& dictionaries, std::string_view application)
    : dictionaries_(dictionaries), application_(application) {
  FindEntry();
  for (ModuleId id = 1; id < dictionaries_.modules() && !has_entry_ && !has_tree_; ++id) {
    const Module& module = dictionaries_.module(id);
    has_tree_ = MayBeYours(module) && !BuildTree(dictionaries_.String(module.pdb_path)).empty();
  }
}

bool ModuleOwners::MayBeYours(const Module& module) const {
  const std::string_view name = NameOf(module);
  return !module.is_native && module.pdb_path != 0 && !naming::IsFrameworkAssembly(name) &&
         !name.starts_with("Microsoft.") &&
         !HasFolders(FoldersOf(dictionaries_.String(module.path)), ".nuget", "packages");
}

void ModuleOwners::FindEntry() {
  if (application_.empty() || IsHost(application_)) return;
  const std::string letters = Letters(application_);
  const Module* entry = nullptr;
  const Module* alike = nullptr;
  const Module* last_part = nullptr;
  for (ModuleId id = 1;; ++id) {
    const Module& module = dictionaries_.module(id);
    if (module.path == 0 && module.assembly == 0) break;  // after the last one
    if (module.is_native || module.pdb_path == 0) continue;
    const std::string_view name = NameOf(module);
    if (name == application_) {
      entry = &module;
      break;
    }
    if (letters.empty() || naming::IsFrameworkAssembly(name)) continue;
    if (alike == nullptr && Letters(name) == letters) alike = &module;
    if (last_part == nullptr && Letters(LastPart(name)) == letters) last_part = &module;
  }
  if (entry == nullptr) entry = alike != nullptr ? alike : last_part;
  if (entry == nullptr) return;
  has_entry_ = true;
  application_ = NameOf(*entry);
  const std::string_view pdb_path = dictionaries_.String(entry->pdb_path);
  tree_ = BuildTree(pdb_path);
  is_bare_ = FoldersOf(pdb_path).empty();
  revision_ = entry->revision;
}

std::string_view ModuleOwners::NameOf(const Module& module) const {
  const std::string_view name = dictionaries_.String(module.assembly);
  return name.empty() ? FileName(dictionaries_.String(module.path)) : name;
}

ModuleOwner ModuleOwners::Of(ModuleId id) {
  if (id >= owners_.size()) owners_.resize(size_t{id} + 1);
  if (owners_[id] == ModuleOwner::kNotSeen) owners_[id] = Find(dictionaries_.module(id));
  return owners_[id];
}

ModuleOwner ModuleOwners::Find(const Module& module) const {
  const std::string_view name = NameOf(module);
  const std::string_view path = dictionaries_.String(module.path);
  const std::string_view pdb_path = dictionaries_.String(module.pdb_path);
  if (!application_.empty() && name == application_ && !IsHost(name)) return ModuleOwner::kYours;
  const std::vector<std::string_view> folders = FoldersOf(path);
  if (HasFolders(folders, "shared", "Microsoft.NETCore.App") ||
      HasFolders(folders, "shared", "Microsoft.AspNetCore.App")) {
    return ModuleOwner::kFramework;
  }
  const std::string tree = BuildTree(pdb_path);
  const bool has_your_revision = has_entry_ && revision_ != 0 && module.revision == revision_;
  if (naming::IsFrameworkAssembly(name)) {
    const bool has_your_tree = has_entry_ && !tree.empty() && tree == tree_;
    return has_your_tree || has_your_revision ? ModuleOwner::kYours : ModuleOwner::kFramework;
  }
  if (HasFolders(folders, ".nuget", "packages")) return ModuleOwner::kPackage;
  if (!has_entry_) {
    const bool has_folders = !FoldersOf(pdb_path).empty();
    const bool is_served = has_folders && tree.empty();
    const bool is_bare = !pdb_path.empty() && !has_folders && has_tree_;
    return is_served || is_bare || name.starts_with("Microsoft.") ? ModuleOwner::kPackage
                                                                  : ModuleOwner::kYours;
  }
  if (has_your_revision) return ModuleOwner::kYours;
  if (!tree.empty() && !tree_.empty()) {
    return tree == tree_ ? ModuleOwner::kYours : ModuleOwner::kPackage;
  }
  if (revision_ != 0 && module.revision != 0) return ModuleOwner::kPackage;
  const std::string_view first = FirstPart(name), your_first = FirstPart(application_);
  const bool are_bare = is_bare_ && !pdb_path.empty() && FoldersOf(pdb_path).empty();
  return name.empty() || first == your_first || (are_bare && BeginsWithWords(your_first, first))
             ? ModuleOwner::kYours
             : ModuleOwner::kPackage;
}

}  // namespace hindsight::analyzer
