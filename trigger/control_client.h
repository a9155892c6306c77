// Talks to the recorder in a process over its control socket (recorder/contract/control.h).
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "recorder/contract/control.h"
#include "trigger/stream.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {

// For what a recorder answers at once.
inline constexpr std::chrono::seconds kAnswerTimeout(10);

// Asks the recorder in `process`. Fails with kNotRecorded when there is none, with kRecorderRefused
// when it says no.
Result<contract::Reply> AskRecorder(const Process& process, const contract::Request& request,
                                    Clock::time_point deadline);

// Waits until the control socket is gone, or the process. False: it is still there at the deadline.
bool WaitForDetach(const Process& process, Clock::time_point deadline);

}  // namespace hindsight::trigger
