// The heap dump that the runtime sends through its diagnostics port: what dotnet-gcdump asks for.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace hindsight::bench {

struct HeapDump {
  double seconds = 0;  // from the request until the last byte was on disk
  uint64_t bytes = 0;
};

// Opens a session with the events of a heap dump, which makes the runtime collect and send every
// object, writes the stream to `file`, and stops the session once the dump is through: when for
// half a second nothing was sent and the process hardly used a processor. That half second is not
// counted. Throws std::runtime_error.
HeapDump DumpThroughEventPipe(pid_t process, const std::filesystem::path& file);

}  // namespace hindsight::bench
