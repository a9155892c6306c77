// What the sample AllocationHot allocates: known numbers of objects along known paths.
#pragma once

#include <string>

#include "tests/live/harness/raw_recording.h"

namespace hindsight::live {

// Compares the bytes by type and path with what the sample allocates by default, within what the
// estimator allows. A line for each difference.
std::string AllocationDifferences(const RawRecording& recording, int runtime);

}  // namespace hindsight::live
