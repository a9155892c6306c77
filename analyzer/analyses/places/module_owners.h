// Decides who owns an assembly: the application, a package, or the framework.
//
// A recording contains for each module its path, its assembly, the revision of its sources if they
// were a git checkout, and where the compiler wrote its PDB. The application's projects are
// compiled together, so their revisions are equal, and their PDBs are in one tree; packages were
// compiled from other sources, on other machines. The first rule that matches decides:
//
//   1. The entry assembly is yours: the one with the application's name. Tools are installed under
//      the names of their commands: so it may also be the one whose name differs only in case and
//      punctuation, or whose name ends with the application's (Acme.Reports for `reports`).
//   2. Assemblies of .NET or ASP.NET Core are the framework's: those loaded from a shared
//      framework's folder, and those with its names (IsFrameworkAssembly), unless rule 4 or 5
//      says that they are yours.
//   3. Assemblies loaded from NuGet's cache are packages.
//   4. Assemblies compiled from the same revision as the entry assembly are yours.
//   5. Those compiled in its tree (BuildTree) are yours, and those compiled in another tree are
//      packages.
//   6. If the trees say nothing (`/_/`, which build servers write; no PDB), those compiled from
//      another revision are packages.
//   7. Otherwise, an assembly is yours if the first part of its name is that of the entry assembly
//      (Shop.Web, Shop.Core), or the first words of that if both PDBs have only names (ShopServer
//      and Shop.Core); and a package if not.
//
// If the entry assembly is unknown, has no PDB, or is only a host (testhost, pwsh), the following
// replaces rules 4 to 7: an assembly is a package if it was compiled by a build server, if it is
// called Microsoft.*, or if its PDB's path has no folders and that of another one has a tree; and
// otherwise yours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

enum class ModuleOwner : uint8_t { kNotSeen, kYours, kPackage, kFramework };

// The leading folders of a PDB's path, as the compiler wrote it, that all assemblies compiled
// together have in common: a checkout, a user's home, the first folder of a container. Empty if
// they are meaningless.
std::string BuildTree(std::string_view pdb_path);

// One thread.
class ModuleOwners {
 public:
  // `dictionaries` must outlive this. `application`: the entry assembly's name; may be empty.
  ModuleOwners(const Dictionaries& dictionaries, std::string_view application);

  // The owner of a managed module. Module 0 is unknown, and counts as yours.
  ModuleOwner Of(ModuleId id);

 private:
  void FindEntry();
  bool MayBeYours(const Module& module) const;
  ModuleOwner Find(const Module& module) const;
  std::string_view NameOf(const Module& module) const;

  const Dictionaries& dictionaries_;
  std::string application_;
  // Of the entry assembly.
  std::string tree_;
  StringId revision_ = 0;
  bool is_bare_ = false;    // its PDB has only a name
  bool has_entry_ = false;  // it is known, has a PDB, and is not a host
  bool has_tree_ = false;   // an assembly that is neither the framework's nor from NuGet's cache
  std::vector<ModuleOwner> owners_;
};

}  // namespace hindsight::analyzer
