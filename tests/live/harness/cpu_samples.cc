#include <stdexcept>

#include "tests/live/harness/sample.h"

namespace hindsight::live {

std::vector<std::string> CpuSamples(int runtime) {
  switch (runtime) {
    case 8:
      return {HINDSIGHT_CPU_8};
    case 9:
      return {HINDSIGHT_CPU_9};
    case 10:
      return {HINDSIGHT_DOTNET, HINDSIGHT_CPU_10};
    default:
      throw std::invalid_argument("no sample for this runtime");
  }
}

}  // namespace hindsight::live
