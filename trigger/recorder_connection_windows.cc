#include "recorder/contract/control.h"
#include "trigger/recorder_connection.h"

namespace hindsight::trigger {

Expected<Stream> ConnectToRecorder(const Process& process, Clock::time_point deadline) {
  const std::string pipe = contract::ControlPipe(static_cast<uint32_t>(process.pid));
  Expected<Stream> stream =
      Stream::Connect(-1, pipe, deadline, "the recorder in process " + std::to_string(process.pid));
  if (!stream && stream.failure().code == TriggerExit::kConnectionFailed)
    return NotRecorded(process);
  if (!stream) return stream;
  const Expected<Stream::Peer> peer = stream->GetPeer();
  if (!peer) return peer.failure();
  // Any process can serve a pipe of this name.
  if (peer->pid != process.pid) return NotRecorded(process);
  return stream;
}

}  // namespace hindsight::trigger
