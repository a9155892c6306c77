#include "recorder/names/scope.h"

#include <algorithm>
#include <cstring>

#include "recorder/names/signature.h"
#include "recorder/names/source_revision.h"

namespace hindsight::recorder {
namespace {

std::span<const uint8_t> Signature(const uint8_t* bytes, uint32_t size) {
  if (bytes == nullptr) return {};
  return {bytes, std::min(size, kMaxSignatureBytes)};
}

}  // namespace

Scope::Scope(const MetadataOpener& opener, clr::ModuleID module, TextBuffer& text)
    : opener_(opener), module_(module), text_(text), import_(opener.OpenImage(module)) {
  if (!import_) ReadEditable();
}

bool Scope::ReadEditable() {
  if (is_editable_) return false;
  is_editable_ = true;
  MetadataOpener::Metadata editable = opener_.OpenEditable(module_);
  if (!editable) return false;
  import_ = std::move(editable);
  return true;
}

bool Scope::Properties(std::string& name, std::array<uint8_t, 16>& mvid) {
  clr::GUID id{};
  const bool ok = text_.Read(
      [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
        return import_->GetScopeProps(buffer, capacity, length, &id);
      },
      name);
  if (ok) std::memcpy(mvid.data(), &id, mvid.size());
  return ok;
}

bool Scope::AssemblyName(std::string& name) {
  const auto assembly = ComRef<clr::IMetaDataAssemblyImport>::From(import_.get());
  clr::mdToken token = 0;
  if (!assembly || clr::Failed(assembly->GetAssemblyFromScope(&token))) return false;
  return text_.Read(
      [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
        return assembly->GetAssemblyProps(token, nullptr, nullptr, nullptr, buffer, capacity,
                                          length, nullptr, nullptr);
      },
      name);
}

bool Scope::TypeDefName(clr::mdTypeDef token, std::string& name, clr::mdToken& outer) {
  const bool ok = Ask([&] {
    return text_.Read(
        [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
          return import_->GetTypeDefProps(token, buffer, capacity, length, nullptr, nullptr);
        },
        name);
  });
  if (!ok || clr::Failed(import_->GetNestedClassProps(token, &outer))) outer = 0;
  return ok;
}

bool Scope::TypeRefName(clr::mdTypeRef token, std::string& name, clr::mdToken& outer) {
  clr::mdToken resolution = 0;
  const bool ok = Ask([&] {
    return text_.Read(
        [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
          return import_->GetTypeRefProps(token, &resolution, buffer, capacity, length);
        },
        name);
  });
  outer = ok && clr::TokenTable(resolution) == clr::kTokenTypeRef ? resolution : 0;
  return ok;
}

std::string Scope::TypeName(clr::mdToken token) {
  std::string full;
  for (uint32_t depth = 0; depth < kMaxNesting && !clr::IsNilToken(token); ++depth) {
    std::string name;
    clr::mdToken outer = 0;
    bool ok = false;
    if (clr::TokenTable(token) == clr::kTokenTypeDef) ok = TypeDefName(token, name, outer);
    if (clr::TokenTable(token) == clr::kTokenTypeRef) ok = TypeRefName(token, name, outer);
    if (!ok) break;
    full = full.empty() ? std::move(name) : name + "+" + full;
    token = outer;
  }
  return full;
}

std::span<const uint8_t> Scope::TypeSpec(clr::mdToken token) {
  const uint8_t* bytes = nullptr;
  uint32_t size = 0;
  const bool ok =
      Ask([&] { return clr::Succeeded(import_->GetTypeSpecFromToken(token, &bytes, &size)); });
  return ok ? Signature(bytes, size) : std::span<const uint8_t>();
}

bool Scope::Method(clr::mdMethodDef token, MethodProperties& out) {
  const uint8_t* bytes = nullptr;
  uint32_t size = 0;
  const bool ok = Ask([&] {
    return text_.Read(
        [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
          return import_->GetMethodProps(token, &out.type, buffer, capacity, length, nullptr,
                                         &bytes, &size, nullptr, nullptr);
        },
        out.name);
  });
  if (ok) out.signature = Signature(bytes, size);
  return ok;
}

std::vector<std::string> Scope::GenericParameters(clr::mdToken owner) {
  std::vector<std::string> names;
  clr::HCORENUM enumerator = nullptr;
  clr::mdToken parameter = 0;
  uint32_t count = 0;
  while (names.size() < kMaxGenericArguments &&
         import_->EnumGenericParams(&enumerator, owner, &parameter, 1, &count) == clr::S_OK &&
         count == 1) {
    uint32_t index = 0;
    std::string name;
    const bool ok = text_.Read(
        [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
          return import_->GetGenericParamProps(parameter, &index, nullptr, nullptr, nullptr, buffer,
                                               capacity, length);
        },
        name);
    if (!ok || index >= kMaxGenericArguments) break;
    if (index >= names.size()) names.resize(index + 1);
    names[index] = std::move(name);
  }
  if (enumerator != nullptr) import_->CloseEnum(enumerator);
  return names;
}

uint32_t Scope::ParameterFlags(clr::mdMethodDef method, uint32_t sequence) {
  clr::mdToken parameter = 0;
  uint32_t flags = 0;
  if (clr::Failed(import_->GetParamForMethodIndex(method, sequence, &parameter)) ||
      clr::Failed(import_->GetParamProps(parameter, nullptr, nullptr, nullptr, 0, nullptr, &flags,
                                         nullptr, nullptr, nullptr))) {
    return 0;
  }
  return flags;
}

bool Scope::Field(clr::mdFieldDef token, FieldProperties& out) {
  constexpr uint32_t kStatic = 0x10, kLiteral = 0x40, kHasRva = 0x100;  // CorFieldAttr
  const uint8_t* bytes = nullptr;
  uint32_t size = 0;
  uint32_t flags = 0;
  const bool ok = Ask([&] {
    return text_.Read(
        [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
          return import_->GetFieldProps(token, &out.type, buffer, capacity, length, &flags, &bytes,
                                        &size, nullptr, nullptr, nullptr);
        },
        out.name);
  });
  out.is_static = (flags & kStatic) != 0;
  out.is_literal = (flags & kLiteral) != 0;
  out.has_data = (flags & kHasRva) != 0;
  out.signature = ok ? Signature(bytes, size) : std::span<const uint8_t>();
  return ok;
}

namespace {

// Iterates over one of the metadata's enumerators.
template <typename Next>
std::vector<clr::mdToken> Enumerate(clr::IMetaDataImport2* import, Next next) {
  constexpr uint32_t kBatch = 256;
  std::vector<clr::mdToken> tokens;
  clr::HCORENUM enumerator = nullptr;
  clr::mdToken batch[kBatch];
  uint32_t count = 0;
  while (clr::Succeeded(next(&enumerator, batch, kBatch, &count)) && count != 0) {
    tokens.insert(tokens.end(), batch, batch + std::min(count, kBatch));
    count = 0;
  }
  if (enumerator != nullptr) import->CloseEnum(enumerator);
  return tokens;
}

}  // namespace

std::vector<clr::mdFieldDef> Scope::Fields(clr::mdTypeDef type) {
  return Enumerate(import_.get(), [&](auto* enumerator, auto* out, auto capacity, auto* count) {
    return import_->EnumFields(enumerator, type, out, capacity, count);
  });
}

std::vector<clr::mdTypeDef> Scope::TypeDefs() {
  return Enumerate(import_.get(), [&](auto* enumerator, auto* out, auto capacity, auto* count) {
    return import_->EnumTypeDefs(enumerator, out, capacity, count);
  });
}

clr::mdMethodDef Scope::FirstMethod(clr::mdTypeDef type) {
  clr::HCORENUM enumerator = nullptr;
  clr::mdMethodDef method = 0;
  uint32_t count = 0;
  if (clr::Failed(import_->EnumMethods(&enumerator, type, &method, 1, &count)) || count == 0) {
    method = 0;
  }
  if (enumerator != nullptr) import_->CloseEnum(enumerator);
  return method;
}

bool Scope::IsGeneric(clr::mdTypeDef type) {
  clr::HCORENUM enumerator = nullptr;
  clr::mdToken parameter = 0;
  uint32_t count = 0;
  const bool generic =
      clr::Succeeded(import_->EnumGenericParams(&enumerator, type, &parameter, 1, &count)) &&
      count != 0;
  if (enumerator != nullptr) import_->CloseEnum(enumerator);
  return generic;
}

std::string Scope::AssemblyRevision() {
  constexpr clr::mdToken kAssembly = 0x20000001;  // the only row of its table
  const void* value = nullptr;
  uint32_t size = 0;
  if (import_->GetCustomAttributeByName(kAssembly, kInformationalVersion, &value, &size) !=
          clr::S_OK ||
      value == nullptr) {
    return {};
  }
  return SourceRevision({static_cast<const uint8_t*>(value), size});
}

bool Scope::HasAttribute(clr::mdToken token, const char16_t* attribute) {
  return import_->GetCustomAttributeByName(token, attribute, nullptr, nullptr) == clr::S_OK;
}

clr::mdTypeDef Scope::FindTypeDef(std::string_view name) {
  clr::mdTypeDef found = 0;
  while (!name.empty()) {
    const size_t end = std::min(name.find('+'), name.size());
    const std::u16string part(name.begin(), name.begin() + static_cast<ptrdiff_t>(end));
    clr::mdTypeDef inner = 0;
    if (clr::Failed(import_->FindTypeDefByName(part.c_str(), found, &inner))) return 0;
    found = inner;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return found;
}

}  // namespace hindsight::recorder
