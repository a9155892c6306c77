#include "recorder/contract/catalogue.h"

namespace hindsight::contract {

bool SourceInfo::IsOnByDefault() const { return on_by_default; }

}  // namespace hindsight::contract
