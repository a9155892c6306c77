#include "recorder/names/scope.h"

#include <cstring>

namespace hindsight::recorder {
namespace {

constexpr uint32_t kMaxSignatureBytes = 64u << 10;

std::span<const uint8_t> Signature(const uint8_t* bytes, uint32_t size) {
  if (bytes == nullptr) return {};
  return {bytes, std::min(size, kMaxSignatureBytes)};
}

}  // namespace

Scope::Scope(clr::ICorProfilerInfo10* info, clr::ModuleID module, TextBuffer& text) : text_(text) {
  ComRef<clr::IUnknown> unknown;
  // S_FALSE, without an object, for resource modules.
  if (clr::Succeeded(info->GetModuleMetaData(module, clr::kOpenForRead, clr::IMetaDataImport2::kIid,
                                             unknown.Receive()))) {
    import_ = ComRef<clr::IMetaDataImport2>::From(unknown.get());
  }
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
  const bool ok = text_.Read(
      [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
        return import_->GetTypeDefProps(token, buffer, capacity, length, nullptr, nullptr);
      },
      name);
  if (!ok || clr::Failed(import_->GetNestedClassProps(token, &outer))) outer = 0;
  return ok;
}

bool Scope::TypeRefName(clr::mdTypeRef token, std::string& name, clr::mdToken& outer) {
  clr::mdToken resolution = 0;
  const bool ok = text_.Read(
      [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
        return import_->GetTypeRefProps(token, &resolution, buffer, capacity, length);
      },
      name);
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
  if (clr::Failed(import_->GetTypeSpecFromToken(token, &bytes, &size))) return {};
  return Signature(bytes, size);
}

bool Scope::Method(clr::mdMethodDef token, MethodProperties& out) {
  const uint8_t* bytes = nullptr;
  uint32_t size = 0;
  const bool ok = text_.Read(
      [&](char16_t* buffer, uint32_t capacity, uint32_t* length) {
        return import_->GetMethodProps(token, &out.type, buffer, capacity, length, nullptr, &bytes,
                                       &size, nullptr, nullptr);
      },
      out.name);
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

}  // namespace hindsight::recorder
