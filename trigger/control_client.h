// Queries the recorder in a process over its control socket (recorder/contract/control.h).
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "recorder/contract/control.h"
#include "trigger/stream.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {

// For requests that a recorder answers at once.
inline constexpr std::chrono::seconds kAnswerTimeout(10);

// Sends a request to the recorder in `process`. Fails with kNotRecorded if there is none, with
// kRecorderRefused if it refuses.
Expected<contract::Reply> AskRecorder(const Process& process, const contract::Request& request,
                                      Clock::time_point deadline);

// Waits until the control socket is gone, or the process. False: it is still there at the deadline.
bool WaitForDetach(const Process& process, Clock::time_point deadline);

}  // namespace hindsight::trigger
