#include "trigger/ipc/client.h"

#include "trigger/hresult.h"

namespace hindsight::trigger::ipc {
namespace {

constexpr uint32_t kUnknownCommand = 0x80131385;

Failure Unreadable(const std::string& who) {
  return {
      TriggerExit::kBadAnswer, "The answer of " + who + " cannot be parsed.",
      "Hindsight supports .NET 8, 9 and 10; hindsight-trigger list shows the runtime's version."};
}

// Fills `bytes`. False: the stream ended early.
Expected<bool> ReceiveAll(Stream& stream, std::span<uint8_t> bytes) {
  while (!bytes.empty()) {
    Expected<size_t> received = stream.Receive(bytes);
    if (!received) return received.failure();
    if (*received == 0) return false;
    bytes = bytes.subspan(*received);
  }
  return true;
}

}  // namespace

Expected<Answer> Ask(const DiagnosticSocket& socket, const Process& process, const Bytes& question,
                     Clock::time_point deadline) {
  const std::string who = "the runtime of process " + std::to_string(process.pid);
  Expected<Stream> stream = Stream::Connect(socket.folder.get(), socket.name, deadline, who);
  if (!stream) return stream.failure();
  Expected<Stream::Peer> peer = stream->GetPeer();
  if (!peer) return peer.failure();
  if (peer->uid != process.uid || (peer->pid != 0 && peer->pid != process.pid)) {
    return Failure{
        TriggerExit::kForeignSocket,
        "At " + socket.path + " listens process " + std::to_string(peer->pid) + " of user " +
            std::to_string(peer->uid) + ", not process " + std::to_string(process.pid) + '.',
        "Remove that socket if nothing needs it; someone may be impersonating the process."};
  }
  if (Check wrong = stream->Send(question)) return *wrong;

  Bytes message(kHeaderBytes);
  Expected<bool> whole = ReceiveAll(*stream, message);
  if (!whole) return whole.failure();
  if (!*whole) {
    return Failure{TriggerExit::kConnectionFailed,
                   "The connection was closed by " + who + " without an answer.",
                   "Check that the process is still running: hindsight-trigger list."};
  }
  const std::optional<size_t> size = MessageSize(message);
  if (!size) return Unreadable(who);
  message.resize(*size);
  whole = ReceiveAll(*stream, std::span(message).subspan(kHeaderBytes));
  if (!whole) return whole.failure();
  std::optional<Answer> answer = *whole ? ParseAnswer(message) : std::nullopt;
  if (!answer) return Unreadable(who);
  return *std::move(answer);
}

Expected<ProcessInfo> AskProcessInfo(const DiagnosticSocket& socket, const Process& process,
                                     Clock::time_point deadline) {
  for (const int version : {3, 2}) {
    Expected<Answer> answer = Ask(socket, process, EncodeProcessInfo(version), deadline);
    if (!answer) return answer.failure();
    if (!answer->ok) {
      if (answer->hresult == kUnknownCommand && version == 3) continue;
      return ExplainHresult(answer->hresult, "The question about the process");
    }
    std::optional<ProcessInfo> info = ParseProcessInfo(answer->payload, version);
    if (!info) return Unreadable("the runtime of process " + std::to_string(process.pid));
    return *std::move(info);
  }
  return Unreadable("the runtime of process " + std::to_string(process.pid));
}

}  // namespace hindsight::trigger::ipc
