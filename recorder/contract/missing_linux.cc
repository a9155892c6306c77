#include "recorder/contract/catalogue.h"

namespace hindsight::contract {

std::string_view SourceInfo::Missing() const { return {}; }

}  // namespace hindsight::contract
