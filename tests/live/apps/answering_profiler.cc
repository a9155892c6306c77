// A real profiler that returns what it is told to, so that every HRESULT comes through a real
// runtime.
//
// The first number of the class id chooses: 1 attaches, and returns the HRESULT in its client data
// from InitializeForAttach ("0x8013136f"; empty: S_OK); 2 lacks ICorProfilerCallback3; others do
// not exist here.
#include <cstdlib>
#include <string>

#include "recorder/clr/default_callback.h"

namespace {

using namespace hindsight::clr;

class AnsweringProfiler final : public DefaultCallback {
 public:
  explicit AnsweringProfiler(bool attachable) : attachable_(attachable) {}

  HRESULT QueryInterface(const GUID& iid, void** object) override {
    const bool old = iid == IUnknown::kIid || iid == ICorProfilerCallback::kIid ||
                     iid == ICorProfilerCallback2::kIid;
    *object = old || (attachable_ && iid == ICorProfilerCallback3::kIid) ? this : nullptr;
    return *object != nullptr ? S_OK : E_NOINTERFACE;
  }
  uint32_t AddRef() override { return 1; }  // a static object
  uint32_t Release() override { return 1; }

  HRESULT InitializeForAttach(IUnknown*, void* data, uint32_t size) override {
    const std::string text(static_cast<const char*>(data), data != nullptr ? size : 0);
    return MakeHresult(static_cast<uint32_t>(std::strtoul(text.c_str(), nullptr, 0)));
  }

 private:
  const bool attachable_;
};

class Factory final : public IClassFactory {
 public:
  explicit Factory(bool attachable) : profiler_(attachable) {}

  HRESULT QueryInterface(const GUID&, void** object) override {
    *object = this;
    return S_OK;
  }
  uint32_t AddRef() override { return 1; }
  uint32_t Release() override { return 1; }
  HRESULT CreateInstance(IUnknown*, const GUID& iid, void** object) override {
    return profiler_.QueryInterface(iid, object);
  }
  HRESULT LockServer(BOOL) override { return S_OK; }

 private:
  AnsweringProfiler profiler_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) HRESULT DllGetClassObject(const GUID& class_id,
                                                                            const GUID& iid,
                                                                            void** object) {
  static Factory attachable(true);
  static Factory old(false);
  if (class_id.data1 == 1) return attachable.QueryInterface(iid, object);
  if (class_id.data1 == 2) return old.QueryInterface(iid, object);
  return CLASS_E_CLASSNOTAVAILABLE;
}

extern "C" __attribute__((visibility("default"))) HRESULT DllCanUnloadNow() { return S_FALSE; }
