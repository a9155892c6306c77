// Sends one request to a runtime's diagnostics port.
#pragma once

#include "trigger/ipc/message.h"
#include "trigger/stream.h"
#include "trigger/target/diagnostic_socket.h"

namespace hindsight::trigger::ipc {

// Connects, checks that the listener is the process itself, sends the request and reads the reply.
// The port accepts one request per connection.
Expected<Answer> Ask(const DiagnosticSocket& socket, const Process& process, const Bytes& question,
                     Clock::time_point deadline);

Expected<ProcessInfo> AskProcessInfo(const DiagnosticSocket& socket, const Process& process,
                                     Clock::time_point deadline);

}  // namespace hindsight::trigger::ipc
