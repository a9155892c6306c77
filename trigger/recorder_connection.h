// A connection to the recorder in a process.
#pragma once

#include <string>

#include "trigger/stream.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {

// Fails with kNotRecorded if there is none.
Expected<Stream> ConnectToRecorder(const Process& process, Clock::time_point deadline);

// Path, as the process sees it, of the last recording of a recorder that has left the process, if
// it is not in the default folder; empty: unknown.
std::string LastRecordingOf(const Process& process);

// The failure with kNotRecorded.
Failure NotRecorded(const Process& process);

}  // namespace hindsight::trigger
