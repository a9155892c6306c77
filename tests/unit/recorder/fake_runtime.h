// The part of a runtime that walks need: it lists threads, suspends them, reports frames, and knows
// its code and the names of dynamic methods; and handles to objects, which any thread may query.
//
// The interface has a hundred methods; those that are not implemented here end the test when they
// are called. All others are called by one thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "recorder/clr/info.h"

namespace hindsight::recorder {

class FakeRuntime {
 public:
  struct Frame {
    clr::FunctionID function;  // 0: native code
    uintptr_t ip, sp;
    uintptr_t bp = 0;
  };
  struct Thread {
    uint32_t os_id = 0;
    std::vector<Frame> frames = {};
    bool fails = false;  // after its frames
  };
  std::map<clr::ThreadID, Thread> threads;
  std::function<void()> after_listing;  // of threads, before they are reported
  int refusals = 0;                     // of the next requests to suspend
  bool stopped = false;
  int stops = 0;
  std::map<clr::ThreadID, int> walks;
  std::map<uintptr_t, size_t> bodies;  // of methods: start and size; the start is the id as well
  std::map<clr::FunctionID, std::u16string> dynamic_methods;
  int questions = 0;                               // about code
  std::vector<uintptr_t> asked;                    // addresses that a method was looked up for
  std::function<void()> in_question;               // called during a query for a name
  bool has_maps = false;                           // of IL: one entry, the start, for each body
  std::function<void(uintptr_t)> in_map_question;  // called with the queried address
  std::map<uint64_t*, std::unique_ptr<uint64_t>> handles;  // by slot, which holds the object
  bool hides_objects = false;                              // handles are not slots
  std::vector<Frame> own_frames;  // of a thread that walks itself, which need not be stopped

  FakeRuntime() {
    table_.fill(reinterpret_cast<void*>(&Unexpected));
    Put(&clr::ICorProfilerInfo10::SuspendRuntime, &Suspend);
    Put(&clr::ICorProfilerInfo10::ResumeRuntime, &Resume);
    Put(&clr::ICorProfilerInfo10::EnumThreads, &Enumerate);
    Put(&clr::ICorProfilerInfo10::GetThreadInfo, &Info);
    Put(&clr::ICorProfilerInfo10::DoStackSnapshot, &Walk);
    Put(&clr::ICorProfilerInfo10::GetFunctionFromIP3, &FunctionFromIp);
    Put(&clr::ICorProfilerInfo10::GetNativeCodeStartAddresses, &StartAddresses);
    Put(&clr::ICorProfilerInfo10::GetCodeInfo4, &CodeInfo);
    Put(&clr::ICorProfilerInfo10::GetILToNativeMapping2, &NoMapOf);
    Put(&clr::ICorProfilerInfo10::GetILToNativeMapping3, &Map);
    Put(&clr::ICorProfilerInfo10::IsFunctionDynamic, &IsDynamic);
    Put(&clr::ICorProfilerInfo10::GetDynamicFunctionInfo, &DynamicInfo);
    Put(&clr::ICorProfilerInfo10::GetFunctionInfo2, &NoInfo);
    Put(&clr::ICorProfilerInfo10::GetClassFromObject, &ClassOf);
    Put(&clr::ICorProfilerInfo10::GetClassIDInfo2, &NoClass);
    Put(&clr::ICorProfilerInfo10::GetFunctionFromIP, &NoFunction);
    Put(&clr::ICorProfilerInfo10::GetNotifiedExceptionClauseInfo, &NoClause);
    Put(&clr::ICorProfilerInfo10::QueryInterface, &Query);
    Put(&clr::ICorProfilerInfo10::Release, &ReleaseInfo);
    Put(&clr::ICorProfilerInfo10::SetEventMask2, &SetMask);
    Put(&clr::ICorProfilerInfo10::GetGenerationBounds, &Bounds);
    Put(&clr::ICorProfilerInfo13::CreateHandle, &CreateHandle);
    Put(&clr::ICorProfilerInfo13::DestroyHandle, &DestroyHandle);
    object_ = {table_.data(), this};
  }

  clr::ICorProfilerInfo10* info() { return reinterpret_cast<clr::ICorProfilerInfo10*>(&object_); }

  // Index of a virtual method in its vtable, by the Itanium C++ ABI.
  template <typename Method>
  static size_t SlotOf(Method method) {
    uintptr_t bits[2];
    static_assert(sizeof(bits) == sizeof(method));
    std::memcpy(bits, &method, sizeof(bits));
    return bits[0] / sizeof(void*);  // or one more, where the lowest bit means "virtual"
  }
  // For a test that needs more of the runtime: `function` takes a pointer that stands for the
  // object, and then what the method takes.
  template <typename Method, typename Function>
  void Put(Method method, Function function) {
    table_[SlotOf(method)] = reinterpret_cast<void*>(function);
  }

