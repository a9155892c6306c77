// The types of the profiling ABI: ids, HRESULTs, GUIDs and structures.
//
// Declared by hand from the published definitions (dotnet/runtime: corprof.idl, cor.h, corerror.h),
// for 64-bit Unix, where LONG and ULONG have 32 bits and WCHAR is UTF-16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hindsight::clr {

using HRESULT = int32_t;
using BOOL = int32_t;

constexpr bool Succeeded(HRESULT hr) { return hr >= 0; }
constexpr bool Failed(HRESULT hr) { return hr < 0; }
constexpr HRESULT MakeHresult(uint32_t bits) { return static_cast<HRESULT>(bits); }

inline constexpr HRESULT S_OK = 0;
inline constexpr HRESULT S_FALSE = 1;
inline constexpr HRESULT E_NOTIMPL = MakeHresult(0x80004001);
inline constexpr HRESULT E_NOINTERFACE = MakeHresult(0x80004002);
inline constexpr HRESULT E_POINTER = MakeHresult(0x80004003);
inline constexpr HRESULT E_FAIL = MakeHresult(0x80004005);
inline constexpr HRESULT E_OUTOFMEMORY = MakeHresult(0x8007000e);
inline constexpr HRESULT E_INVALIDARG = MakeHresult(0x80070057);
inline constexpr HRESULT CLASS_E_NOAGGREGATION = MakeHresult(0x80040110);
inline constexpr HRESULT CLASS_E_CLASSNOTAVAILABLE = MakeHresult(0x80040111);
// Returned from Initialize, it makes the runtime unload the profiler without logging an error.
inline constexpr HRESULT CORPROF_E_PROFILER_CANCEL_ACTIVATION = MakeHresult(0x80131375);

// COR_PRF_MONITOR_GC cannot be set late while concurrent GC is enabled.
inline constexpr HRESULT CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE = MakeHresult(0x80131376);

struct GUID {
  uint32_t data1;
  uint16_t data2;
  uint16_t data3;
  uint8_t data4[8];

  bool operator==(const GUID& other) const { return std::memcmp(this, &other, sizeof(GUID)) == 0; }
};
static_assert(sizeof(GUID) == 16);
using LPCGUID = const GUID*;

// Unix COM: three virtual methods, no destructor in the table.
struct IUnknown {
  static constexpr GUID kIid = {0, 0, 0, {0xc0, 0, 0, 0, 0, 0, 0, 0x46}};
  virtual HRESULT QueryInterface(const GUID& iid, void** object) = 0;
  virtual uint32_t AddRef() = 0;
  virtual uint32_t Release() = 0;
};

struct IClassFactory : IUnknown {
  static constexpr GUID kIid = {1, 0, 0, {0xc0, 0, 0, 0, 0, 0, 0, 0x46}};
  virtual HRESULT CreateInstance(IUnknown* outer, const GUID& iid, void** object) = 0;
  virtual HRESULT LockServer(BOOL lock) = 0;
};

// Ids are opaque: pointers into the runtime that are compared, never dereferenced.
using ProcessID = uintptr_t;
using AssemblyID = uintptr_t;
using AppDomainID = uintptr_t;
using ModuleID = uintptr_t;
using ClassID = uintptr_t;
using ThreadID = uintptr_t;
using ContextID = uintptr_t;
using FunctionID = uintptr_t;
using ObjectID = uintptr_t;  // address of an object; valid until the callback returns
using ObjectHandleID = void*;
using GCHandleID = uintptr_t;
using ReJITID = uintptr_t;
using COR_PRF_ELT_INFO = uintptr_t;
using COR_PRF_FRAME_INFO = uintptr_t;
using EVENTPIPE_PROVIDER = uintptr_t;
using EVENTPIPE_EVENT = uintptr_t;
using EVENTPIPE_SESSION = uint64_t;

using mdToken = uint32_t;
using mdTypeDef = mdToken;
using mdTypeRef = mdToken;
using mdMethodDef = mdToken;
using mdFieldDef = mdToken;
using mdModule = mdToken;
using CorElementType = uint32_t;

struct COR_FIELD_OFFSET {
  mdFieldDef ridOfField;
  uint32_t ulOffset;  // bytes from the start of the object
};

struct COR_DEBUG_IL_TO_NATIVE_MAP {
  int32_t il_offset;  // bytes, or one of the three kinds below
  uint32_t native_start;
  uint32_t native_end;
};
inline constexpr int32_t kIlNoMapping = -1;
inline constexpr int32_t kIlProlog = -2;
inline constexpr int32_t kIlEpilog = -3;

struct COR_IL_MAP {
  uint32_t old_offset;
  uint32_t new_offset;
  BOOL accurate;
};

struct COR_PRF_CODE_INFO {
  uintptr_t start;
  size_t size;
};

struct COR_PRF_FUNCTION {
  FunctionID function;
  ReJITID rejit;
};

struct COR_PRF_METHOD {
  ModuleID module;
  mdMethodDef method;
};

enum COR_PRF_GC_GENERATION : int32_t {
  COR_PRF_GC_GEN_0 = 0,
  COR_PRF_GC_GEN_1 = 1,
  COR_PRF_GC_GEN_2 = 2,
  COR_PRF_GC_LARGE_OBJECT_HEAP = 3,
  COR_PRF_GC_PINNED_OBJECT_HEAP = 4,
};

