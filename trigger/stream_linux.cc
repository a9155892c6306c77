#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "trigger/stream.h"

namespace hindsight::trigger {
namespace {

// 0, or an errno.
int WaitFor(int fd, short events, Clock::time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return ETIMEDOUT;
    pollfd asked = {fd, events, 0};
    const int ready = poll(&asked, 1, static_cast<int>(std::min<long>(left + 1, 60'000)));
    if (ready > 0) return 0;
    if (ready < 0 && errno != EINTR) return errno;
  }
}

}  // namespace

Expected<Stream> Stream::Connect(int folder, const std::string& name, Clock::time_point deadline,
                                 std::string who) {
  Stream stream;
  stream.deadline_ = deadline;
  stream.who_ = std::move(who);
  stream.fd_.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!stream.fd_) return stream.Broken(errno);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(folder) + '/' + name;
  if (path.size() >= sizeof address.sun_path) return stream.Broken(ENAMETOOLONG);
  std::copy(path.begin(), path.end(), address.sun_path);
  // A Unix socket connects at once, or its backlog is full (EAGAIN) and there is nothing to poll
  // for.
  while (connect(stream.fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
         0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return stream.Broken(errno);
    if (Clock::now() >= deadline) return stream.Broken(ETIMEDOUT);
    poll(nullptr, 0, 10);
  }
  return stream;
}

Expected<Stream::Peer> Stream::GetPeer() const {
  ucred credentials = {};
  socklen_t size = sizeof credentials;
  if (getsockopt(fd_.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return Broken(errno);
  }
  return Peer{credentials.pid, credentials.uid};
}

Check Stream::Send(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      if (int error = WaitFor(fd_.get(), POLLOUT, deadline_); error != 0) return Broken(error);
    } else if (errno != EINTR) {
      return Broken(errno);
    }
  }
  return std::nullopt;
}

Expected<size_t> Stream::Receive(std::span<uint8_t> bytes) {
  while (true) {
    const ssize_t received = recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (received >= 0) return static_cast<size_t>(received);
    if (errno == EAGAIN) {
      if (int error = WaitFor(fd_.get(), POLLIN, deadline_); error != 0) return Broken(error);
    } else if (errno != EINTR) {
      return Broken(errno);
    }
  }
}

Failure Stream::Broken(int error) const {
  switch (error) {
    case ETIMEDOUT:
      return {TriggerExit::kSendTimeout, "Timed out before " + who_ + " answered.",
              "It may be busy, stopped by a debugger, or short of CPU time; try again with a "
              "longer --send-timeout."};
    case EACCES:
    case EPERM:
      return {TriggerExit::kOtherUser, "The socket of " + who_ + " denied access.",
              "Run the trigger as the process's user or as root; in a container, root also needs "
              "the capabilities SYS_PTRACE and DAC_OVERRIDE."};
    default:
      return {TriggerExit::kConnectionFailed,
              "The connection to " + who_ + " failed: " + std::strerror(error) + '.',
              "Check that the process is still running: hindsight-trigger list."};
  }
}

}  // namespace hindsight::trigger
