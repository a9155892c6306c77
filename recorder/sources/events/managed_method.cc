#include "recorder/sources/events/managed_method.h"

#include <cstdint>

#include "recorder/base/runtime_library.h"
#include "recorder/clr/types.h"

namespace hindsight::recorder {
namespace {

using CreateDelegate = int32_t (*)(void* host, unsigned domain, const char* assembly,
                                   const char* type, const char* method, void** function);
using GetRuntimeHost = int32_t (*)(const clr::GUID& iid, clr::IUnknown** host);

constexpr unsigned kOnlyDomain = 1;
// ICLRRuntimeHost4: dotnet/runtime, src/coreclr/inc/mscoree.idl.
constexpr clr::GUID kRuntimeHost = {
    0x64f6d366, 0xd7c2, 0x4f1f, {0xb4, 0xb2, 0xe8, 0x16, 0x0c, 0xac, 0x43, 0xaf}};

}  // namespace

void* ManagedMethod(const char* type, const char* method) {
  const auto create = reinterpret_cast<CreateDelegate>(RuntimeSymbol("coreclr_create_delegate"));
  const auto get_host = reinterpret_cast<GetRuntimeHost>(RuntimeSymbol("GetCLRRuntimeHost"));
  clr::IUnknown* host = nullptr;
  void* function = nullptr;
  if (create != nullptr && get_host != nullptr && clr::Succeeded(get_host(kRuntimeHost, &host)) &&
      clr::Failed(create(host, kOnlyDomain, "System.Private.CoreLib", type, method, &function))) {
    function = nullptr;
  }
  if (host != nullptr) host->Release();
  return function;
}

}  // namespace hindsight::recorder
