// The metadata of one module, as far as fields need it: types, references to types by name, and
// fields with their signatures. A FakeRuntime returns it together with the layouts of its classes.
//
// Every call may be refused. Methods that are not implemented here end the test when they are
// called.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "recorder/clr/metadata.h"
#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {

struct FakeField {
  std::u16string name;
  std::vector<uint8_t> type;  // of its signature, without the 6 that it begins with
  uint32_t offset = 0;
  bool is_static = false;
};

class FakeMetadata {
 public:
  static constexpr clr::ModuleID kModule = 0x4000;
  static constexpr clr::mdToken kTypeDef = 0x02000000, kTypeRef = 0x01000000, kField = 0x04000000;

  // A class of the runtime that is loaded. `box`: where the value of a boxed struct begins.
  struct Class {
    clr::mdToken token = 0;
    clr::ClassID parent = 0;
    std::vector<clr::ClassID> arguments = {};
    bool is_struct = false;
    clr::ClassID element = 0;  // of an array
    uint32_t element_type = 0;
  };
  std::map<clr::ClassID, Class> classes;
  int calls = 0;         // of the runtime and of the metadata
  int refused_call = 0;  // counted from 1; 0: none
  int references = 0;    // to the metadata that were returned and not released

  explicit FakeMetadata(FakeRuntime& runtime) {
    open_ = this;
    table_.fill(reinterpret_cast<void*>(&Unexpected));
    using Import = clr::IMetaDataImport2;
    Put(&Import::QueryInterface, &Query);
    Put(&Import::Release, &Release);
    Put(&Import::GetTypeDefProps, &TypeDef);
    Put(&Import::GetTypeRefProps, &TypeRef);
    Put(&Import::GetNestedClassProps, &Nested);
    Put(&Import::GetFieldProps, &FieldOf);
    Put(&Import::EnumFields, &EnumFields);
    Put(&Import::CloseEnum, &CloseEnum);
    Put(&Import::FindTypeDefByName, &FindTypeDef);
    runtime.Put(&clr::ICorProfilerInfo10::GetModuleMetaData, &Metadata);
    runtime.Put(&clr::ICorProfilerInfo10::IsArrayClass, &IsArray);
    runtime.Put(&clr::ICorProfilerInfo10::GetBoxClassLayout, &Box);
    runtime.Put(&clr::ICorProfilerInfo10::GetClassLayout, &Layout);
    runtime.Put(&clr::ICorProfilerInfo10::GetClassIDInfo2, &ClassInfo);
  }

  // Their tokens.
  clr::mdToken AddType(std::u16string name, std::vector<FakeField> fields) {
    types_.push_back({std::move(name), std::move(fields)});
    return kTypeDef + static_cast<uint32_t>(types_.size());
  }
  clr::mdToken AddReference(std::u16string name) {
    names_.push_back(std::move(name));
    return kTypeRef + static_cast<uint32_t>(names_.size());
  }
  // In a signature (II.23.2.8).
  static uint8_t Coded(clr::mdToken token) {
    return static_cast<uint8_t>((token & 0xffffff) << 2 | (token >> 24 == 1 ? 1 : 0));
  }

 private:
  struct Type {
    std::u16string name;
    std::vector<FakeField> fields;
  };
  // Tokens of fields: the type's number and the field's in it.
  static constexpr uint32_t kFieldsOfAType = 0x100;

  template <typename Method, typename Function>
  void Put(Method method, Function function) {
    table_[FakeRuntime::SlotOf(method)] = reinterpret_cast<void*>(function);
  }
  static clr::HRESULT Unexpected(void*) { std::abort(); }
  static bool Refuses() { return ++open_->calls == open_->refused_call; }

  static clr::HRESULT Metadata(void*, clr::ModuleID module, uint32_t, const clr::GUID&,
                               clr::IUnknown** out) {
    if (Refuses() || module != kModule) return clr::E_FAIL;
    ++open_->references;
    *out = reinterpret_cast<clr::IUnknown*>(&open_->object_);
    return clr::S_OK;
  }
  static clr::HRESULT Query(void* self, const clr::GUID&, void** out) {
    if (Refuses()) return clr::E_FAIL;
    ++open_->references;
    *out = self;
    return clr::S_OK;
  }
  static uint32_t Release(void*) {
    --open_->references;
    return 1;
  }