 private:
  struct Object {
    void** table;
    FakeRuntime* runtime;
  };
  struct Enumerator {
    void** table;
    std::vector<clr::ThreadID> left;
    std::array<void*, 16> methods;
  };

  static FakeRuntime& Of(void* self) { return *static_cast<Object*>(self)->runtime; }
  static clr::HRESULT Unexpected(void*) { std::abort(); }

  static clr::HRESULT Suspend(void* self) {
    FakeRuntime& runtime = Of(self);
    if (runtime.refusals > 0) {
      --runtime.refusals;
      return clr::E_FAIL;
    }
    if (runtime.stopped) std::abort();
    runtime.stopped = true;
    ++runtime.stops;
    return clr::S_OK;
  }
  static clr::HRESULT Resume(void* self) {
    if (!Of(self).stopped) std::abort();
    Of(self).stopped = false;
    return clr::S_OK;
  }
  static clr::HRESULT Enumerate(void* self, clr::ICorProfilerThreadEnum** out) {
    auto* enumerator = new Enumerator;
    enumerator->methods.fill(reinterpret_cast<void*>(&Unexpected));
    enumerator->methods[SlotOf(&clr::ICorProfilerThreadEnum::Next)] =
        reinterpret_cast<void*>(&Next);
    enumerator->methods[SlotOf(&clr::ICorProfilerThreadEnum::Release)] =
        reinterpret_cast<void*>(&Release);
    enumerator->table = enumerator->methods.data();
    for (const auto& [id, thread] : Of(self).threads) enumerator->left.push_back(id);
    *out = reinterpret_cast<clr::ICorProfilerThreadEnum*>(enumerator);
    if (Of(self).after_listing) Of(self).after_listing();
    return clr::S_OK;
  }
  static clr::HRESULT Next(void* self, uint32_t room, clr::ThreadID* ids, uint32_t* count) {
    auto& left = static_cast<Enumerator*>(self)->left;
    for (*count = 0; *count < room && !left.empty(); ++*count) {
      ids[*count] = left.front();
      left.erase(left.begin());
    }
    return clr::S_OK;
  }
  static uint32_t Release(void* self) {
    delete static_cast<Enumerator*>(self);
    return 0;
  }
  static clr::HRESULT Info(void* self, clr::ThreadID id, uint32_t* os_id) {
    *os_id = Of(self).threads.at(id).os_id;
    return clr::S_OK;
  }
  static clr::HRESULT Walk(void* self, clr::ThreadID id, clr::StackSnapshotCallback* callback,
                           uint32_t, void* client, uint8_t*, uint32_t) {
    FakeRuntime& runtime = Of(self);
    const bool is_own = id == 0 && !runtime.own_frames.empty();
    if (!is_own && !runtime.stopped) std::abort();
    if (!is_own) ++runtime.walks[id];
    static const Thread kSelf;
    const Thread& thread = is_own ? kSelf : runtime.threads.at(id);
    const std::vector<Frame>& frames = is_own ? runtime.own_frames : thread.frames;
    for (const Frame& frame : frames) {
      uint8_t context[0x100] = {};
      std::memcpy(context + 0x98, &frame.sp, sizeof(frame.sp));  // Rsp
      std::memcpy(context + 0xa0, &frame.bp, sizeof(frame.bp));  // Rbp
      std::memcpy(context + 0xf8, &frame.ip, sizeof(frame.ip));  // Rip
      if (callback(frame.function, frame.ip, 0, sizeof(context), context, client) != clr::S_OK) {
        return clr::E_FAIL;
      }
    }
    return thread.fails || frames.empty() ? clr::E_FAIL : clr::S_OK;
  }

  static clr::HRESULT FunctionFromIp(void* self, const uint8_t* ip, clr::FunctionID* function,
                                     clr::ReJITID* rejit) {
    ++Of(self).questions;
    Of(self).asked.push_back(reinterpret_cast<uintptr_t>(ip));
    *rejit = 0;
    const auto address = reinterpret_cast<uintptr_t>(ip);
    for (const auto& [start, size] : Of(self).bodies) {
      *function = start;
      if (address >= start && address - start < size) return clr::S_OK;
    }
    return clr::E_FAIL;
  }
  static clr::HRESULT StartAddresses(void*, clr::FunctionID function, clr::ReJITID, uint32_t,
                                     uint32_t* count, uintptr_t* starts) {
    *count = 1;
    starts[0] = function;
    return clr::S_OK;
  }
  static clr::HRESULT CodeInfo(void* self, uintptr_t start, uint32_t, uint32_t* count,
                               clr::COR_PRF_CODE_INFO* infos) {
    *count = 1;
    infos[0] = {start, Of(self).bodies.at(start)};
    return clr::S_OK;
  }

