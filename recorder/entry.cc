// The two functions that the library exports, through which the runtime obtains the profiler.
#include <new>

#include "recorder/clr/types.h"
#include "recorder/contract/control.h"
#include "recorder/profiler.h"

namespace hindsight::recorder {
namespace {

using clr::HRESULT;

// {4D9B1F5C-6E2A-4C0E-9B7A-8F6D1E0C5A21}, contract::kProfilerGuid. The runtime requests the class
// that it was configured to load; any other id means that CORECLR_PROFILER was set for another
// library.
constexpr clr::GUID kProfilerClass = {
    0x4d9b1f5c, 0x6e2a, 0x4c0e, {0x9b, 0x7a, 0x8f, 0x6d, 0x1e, 0x0c, 0x5a, 0x21}};

class ProfilerFactory final : public clr::IClassFactory {
 public:
  HRESULT QueryInterface(const clr::GUID& iid, void** object) override {
    if (object == nullptr) return clr::E_POINTER;
    *object = iid == clr::IUnknown::kIid || iid == clr::IClassFactory::kIid ? this : nullptr;
    return *object != nullptr ? clr::S_OK : clr::E_NOINTERFACE;
  }
  uint32_t AddRef() override { return 1; }  // a static object
  uint32_t Release() override { return 1; }
  HRESULT CreateInstance(clr::IUnknown* outer, const clr::GUID& iid, void** object) override {
    if (outer != nullptr) return clr::CLASS_E_NOAGGREGATION;
    auto* profiler = new (std::nothrow) Profiler;
    if (profiler == nullptr) return clr::E_OUTOFMEMORY;
    const HRESULT result = profiler->QueryInterface(iid, object);
    profiler->Release();
    return result;
  }
  HRESULT LockServer(clr::BOOL) override { return clr::S_OK; }
};

}  // namespace
}  // namespace hindsight::recorder

extern "C" __attribute__((visibility("default"))) hindsight::clr::HRESULT DllGetClassObject(
    const hindsight::clr::GUID& class_id, const hindsight::clr::GUID& iid, void** object) {
  using namespace hindsight::recorder;
  static ProfilerFactory factory;
  if (!(class_id == kProfilerClass)) return hindsight::clr::CLASS_E_CLASSNOTAVAILABLE;
  return factory.QueryInterface(iid, object);
}

// Never: the application's threads may hold pointers into the library (thread-exit destructors).
extern "C" __attribute__((visibility("default"))) hindsight::clr::HRESULT DllCanUnloadNow() {
  return hindsight::clr::S_FALSE;
}
