#include "recorder/contract/catalogue.h"

namespace hindsight::contract {

// Samples of CPU time suspend threads, and have been tried under wine only: docs/windows.md.
bool SourceInfo::IsOnByDefault() const { return on_by_default && id != Source::kCpu; }

}  // namespace hindsight::contract
