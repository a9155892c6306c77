// Source lines of places in code, for reports: `--lines`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/model/dictionaries.h"
#include "analyzer/symbols/portable_pdb.h"
#include "analyzer/symbols/source_link.h"
#include "analyzer/symbols/symbol_folders.h"

namespace hindsight::analyzer {

// Views are valid as long as the Lines that returned them.
struct SourceLine {
  std::string_view file;  // the path given to the compiler; empty: the line is unknown
  std::string_view url;   // where Source Link says its text is; empty: unknown
  uint32_t line = 0;

  bool known() const { return line != 0; }
  bool operator==(const SourceLine&) const = default;
};

// "Shop.cs:12"; empty if unknown. Not yet safe for a terminal: see Printable.
std::string LineLabel(const SourceLine& line);

// Opens a module's PDB once, when one of its places is first asked for. Not thread-safe.
class Lines {
 public:
  // Sequence points kept, over all methods. Methods beyond that have no lines.
  static constexpr size_t kMostPoints = size_t{16} << 20;

  // `dictionaries` must outlive this. PDBs are searched next to the modules as recorded, and in
  // `folders` and their subfolders.
  Lines(const Dictionaries& dictionaries, std::vector<std::string> folders);
  ~Lines();

  // `il_offset` as in the model; -1: unknown. The line is that of the last visible sequence point
  // at or before the offset; compiler-generated code at the start of a method is attributed to its
  // first line, and so is the stub that starts an async method or an iterator.
  SourceLine Of(MethodId method, int32_t il_offset) const;

  // What could not be determined for the places asked for so far, and what to do about it:
  // sentences.
  std::vector<std::string> Notes() const;

 private:
  struct Document {
    std::string path;
    std::string url;
  };
  struct ModuleLines {
    std::unique_ptr<symbols::PortablePdb> pdb;  // null: not found
    std::string other_build;
    symbols::SourceLink link;
    std::unordered_map<uint32_t, Document> documents;  // by document number
    std::unordered_map<uint32_t, std::vector<symbols::SequencePoint>> methods;  // by token
    std::set<uint32_t> unknown;  // tokens asked for without a PDB
  };
  ModuleLines& Load(ModuleId module) const;
  const std::vector<symbols::SequencePoint>& PointsOf(ModuleLines& module, uint32_t token) const;

  const Dictionaries* dictionaries_;
  mutable symbols::SymbolFolders folders_;
  mutable std::map<ModuleId, ModuleLines> modules_;
  mutable size_t points_left_ = kMostPoints;
};

}  // namespace hindsight::analyzer
