// The fields of a class, down to the leaves, with their offsets in an object.
//
// The layouts of the class, its bases and its type arguments come from the runtime. No query is
// made that could load a type, because that must happen on a managed thread, and this is not one.
// So the fields of an embedded struct are read from metadata, without offsets: its references are
// in the order of their declaration, those of further embedded structs after them (dotnet/runtime,
// src/coreclr/vm/methodtablebuilder.cpp, PlaceInstanceFields). This is used if the number of
// references matches; otherwise they get the name of the field that contains them.
//
// Not time-critical: the thread that owns the Metadata.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "recorder/names/runtime_metadata.h"

namespace hindsight::recorder {

enum class LeafKind : uint8_t { kReference, kSigned, kUnsigned, kFloat, kBool, kChar, kStruct };

struct FieldLeaf {
  uint32_t offset = 0;  // from the object's address; in an array element, from its start
  uint8_t bytes = 0;    // of a number
  LeafKind kind = LeafKind::kStruct;
  std::string path;   // _entry._key
  std::string owner;  // class that declares the first field of the path, without namespace
  // kStruct: paths of its references, in order; relative to `path`.
  std::vector<std::string> references;
};

// All loaded modules, the core library first: as of a time before the call.
std::vector<clr::ModuleID> LoadedModules(clr::ICorProfilerInfo10* info);
// Of these, the ones that are never unloaded.
std::vector<clr::ModuleID> PermanentModules(RuntimeMetadata& names, clr::ICorProfilerInfo10* info);

class FieldResolver {
 public:
  // `modules`: where structs of other modules are looked up by name. They must be permanent.
  FieldResolver(RuntimeMetadata& names, std::vector<clr::ModuleID> modules)
      : names_(names), modules_(std::move(modules)) {}

  // Leaves of an object of this class, including inherited ones, by offset; for an array, those of
  // one element. Empty for arrays of references and of numbers.
  std::vector<FieldLeaf> Leaves(const CodeGate::Hold& hold, clr::ClassID type);

  // Names of the references at these offsets, ascending; empty where not known. `leaves` as
  // returned by Leaves.
  static std::vector<std::string> NamesAt(std::span<const FieldLeaf> leaves,
                                          std::span<const uint32_t> offsets);

  // Whether a static field with this signature is stored as a reference: it is of a reference type,
  // or of a struct type, which is boxed. False for numbers.
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

  bool AddLeaves(const CodeGate::Hold& hold, clr::ClassID type, uint32_t base,
                 const std::string& prefix, const std::string& owner, uint32_t depth,
                 std::vector<FieldLeaf>& out);
  void AddLoaded(const CodeGate::Hold& hold, clr::ClassID type, FieldLeaf leaf, uint32_t depth,
                 std::vector<FieldLeaf>& out);
  void AddReferences(const CodeGate::Hold& hold, const Definition& type, const Arguments& arguments,
                     const std::string& prefix, uint32_t depth, std::vector<std::string>& out);
  void AddReferencesOf(const CodeGate::Hold& hold, const Argument& type, const std::string& path,
                       uint32_t depth, std::vector<std::string>& out);
  // What a value type's signature refers to, after its first byte.
  bool ReadStruct(const CodeGate::Hold& hold, uint32_t type, Signature& signature,
                  clr::ModuleID module, const Arguments& arguments, Definition& definition,
                  Arguments& inner);
  bool Find(const CodeGate::Hold& hold, clr::mdToken token, clr::ModuleID module, Definition& out);
  bool FindByName(const CodeGate::Hold& hold, const std::string& name, Definition& out);
  bool IsValueType(const CodeGate::Hold& hold, clr::ClassID type);
  bool ReadNumber(const CodeGate::Hold& hold, const Definition& type, FieldLeaf& leaf);

  RuntimeMetadata& names_;
  std::vector<clr::ModuleID> modules_;
  std::unordered_map<std::string, Definition> by_name_;
};

}  // namespace hindsight::recorder
