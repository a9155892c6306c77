#include "recorder/profiler.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recorder/base/forked_copy.h"
#include "recorder/base/runtime_library.h"
#include "recorder/base/usual_folder.h"
#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

using clr::Failed;
using clr::HRESULT;
using clr::S_OK;
using clr::Succeeded;

bool IsCallbackInterface(const clr::GUID& iid) {
  for (const clr::GUID& known :
       {clr::IUnknown::kIid, clr::ICorProfilerCallback::kIid, clr::ICorProfilerCallback2::kIid,
        clr::ICorProfilerCallback3::kIid, clr::ICorProfilerCallback4::kIid,
        clr::ICorProfilerCallback5::kIid, clr::ICorProfilerCallback6::kIid,
        clr::ICorProfilerCallback7::kIid, clr::ICorProfilerCallback8::kIid,
        clr::ICorProfilerCallback9::kIid, clr::ICorProfilerCallback10::kIid,
        clr::ICorProfilerCallback11::kIid}) {
    if (iid == known) return true;
  }
  return false;
}

// The one line that a start-up without a recording may cost the application.
void ReportUnrecorded(const std::string& why) {
  const char* stop = why.ends_with('.') ? "" : ".";
  WriteToStderr("hindsight: " + why + stop + " The process runs unrecorded.\n");
}

// Counts the cost of a callback whose source does not count it.
class Counted {
 public:
  explicit Counted(Session& session) {
    if (ThreadTrack* track = session.emitter().Track()) cost_.emplace(track->meter, MonotonicNs());
  }

 private:
  std::optional<CallbackCost> cost_;
};

std::string Joined(const std::vector<std::string>& arguments) {
  std::string joined;
  for (const std::string& argument : arguments) {
    if (!joined.empty()) joined += ' ';
    joined += argument;
  }
  return joined;
}

}  // namespace

HRESULT Profiler::QueryInterface(const clr::GUID& iid, void** object) {
  if (object == nullptr) return clr::E_POINTER;
  *object = nullptr;
  if (!IsCallbackInterface(iid)) return clr::E_NOINTERFACE;
  *object = static_cast<clr::ICorProfilerCallback11*>(this);
  AddRef();
  return S_OK;
}

uint32_t Profiler::AddRef() { return ++references_; }

uint32_t Profiler::Release() {
  const uint32_t left = --references_;
  if (left == 0) delete this;
  return left;
}

HRESULT Profiler::Initialize(clr::IUnknown* info) {
  std::string options;
  ReadVariable(contract::kOptionsVariable, options);
  return Begin(info, options, Mode::kStartup);
}

HRESULT Profiler::InitializeForAttach(clr::IUnknown* info, void* data, uint32_t size) {
  return Begin(info, {static_cast<const char*>(data), data != nullptr ? size : 0}, Mode::kAttach);
}

HRESULT Profiler::Begin(clr::IUnknown* unknown, std::string_view text, Mode mode) {
  const bool startup = mode == Mode::kStartup;
  contract::Options options;
  std::string why = contract::ParseOptions(text, options);
  if (!why.empty()) {
    if (!startup) return clr::E_INVALIDARG;
    ReportUnrecorded(why);
    return clr::CORPROF_E_PROFILER_CANCEL_ACTIVATION;
  }
  StayMapped();
  ProcessFacts facts = ReadProcessFacts();
  if (!contract::Matches(options, Joined(facts.command_line))) {
    return clr::CORPROF_E_PROFILER_CANCEL_ACTIVATION;
  }
  clr::ICorProfilerInfo10* info = nullptr;
  if (Failed(unknown->QueryInterface(clr::ICorProfilerInfo10::kIid,
                                     reinterpret_cast<void**>(&info)))) {
    if (startup) ReportUnrecorded("This runtime is too old: Hindsight needs .NET 8 or later.");
    return startup ? clr::CORPROF_E_PROFILER_CANCEL_ACTIVATION : clr::E_NOINTERFACE;
  }
  session_ = std::make_shared<Session>(info, std::move(options), mode);
  // The object belongs to the runtime, and lives until the detach regardless of references: a
  // session that ends after that must not touch it.
  info->Release();
  if (session_->Start(std::move(facts), &why)) return S_OK;
  session_.reset();
  ReportUnrecorded(why);
  return clr::CORPROF_E_PROFILER_CANCEL_ACTIVATION;
}

HRESULT Profiler::ProfilerAttachComplete() {
  session_->AttachComplete();
  return S_OK;
}

HRESULT Profiler::ProfilerDetachSucceeded() {
  session_->DetachSucceeded();
  return S_OK;
}