  static clr::HRESULT NoMapOf(void*, clr::FunctionID, clr::ReJITID, uint32_t, uint32_t*,
                              clr::COR_DEBUG_IL_TO_NATIVE_MAP*) {
    return clr::E_FAIL;
  }
  static clr::HRESULT Map(void* self, uintptr_t start, uint32_t capacity, uint32_t* count,
                          clr::COR_DEBUG_IL_TO_NATIVE_MAP* out) {
    if (Of(self).in_map_question) Of(self).in_map_question(start);
    if (!Of(self).bodies.contains(start) || !Of(self).has_maps) return clr::E_FAIL;
    *count = 1;
    if (capacity != 0) *out = {0, 0, 1};
    return clr::S_OK;
  }
  static clr::HRESULT IsDynamic(void* self, clr::FunctionID function, clr::BOOL* is_dynamic) {
    *is_dynamic = Of(self).dynamic_methods.contains(function);
    return clr::S_OK;
  }
  static clr::HRESULT DynamicInfo(void* self, clr::FunctionID function, clr::ModuleID* module,
                                  const uint8_t** signature, uint32_t* bytes, uint32_t capacity,
                                  uint32_t* length, char16_t* name) {
    const std::u16string text = Of(self).dynamic_methods.at(function);
    if (Of(self).in_question) std::function<void()>(Of(self).in_question)();
    *module = 0;
    *signature = nullptr;
    *bytes = 0;
    *length = static_cast<uint32_t>(text.size() + 1);
    std::memcpy(name, text.c_str(), std::min<size_t>(capacity, *length) * sizeof(char16_t));
    return clr::S_OK;
  }
  static clr::HRESULT NoInfo(void*, clr::FunctionID, clr::COR_PRF_FRAME_INFO, clr::ClassID*,
                             clr::ModuleID*, clr::mdToken*, uint32_t, uint32_t*, clr::ClassID*) {
    return clr::E_FAIL;
  }

  static clr::HRESULT ClassOf(void*, clr::ObjectID object, clr::ClassID* type) {
    *type = object;
    return clr::S_OK;
  }
  static clr::HRESULT NoClass(void*, clr::ClassID, clr::ModuleID*, clr::mdTypeDef*, clr::ClassID*,
                              uint32_t, uint32_t*, clr::ClassID*) {
    return clr::E_FAIL;
  }
  static clr::HRESULT NoFunction(void*, const uint8_t*, clr::FunctionID*) { return clr::E_FAIL; }
  static clr::HRESULT NoClause(void*, clr::COR_PRF_EX_CLAUSE_INFO*) { return clr::E_FAIL; }

  static clr::HRESULT SetMask(void*, uint32_t, uint32_t) { return clr::S_OK; }
  static clr::HRESULT Bounds(void*, uint32_t, uint32_t* count,
                             clr::COR_PRF_GC_GENERATION_RANGE* ranges) {
    *count = 1;
    ranges[0] = {};
    ranges[0].start = 0x1000;
    ranges[0].used_bytes = 0x100;
    return clr::S_OK;
  }

  static clr::HRESULT Query(void* self, const clr::GUID&, void** out) {
    *out = self;
    return clr::S_OK;
  }
  static uint32_t ReleaseInfo(void*) { return 1; }
  static clr::HRESULT CreateHandle(void* self, clr::ObjectID object, clr::COR_PRF_HANDLE_TYPE,
                                   clr::ObjectHandleID* handle) {
    FakeRuntime& runtime = Of(self);
    auto slot = std::make_unique<uint64_t>(runtime.hides_objects ? ~object : object);
    *handle = slot.get();
    const std::lock_guard lock(runtime.handle_mutex_);
    runtime.handles.emplace(slot.get(), std::move(slot));
    return clr::S_OK;
  }
  static clr::HRESULT DestroyHandle(void* self, clr::ObjectHandleID handle) {
    FakeRuntime& runtime = Of(self);
    const std::lock_guard lock(runtime.handle_mutex_);
    if (runtime.handles.erase(static_cast<uint64_t*>(handle)) != 1) std::abort();
    return clr::S_OK;
  }

  std::mutex handle_mutex_;
  std::array<void*, 256> table_;
  Object object_;
};

}  // namespace hindsight::recorder
