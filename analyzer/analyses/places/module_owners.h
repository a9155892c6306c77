// Who owns an assembly: the application, a package, or the framework.
//
// A recording names of each module its path, its assembly, and where the compiler wrote its PDB.
// The application's projects are compiled together, so their PDBs lie in one tree; a package's were
// compiled on somebody else's machine. The rule, first match:
//
//   1. The entry assembly is yours: the one called like the application. Tools are installed under
//      their commands: else it is the one that is called like it but for case and punctuation, or
//      whose name's last part is (Acme.Reports for `reports`).
//   2. What comes with .NET or ASP.NET Core is the framework's: because it was loaded from a shared
//      framework's folder, or by its name (IsFrameworkAssembly), unless 4 says that it is yours.
//   3. What was loaded from NuGet's cache is a package.
//   4. Compiled in the same tree as the entry assembly (BuildTree): yours. In another one: a
//   package.
//   5. Where trees tell nothing (`/_/`, which builds on servers write; no PDB): yours if the first
//   part
//      of the name is that of the entry assembly (Shop.Web, Shop.Core), else a package.
//
// Where the entry assembly is unknown, has no PDB, or is only a host (testhost, pwsh), 4 and 5
// are: a package if it was compiled by a build server or is called Microsoft.*, else yours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

enum class ModuleOwner : uint8_t { kNotSeen, kYours, kPackage, kFramework };

// Of a PDB's path as the compiler wrote it: the leading folders that what was compiled together has
// in common - a checkout, a user's home, the first folder of a container. Empty where they tell
// nothing.
std::string BuildTree(std::string_view pdb_path);

// Whether an assembly of this name comes with .NET or ASP.NET Core.
bool IsFrameworkAssembly(std::string_view name);

// One thread.
class ModuleOwners {
 public:
  // `dictionaries` outlives this. `application`: the entry assembly's name; may be empty.
  ModuleOwners(const Dictionaries& dictionaries, std::string_view application);

  // Of a managed module. 0, of which nothing is known: yours.
  ModuleOwner Of(ModuleId id);

 private:
  ModuleOwner Find(const Module& module) const;
  std::string_view NameOf(const Module& module) const;

  const Dictionaries& dictionaries_;
  std::string application_;
  std::string tree_;        // of the entry assembly
  bool has_entry_ = false;  // it is known, has a PDB, and is no host
  std::vector<ModuleOwner> owners_;
};

}  // namespace hindsight::analyzer
