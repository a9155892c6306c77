#include "recorder/names/runtime_metadata.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "recorder/base/own_memory.h"
#include "recorder/names/code_view.h"
#include "recorder/names/signature.h"

namespace hindsight::recorder {
namespace {

constexpr uint32_t kMaxArrayDepth = 32;    // arrays of arrays
constexpr uint32_t kMaxArgumentDepth = 8;  // arguments of arguments in C# names

std::string Brackets(uint32_t rank) { return "[" + std::string(rank - 1, ',') + "]"; }

using ClassIds = std::array<clr::ClassID, kMaxGenericArguments>;

void Take(const ClassIds& ids, uint32_t count, std::vector<clr::ClassID>& out) {
  out.assign(ids.begin(), ids.begin() + std::min(count, kMaxGenericArguments));
}

}  // namespace

// Resolves a method's signature from its module's metadata.
class RuntimeMetadata::Resolver final : public SignatureResolver {
 public:
  // `scope` is null and `type` and `method` are 0 for methods without metadata.
  Resolver(RuntimeMetadata& metadata, const CodeGate::Hold& hold, clr::ModuleID module,
           Scope* scope, clr::mdTypeDef type, clr::mdMethodDef method)
      : metadata_(metadata), hold_(hold), module_(module), scope_(scope) {
    if (scope == nullptr) return;
    type_.owner = type;
    method_.owner = method;
  }

  std::string TypeName(clr::mdToken token) override {
    return scope_ == nullptr ? std::string() : metadata_.TypeName(*scope_, module_, token);
  }
  std::span<const uint8_t> TypeSpec(clr::mdToken token) override {
    return scope_ == nullptr ? std::span<const uint8_t>() : scope_->TypeSpec(token);
  }
  std::string GenericParameter(GenericOwner owner, uint32_t index) override {
    const auto& names = (owner == GenericOwner::kType ? type_ : method_).Names(scope_);
    return index < names.size() ? names[index] : std::string();
  }
  std::string TypeNameByHandle(uintptr_t handle) override {
    TypeDescription type;
    metadata_.DescribeType(hold_, handle, type);
    return type.name;
  }
  std::string TypeByHandle(uintptr_t handle) override {
    return metadata_.CSharpName(hold_, handle, 0);
  }

 private:
  RuntimeMetadata& metadata_;
  const CodeGate::Hold& hold_;
  const clr::ModuleID module_;
  Scope* const scope_;
  // Read when a signature needs them: few do.
  struct Parameters {
    using Texts = std::vector<std::string>;
    clr::mdToken owner = 0;
    std::optional<Texts> names = {};

