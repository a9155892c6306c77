// What the runtime ended the process for, other than an exception.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/model/dictionaries.h"
#include "analyzer/model/exceptions.h"

namespace hindsight::analyzer {

struct FatalError {
  enum class Kind : uint8_t {
    kFailFast,
    kStackOverflow,
    kAccessViolation,  // in managed code; there is an exception of it, too
    kRuntime,          // a failure of the runtime itself
    kOther,
  };
  Kind kind = Kind::kOther;
  uint32_t code = 0;  // HRESULT
  int64_t at_ns = 0;
  ThreadIndex thread = 0;
  std::string message;  // empty: none, or not recorded
  // Innermost first. After a stack overflow, only the innermost frame. 0: not known.
  StackId stack = 0;
};

}  // namespace hindsight::analyzer
