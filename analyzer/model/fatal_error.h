// A reason other than an exception for which the runtime ended the process.
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
    kAccessViolation,  // in managed code; there is also an exception for it
    kRuntime,          // a failure of the runtime itself
    kOther,
  };
  Kind kind = Kind::kOther;
  uint32_t code = 0;  // HRESULT
  int64_t at_ns = 0;
  ThreadIndex thread = 0;
  std::string message;  // empty: none, or not recorded
  // Innermost first. After a stack overflow, only the innermost frame. 0: unknown.
  StackId stack = 0;
};

}  // namespace hindsight::analyzer