HRESULT Profiler::Shutdown() {
  if (ForkedCopy::Is()) return S_OK;
  session_->ProcessExits();
  return S_OK;
}

HRESULT Profiler::ExceptionThrown(clr::ObjectID object) {
  session_->ExceptionThrown(object, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  return S_OK;
}

HRESULT Profiler::ExceptionSearchFunctionEnter(clr::FunctionID) {
  if (Exceptions* exceptions = session_->notified_exceptions()) exceptions->SearchFunctionEnter();
  return S_OK;
}

HRESULT Profiler::ExceptionSearchFilterEnter(clr::FunctionID) {
  if (Exceptions* exceptions = session_->notified_exceptions()) exceptions->SearchFilterEnter();
  return S_OK;
}

HRESULT Profiler::ExceptionSearchFilterLeave() {
  if (Exceptions* exceptions = session_->notified_exceptions()) exceptions->SearchFilterLeave();
  return S_OK;
}

HRESULT Profiler::ExceptionSearchCatcherFound(clr::FunctionID function) {
  if (Exceptions* exceptions = session_->notified_exceptions()) {
    exceptions->SearchCatcherFound(function);
  }
  return S_OK;
}

HRESULT Profiler::ExceptionUnwindFunctionEnter(clr::FunctionID) {
  if (Exceptions* exceptions = session_->notified_exceptions()) exceptions->UnwindFunctionEnter();
  return S_OK;
}

HRESULT Profiler::ExceptionUnwindFinallyEnter(clr::FunctionID) {
  if (Exceptions* exceptions = session_->notified_exceptions()) exceptions->UnwindFinallyEnter();
  return S_OK;
}

HRESULT Profiler::ExceptionUnwindFinallyLeave() {
  if (Exceptions* exceptions = session_->notified_exceptions()) exceptions->UnwindFinallyLeave();
  return S_OK;
}

HRESULT Profiler::ExceptionCatcherEnter(clr::FunctionID function, clr::ObjectID) {
  if (Exceptions* exceptions = session_->notified_exceptions()) exceptions->CatcherEnter(function);
  return S_OK;
}

HRESULT Profiler::ExceptionCatcherLeave() {
  if (Exceptions* exceptions = session_->notified_exceptions()) exceptions->CatcherLeave();
  return S_OK;
}

HRESULT Profiler::ThreadCreated(clr::ThreadID thread) {
  const Counted counted(*session_);
  session_->signals().threads.Created(thread);
  return S_OK;
}

HRESULT Profiler::ThreadDestroyed(clr::ThreadID thread) {
  if (ForkedCopy::Is()) return S_OK;
  const Counted counted(*session_);
  session_->signals().threads.Destroyed(thread);
  session_->ThreadEnding(thread);
  return S_OK;
}

HRESULT Profiler::ThreadAssignedToOSThread(clr::ThreadID thread, uint32_t os_id) {
  if (ForkedCopy::Is()) return S_OK;
  const Counted counted(*session_);
  session_->signals().threads.Assigned(thread, os_id);
  session_->signals().cpu->ThreadStarted(os_id);
  return S_OK;
}

HRESULT Profiler::ThreadNameChanged(clr::ThreadID thread, uint32_t length, char16_t* name) {
  const Counted counted(*session_);
  session_->signals().threads.Named(thread, {name, name != nullptr ? length : 0});
  return S_OK;
}

HRESULT Profiler::ModuleLoadFinished(clr::ModuleID module, HRESULT status) {
  if (ForkedCopy::Is()) return S_OK;
  const Counted counted(*session_);
  if (Succeeded(status)) session_->ModuleLoaded(module);
  return S_OK;
}

HRESULT Profiler::AssemblyUnloadStarted(clr::AssemblyID) {
  if (ForkedCopy::Is()) return S_OK;
  const Counted counted(*session_);
  session_->AssemblyUnloading();
  return S_OK;
}

HRESULT Profiler::ModuleUnloadStarted(clr::ModuleID module) {
  if (ForkedCopy::Is()) return S_OK;
  const Counted counted(*session_);
  session_->ModuleUnloading(module);
  return S_OK;
}

HRESULT Profiler::ModuleUnloadFinished(clr::ModuleID module, HRESULT) {
  if (ForkedCopy::Is()) return S_OK;
  session_->ModuleUnloaded(module);
  return S_OK;
}

HRESULT Profiler::DynamicMethodUnloaded(clr::FunctionID method) {
  if (ForkedCopy::Is()) return S_OK;
  const Counted counted(*session_);
  session_->MethodUnloading(method);
  return S_OK;
}

HRESULT Profiler::DynamicMethodJITCompilationStarted(clr::FunctionID method, clr::BOOL,
                                                     const uint8_t*, uint32_t) {
  if (ForkedCopy::Is()) return S_OK;
  session_->signals().dynamic_inlining.CompilationStarted(method);
  return S_OK;
}

HRESULT Profiler::DynamicMethodJITCompilationFinished(clr::FunctionID method, HRESULT, clr::BOOL) {
  if (ForkedCopy::Is()) return S_OK;
  session_->signals().dynamic_inlining.CompilationFinished(method);
  return S_OK;
}

HRESULT Profiler::JITInlining(clr::FunctionID caller, clr::FunctionID callee,
                              clr::BOOL* should_inline) {
  *should_inline = 1;
  session_->signals().dynamic_inlining.Inlining(caller, callee);
  return S_OK;
}

HRESULT Profiler::EventPipeProviderCreated(clr::EVENTPIPE_PROVIDER provider) {
  session_->signals().event_session.SourceMade(provider);
  return S_OK;
}

HRESULT Profiler::EventPipeEventDelivered(clr::EVENTPIPE_PROVIDER provider, uint32_t event,
                                          uint32_t, uint32_t, const uint8_t*, uint32_t size,
                                          const uint8_t* data, clr::LPCGUID, clr::LPCGUID,
                                          clr::ThreadID, uint32_t, uintptr_t*) {
  session_->signals().runtime_events.Delivered(
      provider, event, {data, size}, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  return S_OK;
}

HRESULT Profiler::GarbageCollectionStarted(int count, clr::BOOL* generations,
                                           clr::COR_PRF_GC_REASON reason) {
  if (ForkedCopy::Is()) return S_OK;
  const uint32_t generation = session_->signals().gc.CollectionStarted(
      {generations, static_cast<size_t>(count)}, reason == clr::COR_PRF_GC_INDUCED);
  session_->heap().CollectionStarted(session_->signals().gc.collections(), generation,
                                     session_->signals().gc.IsInsideAnother());
  return S_OK;
}

HRESULT Profiler::GarbageCollectionFinished() {
  if (ForkedCopy::Is()) return S_OK;
  session_->heap().CollectionFinished();
  session_->signals().gc.CollectionFinished();
  return S_OK;
}

HRESULT Profiler::RootReferences2(uint32_t count, clr::ObjectID* objects,
                                  clr::COR_PRF_GC_ROOT_KIND* kinds,
                                  clr::COR_PRF_GC_ROOT_FLAGS* flags, uintptr_t* ids) {
  session_->heap().pause().Roots(count, objects, kinds, flags, ids);
  return S_OK;
}

HRESULT Profiler::ConditionalWeakTableElementReferences(uint32_t count, clr::ObjectID* keys,
                                                        clr::ObjectID* values, clr::GCHandleID*) {
  session_->heap().pause().Dependents(count, keys, values);
  return S_OK;
}

HRESULT Profiler::ObjectReferences(clr::ObjectID object, clr::ClassID type, uint32_t count,
                                   clr::ObjectID* references) {
  // A failure tells the runtime that the profiler does not need any more of them.
  return session_->heap().pause().Object(object, type, {references, count}) ? S_OK : clr::E_FAIL;
}

HRESULT Profiler::RuntimeSuspendStarted(clr::COR_PRF_SUSPEND_REASON reason) {
  if (ForkedCopy::Is()) return S_OK;
  session_->SuspensionBegins();
  session_->signals().gc.SuspendStarted(static_cast<uint32_t>(reason));
  session_->heap().pause().SuspendStarted();
  return S_OK;
}

HRESULT Profiler::RuntimeSuspendFinished() {
  if (ForkedCopy::Is()) return S_OK;
  session_->SuspensionIsThere();
  session_->signals().gc.SuspendFinished();
  session_->heap().pause().SuspendFinished();
  return S_OK;
}

HRESULT Profiler::RuntimeSuspendAborted() {
  if (ForkedCopy::Is()) return S_OK;
  session_->SuspensionIsThere();
  session_->heap().pause().ResumeStarted();
  session_->signals().gc.ResumeFinished();
  return S_OK;
}

HRESULT Profiler::RuntimeResumeStarted() {
  if (ForkedCopy::Is()) return S_OK;
  session_->signals().gc.ResumeStarted();
  session_->heap().pause().ResumeStarted();
  return S_OK;
}

HRESULT Profiler::RuntimeResumeFinished() {
  if (ForkedCopy::Is()) return S_OK;
  const uint64_t counted_ns = session_->signals().gc.ResumeFinished();
  session_->heap().pause().Resumed(counted_ns);
  return S_OK;
}

}  // namespace hindsight::recorder
