#include "recorder/heap/collect.h"

#include <dlfcn.h>
#include <link.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "recorder/base/thread.h"
#include "recorder/clr/types.h"

namespace hindsight::recorder {
namespace {

// System.GC._Collect(int generation, int mode) and, since .NET 10, (..., bool lowMemoryPressure).
// The calling convention lets an argument too many be ignored.
using CollectFunction = void (*)(int32_t generation, int32_t mode, uint8_t low_memory);
using CreateDelegate = int32_t (*)(void* host, unsigned domain, const char* assembly,
                                   const char* type, const char* method, void** function);
using GetRuntimeHost = int32_t (*)(const clr::GUID& iid, clr::IUnknown** host);

constexpr int32_t kBlocking = 2;  // System.InternalGCCollectionMode
constexpr unsigned kOnlyDomain = 1;
// ICLRRuntimeHost4: dotnet/runtime, src/coreclr/inc/mscoree.idl.
constexpr clr::GUID kRuntimeHost = {
    0x64f6d366, 0xd7c2, 0x4f1f, {0xb4, 0xb2, 0xe8, 0x16, 0x0c, 0xac, 0x43, 0xaf}};

int FindRuntime(dl_phdr_info* info, size_t, void* out) {
  const std::string_view name = info->dlpi_name != nullptr ? info->dlpi_name : "";
  if (!name.ends_with("/libcoreclr.so")) return 0;
  *static_cast<std::string*>(out) = name;
  return 1;
}

CollectFunction FindCollect() {
  std::string path;
  dl_iterate_phdr(FindRuntime, &path);
  if (path.empty()) return nullptr;
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  const auto create = reinterpret_cast<CreateDelegate>(dlsym(library, "coreclr_create_delegate"));
  const auto get_host = reinterpret_cast<GetRuntimeHost>(dlsym(library, "GetCLRRuntimeHost"));
  clr::IUnknown* host = nullptr;
  void* function = nullptr;
  if (create != nullptr && get_host != nullptr && clr::Succeeded(get_host(kRuntimeHost, &host)) &&
      clr::Failed(create(host, kOnlyDomain, "System.Private.CoreLib", "System.GC", "_Collect",
                         &function))) {
    function = nullptr;
  }
  if (host != nullptr) host->Release();
  dlclose(library);  // its count only: the runtime stays
  return reinterpret_cast<CollectFunction>(function);
}

struct Call {
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  bool found = false;
};

void Run(Call& call) {
  // The delegate lives as long as the process: it is made once.
  static std::mutex mutex;
  static CollectFunction collect = nullptr;
  CollectFunction function;
  {
    const std::lock_guard lock(mutex);
    if (collect == nullptr) collect = FindCollect();
    function = collect;
  }
  if (function != nullptr) function(0, kBlocking, 0);
  const std::lock_guard lock(call.mutex);
  call.found = function != nullptr;
  call.ended = true;
  call.changed.notify_all();
}

}  // namespace

bool CollectYoung(uint64_t timeout_ns) {
  auto call = std::make_shared<Call>();
  if (!StartThread("hindsight-gc", [call] { Run(*call); })) return false;
  std::unique_lock lock(call->mutex);
  const bool ended = call->changed.wait_for(lock, std::chrono::nanoseconds(timeout_ns),
                                            [&] { return call->ended; });
  return !ended || call->found;
}

}  // namespace hindsight::recorder
