// ICorProfilerInfo to ICorProfilerInfo15, and its enumerators: what the profiler calls.
//
// Declared by hand from the published interface definition (dotnet/runtime,
// src/coreclr/inc/corprof.idl). Slot order and identifiers are the ABI, so nothing here may be
// reordered or removed. Every method returns an HRESULT; units and rules are documented with the
// interface at learn.microsoft.com.
#pragma once

#include "recorder/clr/types.h"

namespace hindsight::clr {

// COR_PRF_MODULE_FLAGS.
inline constexpr uint32_t kModuleDisk = 0x1;
inline constexpr uint32_t kModuleDynamic = 0x4;
inline constexpr uint32_t kModuleCollectible = 0x8;
inline constexpr uint32_t kModuleFlat = 0x20;  // laid out as in its file

struct ICorProfilerObjectEnum : IUnknown {
  static constexpr GUID kIid = {
      0x2c6269bd, 0x2d13, 0x4321, {0xae, 0x12, 0x66, 0x86, 0x36, 0x5f, 0xd6, 0xaf}};
  virtual HRESULT Skip(uint32_t count) = 0;
  virtual HRESULT Reset() = 0;
  virtual HRESULT Clone(ICorProfilerObjectEnum** enumerator) = 0;
  virtual HRESULT GetCount(uint32_t* count) = 0;
  virtual HRESULT Next(uint32_t count, ObjectID* objects, uint32_t* fetched) = 0;
};

struct ICorProfilerFunctionEnum : IUnknown {
  static constexpr GUID kIid = {
      0xff71301a, 0xb994, 0x429d, {0xa1, 0x0b, 0xb3, 0x45, 0xa6, 0x52, 0x80, 0xef}};
  virtual HRESULT Skip(uint32_t count) = 0;
  virtual HRESULT Reset() = 0;
  virtual HRESULT Clone(ICorProfilerFunctionEnum** enumerator) = 0;
  virtual HRESULT GetCount(uint32_t* count) = 0;
  virtual HRESULT Next(uint32_t count, COR_PRF_FUNCTION* ids, uint32_t* fetched) = 0;
};

struct ICorProfilerModuleEnum : IUnknown {
  static constexpr GUID kIid = {
      0xb0266d75, 0x2081, 0x4493, {0xaf, 0x7f, 0x02, 0x8b, 0xa3, 0x4d, 0xb8, 0x91}};
  virtual HRESULT Skip(uint32_t count) = 0;
  virtual HRESULT Reset() = 0;
  virtual HRESULT Clone(ICorProfilerModuleEnum** enumerator) = 0;
  virtual HRESULT GetCount(uint32_t* count) = 0;
  virtual HRESULT Next(uint32_t count, ModuleID* ids, uint32_t* fetched) = 0;
};

struct ICorProfilerMethodEnum : IUnknown {
  static constexpr GUID kIid = {
      0xfccee788, 0x0088, 0x454b, {0xa8, 0x11, 0xc9, 0x9f, 0x29, 0x8d, 0x19, 0x42}};
  virtual HRESULT Skip(uint32_t count) = 0;
  virtual HRESULT Reset() = 0;
  virtual HRESULT Clone(ICorProfilerMethodEnum** enumerator) = 0;
  virtual HRESULT GetCount(uint32_t* count) = 0;
  virtual HRESULT Next(uint32_t count, COR_PRF_METHOD* elements, uint32_t* fetched) = 0;
};

struct ICorProfilerThreadEnum : IUnknown {
  static constexpr GUID kIid = {
      0x571194f7, 0x25ed, 0x419f, {0xaa, 0x8b, 0x70, 0x16, 0xb3, 0x15, 0x97, 0x01}};
  virtual HRESULT Skip(uint32_t count) = 0;
  virtual HRESULT Reset() = 0;
  virtual HRESULT Clone(ICorProfilerThreadEnum** enumerator) = 0;
  virtual HRESULT GetCount(uint32_t* count) = 0;
  virtual HRESULT Next(uint32_t count, ThreadID* ids, uint32_t* fetched) = 0;
};

struct ICorProfilerInfo : IUnknown {
  static constexpr GUID kIid = {
      0x28b5557d, 0x3f3f, 0x48b4, {0x90, 0xb2, 0x5f, 0x9e, 0xea, 0x2f, 0x6c, 0x48}};
  virtual HRESULT GetClassFromObject(ObjectID object_id, ClassID* class_id) = 0;
  virtual HRESULT GetClassFromToken(ModuleID module_id, mdTypeDef type_def, ClassID* class_id) = 0;
  virtual HRESULT GetCodeInfo(FunctionID function_id, const uint8_t** start,
                              uint32_t* actual_size) = 0;
  virtual HRESULT GetEventMask(uint32_t* events) = 0;
  virtual HRESULT GetFunctionFromIP(const uint8_t* ip, FunctionID* function_id) = 0;
  virtual HRESULT GetFunctionFromToken(ModuleID module_id, mdToken token,
                                       FunctionID* function_id) = 0;
  virtual HRESULT GetHandleFromThread(ThreadID thread_id, void** ph_thread) = 0;
  virtual HRESULT GetObjectSize(ObjectID object_id, uint32_t* actual_size) = 0;
  virtual HRESULT IsArrayClass(ClassID class_id, CorElementType* base_elem_type,
                               ClassID* base_class_id, uint32_t* actual_rank) = 0;
  virtual HRESULT GetThreadInfo(ThreadID thread_id, uint32_t* win32_thread_id) = 0;
  virtual HRESULT GetCurrentThreadID(ThreadID* thread_id) = 0;
  virtual HRESULT GetClassIDInfo(ClassID class_id, ModuleID* module_id,
                                 mdTypeDef* type_def_token) = 0;
  virtual HRESULT GetFunctionInfo(FunctionID function_id, ClassID* class_id, ModuleID* module_id,
                                  mdToken* token) = 0;
  virtual HRESULT SetEventMask(uint32_t events) = 0;
  virtual HRESULT SetEnterLeaveFunctionHooks(FunctionEnter* func_enter, FunctionLeave* func_leave,
                                             FunctionTailcall* func_tailcall) = 0;
  virtual HRESULT SetFunctionIDMapper(FunctionIDMapper* func) = 0;
  virtual HRESULT GetTokenAndMetaDataFromFunction(FunctionID function_id, const GUID& riid,
                                                  IUnknown** import, mdToken* token) = 0;
  virtual HRESULT GetModuleInfo(ModuleID module_id, const uint8_t** base_load_address,
                                uint32_t capacity_name, uint32_t* length_name, char16_t* name,
                                AssemblyID* assembly_id) = 0;
  virtual HRESULT GetModuleMetaData(ModuleID module_id, uint32_t open_flags, const GUID& riid,
                                    IUnknown** out) = 0;
  virtual HRESULT GetILFunctionBody(ModuleID module_id, mdMethodDef method_id,
                                    const uint8_t** method_header, uint32_t* size_method_size) = 0;
  virtual HRESULT GetILFunctionBodyAllocator(ModuleID module_id, IMethodMalloc** malloc) = 0;
  virtual HRESULT SetILFunctionBody(ModuleID module_id, mdMethodDef methodid,
                                    const uint8_t* new_il_method_header) = 0;
  virtual HRESULT GetAppDomainInfo(AppDomainID app_domain_id, uint32_t capacity_name,
                                   uint32_t* length_name, char16_t* name,
                                   ProcessID* process_id) = 0;
  virtual HRESULT GetAssemblyInfo(AssemblyID assembly_id, uint32_t capacity_name,
                                  uint32_t* length_name, char16_t* name, AppDomainID* app_domain_id,
                                  ModuleID* module_id) = 0;
  virtual HRESULT SetFunctionReJIT(FunctionID function_id) = 0;
  virtual HRESULT ForceGC() = 0;
  virtual HRESULT SetILInstrumentedCodeMap(FunctionID function_id, BOOL start_jit,
                                           uint32_t count_il_map_entries,
                                           COR_IL_MAP* il_map_entries) = 0;
  virtual HRESULT GetInprocInspectionInterface(IUnknown** ppicd) = 0;
  virtual HRESULT GetInprocInspectionIThisThread(IUnknown** ppicd) = 0;
  virtual HRESULT GetThreadContext(ThreadID thread_id, ContextID* context_id) = 0;
  virtual HRESULT BeginInprocDebugging(BOOL this_thread_only, uint32_t* profiler_context) = 0;
  virtual HRESULT EndInprocDebugging(uint32_t profiler_context) = 0;
  virtual HRESULT GetILToNativeMapping(FunctionID function_id, uint32_t count_map,
                                       uint32_t* actual_map, COR_DEBUG_IL_TO_NATIVE_MAP* map) = 0;
};

struct ICorProfilerInfo2 : ICorProfilerInfo {
  static constexpr GUID kIid = {
      0xcc0935cd, 0xa518, 0x487d, {0xb0, 0xbb, 0xa9, 0x32, 0x14, 0xe6, 0x54, 0x78}};
  virtual HRESULT DoStackSnapshot(ThreadID thread, StackSnapshotCallback* callback,
                                  uint32_t info_flags, void* client_data, uint8_t* context,
                                  uint32_t context_size) = 0;
  virtual HRESULT SetEnterLeaveFunctionHooks2(FunctionEnter2* func_enter,
                                              FunctionLeave2* func_leave,
                                              FunctionTailcall2* func_tailcall) = 0;
  virtual HRESULT GetFunctionInfo2(FunctionID func_id, COR_PRF_FRAME_INFO frame_info,
                                   ClassID* class_id, ModuleID* module_id, mdToken* token,
                                   uint32_t count_type_args, uint32_t* actual_type_args,
                                   ClassID* type_args) = 0;
  virtual HRESULT GetStringLayout(uint32_t* buffer_length_offset, uint32_t* string_length_offset,
                                  uint32_t* buffer_offset) = 0;
  virtual HRESULT GetClassLayout(ClassID class_id, COR_FIELD_OFFSET* r_field_offset,
                                 uint32_t count_field_offset, uint32_t* actual_field_offset,
                                 uint32_t* class_size) = 0;
  virtual HRESULT GetClassIDInfo2(ClassID class_id, ModuleID* module_id, mdTypeDef* type_def_token,
                                  ClassID* parent_class_id, uint32_t count_num_type_args,
                                  uint32_t* actual_num_type_args, ClassID* type_args) = 0;
  virtual HRESULT GetCodeInfo2(FunctionID function_id, uint32_t count_code_infos,
                               uint32_t* actual_code_infos, COR_PRF_CODE_INFO* code_infos) = 0;
  virtual HRESULT GetClassFromTokenAndTypeArgs(ModuleID module_id, mdTypeDef type_def,
                                               uint32_t count_type_args, ClassID* type_args,
                                               ClassID* class_id) = 0;
  virtual HRESULT GetFunctionFromTokenAndTypeArgs(ModuleID module_id, mdMethodDef func_def,
                                                  ClassID class_id, uint32_t count_type_args,
                                                  ClassID* type_args, FunctionID* function_id) = 0;
  virtual HRESULT EnumModuleFrozenObjects(ModuleID module_id,
                                          ICorProfilerObjectEnum** enumerator) = 0;
  virtual HRESULT GetArrayObjectInfo(ObjectID object_id, uint32_t count_dimensions,
                                     uint32_t* dimension_sizes, int* dimension_lower_bounds,
                                     uint8_t** data) = 0;
  virtual HRESULT GetBoxClassLayout(ClassID class_id, uint32_t* buffer_offset) = 0;
  virtual HRESULT GetThreadAppDomain(ThreadID thread_id, AppDomainID* app_domain_id) = 0;
  virtual HRESULT GetRVAStaticAddress(ClassID class_id, mdFieldDef field_token, void** address) = 0;
  virtual HRESULT GetAppDomainStaticAddress(ClassID class_id, mdFieldDef field_token,
                                            AppDomainID app_domain_id, void** address) = 0;
  virtual HRESULT GetThreadStaticAddress(ClassID class_id, mdFieldDef field_token,
                                         ThreadID thread_id, void** address) = 0;
  virtual HRESULT GetContextStaticAddress(ClassID class_id, mdFieldDef field_token,
                                          ContextID context_id, void** address) = 0;
  virtual HRESULT GetStaticFieldInfo(ClassID class_id, mdFieldDef field_token,
                                     COR_PRF_STATIC_TYPE* field_info) = 0;
  virtual HRESULT GetGenerationBounds(uint32_t count_object_ranges, uint32_t* actual_object_ranges,
                                      COR_PRF_GC_GENERATION_RANGE* ranges) = 0;
  virtual HRESULT GetObjectGeneration(ObjectID object_id, COR_PRF_GC_GENERATION_RANGE* range) = 0;
  virtual HRESULT GetNotifiedExceptionClauseInfo(COR_PRF_EX_CLAUSE_INFO* pinfo) = 0;
};

struct ICorProfilerInfo3 : ICorProfilerInfo2 {
  static constexpr GUID kIid = {
      0xb555ed4f, 0x452a, 0x4e54, {0x8b, 0x39, 0xb5, 0x36, 0x0b, 0xad, 0x32, 0xa0}};
  virtual HRESULT EnumJITedFunctions(ICorProfilerFunctionEnum** enumerator) = 0;
  virtual HRESULT RequestProfilerDetach(uint32_t expected_completion_milliseconds) = 0;
  virtual HRESULT SetFunctionIDMapper2(FunctionIDMapper2* func, void* client_data) = 0;
  virtual HRESULT GetStringLayout2(uint32_t* string_length_offset, uint32_t* buffer_offset) = 0;
  virtual HRESULT SetEnterLeaveFunctionHooks3(FunctionEnter3* func_enter3,
                                              FunctionLeave3* func_leave3,
                                              FunctionTailcall3* func_tailcall3) = 0;
  virtual HRESULT SetEnterLeaveFunctionHooks3WithInfo(
      FunctionEnter3WithInfo* func_enter3_with_info, FunctionLeave3WithInfo* func_leave3_with_info,
      FunctionTailcall3WithInfo* func_tailcall3_with_info) = 0;
  virtual HRESULT GetFunctionEnter3Info(FunctionID function_id, COR_PRF_ELT_INFO elt_info,
                                        COR_PRF_FRAME_INFO* frame_info,
                                        uint32_t* size_argument_info,
                                        COR_PRF_FUNCTION_ARGUMENT_INFO* argument_info) = 0;
  virtual HRESULT GetFunctionLeave3Info(FunctionID function_id, COR_PRF_ELT_INFO elt_info,
                                        COR_PRF_FRAME_INFO* frame_info,
                                        COR_PRF_FUNCTION_ARGUMENT_RANGE* retval_range) = 0;
  virtual HRESULT GetFunctionTailcall3Info(FunctionID function_id, COR_PRF_ELT_INFO elt_info,
                                           COR_PRF_FRAME_INFO* frame_info) = 0;
  virtual HRESULT EnumModules(ICorProfilerModuleEnum** enumerator) = 0;
  virtual HRESULT GetRuntimeInformation(uint16_t* clr_instance_id,
                                        COR_PRF_RUNTIME_TYPE* runtime_type, uint16_t* major_version,
                                        uint16_t* minor_version, uint16_t* build_number,
                                        uint16_t* qfeversion, uint32_t capacity_version_string,
                                        uint32_t* length_version_string,
                                        char16_t* version_string) = 0;
  virtual HRESULT GetThreadStaticAddress2(ClassID class_id, mdFieldDef field_token,
                                          AppDomainID app_domain_id, ThreadID thread_id,
                                          void** address) = 0;
  virtual HRESULT GetAppDomainsContainingModule(ModuleID module_id, uint32_t count_app_domain_ids,
                                                uint32_t* actual_app_domain_ids,
                                                AppDomainID* app_domain_ids) = 0;
  virtual HRESULT GetModuleInfo2(ModuleID module_id, const uint8_t** base_load_address,
                                 uint32_t capacity_name, uint32_t* length_name, char16_t* name,
                                 AssemblyID* assembly_id, uint32_t* module_flags) = 0;
};

struct ICorProfilerInfo4 : ICorProfilerInfo3 {
  static constexpr GUID kIid = {
      0x0d8fdcaa, 0x6257, 0x47bf, {0xb1, 0xbf, 0x94, 0xda, 0xc8, 0x84, 0x66, 0xee}};
  virtual HRESULT EnumThreads(ICorProfilerThreadEnum** enumerator) = 0;
  virtual HRESULT InitializeCurrentThread() = 0;
  virtual HRESULT RequestReJIT(uint32_t count_functions, ModuleID* module_ids,
                               mdMethodDef* method_ids) = 0;
  virtual HRESULT RequestRevert(uint32_t count_functions, ModuleID* module_ids,
                                mdMethodDef* method_ids, HRESULT* status) = 0;
  virtual HRESULT GetCodeInfo3(FunctionID function_id, ReJITID re_jit_id, uint32_t count_code_infos,
                               uint32_t* actual_code_infos, COR_PRF_CODE_INFO* code_infos) = 0;
  virtual HRESULT GetFunctionFromIP2(const uint8_t* ip, FunctionID* function_id,
                                     ReJITID* re_jit_id) = 0;
  virtual HRESULT GetReJITIDs(FunctionID function_id, uint32_t count_re_jit_ids,
                              uint32_t* actual_re_jit_ids, ReJITID* re_jit_ids) = 0;
  virtual HRESULT GetILToNativeMapping2(FunctionID function_id, ReJITID re_jit_id,
                                        uint32_t count_map, uint32_t* actual_map,
                                        COR_DEBUG_IL_TO_NATIVE_MAP* map) = 0;
  virtual HRESULT EnumJITedFunctions2(ICorProfilerFunctionEnum** enumerator) = 0;
  virtual HRESULT GetObjectSize2(ObjectID object_id, size_t* actual_size) = 0;
};

struct ICorProfilerInfo5 : ICorProfilerInfo4 {
  static constexpr GUID kIid = {
      0x07602928, 0xce38, 0x4b83, {0x81, 0xe7, 0x74, 0xad, 0xaf, 0x78, 0x12, 0x14}};
  virtual HRESULT GetEventMask2(uint32_t* events_low, uint32_t* events_high) = 0;
  virtual HRESULT SetEventMask2(uint32_t events_low, uint32_t events_high) = 0;
};

struct ICorProfilerInfo6 : ICorProfilerInfo5 {
  static constexpr GUID kIid = {
      0xf30a070d, 0xbffb, 0x46a7, {0xb1, 0xd8, 0x87, 0x81, 0xef, 0x7b, 0x69, 0x8a}};
  virtual HRESULT EnumNgenModuleMethodsInliningThisMethod(ModuleID inliners_module_id,
                                                          ModuleID inlinee_module_id,
                                                          mdMethodDef inlinee_method_id,
                                                          BOOL* incomplete_data,
                                                          ICorProfilerMethodEnum** enumerator) = 0;
};

struct ICorProfilerInfo7 : ICorProfilerInfo6 {
  static constexpr GUID kIid = {
      0x9aeecc0d, 0x63e0, 0x4187, {0x8c, 0x00, 0xe3, 0x12, 0xf5, 0x03, 0xf6, 0x63}};
  virtual HRESULT ApplyMetaData(ModuleID module_id) = 0;
  virtual HRESULT GetInMemorySymbolsLength(ModuleID module_id, uint32_t* count_symbol_bytes) = 0;
  virtual HRESULT ReadInMemorySymbols(ModuleID module_id, uint32_t symbols_read_offset,
                                      uint8_t* symbol_bytes, uint32_t count_symbol_bytes,
                                      uint32_t* count_symbol_bytes_read) = 0;
};

struct ICorProfilerInfo8 : ICorProfilerInfo7 {
  static constexpr GUID kIid = {
      0xc5ac80a6, 0x782e, 0x4716, {0x80, 0x44, 0x39, 0x59, 0x8c, 0x60, 0xcf, 0xbf}};
  virtual HRESULT IsFunctionDynamic(FunctionID function_id, BOOL* is_dynamic) = 0;
  virtual HRESULT GetFunctionFromIP3(const uint8_t* ip, FunctionID* function_id,
                                     ReJITID* re_jit_id) = 0;
  virtual HRESULT GetDynamicFunctionInfo(FunctionID function_id, ModuleID* module_id,
                                         const uint8_t** sig, uint32_t* sig2,
                                         uint32_t capacity_name, uint32_t* length_name,
                                         char16_t* name) = 0;
};

struct ICorProfilerInfo9 : ICorProfilerInfo8 {
  static constexpr GUID kIid = {
      0x008170db, 0xf8cc, 0x4796, {0x9a, 0x51, 0xdc, 0x8a, 0xa0, 0xb4, 0x70, 0x12}};
  virtual HRESULT GetNativeCodeStartAddresses(FunctionID function_id, ReJITID re_jit_id,
                                              uint32_t count_code_start_addresses,
                                              uint32_t* actual_code_start_addresses,
                                              uintptr_t* code_start_addresses) = 0;
  virtual HRESULT GetILToNativeMapping3(uintptr_t native_code_start_address, uint32_t count_map,
                                        uint32_t* actual_map, COR_DEBUG_IL_TO_NATIVE_MAP* map) = 0;
  virtual HRESULT GetCodeInfo4(uintptr_t native_code_start_address, uint32_t count_code_infos,
                               uint32_t* actual_code_infos, COR_PRF_CODE_INFO* code_infos) = 0;
};

struct ICorProfilerInfo10 : ICorProfilerInfo9 {
  static constexpr GUID kIid = {
      0x2f1b5152, 0xc869, 0x40c9, {0xaa, 0x5f, 0x3a, 0xbe, 0x02, 0x6b, 0xd7, 0x20}};
  virtual HRESULT EnumerateObjectReferences(ObjectID object_id, ObjectReferenceCallback callback,
                                            void* client_data) = 0;
  virtual HRESULT IsFrozenObject(ObjectID object_id, BOOL* frozen) = 0;
  virtual HRESULT GetLOHObjectSizeThreshold(uint32_t* threshold) = 0;
  virtual HRESULT RequestReJITWithInliners(uint32_t rejit_flags, uint32_t count_functions,
                                           ModuleID* module_ids, mdMethodDef* method_ids) = 0;
  virtual HRESULT SuspendRuntime() = 0;
  virtual HRESULT ResumeRuntime() = 0;
};

struct ICorProfilerInfo11 : ICorProfilerInfo10 {
  static constexpr GUID kIid = {
      0x06398876, 0x8987, 0x4154, {0xb6, 0x21, 0x40, 0xa0, 0x0d, 0x6e, 0x4d, 0x04}};
  virtual HRESULT GetEnvironmentVariable(const char16_t* name, uint32_t capacity_value,
                                         uint32_t* length_value, char16_t* value) = 0;
  virtual HRESULT SetEnvironmentVariable(const char16_t* name, const char16_t* value) = 0;
};

struct ICorProfilerInfo12 : ICorProfilerInfo11 {
  static constexpr GUID kIid = {
      0x27b24ccd, 0x1cb1, 0x47c5, {0x96, 0xee, 0x98, 0x19, 0x0d, 0xc3, 0x09, 0x59}};
  virtual HRESULT EventPipeStartSession(uint32_t count_provider_configs,
                                        COR_PRF_EVENTPIPE_PROVIDER_CONFIG* provider_configs,
                                        BOOL request_rundown, EVENTPIPE_SESSION* session) = 0;
  virtual HRESULT EventPipeAddProviderToSession(
      EVENTPIPE_SESSION session, COR_PRF_EVENTPIPE_PROVIDER_CONFIG provider_config) = 0;
  virtual HRESULT EventPipeStopSession(EVENTPIPE_SESSION session) = 0;
  virtual HRESULT EventPipeCreateProvider(const char16_t* provider_name,
                                          EVENTPIPE_PROVIDER* provider) = 0;
  virtual HRESULT EventPipeGetProviderInfo(EVENTPIPE_PROVIDER provider, uint32_t capacity_name,
                                           uint32_t* length_name, char16_t* provider_name) = 0;
  virtual HRESULT EventPipeDefineEvent(EVENTPIPE_PROVIDER provider, const char16_t* event_name,
                                       uint32_t event_id, uint64_t keywords, uint32_t event_version,
                                       uint32_t level, uint8_t opcode, BOOL need_stack,
                                       uint32_t count_param_descs,
                                       COR_PRF_EVENTPIPE_PARAM_DESC* param_descs,
                                       EVENTPIPE_EVENT* event) = 0;
  virtual HRESULT EventPipeWriteEvent(EVENTPIPE_EVENT event, uint32_t count_data,
                                      COR_PRF_EVENT_DATA* data, LPCGUID activity_id,
                                      LPCGUID related_activity_id) = 0;
};

struct ICorProfilerInfo13 : ICorProfilerInfo12 {
  static constexpr GUID kIid = {
      0x6e6c7ee2, 0x0701, 0x4ec2, {0x9d, 0x29, 0x2e, 0x87, 0x33, 0xb6, 0x69, 0x34}};
  virtual HRESULT CreateHandle(ObjectID object, COR_PRF_HANDLE_TYPE type,
                               ObjectHandleID* handle) = 0;
  virtual HRESULT DestroyHandle(ObjectHandleID handle) = 0;
  virtual HRESULT GetObjectIDFromHandle(ObjectHandleID handle, ObjectID* object) = 0;
};

struct ICorProfilerInfo14 : ICorProfilerInfo13 {
  static constexpr GUID kIid = {
      0xf460e352, 0xd76d, 0x4fe9, {0x83, 0x5f, 0xf6, 0xaf, 0x9d, 0x6e, 0x86, 0x2d}};
  virtual HRESULT EnumerateNonGCObjects(ICorProfilerObjectEnum** enumerator) = 0;
  virtual HRESULT GetNonGCHeapBounds(uint32_t count_object_ranges, uint32_t* actual_object_ranges,
                                     COR_PRF_NONGC_HEAP_RANGE* ranges) = 0;
  virtual HRESULT EventPipeCreateProvider2(const char16_t* provider_name,
                                           EventPipeProviderCallback* callback,
                                           EVENTPIPE_PROVIDER* provider) = 0;
};

struct ICorProfilerInfo15 : ICorProfilerInfo14 {
  static constexpr GUID kIid = {
      0xb446462d, 0xbd22, 0x41dd, {0x87, 0x2d, 0xdc, 0x71, 0x4c, 0x49, 0xeb, 0x56}};
  virtual HRESULT EnumerateGCHeapObjects(ObjectCallback callback, void* callback_state) = 0;
};

}  // namespace hindsight::clr
