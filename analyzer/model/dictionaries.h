// Names in a recording: strings, modules, types, methods, handlers and stacks. Each is stored once,
// however many files repeat it.
//
// Ids are dense and start at 1; 0 is "unknown". Equal content has one id. Each table is limited to
// kMaxModelEntries, texts also to kMaxModelStringBytes: beyond that, Add returns 0 and counts the
// refusal.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hindsight::analyzer {

using StringId = uint32_t;
using ModuleId = uint32_t;
using TypeId = uint32_t;
using MethodId = uint32_t;
using HandlerId = uint32_t;
using StackId = uint32_t;

inline constexpr uint32_t kMaxModelEntries = 4u << 20;
inline constexpr uint64_t kMaxModelStringBytes = 256u << 20;

struct Module {
  StringId path = 0;
  StringId assembly = 0;
  std::string mvid;        // 16 bytes
  bool is_native = false;  // a native library
  std::string build_id;    // of a native library
  std::string pdb_id;      // 20 bytes: GUID and stamp; empty: no portable PDB
  StringId pdb_path = 0;
  StringId revision = 0;  // of the sources; 0: not known
};

struct Type {
  StringId name = 0;  // raw, as in the metadata
  ModuleId module = 0;
  uint32_t token = 0;
  std::vector<TypeId> arguments;
  TypeId element = 0;  // of an array
  uint32_t rank = 0;
};

struct Method {
  StringId name = 0;  // raw
  TypeId type = 0;
  ModuleId module = 0;
  uint32_t token = 0;
  std::vector<TypeId> arguments;
  bool is_dynamic = false;
  bool is_native = false;   // a function of a native module; `name` is its symbol, 0 if it has none
  uint64_t native_rva = 0;  // its offset from the module's load address
  bool is_plumbing = false;  // see naming::IsPlumbing; follows from the names
  std::vector<std::string> parameters;
};

// Where an exception was caught.
struct Handler {
  MethodId method = 0;  // 0: native code, or unknown
  int32_t il_offset = -1;
};

// A path of methods: `method` was called by the stack `parent`. Different native bodies and call
// sites of one method are one node, so that recompilation does not split a path.
struct StackNode {
  StackId parent = 0;  // always smaller than the node's own id
  MethodId method = 0;
  // The innermost method that is not plumbing, which is where a programmer looks; `method` if all
  // are.
  MethodId site = 0;
};

class Dictionaries {
 public:
  Dictionaries();

  StringId AddString(std::string_view text);
  ModuleId AddModule(const Module& module);
  TypeId AddType(const Type& type);
  MethodId AddMethod(const Method& method);
  HandlerId AddHandler(const Handler& handler);
  StackId AddStack(StackId parent, MethodId method);

  // Any id is allowed; unknown ones yield empty entries.
  std::string_view String(StringId id) const;
  const Module& module(ModuleId id) const;
  size_t modules() const { return modules_.size(); }  // ids are smaller
  const Type& type(TypeId id) const;
  const Method& method(MethodId id) const;
  const Handler& handler(HandlerId id) const;
  const StackNode& stack(StackId id) const;

  uint32_t handler_count() const { return static_cast<uint32_t>(handlers_.size()); }
  uint32_t stack_count() const { return static_cast<uint32_t>(stacks_.size()); }
  uint64_t refused() const { return refused_; }

  // From the innermost method outwards, at most kMaxStackDepth of them.
  std::vector<MethodId> Path(StackId id) const;

 private:
  template <typename Entry>
  uint32_t AddByContent(const Entry& entry, std::string key, std::vector<Entry>& table,
                        std::unordered_map<std::string, uint32_t>& index);
  template <typename Entry>
  bool HasRoom(const std::vector<Entry>& table);

  std::deque<std::string> strings_;
  std::unordered_map<std::string_view, StringId> string_index_;
  std::vector<Module> modules_;
  std::unordered_map<std::string, uint32_t> module_index_;
  std::vector<Type> types_;
  std::unordered_map<std::string, uint32_t> type_index_;
  std::vector<Method> methods_;
  std::unordered_map<std::string, uint32_t> method_index_;
  std::vector<Handler> handlers_;
  std::unordered_map<uint64_t, HandlerId> handler_index_;
  std::vector<StackNode> stacks_;
  std::unordered_map<uint64_t, StackId> stack_index_;
  uint64_t string_bytes_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace hindsight::analyzer
