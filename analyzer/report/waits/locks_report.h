// The output of `hindsight locks`, as text and as JSON. Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct LocksTextOptions {
  TextStyle style;
  size_t top = 10;    // places and locks shown; 0: all
  size_t frames = 8;  // of a stack; 0: all
};

std::string LocksText(const LockReport& report, const LocksTextOptions& options);
std::string LocksJson(const LockReport& report);
SharedShape LocksShape();

// The runtime's id of a lock: 0x7f00.
std::string LockIdText(uint64_t id);

}  // namespace hindsight::analyzer
