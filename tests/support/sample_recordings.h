// Recordings that several tests read. Pure.
#pragma once

#include "tests/support/recording_builder.h"

namespace hindsight::testing {

// Three files of a closed recording: process facts and dictionaries in each, 24 exceptions in 8
// segments with ids 1 to 24, a garbage collection, a loss of 5 events, a note, the recorder's cost.
// Verify finds nothing.
RecordingBuilder SampleRecording();

}  // namespace hindsight::testing
