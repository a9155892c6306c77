#include "recorder/sources/events/provider_name.h"

namespace hindsight::recorder {

ProviderName::ProviderName(clr::ICorProfilerInfo10* info, clr::EVENTPIPE_PROVIDER provider) {
  clr::ICorProfilerInfo12* info_12 = nullptr;
  if (clr::Failed(info->QueryInterface(clr::ICorProfilerInfo12::kIid,
                                       reinterpret_cast<void**>(&info_12)))) {
    return;
  }
  uint32_t length = 0;
  if (clr::Failed(info_12->EventPipeGetProviderInfo(provider, kMostUnits - 1, &length, name_))) {
    name_[0] = 0;
  }
  info_12->Release();
}

}  // namespace hindsight::recorder
