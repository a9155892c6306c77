#include "recorder/names/fields.h"

#include <algorithm>
#include <array>

#include "recorder/base/clock.h"
#include "recorder/clr/element_type.h"
#include "recorder/clr/for_each_id.h"
#include "recorder/clr/metadata.h"

namespace hindsight::recorder {
namespace {

namespace element = clr::element;

constexpr uint8_t kFieldSignature = 0x06;
constexpr uint32_t kMaxFields = 4096;  // of one class, without inherited ones

struct Number {
  uint32_t type;
  LeafKind kind;
  uint8_t bytes;
  const char* name;
};
constexpr std::array<Number, 14> kNumbers = {{
    {element::kBoolean, LeafKind::kBool, 1, "System.Boolean"},
    {element::kChar, LeafKind::kChar, 2, "System.Char"},
    {element::kInt8, LeafKind::kSigned, 1, "System.SByte"},
    {element::kUInt8, LeafKind::kUnsigned, 1, "System.Byte"},
    {element::kInt16, LeafKind::kSigned, 2, "System.Int16"},
    {element::kUInt16, LeafKind::kUnsigned, 2, "System.UInt16"},
    {element::kInt32, LeafKind::kSigned, 4, "System.Int32"},
    {element::kUInt32, LeafKind::kUnsigned, 4, "System.UInt32"},
    {element::kInt64, LeafKind::kSigned, 8, "System.Int64"},
    {element::kUInt64, LeafKind::kUnsigned, 8, "System.UInt64"},
    {element::kFloat32, LeafKind::kFloat, 4, "System.Single"},
    {element::kFloat64, LeafKind::kFloat, 8, "System.Double"},
    {element::kIntPtr, LeafKind::kSigned, 8, "System.IntPtr"},
    {element::kUIntPtr, LeafKind::kUnsigned, 8, "System.UIntPtr"},
}};

const Number* FindNumber(uint32_t type) {
  for (const Number& number : kNumbers) {
    if (number.type == type) return &number;
  }
  return nullptr;
}

bool IsReference(uint32_t type) {
  return type == element::kString || type == element::kClass || type == element::kObject ||
         type == element::kVector || type == element::kArray;
}

std::string WithoutNamespace(const std::string& name) {
  const size_t nested = name.rfind('+');
  const size_t dot = name.rfind('.');
  size_t start = 0;
  if (nested != std::string::npos) {
    start = nested + 1;
  } else if (dot != std::string::npos) {
    start = dot + 1;
  }
  return name.substr(start, name.find('`', start) - start);
}

}  // namespace

// A cursor over an ECMA-335 signature (II.23.2); reading past its end gives zeros.
struct FieldResolver::Signature {
  std::span<const uint8_t> left;

