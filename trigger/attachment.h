// Attaches a profiler to a running process through the runtime's diagnostics port.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "recorder/contract/control.h"
#include "trigger/ipc/message.h"
#include "trigger/preflight/brought_library.h"
#include "trigger/result.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {

// A library as a process can load it.
struct ChosenLibrary {
  std::string path;  // as the process sees it
  // It was brought there, and goes with this. Null: it was there.
  std::shared_ptr<BroughtLibrary> brought;
  // The process has it mapped from an earlier visit, and the loader will not look for the file.
  bool is_mapped = false;
};

// `given`: a path as the process sees it; empty: the library that came with this program, which is
// brought along where the process has mounts of its own and doesn't see it.
Result<ChosenLibrary> ChooseLibrary(const Process& process, const std::string& given);

struct Attachment {
  ChosenLibrary library;
  ipc::Guid guid;
  std::string client_data;
  uint32_t attach_timeout_ms = 10'000;
  double send_timeout_s = 20;
};

// Everything that can be known before is looked at before; then asks until the answer is final.
Check AttachLibrary(const Process& process, const Attachment& attachment);

// Attaches our recorder, and waits until it records: its first status. A recorder that can't record
// says why, and has left the process when this returns.
Result<contract::Reply> StartRecorder(const Process& process, const Attachment& attachment);

}  // namespace hindsight::trigger
