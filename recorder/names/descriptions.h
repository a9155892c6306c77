// What the recorder knows about modules, types, methods and code: plain values that map one to one
// to the dictionary messages Module, Type, Method, Code and Frame of proto/recording.proto.
//
// Text is valid UTF-8. Ids are the runtime's: they are valid while the module, type or method is
// loaded, and 0 means "not known".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recorder/clr/types.h"

namespace hindsight::recorder {

struct ModuleDescription {
  std::string path;      // its name, for a module without a file
  std::string assembly;  // simple name
  std::array<uint8_t, 16> mvid{};
  bool has_mvid = false;
  std::array<uint8_t, 20> pdb_id{};  // as PdbReference, with its path
  std::string pdb_path;
  std::string revision;  // of the sources: see SourceRevision
  bool has_pdb = false;
  bool is_dynamic = false;    // generated at run time (Reflection.Emit)
  bool is_in_memory = false;  // loaded from bytes; does not include dynamic modules
};

struct TypeDescription {
  // Namespace.Outer+Inner`1, without arguments. For an array, that of its element followed by its
  // brackets: System.Int32[,]; for a pointer ?[].
  std::string name;
  clr::ModuleID module = 0;
  clr::mdTypeDef token = 0;             // 0 for arrays
  std::vector<clr::ClassID> arguments;  // in order; empty if open or not generic
  clr::ClassID element = 0;             // of an array; 0 for pointers
  uint32_t rank = 0;                    // of an array: dimensions; else 0
};

struct MethodDescription {
  std::string name;  // raw metadata name: MoveNext, <Main>b__0_1; for dynamic code its given name
  // Declaring type. `type` is 0 if the runtime does not say which instantiation runs (code shared
  // by generic instantiations); `type_token` then still names the open type in `module`. Both are 0
  // for code without metadata.
  clr::ClassID type = 0;
  clr::mdTypeDef type_token = 0;
  clr::ModuleID module = 0;
  clr::mdMethodDef token = 0;           // 0 for dynamic methods
  std::vector<clr::ClassID> arguments;  // generic arguments of the method
  bool is_dynamic = false;              // DynamicMethod or IL stub
  std::vector<std::string> parameters;  // types in C# syntax
};

struct CodeRegion {
  uintptr_t start = 0;
  uint32_t size = 0;  // bytes
};

struct IlMapEntry {
  int32_t il_offset = 0;       // bytes; or clr::kIlNoMapping, kIlProlog, kIlEpilog
  uint32_t native_offset = 0;  // bytes into the body; the entry applies up to the next one
};

// What a code address refers to.
enum class AddressKind : uint8_t {
  kReturn,  // a return address: the call is before it
  kExact,   // the instruction itself: a handler's entry, a sampled program counter
};

// The address of the instruction that `ip` refers to, or of its last byte: a return address may lie
// behind the end of its method, if the call is the last instruction.
constexpr uintptr_t InstructionAt(uintptr_t ip, AddressKind kind) {
  return kind == AddressKind::kReturn && ip != 0 ? ip - 1 : ip;
}

// One native body of a method. Native offsets run through the regions one after another, as in the
// runtime's IL maps: in a split body, the second region begins where the first one ends.
struct CodeDescription {
  clr::FunctionID function = 0;
  clr::ReJITID rejit = 0;
  bool is_dynamic = false;          // DynamicMethod or IL stub
  std::vector<CodeRegion> regions;  // the first begins where the body does; empty if unknown
  std::vector<IlMapEntry> il_map;   // by native offset; empty where the runtime has none
  bool il_map_put_off = false;      // it could not be queried at the moment

  uintptr_t start() const { return regions.empty() ? 0 : regions.front().start; }
  // Offset of `ip` itself, whatever its kind. Nothing if `ip` is not in this body.
  std::optional<uint32_t> NativeOffset(uintptr_t ip, AddressKind kind) const;
  // IL offset of the instruction that `ip` refers to. Where the map has none, that of the closest
  // one before it; in the method's prolog its start, in a handler's prolog that of the first one
  // after it. Nothing if there is neither: for example, the JIT maps no handlers of optimized code.
  std::optional<uint32_t> IlOffset(uintptr_t ip, AddressKind kind) const;
  // Start of the map entry that contains the instruction at `ip`, but not before the start of its
  // region. Nothing if `ip` is not in this body.
  std::optional<uintptr_t> PlaceOf(uintptr_t ip) const;
};

}  // namespace hindsight::recorder
