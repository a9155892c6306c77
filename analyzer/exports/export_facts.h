// Facts about a recording that exports include.
#pragma once

#include <cstdint>
#include <string>

namespace hindsight::analyzer {

struct ExportFacts {
  std::string title;    // "Shop, CPU time"
  std::string creator;  // "hindsight 0.1.0"
};

}  // namespace hindsight::analyzer
