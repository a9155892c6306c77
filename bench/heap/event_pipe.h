// The heap dump that the runtime sends through its diagnostics port, as used by dotnet-gcdump.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace hindsight::bench {

struct HeapDump {
  double seconds = 0;  // from the request until the last byte is on disk
  uint64_t bytes = 0;
};

// Opens a session with the events of a heap dump, which makes the runtime collect and send every
// object, writes the stream to `file`, and stops the session once the dump is complete: when
// nothing was sent for half a second and the process hardly used a processor. That half second is
// not included. Throws std::runtime_error.
HeapDump DumpThroughEventPipe(pid_t process, const std::filesystem::path& file);

}  // namespace hindsight::bench
