// The name of an event provider, as the runtime reports it.
#pragma once

#include <string_view>

#include "recorder/clr/info.h"

namespace hindsight::recorder {

// Longer names are cut. No allocation: may be used in callbacks.
class ProviderName {
 public:
  ProviderName(clr::ICorProfilerInfo10* info, clr::EVENTPIPE_PROVIDER provider);

  // Empty: the runtime did not report it.
  std::u16string_view view() const { return name_; }

 private:
  static constexpr uint32_t kMostUnits = 64;
  char16_t name_[kMostUnits] = {};
};

}  // namespace hindsight::recorder