struct COR_PRF_GC_GENERATION_RANGE {
  COR_PRF_GC_GENERATION generation;
  ObjectID start;
  uintptr_t used_bytes;
  uintptr_t reserved_bytes;
};

struct COR_PRF_NONGC_HEAP_RANGE {
  ObjectID start;
  uintptr_t used_bytes;
  uintptr_t reserved_bytes;
};

enum COR_PRF_CLAUSE_TYPE : int32_t {
  COR_PRF_CLAUSE_NONE = 0,
  COR_PRF_CLAUSE_FILTER = 1,
  COR_PRF_CLAUSE_CATCH = 2,
  COR_PRF_CLAUSE_FINALLY = 3,
};

// The exception clause that is running on this thread.
struct COR_PRF_EX_CLAUSE_INFO {
  COR_PRF_CLAUSE_TYPE type;
  uintptr_t program_counter;  // native address of the handler
  uintptr_t frame_pointer;    // of the frame that owns the handler
  uintptr_t shadow_stack_pointer;
};

enum COR_PRF_GC_REASON : int32_t { COR_PRF_GC_OTHER = 0, COR_PRF_GC_INDUCED = 1 };
enum COR_PRF_GC_ROOT_KIND : int32_t {
  COR_PRF_GC_ROOT_OTHER = 0,
  COR_PRF_GC_ROOT_STACK = 1,
  COR_PRF_GC_ROOT_FINALIZER = 2,
  COR_PRF_GC_ROOT_HANDLE = 3,
};
enum COR_PRF_GC_ROOT_FLAGS : int32_t {};
enum COR_PRF_SUSPEND_REASON : int32_t {};
enum COR_PRF_TRANSITION_REASON : int32_t {};
enum COR_PRF_JIT_CACHE : int32_t {};
enum COR_PRF_RUNTIME_TYPE : int32_t { COR_PRF_DESKTOP_CLR = 1, COR_PRF_CORE_CLR = 2 };
enum COR_PRF_STATIC_TYPE : int32_t {};
enum COR_PRF_HANDLE_TYPE : int32_t {
  COR_PRF_HANDLE_TYPE_WEAK = 1,
  COR_PRF_HANDLE_TYPE_STRONG = 2,
  COR_PRF_HANDLE_TYPE_PINNED = 3,
};

struct COR_PRF_EVENTPIPE_PROVIDER_CONFIG {
  const char16_t* provider_name;
  uint64_t keywords;
  uint32_t level;
  const char16_t* filter_data;
};
struct COR_PRF_EVENTPIPE_PARAM_DESC;
struct COR_PRF_EVENT_DATA;
struct COR_PRF_FUNCTION_ARGUMENT_INFO;
struct COR_PRF_FUNCTION_ARGUMENT_RANGE;
struct IMethodMalloc;
struct ICorProfilerFunctionControl;
struct ICorProfilerAssemblyReferenceProvider;

union FunctionIDOrClientID {
  FunctionID function;
  uintptr_t client;
};

using FunctionIDMapper = uintptr_t(FunctionID, BOOL*);
using FunctionIDMapper2 = uintptr_t(FunctionID, void*, BOOL*);
using FunctionEnter = void(FunctionID);
using FunctionLeave = void(FunctionID);
using FunctionTailcall = void(FunctionID);
using FunctionEnter2 = void(FunctionID, uintptr_t, COR_PRF_FRAME_INFO,
                            COR_PRF_FUNCTION_ARGUMENT_INFO*);
using FunctionLeave2 = void(FunctionID, uintptr_t, COR_PRF_FRAME_INFO,
                            COR_PRF_FUNCTION_ARGUMENT_RANGE*);
using FunctionTailcall2 = void(FunctionID, uintptr_t, COR_PRF_FRAME_INFO);
using FunctionEnter3 = void(FunctionIDOrClientID);
using FunctionLeave3 = void(FunctionIDOrClientID);
using FunctionTailcall3 = void(FunctionIDOrClientID);
using FunctionEnter3WithInfo = void(FunctionIDOrClientID, COR_PRF_ELT_INFO);
using FunctionLeave3WithInfo = void(FunctionIDOrClientID, COR_PRF_ELT_INFO);
using FunctionTailcall3WithInfo = void(FunctionIDOrClientID, COR_PRF_ELT_INFO);
using ObjectReferenceCallback = BOOL(ObjectID root, ObjectID* reference, void* client_data);
using ObjectCallback = BOOL(ObjectID object, void* state);
using EventPipeProviderCallback = void(const uint8_t* source_id, uint32_t is_enabled, uint8_t level,
                                       uint64_t match_any, uint64_t match_all, void* filter,
                                       void* context);

// One managed frame, or a run of native frames (function 0). `context` is the platform's CONTEXT
// structure if the snapshot requested it. A result other than S_OK ends the walk.
using StackSnapshotCallback = HRESULT(FunctionID function, uintptr_t ip, COR_PRF_FRAME_INFO frame,
                                      uint32_t context_size, uint8_t* context, void* client_data);
inline constexpr uint32_t kSnapshotDefault = 0;
inline constexpr uint32_t kSnapshotRegisterContext = 1;

}  // namespace hindsight::clr
