// ICorProfilerCallback to ICorProfilerCallback11: what the runtime calls.
//
// Declared by hand from the published interface definition (dotnet/runtime,
// src/coreclr/inc/corprof.idl). Slot order and identifiers are the ABI, so nothing here may be
// reordered or removed. Every method returns an HRESULT; units and rules are documented with the
// interface at learn.microsoft.com.
#pragma once

#include "recorder/clr/types.h"

namespace hindsight::clr {

struct ICorProfilerCallback : IUnknown {
  static constexpr GUID kIid = {
      0x176fbed1, 0xa55c, 0x4796, {0x98, 0xca, 0xa9, 0xda, 0x0e, 0xf8, 0x83, 0xe7}};
  virtual HRESULT Initialize(IUnknown* icor_profiler_info_unk) = 0;
  virtual HRESULT Shutdown() = 0;
  virtual HRESULT AppDomainCreationStarted(AppDomainID app_domain_id) = 0;
  virtual HRESULT AppDomainCreationFinished(AppDomainID app_domain_id, HRESULT hr_status) = 0;
  virtual HRESULT AppDomainShutdownStarted(AppDomainID app_domain_id) = 0;
  virtual HRESULT AppDomainShutdownFinished(AppDomainID app_domain_id, HRESULT hr_status) = 0;
  virtual HRESULT AssemblyLoadStarted(AssemblyID assembly_id) = 0;
  virtual HRESULT AssemblyLoadFinished(AssemblyID assembly_id, HRESULT hr_status) = 0;
  virtual HRESULT AssemblyUnloadStarted(AssemblyID assembly_id) = 0;
  virtual HRESULT AssemblyUnloadFinished(AssemblyID assembly_id, HRESULT hr_status) = 0;
  virtual HRESULT ModuleLoadStarted(ModuleID module_id) = 0;
  virtual HRESULT ModuleLoadFinished(ModuleID module_id, HRESULT hr_status) = 0;
  virtual HRESULT ModuleUnloadStarted(ModuleID module_id) = 0;
  virtual HRESULT ModuleUnloadFinished(ModuleID module_id, HRESULT hr_status) = 0;
  virtual HRESULT ModuleAttachedToAssembly(ModuleID module_id, AssemblyID assembly_id) = 0;
  virtual HRESULT ClassLoadStarted(ClassID class_id) = 0;
  virtual HRESULT ClassLoadFinished(ClassID class_id, HRESULT hr_status) = 0;
  virtual HRESULT ClassUnloadStarted(ClassID class_id) = 0;
  virtual HRESULT ClassUnloadFinished(ClassID class_id, HRESULT hr_status) = 0;
  virtual HRESULT FunctionUnloadStarted(FunctionID function_id) = 0;
  virtual HRESULT JITCompilationStarted(FunctionID function_id, BOOL is_safe_to_block) = 0;
  virtual HRESULT JITCompilationFinished(FunctionID function_id, HRESULT hr_status,
                                         BOOL is_safe_to_block) = 0;
  virtual HRESULT JITCachedFunctionSearchStarted(FunctionID function_id,
                                                 BOOL* use_cached_function) = 0;
  virtual HRESULT JITCachedFunctionSearchFinished(FunctionID function_id,
                                                  COR_PRF_JIT_CACHE result) = 0;
  virtual HRESULT JITFunctionPitched(FunctionID function_id) = 0;
  virtual HRESULT JITInlining(FunctionID caller_id, FunctionID callee_id, BOOL* should_inline) = 0;
  virtual HRESULT ThreadCreated(ThreadID thread_id) = 0;
  virtual HRESULT ThreadDestroyed(ThreadID thread_id) = 0;
  virtual HRESULT ThreadAssignedToOSThread(ThreadID managed_thread_id, uint32_t os_thread_id) = 0;
  virtual HRESULT RemotingClientInvocationStarted() = 0;
  virtual HRESULT RemotingClientSendingMessage(GUID* cookie, BOOL is_async) = 0;
  virtual HRESULT RemotingClientReceivingReply(GUID* cookie, BOOL is_async) = 0;
  virtual HRESULT RemotingClientInvocationFinished() = 0;
  virtual HRESULT RemotingServerReceivingMessage(GUID* cookie, BOOL is_async) = 0;
  virtual HRESULT RemotingServerInvocationStarted() = 0;
  virtual HRESULT RemotingServerInvocationReturned() = 0;
  virtual HRESULT RemotingServerSendingReply(GUID* cookie, BOOL is_async) = 0;
  virtual HRESULT UnmanagedToManagedTransition(FunctionID function_id,
                                               COR_PRF_TRANSITION_REASON reason) = 0;
  virtual HRESULT ManagedToUnmanagedTransition(FunctionID function_id,
                                               COR_PRF_TRANSITION_REASON reason) = 0;
  virtual HRESULT RuntimeSuspendStarted(COR_PRF_SUSPEND_REASON suspend_reason) = 0;
  virtual HRESULT RuntimeSuspendFinished() = 0;
  virtual HRESULT RuntimeSuspendAborted() = 0;
  virtual HRESULT RuntimeResumeStarted() = 0;
  virtual HRESULT RuntimeResumeFinished() = 0;
  virtual HRESULT RuntimeThreadSuspended(ThreadID thread_id) = 0;
  virtual HRESULT RuntimeThreadResumed(ThreadID thread_id) = 0;
  virtual HRESULT MovedReferences(uint32_t count_moved_object_id_ranges,
                                  ObjectID* old_object_id_range_start,
                                  ObjectID* new_object_id_range_start,
                                  uint32_t* count_object_id_range_length) = 0;
  virtual HRESULT ObjectAllocated(ObjectID object_id, ClassID class_id) = 0;
  virtual HRESULT ObjectsAllocatedByClass(uint32_t count_class_count, ClassID* class_ids,
                                          uint32_t* count_objects) = 0;
  virtual HRESULT ObjectReferences(ObjectID object_id, ClassID class_id, uint32_t count_object_refs,
                                   ObjectID* object_ref_ids) = 0;
  virtual HRESULT RootReferences(uint32_t count_root_refs, ObjectID* root_ref_ids) = 0;
  virtual HRESULT ExceptionThrown(ObjectID thrown_object_id) = 0;
  virtual HRESULT ExceptionSearchFunctionEnter(FunctionID function_id) = 0;
  virtual HRESULT ExceptionSearchFunctionLeave() = 0;
  virtual HRESULT ExceptionSearchFilterEnter(FunctionID function_id) = 0;
  virtual HRESULT ExceptionSearchFilterLeave() = 0;
  virtual HRESULT ExceptionSearchCatcherFound(FunctionID function_id) = 0;
  virtual HRESULT ExceptionOSHandlerEnter(uintptr_t unused) = 0;
  virtual HRESULT ExceptionOSHandlerLeave(uintptr_t unused) = 0;
  virtual HRESULT ExceptionUnwindFunctionEnter(FunctionID function_id) = 0;
  virtual HRESULT ExceptionUnwindFunctionLeave() = 0;
  virtual HRESULT ExceptionUnwindFinallyEnter(FunctionID function_id) = 0;
  virtual HRESULT ExceptionUnwindFinallyLeave() = 0;
  virtual HRESULT ExceptionCatcherEnter(FunctionID function_id, ObjectID object_id) = 0;
  virtual HRESULT ExceptionCatcherLeave() = 0;
  virtual HRESULT COMClassicVTableCreated(ClassID wrapped_class_id, const GUID& implemented_iid,
                                          void* vtable, uint32_t count_slots) = 0;
  virtual HRESULT COMClassicVTableDestroyed(ClassID wrapped_class_id, const GUID& implemented_iid,
                                            void* vtable) = 0;
  virtual HRESULT ExceptionCLRCatcherFound() = 0;
  virtual HRESULT ExceptionCLRCatcherExecute() = 0;
};

struct ICorProfilerCallback2 : ICorProfilerCallback {
  static constexpr GUID kIid = {
      0x8a8cc829, 0xccf2, 0x49fe, {0xbb, 0xae, 0x0f, 0x02, 0x22, 0x28, 0x07, 0x1a}};
  virtual HRESULT ThreadNameChanged(ThreadID thread_id, uint32_t capacity_name, char16_t* name) = 0;
  virtual HRESULT GarbageCollectionStarted(int count_generations, BOOL* generation_collected,
                                           COR_PRF_GC_REASON reason) = 0;
  virtual HRESULT SurvivingReferences(uint32_t count_surviving_object_id_ranges,
                                      ObjectID* object_id_range_start,
                                      uint32_t* count_object_id_range_length) = 0;
  virtual HRESULT GarbageCollectionFinished() = 0;
  virtual HRESULT FinalizeableObjectQueued(uint32_t finalizer_flags, ObjectID object_id) = 0;
  virtual HRESULT RootReferences2(uint32_t count_root_refs, ObjectID* root_ref_ids,
                                  COR_PRF_GC_ROOT_KIND* root_kinds,
                                  COR_PRF_GC_ROOT_FLAGS* root_flags, uintptr_t* root_ids) = 0;
  virtual HRESULT HandleCreated(GCHandleID handle_id, ObjectID initial_object_id) = 0;
  virtual HRESULT HandleDestroyed(GCHandleID handle_id) = 0;
};

struct ICorProfilerCallback3 : ICorProfilerCallback2 {
  static constexpr GUID kIid = {
      0x4fd2ed52, 0x7731, 0x4b8d, {0x94, 0x69, 0x03, 0xd2, 0xcc, 0x30, 0x86, 0xc5}};
  virtual HRESULT InitializeForAttach(IUnknown* cor_profiler_info_unk, void* pv_client_data,
                                      uint32_t size_client_data) = 0;
  virtual HRESULT ProfilerAttachComplete() = 0;
  virtual HRESULT ProfilerDetachSucceeded() = 0;
};

struct ICorProfilerCallback4 : ICorProfilerCallback3 {
  static constexpr GUID kIid = {
      0x7b63b2e3, 0x107d, 0x4d48, {0xb2, 0xf6, 0xf6, 0x1e, 0x22, 0x94, 0x70, 0xd2}};
  virtual HRESULT ReJITCompilationStarted(FunctionID function_id, ReJITID rejit_id,
                                          BOOL is_safe_to_block) = 0;
  virtual HRESULT GetReJITParameters(ModuleID module_id, mdMethodDef method_id,
                                     ICorProfilerFunctionControl* function_control) = 0;
  virtual HRESULT ReJITCompilationFinished(FunctionID function_id, ReJITID rejit_id,
                                           HRESULT hr_status, BOOL is_safe_to_block) = 0;
  virtual HRESULT ReJITError(ModuleID module_id, mdMethodDef method_id, FunctionID function_id,
                             HRESULT hr_status) = 0;
  virtual HRESULT MovedReferences2(uint32_t count_moved_object_id_ranges,
                                   ObjectID* old_object_id_range_start,
                                   ObjectID* new_object_id_range_start,
                                   size_t* count_object_id_range_length) = 0;
  virtual HRESULT SurvivingReferences2(uint32_t count_surviving_object_id_ranges,
                                       ObjectID* object_id_range_start,
                                       size_t* count_object_id_range_length) = 0;
};

struct ICorProfilerCallback5 : ICorProfilerCallback4 {
  static constexpr GUID kIid = {
      0x8dfba405, 0x8c9f, 0x45f8, {0xbf, 0xfa, 0x83, 0xb1, 0x4c, 0xef, 0x78, 0xb5}};
  virtual HRESULT ConditionalWeakTableElementReferences(uint32_t count_root_refs,
                                                        ObjectID* key_ref_ids,
                                                        ObjectID* value_ref_ids,
                                                        GCHandleID* root_ids) = 0;
};

struct ICorProfilerCallback6 : ICorProfilerCallback5 {
  static constexpr GUID kIid = {
      0xfc13df4b, 0x4448, 0x4f4f, {0x95, 0x0c, 0xba, 0x8d, 0x19, 0xd0, 0x0c, 0x36}};
  virtual HRESULT GetAssemblyReferences(
      const char16_t* assembly_path, ICorProfilerAssemblyReferenceProvider* asm_ref_provider) = 0;
};

struct ICorProfilerCallback7 : ICorProfilerCallback6 {
  static constexpr GUID kIid = {
      0xf76a2dba, 0x1d52, 0x4539, {0x86, 0x6c, 0x2a, 0xa5, 0x18, 0xf9, 0xef, 0xc3}};
  virtual HRESULT ModuleInMemorySymbolsUpdated(ModuleID module_id) = 0;
};

struct ICorProfilerCallback8 : ICorProfilerCallback7 {
  static constexpr GUID kIid = {
      0x5bed9b15, 0xc079, 0x4d47, {0xbf, 0xe2, 0x21, 0x5a, 0x14, 0x0c, 0x07, 0xe0}};
  virtual HRESULT DynamicMethodJITCompilationStarted(FunctionID function_id, BOOL is_safe_to_block,
                                                     const uint8_t* il_header,
                                                     uint32_t size_il_header) = 0;
  virtual HRESULT DynamicMethodJITCompilationFinished(FunctionID function_id, HRESULT hr_status,
                                                      BOOL is_safe_to_block) = 0;
};

struct ICorProfilerCallback9 : ICorProfilerCallback8 {
  static constexpr GUID kIid = {
      0x27583ec3, 0xc8f5, 0x482f, {0x80, 0x52, 0x19, 0x4b, 0x8c, 0xe4, 0x70, 0x5a}};
  virtual HRESULT DynamicMethodUnloaded(FunctionID function_id) = 0;
};

struct ICorProfilerCallback10 : ICorProfilerCallback9 {
  static constexpr GUID kIid = {
      0xcec5b60e, 0xc69c, 0x495f, {0x87, 0xf6, 0x84, 0xd2, 0x8e, 0xe1, 0x6f, 0xfb}};
  virtual HRESULT EventPipeEventDelivered(EVENTPIPE_PROVIDER provider, uint32_t event_id,
                                          uint32_t event_version, uint32_t size_metadata_blob,
                                          const uint8_t* metadata_blob, uint32_t size_event_data,
                                          const uint8_t* event_data, LPCGUID activity_id,
                                          LPCGUID related_activity_id, ThreadID event_thread,
                                          uint32_t num_stack_frames, uintptr_t* stack_frames) = 0;
  virtual HRESULT EventPipeProviderCreated(EVENTPIPE_PROVIDER provider) = 0;
};

struct ICorProfilerCallback11 : ICorProfilerCallback10 {
  static constexpr GUID kIid = {
      0x42350846, 0xaaed, 0x47f7, {0xb1, 0x28, 0xfd, 0x0c, 0x98, 0x88, 0x1c, 0xde}};
  virtual HRESULT LoadAsNotificationOnly(BOOL* notification_only) = 0;
};

}  // namespace hindsight::clr