  uint32_t Byte() {
    if (left.empty()) return 0;
    const uint8_t byte = left.front();
    left = left.subspan(1);
    return byte;
  }
  uint32_t Compressed() {
    const uint32_t first = Byte();
    if ((first & 0x80) == 0) return first;
    if ((first & 0xc0) == 0x80) return (first & 0x3f) << 8 | Byte();
    uint32_t value = (first & 0x1f) << 24;
    value |= Byte() << 16;
    value |= Byte() << 8;
    return value | Byte();
  }
  clr::mdToken Token() {
    constexpr uint32_t kTables[] = {0x02000000, 0x01000000, 0x1b000000, 0};
    const uint32_t coded = Compressed();
    return kTables[coded & 3] | coded >> 2;
  }
  uint32_t Type() {  // skips custom modifiers
    uint32_t type = Byte();
    while (type == element::kRequiredModifier || type == element::kOptionalModifier) {
      Compressed();
      type = Byte();
    }
    return type;
  }
  // Skips one whole type.
  void Skip(uint32_t depth = 0) {
    constexpr uint32_t kMaxNesting = 64;
    const uint32_t type = Type();
    if (depth > kMaxNesting) left = {};
    switch (type) {
      case element::kValueType:
      case element::kClass:
        Token();
        break;
      case element::kVar:
      case element::kMethodVar:
        Compressed();
        break;
      case element::kPointer:
      case element::kByRef:
      case element::kVector:
        Skip(depth + 1);
        break;
      case element::kArray: {
        Skip(depth + 1);
        Compressed();  // rank
        for (int list = 0; list < 2; ++list) {
          for (uint32_t n = Compressed(); n > 0 && !left.empty(); --n) Compressed();
        }
        break;
      }
      case element::kGenericInstance: {
        Byte();
        Token();
        for (uint32_t n = Compressed(); n > 0 && !left.empty(); --n) Skip(depth + 1);
        break;
      }
      case element::kFunctionPointer:
        left = {};  // no relevant field has one as an argument
        break;
      default:
        break;
    }
  }
};

// A type argument: a loaded class, or part of a signature.
struct FieldResolver::Argument {
  clr::ClassID loaded = 0;
  Signature signature;
  clr::ModuleID module = 0;
  Arguments outer;
};

std::vector<FieldLeaf> FieldResolver::Leaves(const CodeGate::Hold& hold, clr::ClassID type) {
  clr::ICorProfilerInfo10* const info = names_.info(hold);
  std::vector<FieldLeaf> leaves;
  clr::CorElementType element_type = 0;
  clr::ClassID element = 0;
  uint32_t rank = 0;
  if (info->IsArrayClass(type, &element_type, &element, &rank) == clr::S_OK) {
    if (element_type == element::kValueType && !AddLeaves(hold, element, 0, {}, {}, 0, leaves)) {
      return {};
    }
  } else {
    constexpr int kMaxBases = 256;
    uint32_t box = 0;
    // A boxed struct comes after the MethodTable, and a struct's offsets begin at 0.
    const clr::HRESULT layout = info->GetBoxClassLayout(type, &box);
    const bool boxed = clr::Succeeded(layout);
    if (!boxed && layout != clr::E_INVALIDARG) return {};
    for (int i = 0; i < kMaxBases && type != 0; ++i) {
      // If the fields of one class are missing, what is there would get the name of a field before
      // it.
      if (!AddLeaves(hold, type, boxed ? box : 0, {}, {}, 0, leaves)) return {};
      if (boxed) break;
      clr::ClassID parent = 0;
      if (clr::Failed(
              info->GetClassIDInfo2(type, nullptr, nullptr, &parent, 0, nullptr, nullptr))) {
        return {};
      }
      type = parent;
    }
  }
  std::stable_sort(leaves.begin(), leaves.end(),
                   [](const FieldLeaf& a, const FieldLeaf& b) { return a.offset < b.offset; });
  // The same name in a class and its base class: both get their type as a prefix.
  std::unordered_map<std::string, uint32_t> times;
  for (const FieldLeaf& leaf : leaves) ++times[leaf.path];
  for (FieldLeaf& leaf : leaves) {
    if (times[leaf.path] > 1 && !leaf.owner.empty() && !leaf.path.empty()) {
      leaf.path = leaf.owner + "." + leaf.path;
    }
  }
  return leaves;
}

// False: some are unknown.
bool FieldResolver::AddLeaves(const CodeGate::Hold& hold, clr::ClassID type, uint32_t base,
                              const std::string& prefix, const std::string& owner, uint32_t depth,
                              std::vector<FieldLeaf>& out) {
  clr::ICorProfilerInfo10* const info = names_.info(hold);
  uint32_t count = 0;
  uint32_t size = 0;
  const clr::HRESULT counted = info->GetClassLayout(type, nullptr, 0, &count, &size);
  if (count == 0) return clr::Succeeded(counted);
  if (count > kMaxFields || depth > kMaxDepth) return false;
  std::vector<clr::COR_FIELD_OFFSET> fields(count);
  if (clr::Failed(info->GetClassLayout(type, fields.data(), count, &count, &size))) return false;
  TypeDescription description;
  if (!names_.DescribeType(hold, type, description)) return false;
  Scope* const scope = names_.ScopeOf(hold, description.module);
  if (scope == nullptr) return false;
  const std::string own_name = owner.empty() ? WithoutNamespace(description.name) : owner;
  Arguments arguments(description.arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i].loaded = description.arguments[i];

  for (const clr::COR_FIELD_OFFSET& place : fields) {
    FieldProperties field;
    if (out.size() >= kMaxLeaves) return false;
    FieldLeaf leaf;
    leaf.offset = base + place.ulOffset;
    const bool is_known = scope->Field(place.ridOfField, field);
    Signature signature{field.signature};
    if (!is_known || signature.Byte() != kFieldSignature) {
      out.push_back(std::move(leaf));  // without a name: not part of the field before it
      continue;
    }
    leaf.path = prefix + field.name;
    leaf.owner = own_name;
    const uint32_t kind = signature.Type();
    if (IsReference(kind)) {
      leaf.kind = LeafKind::kReference;
    } else if (const Number* number = FindNumber(kind)) {
      leaf.kind = number->kind;
      leaf.bytes = number->bytes;
    } else if (kind == element::kVar) {
      const uint32_t index = signature.Compressed();
      if (index < arguments.size() && arguments[index].loaded != 0) {
        AddLoaded(hold, arguments[index].loaded, std::move(leaf), depth, out);
        continue;
      }
    } else if (kind == element::kValueType || kind == element::kGenericInstance) {
      Definition definition;
      Arguments inner;
      if (!ReadStruct(hold, kind, signature, description.module, arguments, definition, inner)) {
        leaf.kind = LeafKind::kReference;  // a generic class
      } else if (definition.token != 0 && !ReadNumber(hold, definition, leaf)) {
        AddReferences(hold, definition, inner, {}, depth + 1, leaf.references);
      }
    }
    out.push_back(std::move(leaf));
  }
  return true;
}

bool FieldResolver::IsValueType(const CodeGate::Hold& hold, clr::ClassID type) {
  uint32_t box = 0;
  return clr::Succeeded(names_.info(hold)->GetBoxClassLayout(type, &box));
}

// A field whose type is a type argument.
void FieldResolver::AddLoaded(const CodeGate::Hold& hold, clr::ClassID type, FieldLeaf leaf,
                              uint32_t depth, std::vector<FieldLeaf>& out) {
  TypeDescription description;
  if (!IsValueType(hold, type)) {
    leaf.kind = LeafKind::kReference;
    out.push_back(std::move(leaf));
    return;
  }
  if (names_.DescribeType(hold, type, description)) {
    for (const Number& number : kNumbers) {
      if (description.name != number.name) continue;
      leaf.kind = number.kind;
      leaf.bytes = number.bytes;
      out.push_back(std::move(leaf));
      return;
    }
  }
  const size_t before = out.size();
  if (AddLeaves(hold, type, leaf.offset, leaf.path + ".", leaf.owner, depth + 1, out)) return;
  out.resize(before);
  out.push_back(std::move(leaf));
}

bool FieldResolver::ReadStruct(const CodeGate::Hold& hold, uint32_t type, Signature& signature,
                               clr::ModuleID module, const Arguments& arguments,
                               Definition& definition, Arguments& inner) {
  if (type == element::kValueType) {
    Find(hold, signature.Token(), module, definition);
    return true;
  }
  const bool is_struct = signature.Byte() == element::kValueType;
  if (!is_struct) return false;
  Find(hold, signature.Token(), module, definition);
  const uint32_t count = signature.Compressed();
  for (uint32_t i = 0; i < count && i < kMaxGenericArguments && !signature.left.empty(); ++i) {
    Signature peek = signature;
    Argument argument;
    if (peek.Type() == element::kVar) {
      const uint32_t index = peek.Compressed();
      if (index < arguments.size()) argument = arguments[index];
    } else {
      argument.signature = signature;
      argument.module = module;
      argument.outer = arguments;
    }
    inner.push_back(std::move(argument));
    signature.Skip();
  }
  return true;
}

// References directly in the struct first, then those of embedded structs: the runtime's layout.
void FieldResolver::AddReferences(const CodeGate::Hold& hold, const Definition& type,
                                  const Arguments& arguments, const std::string& prefix,
                                  uint32_t depth, std::vector<std::string>& out) {
  Scope* const scope = names_.ScopeOf(hold, type.module);
  if (scope == nullptr || depth > kMaxDepth) return;
  std::vector<std::pair<std::string, Argument>> structs;
  for (const clr::mdFieldDef token : scope->Fields(type.token)) {
    FieldProperties field;
    if (out.size() >= kMaxLeaves || !scope->Field(token, field) || field.is_static) continue;
    Signature signature{field.signature};
    if (signature.Byte() != kFieldSignature) continue;
    Argument own;
    own.signature = signature;
    own.module = type.module;
    const uint32_t kind = signature.Type();
    if (IsReference(kind)) {
      out.push_back(prefix + field.name);
      continue;
    }
    if (kind == element::kVar) {
      const uint32_t index = signature.Compressed();
      if (index >= arguments.size()) continue;
      own = arguments[index];
      if (own.loaded != 0 && !IsValueType(hold, own.loaded)) {
        out.push_back(prefix + field.name);
        continue;
      }
      Signature peek = own.signature;
      const uint32_t actual = own.loaded != 0 ? element::kValueType : peek.Type();
      if (IsReference(actual) ||
          (actual == element::kGenericInstance && peek.Byte() == element::kClass)) {
        out.push_back(prefix + field.name);
        continue;
      }
    } else {
      own.outer = arguments;
      if (kind == element::kGenericInstance && signature.Byte() == element::kClass) {
        out.push_back(prefix + field.name);
        continue;
      }
    }
    structs.emplace_back(prefix + field.name, std::move(own));
  }
  for (const auto& [path, argument] : structs) AddReferencesOf(hold, argument, path, depth, out);
}

void FieldResolver::AddReferencesOf(const CodeGate::Hold& hold, const Argument& type,
                                    const std::string& path, uint32_t depth,
                                    std::vector<std::string>& out) {
  if (type.loaded != 0) {
    std::vector<FieldLeaf> leaves;
    if (!AddLeaves(hold, type.loaded, 0, path + ".", {}, depth + 1, leaves)) return;
    std::stable_sort(leaves.begin(), leaves.end(),
                     [](const FieldLeaf& a, const FieldLeaf& b) { return a.offset < b.offset; });
    for (const FieldLeaf& leaf : leaves) {
      if (leaf.kind == LeafKind::kReference) out.push_back(leaf.path);
      for (const std::string& inner : leaf.references) out.push_back(leaf.path + "." + inner);
    }
    return;
  }
  Signature signature = type.signature;
  const uint32_t kind = signature.Type();
  if (kind != element::kValueType && kind != element::kGenericInstance) return;  // a number
  Definition definition;
  Arguments inner;
  FieldLeaf unused;
  if (ReadStruct(hold, kind, signature, type.module, type.outer, definition, inner) &&
      definition.token != 0 && !ReadNumber(hold, definition, unused)) {
    AddReferences(hold, definition, inner, path + ".", depth + 1, out);
  }
}

// An enum is its number, value__, and a TimeSpan its _ticks: their only instance fields.
bool FieldResolver::ReadNumber(const CodeGate::Hold& hold, const Definition& type,
                               FieldLeaf& leaf) {
  Scope* const scope = names_.ScopeOf(hold, type.module);
  if (scope == nullptr) return false;
  const Number* number = nullptr;
  bool are_ticks = false;
  for (const clr::mdFieldDef token : scope->Fields(type.token)) {
    FieldProperties field;
    if (!scope->Field(token, field) || field.is_static) continue;
    are_ticks = field.name == "_ticks";
    if (number != nullptr || (!are_ticks && field.name != "value__")) return false;
    Signature signature{field.signature};
    signature.Byte();
    number = FindNumber(signature.Type());
    if (number == nullptr) return false;
  }
  if (number == nullptr) return false;
  leaf.kind = number->kind;
  leaf.bytes = number->bytes;
  if (are_ticks) leaf.path += "._ticks";
  return true;
}

bool FieldResolver::Find(const CodeGate::Hold& hold, clr::mdToken token, clr::ModuleID module,
                         Definition& out) {
  if (clr::TokenTable(token) == clr::kTokenTypeDef) {
    out = {module, token};
    return true;
  }
  Scope* const scope = names_.ScopeOf(hold, module);
  return scope != nullptr && clr::TokenTable(token) == clr::kTokenTypeRef &&
         FindByName(hold, scope->TypeName(token), out);
}

bool FieldResolver::FindByName(const CodeGate::Hold& hold, const std::string& name,
                               Definition& out) {
  if (name.empty()) return false;
  auto known = by_name_.find(name);
  if (known == by_name_.end()) {
    Definition definition;
    for (const clr::ModuleID candidate : modules_) {
      Scope* const scope = names_.ScopeOf(hold, candidate);
      if (scope == nullptr) continue;
      definition = {candidate, scope->FindTypeDef(name)};
      if (definition.token != 0) break;
    }
    known = by_name_.emplace(name, definition).first;
  }
  out = known->second;
  return out.token != 0;
}

std::vector<std::string> FieldResolver::NamesAt(std::span<const FieldLeaf> leaves,
                                                std::span<const uint32_t> offsets) {
  std::vector<std::string> names(offsets.size());
  size_t leaf = 0;
  for (size_t i = 0; i < offsets.size();) {
    while (leaf + 1 < leaves.size() && leaves[leaf + 1].offset <= offsets[i]) ++leaf;
    if (leaf >= leaves.size() || leaves[leaf].offset > offsets[i]) {
      ++i;
      continue;
    }
    // Several leaves begin at the same offset only in unions, which hold no references, and around
    // empty structs.
    const FieldLeaf& here = leaves[leaf];
    if (here.kind == LeafKind::kReference) {
      if (here.offset == offsets[i]) names[i] = here.path;
      ++i;
      continue;
    }
    const uint32_t end = leaf + 1 < leaves.size() ? leaves[leaf + 1].offset : UINT32_MAX;
    size_t count = 0;
    while (i + count < offsets.size() && offsets[i + count] < end) ++count;
    const bool fits = here.kind == LeafKind::kStruct && here.references.size() == count;
    for (size_t n = 0; n < count; ++n) {
      names[i + n] = fits ? here.path + "." + here.references[n] : here.path;
    }
    i += count;
  }
  return names;
}

bool FieldResolver::IsKeptAsReference(std::span<const uint8_t> signature) {
  Signature cursor{signature};
  if (cursor.Byte() != kFieldSignature) return false;
  const uint32_t type = cursor.Type();
  return IsReference(type) || type == element::kValueType || type == element::kGenericInstance ||
         type == element::kVar;
}

std::vector<clr::ModuleID> PermanentModules(RuntimeMetadata& names, clr::ICorProfilerInfo10* info) {
  const uint64_t as_of_ns = MonotonicNs();
  std::vector<clr::ModuleID> modules = LoadedModules(info);
  std::erase_if(modules, [&](clr::ModuleID module) {
    const auto hold = names.gate().Enter(as_of_ns);
    return !hold || !names.IsPermanent(*hold, module);
  });
  return modules;
}

std::vector<clr::ModuleID> LoadedModules(clr::ICorProfilerInfo10* info) {
  std::vector<clr::ModuleID> modules;
  clr::ForEachModule(info, [&](clr::ModuleID module) { modules.push_back(module); });
  return modules;
}

}  // namespace hindsight::recorder
