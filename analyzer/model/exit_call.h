// The call from managed code that ended the process in an orderly way, such as Environment.Exit.
#pragma once

#include <cstdint>

#include "analyzer/model/dictionaries.h"
#include "analyzer/model/exceptions.h"

namespace hindsight::analyzer {

struct ExitCall {
  int64_t at_ns = 0;
  ThreadIndex thread = 0;
  StackId stack = 0;  // innermost first
};

}  // namespace hindsight::analyzer
