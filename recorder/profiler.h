// The COM object that the runtime talks to: forwards callbacks to the session, without any logic.
//
// Callbacks may run on any thread of the application, many at the same time. None throws, and none
// blocks (Shutdown waits, at most three seconds, for the last segment). In a forked copy of the
// process they do nothing (base/forked_copy.h): those that report events find no track, all others
// check for it.
#pragma once

#include <atomic>
#include <memory>

#include "recorder/clr/default_callback.h"
#include "recorder/session.h"

namespace hindsight::recorder {

class Profiler final : public clr::DefaultCallback {
 public:
  // IUnknown
  clr::HRESULT QueryInterface(const clr::GUID& iid, void** object) override;
  uint32_t AddRef() override;
  uint32_t Release() override;

  // Life
  clr::HRESULT Initialize(clr::IUnknown* info) override;
  clr::HRESULT InitializeForAttach(clr::IUnknown* info, void* data, uint32_t size) override;
  clr::HRESULT ProfilerAttachComplete() override;
  clr::HRESULT ProfilerDetachSucceeded() override;
  clr::HRESULT Shutdown() override;

  // Exceptions
  clr::HRESULT ExceptionThrown(clr::ObjectID object) override;
  clr::HRESULT ExceptionSearchFunctionEnter(clr::FunctionID function) override;
  clr::HRESULT ExceptionSearchFilterEnter(clr::FunctionID function) override;
  clr::HRESULT ExceptionSearchFilterLeave() override;
  clr::HRESULT ExceptionSearchCatcherFound(clr::FunctionID function) override;
  clr::HRESULT ExceptionUnwindFunctionEnter(clr::FunctionID function) override;
  clr::HRESULT ExceptionUnwindFinallyEnter(clr::FunctionID function) override;
  clr::HRESULT ExceptionUnwindFinallyLeave() override;
  clr::HRESULT ExceptionCatcherEnter(clr::FunctionID function, clr::ObjectID object) override;
  clr::HRESULT ExceptionCatcherLeave() override;

  // Threads
  clr::HRESULT ThreadCreated(clr::ThreadID thread) override;
  clr::HRESULT ThreadDestroyed(clr::ThreadID thread) override;
  clr::HRESULT ThreadAssignedToOSThread(clr::ThreadID thread, uint32_t os_id) override;
  clr::HRESULT ThreadNameChanged(clr::ThreadID thread, uint32_t length, char16_t* name) override;

  // Modules and code
  clr::HRESULT ModuleLoadFinished(clr::ModuleID module, clr::HRESULT status) override;
  clr::HRESULT AssemblyUnloadStarted(clr::AssemblyID assembly) override;
  clr::HRESULT ModuleUnloadStarted(clr::ModuleID module) override;
  clr::HRESULT ModuleUnloadFinished(clr::ModuleID module, clr::HRESULT) override;
  clr::HRESULT DynamicMethodUnloaded(clr::FunctionID function) override;
  clr::HRESULT DynamicMethodJITCompilationStarted(clr::FunctionID function, clr::BOOL may_block,
                                                  const uint8_t* il, uint32_t il_bytes) override;
  clr::HRESULT DynamicMethodJITCompilationFinished(clr::FunctionID function, clr::HRESULT result,
                                                   clr::BOOL may_block) override;
  clr::HRESULT JITInlining(clr::FunctionID caller, clr::FunctionID callee,
                           clr::BOOL* should_inline) override;

  // Waits, allocations, details of collections, the compiler
  clr::HRESULT EventPipeProviderCreated(clr::EVENTPIPE_PROVIDER provider) override;
  clr::HRESULT EventPipeEventDelivered(clr::EVENTPIPE_PROVIDER provider, uint32_t event,
                                       uint32_t version, uint32_t metadata_size,
                                       const uint8_t* metadata, uint32_t size, const uint8_t* data,
                                       clr::LPCGUID activity, clr::LPCGUID related_activity,
                                       clr::ThreadID thread, uint32_t frames,
                                       uintptr_t* stack) override;

  // Collections and suspensions
  clr::HRESULT GarbageCollectionStarted(int count, clr::BOOL* generations,
                                        clr::COR_PRF_GC_REASON reason) override;
  clr::HRESULT GarbageCollectionFinished() override;
  clr::HRESULT RootReferences2(uint32_t count, clr::ObjectID* objects,
                               clr::COR_PRF_GC_ROOT_KIND* kinds, clr::COR_PRF_GC_ROOT_FLAGS* flags,
                               uintptr_t* ids) override;
  clr::HRESULT ConditionalWeakTableElementReferences(uint32_t count, clr::ObjectID* keys,
                                                     clr::ObjectID* values,
                                                     clr::GCHandleID* handles) override;
  clr::HRESULT ObjectReferences(clr::ObjectID object, clr::ClassID type, uint32_t count,
                                clr::ObjectID* references) override;
  clr::HRESULT RuntimeSuspendStarted(clr::COR_PRF_SUSPEND_REASON reason) override;
  clr::HRESULT RuntimeSuspendFinished() override;
  clr::HRESULT RuntimeSuspendAborted() override;
  clr::HRESULT RuntimeResumeStarted() override;
  clr::HRESULT RuntimeResumeFinished() override;

 private:
  clr::HRESULT Begin(clr::IUnknown* info, std::string_view options, Mode mode);

  std::atomic<uint32_t> references_{1};
  std::shared_ptr<Session> session_;  // set once, before the first callback that needs it
};

}  // namespace hindsight::recorder
