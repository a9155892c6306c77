// File errors of the system, as sentences.
#pragma once

#include <string>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// `error`: of errno.
Error CannotWrite(const std::string& file, int error);

}  // namespace hindsight::analyzer
