#include "recorder/contract/catalogue.h"

namespace hindsight::contract {

std::string_view SourceInfo::Missing() const {
  return id == Source::kCpu ? "CPU time is not sampled on Windows" : std::string_view();
}

}  // namespace hindsight::contract
