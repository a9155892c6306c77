// Brings a profiler into a running process, through the runtime's diagnostics port.
#pragma once

#include <cstdint>
#include <string>

#include "recorder/contract/control.h"
#include "trigger/ipc/message.h"
#include "trigger/result.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {

struct Attachment {
  std::string library;  // as the process sees it
  ipc::Guid guid;
  std::string client_data;
  uint32_t attach_timeout_ms = 10'000;
  double send_timeout_s = 20;
};

// Everything that can be known before is looked at before; then asks until the answer is final.
Check AttachLibrary(const Process& process, const Attachment& attachment);

// After an attach of our recorder: its first status. The recorder opens its control socket while it
// is attached, and records a moment later.
Result<contract::Reply> WaitForRecorder(const Process& process);

}  // namespace hindsight::trigger
