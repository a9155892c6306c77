#include "recorder/contract/control.h"
#include "trigger/recorder_connection.h"

namespace hindsight::trigger {

Result<Stream> ConnectToRecorder(const Process& process, Clock::time_point deadline) {
  const std::string pipe = contract::ControlPipe(static_cast<uint32_t>(process.pid));
  Result<Stream> stream =
      Stream::Connect(-1, pipe, deadline, "the recorder in process " + std::to_string(process.pid));
  if (!stream && stream.failure().code == ExitCode::kConnectionFailed) return NotRecorded(process);
  if (!stream) return stream;
  const Result<Stream::Peer> peer = stream->GetPeer();
  if (!peer) return peer.failure();
  // Anybody can serve a pipe of this name.
  if (peer->pid != process.pid) return NotRecorded(process);
  return stream;
}

}  // namespace hindsight::trigger
