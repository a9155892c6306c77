// A profiler that enables exception callbacks, or an event session of its own, and does nothing in
// them: measures the runtime's own cost of calling them. HINDSIGHT_BENCH_EVENTS=KEYWORDS:LEVEL (of
// the runtime's provider) selects the session instead of the callbacks; it starts after 300 ms.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

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
    if (const char* events = getenv("HINDSIGHT_BENCH_EVENTS")) return AskForEvents(unknown, events);
    void* info = nullptr;
    const HRESULT result = unknown->QueryInterface(ICorProfilerInfo10::kIid, &info);
    if (Failed(result)) return result;
    return static_cast<ICorProfilerInfo10*>(info)->SetEventMask2(kMonitorExceptions.low,
                                                                 kMonitorExceptions.high);
  }

 private:
  static HRESULT AskForEvents(IUnknown* unknown, const char* events) {
    void* asked = nullptr;
    const HRESULT result = unknown->QueryInterface(ICorProfilerInfo12::kIid, &asked);
    if (Failed(result)) return result;
    auto* info = static_cast<ICorProfilerInfo12*>(asked);
    char* end = nullptr;
    const uint64_t keywords = strtoull(events, &end, 0);
    const auto level = static_cast<uint32_t>(strtoul(end + (*end == ':'), nullptr, 0));
    std::thread([info, keywords, level] {
      usleep(300'000);  // a session can't begin before the runtime has
      COR_PRF_EVENTPIPE_PROVIDER_CONFIG provider = {u"Microsoft-Windows-DotNETRuntime", keywords,
                                                    level, nullptr};
      EVENTPIPE_SESSION session = 0;
      if (Failed(info->EventPipeStartSession(1, &provider, 0, &session))) abort();
    }).detach();
    return info->SetEventMask2(0, kMonitorEventPipe.high);
  }

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
