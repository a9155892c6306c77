// A connection to the recorder in a process.
#pragma once

#include "trigger/stream.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {

// Fails with kNotRecorded if there is none.
Expected<Stream> ConnectToRecorder(const Process& process, Clock::time_point deadline);

// That failure.
Failure NotRecorded(const Process& process);

}  // namespace hindsight::trigger
