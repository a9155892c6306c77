#include "recorder/contract/catalogue.h"

namespace hindsight::contract {

bool SourceInfo::IsOnByDefault() const { return on_by_default; }

std::string SourceInfo::CostHere() const { return std::string(cost); }

}  // namespace hindsight::contract
