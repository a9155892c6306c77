// The metadata of one loaded module.
//
// Read from the module's image. If that does not have what is asked for, the metadata has grown at
// run time (hot reload, another profiler): from then on, the runtime's own is read.
//
// Owned and used by one recorder thread. Holds a reference into the runtime until it is destroyed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/clr/info.h"
#include "recorder/clr/metadata.h"
#include "recorder/names/descriptions.h"
#include "recorder/names/metadata_opener.h"
#include "recorder/names/text_buffer.h"

namespace hindsight::recorder {

inline constexpr uint32_t kMaxGenericArguments = 256;
inline constexpr uint32_t kMaxNesting = 32;  // of types; further outer ones are left out

// A method as its module knows it, for all instantiations.
struct MethodProperties {
  std::string name;
  clr::mdTypeDef type = 0;
  std::span<const uint8_t> signature;  // valid while the module is loaded
};

// A field as its module knows it.
struct FieldProperties {
  clr::mdTypeDef type = 0;  // that declares it
  std::string name;
  bool is_static = false;
  bool is_literal = false;             // a constant: it has no storage
  bool has_data = false;               // its storage is in the module's file
  std::span<const uint8_t> signature;  // valid while the module is loaded
};

class Scope {
 public:
  // Without metadata (resources; a module still being loaded) the result is not valid().
  // Borrows `opener` and `text`.
  Scope(const MetadataOpener& opener, clr::ModuleID module, TextBuffer& text);

  bool valid() const { return static_cast<bool>(import_); }

  // Module's own name and version id.
  bool Properties(std::string& name, std::array<uint8_t, 16>& mvid);
  // Simple name from the assembly manifest; false if this module has none.
  bool AssemblyName(std::string& name);
  // See SourceRevision; empty: unknown.
  std::string AssemblyRevision();

  // Namespace.Outer+Inner`1 of a TypeDef or TypeRef; empty if there is no such token.
  std::string TypeName(clr::mdToken token);
  std::span<const uint8_t> TypeSpec(clr::mdToken token);
  bool Method(clr::mdMethodDef token, MethodProperties& out);
  // Names of the generic parameters of a TypeDef or MethodDef, by index.
  std::vector<std::string> GenericParameters(clr::mdToken owner);
  // CorParamAttr of a parameter, counted from 1; 0 if it has no row of its own.
  uint32_t ParameterFlags(clr::mdMethodDef method, uint32_t sequence);

  bool Field(clr::mdFieldDef token, FieldProperties& out);
  std::vector<clr::mdFieldDef> Fields(clr::mdTypeDef type);
  std::vector<clr::mdTypeDef> TypeDefs();
  // 0 if it has none.
  clr::mdMethodDef FirstMethod(clr::mdTypeDef type);
  bool IsGeneric(clr::mdTypeDef type);
  bool HasAttribute(clr::mdToken token, const char16_t* attribute);
  // Namespace.Outer+Inner`1 as TypeName writes it; 0 if it is not in this module.
  clr::mdTypeDef FindTypeDef(std::string_view name);

 private:
  // Makes a query, and repeats it if it fails and there is other metadata to ask.
  template <typename Query>
  bool Ask(Query query) {
    return query() || (ReadEditable() && query());
  }
  bool ReadEditable();

  bool TypeDefName(clr::mdTypeDef token, std::string& name, clr::mdToken& outer);
  bool TypeRefName(clr::mdTypeRef token, std::string& name, clr::mdToken& outer);

  const MetadataOpener& opener_;
  const clr::ModuleID module_;
  TextBuffer& text_;
  MetadataOpener::Metadata import_;
  bool is_editable_ = false;  // `import_` is the runtime's own
};

}  // namespace hindsight::recorder
