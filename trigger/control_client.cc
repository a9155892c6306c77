#include "trigger/control_client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>

#include "trigger/target/walk.h"

namespace hindsight::trigger {
namespace {

constexpr int kPollMs = 20;

struct Place {
  UniqueFd folder;
  std::string name;
  std::string path;
};

Failure NotRecorded(const Process& process) {
  return {ExitCode::kNotRecorded,
          "Process " + std::to_string(process.pid) + " is not being recorded.",
          "hindsight-trigger attach " + std::to_string(process.pid) + " starts a recording."};
}

// The folder that holds the control socket, if it is one that only the process's user can write.
Result<Place> FindPlace(const Process& process) {
  const std::string tmp = contract::TemporaryFolder(process.environment);
  Place place;
  place.path = contract::ControlSocket(tmp, process.uid, static_cast<uint32_t>(process.inner_pid));
  place.name = place.path.substr(place.path.rfind('/') + 1);
  Walk walk = WalkFrom(process.root.get(), contract::ControlFolder(tmp, process.uid));
  if (!walk.target) return NotRecorded(process);
  const struct stat& info = walk.steps.back().info;
  if (info.st_uid != process.uid || (info.st_mode & 022) != 0) {
    return Failure{ExitCode::kForeignSocket,
                   "The folder " + walk.steps.back().path + " can be written by others than " +
                       UserName(process.uid) + '.',
                   "Look who made it; remove it if it is not yours to keep."};
  }
  place.folder = std::move(walk.target);
  return place;
}

bool Exists(const Place& place) {
  struct stat info = {};
  return fstatat(place.folder.get(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

bool SameProcessLives(const Process& process) {
  const Result<Process> now = InspectProcess(process.pid);
  return now && now->start_ticks == process.start_ticks && !now->ended();
}

}  // namespace

Result<contract::Reply> AskRecorder(const Process& process, const contract::Request& request,
                                    Clock::time_point deadline) {
  const std::string who = "the recorder in process " + std::to_string(process.pid);
  Result<Place> place = FindPlace(process);
  if (!place) return place.failure();
  if (!Exists(*place)) return NotRecorded(process);
  Result<Stream> stream = Stream::Connect(place->folder.get(), place->name, deadline, who);
  if (!stream) {
    // Nobody listens: the socket was left behind by a process that was killed.
    if (stream.failure().code == ExitCode::kConnectionFailed) return NotRecorded(process);
    return stream.failure();
  }
  Result<Stream::Peer> peer = stream->GetPeer();
  if (!peer) return peer.failure();
  if (peer->uid != process.uid || (peer->pid != 0 && peer->pid != process.pid)) {
    return Failure{ExitCode::kForeignSocket,
                   "At " + place->path + " listens process " + std::to_string(peer->pid) +
                       ", not process " + std::to_string(process.pid) + '.',
                   "If containers share that folder, give each its own TMPDIR."};
  }
  const std::string line = contract::FormatRequest(request);
  if (Check wrong = stream->Send({reinterpret_cast<const uint8_t*>(line.data()), line.size()})) {
    return *wrong;
  }
  std::string text;
  while (text.size() <= contract::kMaxReplyBytes) {
    uint8_t buffer[4096];
    Result<size_t> received = stream->Receive(buffer);
    if (!received) {
      if (received.failure().code != ExitCode::kSendTimeout) return received.failure();
      return Failure{ExitCode::kRecorderSilent, "There is no answer from " + who + " in time.",
                     "A process that is stopped or starved can't answer. Try again, with a longer "
                     "--timeout."};
    }
    if (*received == 0) break;
    text.append(reinterpret_cast<const char*>(buffer), *received);
  }
  contract::Reply reply;
  if (!contract::ParseReply(text, reply)) {
    return Failure{ExitCode::kBadAnswer,
                   text.empty() ? "The connection was closed by " + who + " without an answer."
                                : "The answer of " + who + " can't be understood.",
                   "Use a trigger and a recorder of the same version; check whether the process "
                   "still runs."};
  }
  if (!reply.ok) {
    return Failure{ExitCode::kRecorderRefused, "Refused by " + who + ": " + reply.error, ""};
  }
  return reply;
}

bool WaitForDetach(const Process& process, Clock::time_point deadline) {
  while (true) {
    const Result<Place> place = FindPlace(process);
    if (!place || !Exists(*place) || !SameProcessLives(process)) return true;
    if (Clock::now() >= deadline) return false;
    poll(nullptr, 0, kPollMs);
  }
}

}  // namespace hindsight::trigger