  static clr::HRESULT Text(const std::u16string& text, char16_t* out, uint32_t capacity,
                           uint32_t* length) {
    *length = static_cast<uint32_t>(text.size() + 1);
    std::memcpy(out, text.c_str(), std::min(capacity, *length) * sizeof(char16_t));
    return clr::S_OK;
  }
  static clr::HRESULT TypeDef(void*, clr::mdToken token, char16_t* name, uint32_t capacity,
                              uint32_t* length, uint32_t*, clr::mdToken*) {
    const uint32_t index = (token & 0xffffff) - 1;
    if (Refuses() || index >= open_->types_.size()) return clr::E_FAIL;
    return Text(open_->types_[index].name, name, capacity, length);
  }
  static clr::HRESULT TypeRef(void*, clr::mdToken token, clr::mdToken* scope, char16_t* name,
                              uint32_t capacity, uint32_t* length) {
    const uint32_t index = (token & 0xffffff) - 1;
    if (Refuses() || index >= open_->names_.size()) return clr::E_FAIL;
    *scope = 0;
    return Text(open_->names_[index], name, capacity, length);
  }
  static clr::HRESULT Nested(void*, clr::mdToken, clr::mdToken*) { return clr::E_FAIL; }
  static clr::HRESULT FieldOf(void*, clr::mdToken token, clr::mdToken* type, char16_t* name,
                              uint32_t capacity, uint32_t* length, uint32_t* flags,
                              const uint8_t** signature, uint32_t* bytes, uint32_t*, const void**,
                              uint32_t*) {
    const uint32_t number = token & 0xffffff;
    const uint32_t owner = number / kFieldsOfAType - 1, index = number % kFieldsOfAType;
    if (Refuses() || owner >= open_->types_.size()) return clr::E_FAIL;
    const std::vector<FakeField>& fields = open_->types_[owner].fields;
    if (index >= fields.size()) return clr::E_FAIL;
    std::vector<uint8_t>& blob = open_->blobs_[token];
    blob = fields[index].type;
    blob.insert(blob.begin(), 6);
    *type = kTypeDef + owner + 1;
    *flags = fields[index].is_static ? 0x10 : 0;
    *signature = blob.data();
    *bytes = static_cast<uint32_t>(blob.size());
    return Text(fields[index].name, name, capacity, length);
  }
  static clr::mdToken FieldToken(uint32_t owner, size_t index) {
    return kField + owner * kFieldsOfAType + static_cast<uint32_t>(index);
  }
  static clr::HRESULT EnumFields(void*, clr::HCORENUM* enumerator, clr::mdToken type,
                                 clr::mdToken* out, uint32_t capacity, uint32_t* count) {
    *count = 0;
    const uint32_t owner = type & 0xffffff;
    if (Refuses() || owner == 0 || owner > open_->types_.size()) return clr::E_FAIL;
    if (*enumerator != nullptr) return clr::S_FALSE;
    *enumerator = out;
    const std::vector<FakeField>& fields = open_->types_[owner - 1].fields;
    for (size_t i = 0; i < fields.size() && *count < capacity; ++i) {
      out[(*count)++] = FieldToken(owner, i);
    }
    return clr::S_OK;
  }
  static void CloseEnum(void*, clr::HCORENUM) {}
  static clr::HRESULT FindTypeDef(void*, const char16_t* name, clr::mdToken, clr::mdToken* out) {
    if (Refuses()) return clr::E_FAIL;
    for (size_t i = 0; i < open_->types_.size(); ++i) {
      if (open_->types_[i].name != name) continue;
      *out = kTypeDef + static_cast<uint32_t>(i) + 1;
      return clr::S_OK;
    }
    return clr::E_FAIL;
  }

  static const Class* Find(clr::ClassID type) {
    const auto found = open_->classes.find(type);
    return found != open_->classes.end() ? &found->second : nullptr;
  }
  static clr::HRESULT IsArray(void*, clr::ClassID type, clr::CorElementType* element_type,
                              clr::ClassID* element, uint32_t* rank) {
    const Class* const found = Find(type);
    if (Refuses() || found == nullptr) return clr::E_FAIL;
    if (found->element_type == 0) return clr::S_FALSE;
    *element_type = found->element_type;
    *element = found->element;
    *rank = 1;
    return clr::S_OK;
  }
  static clr::HRESULT Box(void*, clr::ClassID type, uint32_t* offset) {
    const Class* const found = Find(type);
    if (Refuses() || found == nullptr) return clr::E_FAIL;
    if (!found->is_struct) return clr::E_INVALIDARG;
    *offset = 8;
    return clr::S_OK;
  }
  static clr::HRESULT Layout(void*, clr::ClassID type, clr::COR_FIELD_OFFSET* out,
                             uint32_t capacity, uint32_t* count, uint32_t* bytes) {
    const Class* const found = Find(type);
    if (Refuses() || found == nullptr || found->token == 0) return clr::E_FAIL;
    const uint32_t owner = found->token & 0xffffff;
    const std::vector<FakeField>& fields = open_->types_[owner - 1].fields;
    *bytes = 64;
    *count = 0;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].is_static) continue;
      if (*count < capacity) out[*count] = {FieldToken(owner, i), fields[i].offset};
      ++*count;
    }
    return clr::S_OK;
  }
  static clr::HRESULT ClassInfo(void*, clr::ClassID type, clr::ModuleID* module,
                                clr::mdToken* token, clr::ClassID* parent, uint32_t capacity,
                                uint32_t* count, clr::ClassID* arguments) {
    const Class* const found = Find(type);
    if (Refuses() || found == nullptr) return clr::E_FAIL;
    if (module != nullptr) *module = kModule;
    if (token != nullptr) *token = found->token;
    if (parent != nullptr) *parent = found->parent;
    if (count != nullptr) *count = static_cast<uint32_t>(found->arguments.size());
    for (uint32_t i = 0; i < found->arguments.size() && i < capacity; ++i) {
      arguments[i] = found->arguments[i];
    }
    return clr::S_OK;
  }

  static inline FakeMetadata* open_ = nullptr;  // the only access of the runtime's functions
  std::vector<Type> types_;
  std::vector<std::u16string> names_;  // of references
  std::map<clr::mdToken, std::vector<uint8_t>> blobs_;
  std::array<void*, 128> table_;
  void** object_ = table_.data();
};

}  // namespace hindsight::recorder
