// The fields of a class, down to the leaves: what lies at which offset of an object.
//
// The layouts of the class, its bases and its type arguments come from the runtime. Nothing is
// asked that could make the runtime load a type: that is done on managed threads only, and this is
// none. So the fields of a struct embedded in a field are read from metadata, without offsets: its
// references lie in the order of their declaration, those of further embedded structs after them
// (dotnet/runtime, src/coreclr/vm/methodtablebuilder.cpp, PlaceInstanceFields). That is believed
// where the number of references fits; otherwise they bear the name of the field they lie in.
//
// Cold: the thread that owns the Metadata. Classes must be loaded; see Metadata for unloads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "recorder/names/metadata.h"

namespace hindsight::recorder {

enum class LeafKind : uint8_t { kReference, kSigned, kUnsigned, kFloat, kBool, kChar, kStruct };

struct FieldLeaf {
  uint32_t offset = 0;  // from the object's address; in an element of an array, from its start
  uint8_t bytes = 0;    // of a number
  LeafKind kind = LeafKind::kStruct;
  std::string path;   // _entry._key
  std::string owner;  // class that declares the first field of the path, without namespace
  // kStruct: paths of the references in it, in order; below `path`.
  std::vector<std::string> references;
};

// All loaded modules, the core library first.
std::vector<clr::ModuleID> LoadedModules(clr::ICorProfilerInfo10* info);

class FieldResolver {
 public:
  explicit FieldResolver(Metadata& names) : names_(names), modules_(LoadedModules(names.info())) {}

  // It is asked about no more.
  void ModuleUnloaded(clr::ModuleID module);

  // Leaves of an object of this class, inherited ones included, by offset; for an array those of
  // one element. Empty for arrays of references and of numbers.
  std::vector<FieldLeaf> Leaves(clr::ClassID type);

  // Names of the references at these offsets, ascending; empty where nothing is known. `leaves` as
  // Leaves returns them.
  static std::vector<std::string> NamesAt(std::span<const FieldLeaf> leaves,
                                          std::span<const uint32_t> offsets);

  // Whether a static field with this signature is kept as a reference: of a reference type, or of a
  // struct, which lies in a box. Not so for numbers.
  static bool IsKeptAsReference(std::span<const uint8_t> signature);

 private:
  struct Signature;
  struct Argument;
  struct Definition {
    clr::ModuleID module = 0;
    clr::mdTypeDef token = 0;
  };
  using Arguments = std::vector<Argument>;
  static constexpr uint32_t kMaxDepth = 12;   // of embedded structs
  static constexpr size_t kMaxLeaves = 8192;  // of one class

  void AddLeaves(clr::ClassID type, uint32_t base, const std::string& prefix,
                 const std::string& owner, uint32_t depth, std::vector<FieldLeaf>& out);
  void AddLoaded(clr::ClassID type, FieldLeaf leaf, uint32_t depth, std::vector<FieldLeaf>& out);
  void AddReferences(const Definition& type, const Arguments& arguments, const std::string& prefix,
                     uint32_t depth, std::vector<std::string>& out);
  void AddReferencesOf(const Argument& type, const std::string& path, uint32_t depth,
                       std::vector<std::string>& out);
  // What a signature of a value type stands for, past its first byte.
  bool ReadStruct(uint32_t type, Signature& signature, clr::ModuleID module,
                  const Arguments& arguments, Definition& definition, Arguments& inner);
  bool Find(clr::mdToken token, clr::ModuleID module, Definition& out);
  bool FindByName(const std::string& name, Definition& out);
  bool IsValueType(clr::ClassID type);
  bool ReadEnum(const Definition& type, FieldLeaf& leaf);

  Metadata& names_;
  std::vector<clr::ModuleID> modules_;
  std::unordered_map<std::string, Definition> by_name_;
};

}  // namespace hindsight::recorder
