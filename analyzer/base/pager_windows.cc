#include "analyzer/base/pager.h"

namespace hindsight::analyzer {

// Nothing is held back: Windows has no pager that leaves colors and UTF-8 intact, and its terminals
// can scroll back.
Pager::Pager(bool) {}

Pager::~Pager() = default;

void Pager::Release() {}

}  // namespace hindsight::analyzer
