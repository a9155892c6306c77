// IMetaDataImport, IMetaDataImport2 and IMetaDataAssemblyImport: access to a module's metadata
// (ECMA-335, partition II); and IMetaDataDispenser, which opens it.
//
// Declared by hand from the published interface definition (dotnet/runtime, src/coreclr/inc/cor.h).
// Slot order and identifiers are the ABI, so nothing here may be reordered or removed. Capacities
// and lengths of names are in UTF-16 code units and include the final NUL.
#pragma once

#include "recorder/clr/types.h"

namespace hindsight::clr {

using HCORENUM = void*;
struct ASSEMBLYMETADATA;

// A token: the table in the high byte, the row (from 1) in the others.
inline constexpr mdToken kTokenTypeRef = 0x01000000;
inline constexpr mdToken kTokenTypeDef = 0x02000000;
inline constexpr mdToken kTokenMethodDef = 0x06000000;
inline constexpr mdToken kTokenTypeSpec = 0x1b000000;
constexpr mdToken TokenTable(mdToken token) { return token & 0xff000000; }
constexpr bool IsNilToken(mdToken token) { return (token & 0x00ffffff) == 0; }

// GetModuleMetaData, open_flags.
inline constexpr uint32_t kOpenForRead = 0;
// CorParamAttr.
inline constexpr uint32_t kParameterIn = 0x1;
inline constexpr uint32_t kParameterOut = 0x2;

struct IMetaDataImport : IUnknown {
  static constexpr GUID kIid = {
      0x7dac8207, 0xd3ae, 0x4c75, {0x9b, 0x67, 0x92, 0x80, 0x1a, 0x49, 0x7d, 0x44}};
  virtual void CloseEnum(HCORENUM enumerator) = 0;
  virtual HRESULT CountEnum(HCORENUM enumerator, uint32_t* count) = 0;
  virtual HRESULT ResetEnum(HCORENUM enumerator, uint32_t pos) = 0;
  virtual HRESULT EnumTypeDefs(HCORENUM* enumerator, mdToken* type_defs, uint32_t capacity,
                               uint32_t* actual_type_defs) = 0;
  virtual HRESULT EnumInterfaceImpls(HCORENUM* enumerator, mdToken type, mdToken* impls,
                                     uint32_t capacity, uint32_t* actual_impls) = 0;
  virtual HRESULT EnumTypeRefs(HCORENUM* enumerator, mdToken* type_refs, uint32_t capacity,
                               uint32_t* actual_type_refs) = 0;
  virtual HRESULT FindTypeDefByName(const char16_t* name, mdToken enclosing_class,
                                    mdToken* type_def) = 0;
  virtual HRESULT GetScopeProps(char16_t* name, uint32_t capacity_name, uint32_t* length_name,
                                GUID* mvid) = 0;
  virtual HRESULT GetModuleFromScope(mdToken* member) = 0;
  virtual HRESULT GetTypeDefProps(mdToken type, char16_t* type_def, uint32_t capacity_type_def,
                                  uint32_t* length_type_def, uint32_t* type_def_flags,
                                  mdToken* extends) = 0;
  virtual HRESULT GetInterfaceImplProps(mdToken interface_impl, mdToken* owner, mdToken* iface) = 0;
  virtual HRESULT GetTypeRefProps(mdToken token, mdToken* resolution_scope, char16_t* name,
                                  uint32_t capacity_name, uint32_t* length_name) = 0;
  virtual HRESULT ResolveTypeRef(mdToken token, const GUID& riid, IUnknown** scope,
                                 mdToken* type_def) = 0;
  virtual HRESULT EnumMembers(HCORENUM* enumerator, mdToken type, mdToken* members,
                              uint32_t capacity, uint32_t* actual_tokens) = 0;
  virtual HRESULT EnumMembersWithName(HCORENUM* enumerator, mdToken type, const char16_t* name,
                                      mdToken* members, uint32_t capacity,
                                      uint32_t* actual_tokens) = 0;
  virtual HRESULT EnumMethods(HCORENUM* enumerator, mdToken type, mdToken* methods,
                              uint32_t capacity, uint32_t* actual_tokens) = 0;
  virtual HRESULT EnumMethodsWithName(HCORENUM* enumerator, mdToken type, const char16_t* name,
                                      mdToken* methods, uint32_t capacity,
                                      uint32_t* actual_tokens) = 0;
  virtual HRESULT EnumFields(HCORENUM* enumerator, mdToken type, mdToken* fields, uint32_t capacity,
                             uint32_t* actual_tokens) = 0;
  virtual HRESULT EnumFieldsWithName(HCORENUM* enumerator, mdToken type, const char16_t* name,
                                     mdToken* fields, uint32_t capacity,
                                     uint32_t* actual_tokens) = 0;
  virtual HRESULT EnumParams(HCORENUM* enumerator, mdToken method, mdToken* params,
                             uint32_t capacity, uint32_t* actual_tokens) = 0;
  virtual HRESULT EnumMemberRefs(HCORENUM* enumerator, mdToken parent, mdToken* member_refs,
                                 uint32_t capacity, uint32_t* actual_tokens) = 0;
  virtual HRESULT EnumMethodImpls(HCORENUM* enumerator, mdToken type, mdToken* method_body,
                                  mdToken* method_decl, uint32_t capacity,
                                  uint32_t* actual_tokens) = 0;
  virtual HRESULT EnumPermissionSets(HCORENUM* enumerator, mdToken token, uint32_t actions,
                                     mdToken* permission, uint32_t capacity,
                                     uint32_t* actual_tokens) = 0;
  virtual HRESULT FindMember(mdToken type, const char16_t* name, const uint8_t* sig_blob,
                             uint32_t size_sig_blob, mdToken* member) = 0;
  virtual HRESULT FindMethod(mdToken type, const char16_t* name, const uint8_t* sig_blob,
                             uint32_t size_sig_blob, mdToken* member) = 0;
  virtual HRESULT FindField(mdToken type, const char16_t* name, const uint8_t* sig_blob,
                            uint32_t size_sig_blob, mdToken* member) = 0;
  virtual HRESULT FindMemberRef(mdToken type, const char16_t* name, const uint8_t* sig_blob,
                                uint32_t size_sig_blob, mdToken* member) = 0;
  virtual HRESULT GetMethodProps(mdToken method, mdToken* owner, char16_t* name,
                                 uint32_t capacity_name, uint32_t* length_name, uint32_t* attr,
                                 const uint8_t** sig_blob, uint32_t* size_sig_blob,
                                 uint32_t* code_rva, uint32_t* impl_flags) = 0;
  virtual HRESULT GetMemberRefProps(mdToken member_ref, mdToken* parent, char16_t* member,
                                    uint32_t capacity_member, uint32_t* length_member,
                                    const uint8_t** sig_blob, uint32_t* size_sig_blob) = 0;
  virtual HRESULT EnumProperties(HCORENUM* enumerator, mdToken type, mdToken* properties,
                                 uint32_t capacity, uint32_t* actual_properties) = 0;
  virtual HRESULT EnumEvents(HCORENUM* enumerator, mdToken type, mdToken* events, uint32_t capacity,
                             uint32_t* actual_events) = 0;
  virtual HRESULT GetEventProps(mdToken event_token, mdToken* owner, const char16_t* event,
                                uint32_t capacity_event, uint32_t* length_event,
                                uint32_t* event_flags, mdToken* event_type, mdToken* add_on,
                                mdToken* remove_on, mdToken* fire, mdToken* other_methods,
                                uint32_t capacity, uint32_t* actual_other_method) = 0;
  virtual HRESULT EnumMethodSemantics(HCORENUM* enumerator, mdToken method, mdToken* event_prop,
                                      uint32_t capacity, uint32_t* actual_event_prop) = 0;
  virtual HRESULT GetMethodSemantics(mdToken method, mdToken event_prop,
                                     uint32_t* semantics_flags) = 0;
  virtual HRESULT GetClassLayout(mdToken type, uint32_t* pack_size, COR_FIELD_OFFSET* field_offset,
                                 uint32_t capacity, uint32_t* actual_field_offset,
                                 uint32_t* class_size) = 0;
  virtual HRESULT GetFieldMarshal(mdToken token, const uint8_t** native_type,
                                  uint32_t* size_native_type) = 0;
  virtual HRESULT GetRVA(mdToken token, uint32_t* code_rva, uint32_t* impl_flags) = 0;
  virtual HRESULT GetPermissionSetProps(mdToken permission_token, uint32_t* action,
                                        const void** permission, uint32_t* size_permission) = 0;
  virtual HRESULT GetSigFromToken(mdToken signature, const uint8_t** sig, uint32_t* size_sig) = 0;
  virtual HRESULT GetModuleRefProps(mdToken mur, char16_t* name, uint32_t capacity_name,
                                    uint32_t* length_name) = 0;
  virtual HRESULT EnumModuleRefs(HCORENUM* enumerator, mdToken* module_refs, uint32_t capacity,
                                 uint32_t* actual_module_refs) = 0;
  virtual HRESULT GetTypeSpecFromToken(mdToken typespec, const uint8_t** sig,
                                       uint32_t* size_sig) = 0;
  virtual HRESULT GetNameFromToken(mdToken token, const char** utf8_name) = 0;
  virtual HRESULT EnumUnresolvedMethods(HCORENUM* enumerator, mdToken* methods, uint32_t capacity,
                                        uint32_t* actual_tokens) = 0;
  virtual HRESULT GetUserString(mdToken stk, char16_t* string, uint32_t capacity_string,
                                uint32_t* length_string) = 0;
  virtual HRESULT GetPinvokeMap(mdToken token, uint32_t* mapping_flags, char16_t* import_name,
                                uint32_t capacity_import_name, uint32_t* length_import_name,
                                mdToken* import_dll) = 0;
  virtual HRESULT EnumSignatures(HCORENUM* enumerator, mdToken* signatures, uint32_t capacity,
                                 uint32_t* actual_signatures) = 0;
  virtual HRESULT EnumTypeSpecs(HCORENUM* enumerator, mdToken* type_specs, uint32_t capacity,
                                uint32_t* actual_type_specs) = 0;
  virtual HRESULT EnumUserStrings(HCORENUM* enumerator, mdToken* strings, uint32_t capacity,
                                  uint32_t* actual_strings) = 0;
  virtual HRESULT GetParamForMethodIndex(mdToken method, uint32_t param_seq, mdToken* param) = 0;
  virtual HRESULT EnumCustomAttributes(HCORENUM* enumerator, mdToken token, mdToken type,
                                       mdToken* custom_attributes, uint32_t capacity,
                                       uint32_t* actual_custom_attributes) = 0;
  virtual HRESULT GetCustomAttributeProps(mdToken custom_attribute, mdToken* obj, mdToken* type,
                                          const void** blob, uint32_t* size_blob) = 0;
  virtual HRESULT FindTypeRef(mdToken resolution_scope, const char16_t* name,
                              mdToken* type_ref) = 0;
  virtual HRESULT GetMemberProps(mdToken method, mdToken* owner, char16_t* member,
                                 uint32_t capacity_member, uint32_t* length_member, uint32_t* attr,
                                 const uint8_t** sig_blob, uint32_t* size_sig_blob,
                                 uint32_t* code_rva, uint32_t* impl_flags, uint32_t* element_type,
                                 const void** value, uint32_t* length_value) = 0;
  virtual HRESULT GetFieldProps(mdToken method, mdToken* owner, char16_t* field,
                                uint32_t capacity_field, uint32_t* length_field, uint32_t* attr,
                                const uint8_t** sig_blob, uint32_t* size_sig_blob,
                                uint32_t* element_type, const void** value,
                                uint32_t* length_value) = 0;
  virtual HRESULT GetPropertyProps(mdToken property_token, mdToken* owner, const char16_t* property,
                                   uint32_t capacity_property, uint32_t* length_property,
                                   uint32_t* prop_flags, const uint8_t** sig, uint32_t* size_sig,
                                   uint32_t* element_type, const void** default_value,
                                   uint32_t* length_value, mdToken* setter, mdToken* getter,
                                   mdToken* other_methods, uint32_t capacity,
                                   uint32_t* actual_other_method) = 0;
  virtual HRESULT GetParamProps(mdToken token, mdToken* member, uint32_t* sequence, char16_t* name,
                                uint32_t capacity_name, uint32_t* length_name, uint32_t* attr,
                                uint32_t* element_type, const void** value,
                                uint32_t* length_value) = 0;
  virtual HRESULT GetCustomAttributeByName(mdToken obj, const char16_t* name, const void** data,
                                           uint32_t* size_data) = 0;
  virtual BOOL IsValidToken(mdToken token) = 0;
  virtual HRESULT GetNestedClassProps(mdToken nested_class, mdToken* enclosing_class) = 0;
  virtual HRESULT GetNativeCallConvFromSig(const void* sig, uint32_t size_sig,
                                           uint32_t* call_conv) = 0;
  virtual HRESULT IsGlobal(mdToken token, int32_t* global) = 0;
};

struct IMetaDataImport2 : IMetaDataImport {
  static constexpr GUID kIid = {
      0xfce5efa0, 0x8bba, 0x4f8e, {0xa0, 0x36, 0x8f, 0x20, 0x22, 0xb0, 0x84, 0x66}};
  virtual HRESULT EnumGenericParams(HCORENUM* enumerator, mdToken token, mdToken* generic_params,
                                    uint32_t capacity, uint32_t* actual_generic_params) = 0;
  virtual HRESULT GetGenericParamProps(mdToken generic_param, uint32_t* param_seq,
                                       uint32_t* param_flags, mdToken* out_owner,
                                       uint32_t* reserved, char16_t* name, uint32_t capacity_name,
                                       uint32_t* length_name) = 0;
  virtual HRESULT GetMethodSpecProps(mdToken method_spec, mdToken* parent, const uint8_t** sig_blob,
                                     uint32_t* size_sig_blob) = 0;
  virtual HRESULT EnumGenericParamConstraints(HCORENUM* enumerator, mdToken token,
                                              mdToken* generic_param_constraints, uint32_t capacity,
                                              uint32_t* actual_generic_param_constraints) = 0;
  virtual HRESULT GetGenericParamConstraintProps(mdToken generic_param, mdToken* out_generic_param,
                                                 mdToken* constraint_type) = 0;
  virtual HRESULT GetPEKind(uint32_t* pe_kind, uint32_t* machine) = 0;
  virtual HRESULT GetVersionString(char16_t* version, uint32_t capacity_version,
                                   uint32_t* length_version) = 0;
  virtual HRESULT EnumMethodSpecs(HCORENUM* enumerator, mdToken token, mdToken* method_specs,
                                  uint32_t capacity, uint32_t* actual_method_specs) = 0;
};

struct IMetaDataAssemblyImport : IUnknown {
  static constexpr GUID kIid = {
      0xee62470b, 0xe94b, 0x424e, {0x9b, 0x7c, 0x2f, 0x00, 0xc9, 0x24, 0x9f, 0x93}};
  virtual HRESULT GetAssemblyProps(mdToken token, const void** public_key,
                                   uint32_t* size_public_key, uint32_t* hash_alg_id, char16_t* name,
                                   uint32_t capacity_name, uint32_t* length_name,
                                   ASSEMBLYMETADATA* meta_data, uint32_t* assembly_flags) = 0;
  virtual HRESULT GetAssemblyRefProps(mdToken token, const void** public_key_or_token,
                                      uint32_t* size_public_key_or_token, char16_t* name,
                                      uint32_t capacity_name, uint32_t* length_name,
                                      ASSEMBLYMETADATA* meta_data, const void** hash_value,
                                      uint32_t* size_hash_value, uint32_t* assembly_ref_flags) = 0;
  virtual HRESULT GetFileProps(mdToken token, char16_t* name, uint32_t capacity_name,
                               uint32_t* length_name, const void** hash_value,
                               uint32_t* size_hash_value, uint32_t* file_flags) = 0;
  virtual HRESULT GetExportedTypeProps(mdToken token, char16_t* name, uint32_t capacity_name,
                                       uint32_t* length_name, mdToken* implementation,
                                       mdToken* type_def, uint32_t* exported_type_flags) = 0;
  virtual HRESULT GetManifestResourceProps(mdToken token, char16_t* name, uint32_t capacity_name,
                                           uint32_t* length_name, mdToken* implementation,
                                           uint32_t* offset, uint32_t* resource_flags) = 0;
  virtual HRESULT EnumAssemblyRefs(HCORENUM* enumerator, mdToken* assembly_refs, uint32_t capacity,
                                   uint32_t* actual_tokens) = 0;
  virtual HRESULT EnumFiles(HCORENUM* enumerator, mdToken* files, uint32_t capacity,
                            uint32_t* actual_tokens) = 0;
  virtual HRESULT EnumExportedTypes(HCORENUM* enumerator, mdToken* exported_types,
                                    uint32_t capacity, uint32_t* actual_tokens) = 0;
  virtual HRESULT EnumManifestResources(HCORENUM* enumerator, mdToken* manifest_resources,
                                        uint32_t capacity, uint32_t* actual_tokens) = 0;
  virtual HRESULT GetAssemblyFromScope(mdToken* assembly) = 0;
  virtual HRESULT FindExportedTypeByName(const char16_t* name, mdToken enclosing_type,
                                         mdToken* exported_type) = 0;
  virtual HRESULT FindManifestResourceByName(const char16_t* name, mdToken* manifest_resource) = 0;
  virtual void CloseEnum(HCORENUM enumerator) = 0;
  virtual HRESULT FindAssembliesByName(const char16_t* app_base, const char16_t* private_bin,
                                       const char16_t* assembly_name, IUnknown** assemblies,
                                       uint32_t capacity, uint32_t* actual_assemblies) = 0;
};

// OpenScopeOnMemory, open_flags (CorOpenFlags).
inline constexpr uint32_t kOpenReadOnly = 0x10;

inline constexpr GUID kMetaDataDispenserClass = {
    0xe5cb7a31, 0x7512, 0x11d2, {0x89, 0xce, 0x00, 0x80, 0xc7, 0x92, 0xe5, 0xd8}};

struct IMetaDataDispenser : IUnknown {
  static constexpr GUID kIid = {
      0x809c652e, 0x7396, 0x11d2, {0x97, 0x71, 0x00, 0xa0, 0xc9, 0xb4, 0xd5, 0x0c}};
  virtual HRESULT DefineScope(const GUID& class_id, uint32_t create_flags, const GUID& iid,
                              IUnknown** out) = 0;
  virtual HRESULT OpenScope(const char16_t* name, uint32_t open_flags, const GUID& iid,
                            IUnknown** out) = 0;
  // The memory is not copied: it must stay while the scope is used.
  virtual HRESULT OpenScopeOnMemory(const void* data, uint32_t bytes, uint32_t open_flags,
                                    const GUID& iid, IUnknown** out) = 0;
};

// Exported by the runtime's library under this name.
inline constexpr const char* kGetDispenserName = "MetaDataGetDispenser";
using GetDispenser = HRESULT(const GUID& class_id, const GUID& iid, void** out);

}  // namespace hindsight::clr