    const Texts& Names(Scope* scope) {
      if (!names) names.emplace(scope != nullptr ? scope->GenericParameters(owner) : Texts());
      return *names;
    }
  };
  Parameters type_, method_;
};

std::string RuntimeMetadata::TypeName(Scope& scope, clr::ModuleID module, clr::mdToken token) {
  const auto known = type_names_.find({module, token});
  if (known != type_names_.end()) return known->second;
  std::string name = scope.TypeName(token);
  if (type_names_.size() >= kMaxTypeNames) type_names_.clear();
  if (!name.empty()) type_names_.emplace(TypeKey{module, token}, name);
  return name;
}

Scope* RuntimeMetadata::FindScope(const CodeGate::Hold&, clr::ModuleID module) {
  if (module == 0) return nullptr;
  const auto found = scopes_.find(module);
  if (found != scopes_.end()) return found->second.get();
  auto scope = std::make_unique<Scope>(metadata_, module, text_);
  if (!scope->valid()) return nullptr;
  return scopes_.emplace(module, std::move(scope)).first->second.get();
}

bool RuntimeMetadata::DescribeModule(const CodeGate::Hold& hold, clr::ModuleID module,
                                     ModuleDescription& out) {
  out = {};
  if (module == 0) return false;
  clr::AssemblyID assembly = 0;
  const uint8_t* base = nullptr;
  uint32_t flags = 0;
  const bool ok = text_.Read(
      [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
        return info_->GetModuleInfo2(module, &base, capacity, length, buffer, &assembly, &flags);
      },
      out.path);
  out.is_dynamic = (flags & clr::kModuleDynamic) != 0;
  out.is_in_memory = ok && (flags & (clr::kModuleDynamic | clr::kModuleDisk)) == 0;
  if (ok && !out.is_dynamic) DescribePdb(reinterpret_cast<uintptr_t>(base), flags, out);
  if (assembly != 0) {
    text_.Read(
        [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
          return info_->GetAssemblyInfo(assembly, capacity, length, buffer, nullptr, nullptr);
        },
        out.assembly);
  }
  if (Scope* const scope = FindScope(hold, module)) {
    std::string name;
    out.has_mvid = scope->Properties(name, out.mvid);
    if (out.path.empty()) out.path = std::move(name);
    if (out.assembly.empty()) scope->AssemblyName(out.assembly);
    out.revision = scope->AssemblyRevision();
  }
  return ok;
}

// An image stays at its address until its module's unload; it may be in either layout.
void RuntimeMetadata::DescribePdb(uintptr_t base, uint32_t flags, ModuleDescription& out) const {
  const OwnMemory memory;
  const ReadMemory read = [&](uintptr_t address, void* bytes, size_t size) {
    return memory.Read(address, bytes, size);
  };
  PdbReference pdb;
  const bool is_flat = (flags & clr::kModuleFlat) != 0;
  out.has_pdb = FindPdb(read, base, is_flat, pdb) || FindPdb(read, base, !is_flat, pdb);
  if (!out.has_pdb) return;
  out.pdb_id = pdb.id;
  out.pdb_path = std::move(pdb.path);
}

bool RuntimeMetadata::DescribeType(const CodeGate::Hold& hold, clr::ClassID type,
                                   TypeDescription& out) {
  return DescribeType(hold, type, 0, out);
}

bool RuntimeMetadata::DescribeType(const CodeGate::Hold& hold, clr::ClassID type, uint32_t depth,
                                   TypeDescription& out) {
  out = {};
  if (type == 0 || depth > kMaxArrayDepth) return false;
  clr::CorElementType element_type = 0;
  // S_FALSE: not an array.
  if (info_->IsArrayClass(type, &element_type, &out.element, &out.rank) == clr::S_OK) {
    return DescribeArray(hold, depth, out);
  }
  out.element = 0;
  out.rank = 0;
  ClassIds arguments;
  uint32_t count = 0;
  if (clr::Failed(info_->GetClassIDInfo2(type, &out.module, &out.token, nullptr,
                                         kMaxGenericArguments, &count, arguments.data()))) {
    return false;
  }
  Take(arguments, count, out.arguments);
  Scope* const scope = FindScope(hold, out.module);
  if (scope == nullptr) return false;
  out.name = TypeName(*scope, out.module, out.token);
  return !out.name.empty();
}

bool RuntimeMetadata::DescribeArray(const CodeGate::Hold& hold, uint32_t depth,
                                    TypeDescription& out) {
  out.rank = std::max(out.rank, 1u);
  TypeDescription element;
  if (DescribeType(hold, out.element, depth + 1, element)) {
    out.name = std::move(element.name);
  } else {
    // Pointers have no class that could be named.
    out.element = 0;
    out.name = kUnknown;
  }
  out.name += Brackets(out.rank);
  return true;
}

bool RuntimeMetadata::DescribeTypeDef(const CodeGate::Hold& hold, clr::ModuleID module,
                                      clr::mdTypeDef token, TypeDescription& out) {
  out = {};
  Scope* const scope = FindScope(hold, module);
  if (scope == nullptr) return false;
  out.module = module;
  out.token = token;
  out.name = TypeName(*scope, module, token);
  return !out.name.empty();
}

bool RuntimeMetadata::IsPermanent(const CodeGate::Hold&, clr::ModuleID module) {
  clr::AssemblyID assembly = 0;
  const uint8_t* base = nullptr;
  uint32_t length = 0;
  uint32_t flags = 0;
  return clr::Succeeded(
             info_->GetModuleInfo2(module, &base, 0, &length, nullptr, &assembly, &flags)) &&
         (flags & clr::kModuleCollectible) == 0;
}

void RuntimeMetadata::Release() {
  const auto hold = gate_.Enter(kForEver);
  scopes_.clear();
  type_names_.clear();
}

bool RuntimeMetadata::DescribeMethod(const CodeGate::Hold& hold, clr::FunctionID function,
                                     MethodDescription& out) {
  out = {};
  if (function == 0) return false;
  if (IsDynamic(hold, info_, function)) return DescribeDynamicMethod(hold, function, out);
  ClassIds arguments;
  uint32_t count = 0;
  if (clr::Failed(info_->GetFunctionInfo2(function, 0, &out.type, &out.module, &out.token,
                                          kMaxGenericArguments, &count, arguments.data()))) {
    return false;
  }
  Take(arguments, count, out.arguments);

  Scope* const scope = FindScope(hold, out.module);
  MethodProperties properties;
  if (scope == nullptr || !scope->Method(out.token, properties)) return false;
  out.name = std::move(properties.name);
  out.type_token = properties.type;

  Resolver resolver(*this, hold, out.module, scope, properties.type, out.token);
  ReadParameters(properties.signature, resolver, out.parameters);
  constexpr std::string_view kRef = "ref ";
  for (size_t i = 0; i < out.parameters.size(); ++i) {
    std::string& parameter = out.parameters[i];
    if (!parameter.starts_with(kRef)) continue;
    const uint32_t flags = scope->ParameterFlags(out.token, static_cast<uint32_t>(i) + 1) &
                           (clr::kParameterIn | clr::kParameterOut);
    if (flags == clr::kParameterOut) parameter.replace(0, kRef.size(), "out ");
    if (flags == clr::kParameterIn) parameter.replace(0, kRef.size(), "in ");
  }
  return true;
}

bool RuntimeMetadata::DescribeDynamicMethod(const CodeGate::Hold& hold, clr::FunctionID function,
                                            MethodDescription& out) {
  out.is_dynamic = true;
  const uint8_t* signature = nullptr;
  uint32_t size = 0;
  std::vector<uint8_t> copy;
  {
    const auto dynamic = hold.EnterDynamic();
    if (!dynamic) return false;
    const bool ok = text_.Read(
        [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
          return info_->GetDynamicFunctionInfo(function, &out.module, &signature, &size, capacity,
                                               length, buffer);
        },
        out.name);
    if (!ok) return false;
    if (signature != nullptr) {
      copy.assign(signature, signature + std::min(size, kMaxSignatureBytes));
    }
  }
  if (!copy.empty()) {
    Resolver resolver(*this, hold, 0, nullptr, 0, 0);
    ReadParameters(copy, resolver, out.parameters);
  }
  return true;
}

std::string RuntimeMetadata::CSharpName(const CodeGate::Hold& hold, clr::ClassID type,
                                        uint32_t depth) {
  TypeDescription description;
  if (depth > kMaxArgumentDepth || !DescribeType(hold, type, depth, description)) return {};
  if (description.rank != 0) {
    if (description.element == 0) return description.name;
    return CSharpName(hold, description.element, depth + 1) + Brackets(description.rank);
  }
  std::vector<std::string> arguments;
  for (const clr::ClassID argument : description.arguments) {
    arguments.push_back(CSharpName(hold, argument, depth + 1));
    if (arguments.back().empty()) arguments.back() = kUnknown;
  }
  return CSharpTypeName(description.name, arguments);
}

}  // namespace hindsight::recorder
