#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "recorder/contract/control.h"
#include "trigger/folder.h"
#include "trigger/recorder_connection.h"
#include "trigger/target/walk.h"

namespace hindsight::trigger {
namespace {

struct Place {
  UniqueFd folder;
  std::string name;
  std::string path;
};

// The folder at `path`, if only the process's user can write it; else none.
UniqueFd OwnFolder(const Process& process, const std::string& path) {
  Walk walk = WalkFrom(process.root.get(), path);
  if (!walk.target) return {};
  const struct stat& info = walk.steps.back().info;
  const bool is_own =
      S_ISDIR(info.st_mode) && info.st_uid == process.uid && (info.st_mode & 022) == 0;
  return is_own ? std::move(walk.target) : UniqueFd();
}

std::optional<Place> PlaceIn(const Process& process, const std::string& path) {
  Place place;
  place.folder = OwnFolder(process, path);
  if (!place.folder) return std::nullopt;
  place.name = contract::SocketName(static_cast<uint32_t>(process.inner_pid));
  place.path = path + '/' + place.name;
  struct stat socket = {};
  if (fstatat(place.folder.get(), place.name.c_str(), &socket, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
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

}  // namespace

// A socket without a listener was left behind by a process that was killed; if another process
// listens, containers share a folder.
Expected<Stream> ConnectToRecorder(const Process& process, Clock::time_point deadline) {
  for (const Place& place : FindPlaces(process)) {
    Expected<Stream> stream =
        Stream::Connect(place.folder.get(), place.name, deadline,
                        "the recorder in process " + std::to_string(process.pid));
    if (!stream && stream.failure().code == TriggerExit::kConnectionFailed) continue;
    if (!stream) return stream;
    const Expected<Stream::Peer> peer = stream->GetPeer();
    if (!peer) return peer.failure();
    const bool its = peer->uid == process.uid && (peer->pid == 0 || peer->pid == process.pid);
    if (its) return stream;
  }
  return NotRecorded(process);
}

std::string LastRecordingOf(const Process& process) {
  const std::string tmp = contract::TemporaryFolder(process.environment);
  const UniqueFd folder = OwnFolder(process, contract::ControlFolder(tmp, process.uid));
  if (!folder) return {};
  const std::string name = contract::LastRecordingName(static_cast<uint32_t>(process.inner_pid));
  std::string path(PATH_MAX, '\0');
  const ssize_t size = readlinkat(folder.get(), name.c_str(), path.data(), path.size());
  path.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
  return path.starts_with('/') ? path : std::string();
}

}  // namespace hindsight::trigger
