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
  // It was copied in, and is removed with this object. Null: it was already there.
  std::shared_ptr<BroughtLibrary> brought;
  // The process has it mapped from an earlier attach, so the loader will not look for the file.
  bool is_mapped = false;
};

// `given`: a path as the process sees it; empty: the library installed with this program, which is
// copied in if the process has mounts of its own and does not see it.
Expected<ChosenLibrary> ChooseLibrary(const Process& process, const std::string& given);

struct Attachment {
  ChosenLibrary library;
  ipc::Guid guid;
  std::string client_data;
  uint32_t attach_timeout_ms = 10'000;
  double send_timeout_s = 20;
};

// Checks everything that can be checked in advance, then requests until the reply is final.
Check AttachLibrary(const Process& process, const Attachment& attachment);

// Attaches our recorder and waits until it records: returns its first status. A recorder that
// cannot record reports why, and has left the process when this returns.
Expected<contract::Reply> StartRecorder(const Process& process, const Attachment& attachment);

}  // namespace hindsight::trigger
