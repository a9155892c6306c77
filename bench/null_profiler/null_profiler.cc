// A profiler that asks for exception callbacks and does nothing in them: what the runtime itself
// charges for telling.
#include <atomic>

#include "recorder/clr/default_callback.h"
#include "recorder/clr/event_mask.h"
#include "recorder/clr/info.h"

namespace {

using namespace hindsight::clr;

class NullProfiler final : public DefaultCallback {
 public:
  HRESULT QueryInterface(const GUID&, void** object) override {
    AddRef();
    *object = static_cast<ICorProfilerCallback11*>(this);
    return S_OK;
  }
  uint32_t AddRef() override { return ++references_; }
  uint32_t Release() override { return --references_; }  // a static object

  HRESULT Initialize(IUnknown* unknown) override {
    void* info = nullptr;
    const HRESULT result = unknown->QueryInterface(ICorProfilerInfo10::kIid, &info);
    if (Failed(result)) return result;
    return static_cast<ICorProfilerInfo10*>(info)->SetEventMask2(kMonitorExceptions.low,
                                                                 kMonitorExceptions.high);
  }

 private:
  std::atomic<uint32_t> references_ = 1;
};

class Factory final : public IClassFactory {
 public:
  HRESULT QueryInterface(const GUID&, void** object) override {
    *object = this;
    return S_OK;
  }
  uint32_t AddRef() override { return 1; }
  uint32_t Release() override { return 1; }
  HRESULT CreateInstance(IUnknown*, const GUID& iid, void** object) override {
    static NullProfiler profiler;
    return profiler.QueryInterface(iid, object);
  }
  HRESULT LockServer(BOOL) override { return S_OK; }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) HRESULT DllGetClassObject(const GUID&,
                                                                            const GUID&,
                                                                            void** object) {
  static Factory factory;
  *object = &factory;
  return S_OK;
}
