#include "trigger/control_client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "trigger/folder.h"
#include "trigger/target/walk.h"

namespace hindsight::trigger {
namespace {

constexpr int kPollMs = 20;
// For a connection, which is immediate unless the recorder has many.
constexpr std::chrono::seconds kLookTime(1);

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

// The folder at `path`, if only the process's user can write it.
std::optional<Place> PlaceIn(const Process& process, const std::string& path) {
  Walk walk = WalkFrom(process.root.get(), path);
  if (!walk.target) return std::nullopt;
  const struct stat& info = walk.steps.back().info;
  if (!S_ISDIR(info.st_mode) || info.st_uid != process.uid || (info.st_mode & 022) != 0) {
    return std::nullopt;
  }
  Place place;
  place.name = contract::SocketName(static_cast<uint32_t>(process.inner_pid));
  place.path = path + '/' + place.name;
  struct stat socket = {};
  if (fstatat(walk.target.get(), place.name.c_str(), &socket, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  place.folder = std::move(walk.target);
  return place;
}

// Folders with a socket that may be its recorder's; see recorder/contract/control.h.
std::vector<Place> FindPlaces(const Process& process) {
  const std::string tmp = contract::TemporaryFolder(process.environment);
  std::vector<Place> places;
  const auto add = [&](const std::string& folder) {
    if (std::optional<Place> place = PlaceIn(process, folder)) places.push_back(*std::move(place));
  };
  add(contract::ControlFolder(tmp, process.uid));
  const Walk walk = WalkFrom(process.root.get(), tmp);
  if (!walk.target) return places;
  const std::string prefix = contract::SpareFolderPrefix(process.uid);
  ForEachName(walk.target.get(), [&](std::string_view name) {
    if (name.starts_with(prefix)) add(tmp + '/' + std::string(name));
    return true;
  });
  return places;
}

// Connects to the recorder in the process. A socket that nobody listens on was left behind by a
// process that was killed; if another process listens, containers share a folder.
Result<Stream> ConnectTo(const Process& process, Clock::time_point deadline) {
  for (const Place& place : FindPlaces(process)) {
    Result<Stream> stream =
        Stream::Connect(place.folder.get(), place.name, deadline,
                        "the recorder in process " + std::to_string(process.pid));
    if (!stream && stream.failure().code == ExitCode::kConnectionFailed) continue;
    if (!stream) return stream;
    const Result<Stream::Peer> peer = stream->GetPeer();
    if (!peer) return peer.failure();
    const bool its = peer->uid == process.uid && (peer->pid == 0 || peer->pid == process.pid);
    if (its) return stream;
  }
  return NotRecorded(process);
}

bool SameProcessLives(const Process& process) {
  const Result<Process> now = InspectProcess(process.pid);
  return now && now->start_ticks == process.start_ticks && !now->ended();
}

// One request on one connection. `unheard`: it broke before the recorder had read the request.
Result<contract::Reply> AskOnce(const Process& process, const contract::Request& request,
                                Clock::time_point deadline, bool& unheard) {
  const std::string who = "the recorder in process " + std::to_string(process.pid);
  Result<Stream> stream = ConnectTo(process, deadline);
  if (!stream) return stream.failure();
  const std::string line = contract::FormatRequest(request);
  if (Check wrong = stream->Send({reinterpret_cast<const uint8_t*>(line.data()), line.size()})) {
    unheard = wrong->code == ExitCode::kConnectionFailed;
    return *wrong;
  }
  std::string text;
  while (text.size() <= contract::kMaxReplyBytes) {
    uint8_t buffer[4096];
    Result<size_t> received = stream->Receive(buffer);
    if (!received) {
      // A Unix socket is reset if the other side closes it with unread data.
      unheard = received.failure().code == ExitCode::kConnectionFailed && text.empty();
      if (received.failure().code != ExitCode::kSendTimeout) return received.failure();
      return Failure{ExitCode::kRecorderSilent, "No answer from " + who + " in time.",
                     "A process that is stopped, or gets no CPU time, cannot answer. Try again "
                     "with a longer --timeout."};
    }
    if (*received == 0) break;
    text.append(reinterpret_cast<const char*>(buffer), *received);
  }
  contract::Reply reply;
  if (!contract::ParseReply(text, reply)) {
    return Failure{ExitCode::kBadAnswer,
                   text.empty() ? "The connection was closed by " + who + " without an answer."
                                : "The answer of " + who + " cannot be parsed.",
                   "Use a trigger and a recorder of the same version, and check that the process "
                   "is still running."};
  }
  if (!reply.ok) {
    return Failure{ExitCode::kRecorderRefused, "Refused by " + who + ": " + reply.error, ""};
  }
  return reply;
}

}  // namespace

// A recorder allows a client two seconds for its request. If this process gets no CPU time for that
// long between connecting and sending, it retries on a new connection.
Result<contract::Reply> AskRecorder(const Process& process, const contract::Request& request,
                                    Clock::time_point deadline) {
  constexpr int kTries = 5;
  std::optional<Failure> broken;
  for (int attempt = 1;; ++attempt) {
    bool unheard = false;
    Result<contract::Reply> reply = AskOnce(process, request, deadline, unheard);
    // The recorder was there and is now gone, perhaps with its process.
    if (broken && !reply && reply.failure().code == ExitCode::kNotRecorded) return *broken;
    if (!unheard || attempt == kTries || Clock::now() >= deadline) return reply;
    broken = reply.failure();
    poll(nullptr, 0, kPollMs);
  }
}

bool WaitForDetach(const Process& process, Clock::time_point deadline) {
  while (true) {
    const Result<Stream> stream = ConnectTo(process, Clock::now() + kLookTime);
    const bool gone = !stream && stream.failure().code == ExitCode::kNotRecorded;
    if (gone || !SameProcessLives(process)) return true;
    if (Clock::now() >= deadline) return false;
    poll(nullptr, 0, kPollMs);
  }
}

}  // namespace hindsight::trigger
