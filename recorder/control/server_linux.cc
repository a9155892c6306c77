#include "recorder/control/server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "recorder/base/clock.h"
#include "recorder/base/descriptor.h"
#include "recorder/base/error_text.h"
#include "recorder/control/folder_linux.h"

namespace hindsight::recorder {
namespace {

constexpr int kBacklog = 8;
constexpr uint64_t kMillisecondNs = 1'000'000;

// Through the folder's descriptor: that is the folder that was checked, whatever happens to its
// path, and short enough for sun_path under any TMPDIR.
sockaddr_un AddressIn(int folder, const std::string& name) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(folder) + '/' + name;
  static_assert(sizeof address.sun_path > 64);
  memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  return address;
}

Descriptor NewSocket() {
  return Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Root can do anything here anyway; others must be the user that the process runs as.
bool IsTrusted(int peer) {
  ucred credentials = {};
  socklen_t size = sizeof credentials;
  if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return false;
  return credentials.uid == geteuid() || credentials.uid == 0;
}

}  // namespace

// The socket, its folder and its clients.
struct ControlServer::Transport {
  struct Client {
    Descriptor fd;
    uint64_t deadline_ns = 0;
    std::string reply;  // empty: still reading the request
    size_t sent = 0;
    size_t received = 0;
    std::array<char, contract::kMaxRequestBytes> request;
  };

  ~Transport() { Close(); }

  bool Open(std::string_view tmp, uint32_t pid, std::string* why);
  bool OpenUsual(std::string_view tmp, uint32_t pid, std::string* why);
  bool IsReachable() const;
  Event Serve(int wake_fd, uint64_t deadline_ns, ControlHandler& handler);
  void LeavePath(const std::string& path);
  void Close();

  bool OpenSpare(std::string_view tmp, uint32_t pid, std::string* why);
  bool Listen(std::string* why);
  bool RemoveStale(std::string* why);
  void Accept(uint64_t now_ns);
  void KeepSpareDescriptor();
  void Receive(Client& client, ControlHandler& handler);
  void Send(Client& client);
  void Disconnect(Client& client);

  // The folder of the socket.
  const Descriptor& folder() const { return spare_.folder ? spare_.folder : folder_; }

  Descriptor folder_;
  SpareFolder spare_;  // used instead of folder_ if there is one
  Descriptor listener_;
  // Closed to accept a client when the application has used up all other descriptors.
  Descriptor spare_descriptor_;
  std::string name_;  // of the socket in its folder
  std::string last_;  // of the link to the last recording, in folder_
  std::string path_;  // for messages
  uint64_t device_ = 0;
  uint64_t inode_ = 0;
  std::array<Client, kMaxClients> clients_;
};

bool ControlServer::Transport::Open(std::string_view tmp, uint32_t pid, std::string* why) {
  if (OpenUsual(tmp, pid, why)) return true;
  std::string spare_why;
  if (OpenSpare(tmp, pid, &spare_why)) return true;
  if (!why->ends_with('.')) *why += '.';
  *why += ' ' + spare_why;
  if (!why->ends_with('.')) *why += '.';
  return false;
}

bool ControlServer::Transport::OpenUsual(std::string_view tmp, uint32_t pid, std::string* why) {
  Close();
  folder_ = OpenPrivateFolder(tmp, "control", why);
  if (!folder_) return false;
  path_ = contract::ControlSocket(tmp, geteuid(), pid);
  name_ = contract::SocketName(pid);
  last_ = contract::LastRecordingName(pid);
  if (RemoveStale(why) && Listen(why)) return true;
  Close();
  return false;
}

bool ControlServer::Transport::OpenSpare(std::string_view tmp, uint32_t pid, std::string* why) {
  Close();
  if (!MakeSpareFolder(tmp, &spare_, why)) return false;
  name_ = contract::SocketName(pid);
  path_ = std::string(tmp) + '/' + spare_.name + '/' + name_;
  if (Listen(why)) return true;
  Close();
  return false;
}

bool ControlServer::Transport::IsReachable() const {
  if (inode_ == 0) return false;
  // By path: the folder may have been moved or removed as a whole. A process that has given up
  // privileges may be unable to check.
  struct stat found = {};
  if (lstat(path_.c_str(), &found) != 0) return errno != ENOENT && errno != ENOTDIR;
  return found.st_ino == inode_ && found.st_dev == device_;
}

bool ControlServer::Transport::RemoveStale(std::string* why) {
  struct stat found = {};
  if (fstatat(folder().get(), name_.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return true;
    *why = Failed("Cannot examine", path_, errno);
    return false;
  }
  if (S_ISSOCK(found.st_mode)) {
    const Descriptor probe = NewSocket();
    if (!probe) {
      *why = Failed("Cannot create a socket to probe", path_, errno);
      return false;
    }
    const sockaddr_un address = AddressIn(folder().get(), name_);
    const bool refused =
        connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
        errno == ECONNREFUSED;
    if (!refused) {
      *why = "Another recorder answers at " + path_ +
             "; if two containers share that folder, give each its own TMPDIR.";
      return false;
    }
  } else if (S_ISDIR(found.st_mode)) {
    *why = path_ + " is a folder; remove it.";
    return false;
  }
  if (unlinkat(folder().get(), name_.c_str(), 0) != 0 && errno != ENOENT) {
    *why = Failed("Cannot replace", path_, errno);
    return false;
  }
  return true;
}

bool ControlServer::Transport::Listen(std::string* why) {
  listener_ = NewSocket();
  const sockaddr_un address = AddressIn(folder().get(), name_);
  struct stat made = {};
  // The mode of the unbound socket, masked by umask, becomes the file's: never wider than 0600.
  if (!listener_ || fchmod(listener_.get(), 0600) != 0 ||
      bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    *why = Failed("Cannot create the control socket", path_, errno);
    return false;
  }
  if (fstatat(folder().get(), name_.c_str(), &made, AT_SYMLINK_NOFOLLOW) != 0) {
    *why = Failed("Cannot examine the control socket", path_, errno);
    return false;
  }
  device_ = made.st_dev;
  inode_ = made.st_ino;
  // An unusual umask (0777) would lock out even the owner.
  if (fchmodat(folder().get(), name_.c_str(), 0600, 0) != 0 ||
      listen(listener_.get(), kBacklog) != 0) {
    *why = Failed("Cannot listen on the control socket", path_, errno);
    return false;
  }
  KeepSpareDescriptor();
  return true;
}

void ControlServer::Transport::LeavePath(const std::string& path) {
  if (inode_ == 0 || spare_.folder || !folder_.IsOurs()) return;
  unlinkat(folder_.get(), last_.c_str(), 0);
  // Without it, the user has to tell a trigger the folder.
  if (!path.empty()) (void)!symlinkat(path.c_str(), folder_.get(), last_.c_str());
}

void ControlServer::Transport::Close() {
  for (Client& client : clients_) Disconnect(client);
  // While it still listens, so that no other process considers it stale and replaces it in between.
  struct stat found = {};
  if (inode_ != 0 && folder().IsOurs() &&
      fstatat(folder().get(), name_.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
      found.st_ino == inode_ && found.st_dev == device_) {
    unlinkat(folder().get(), name_.c_str(), 0);
  }
  spare_descriptor_.Close();
  listener_.Close();
  RemoveSpareFolder(&spare_);
  folder_.Close();
  inode_ = 0;
}

ControlServer::Event ControlServer::Transport::Serve(int wake_fd, uint64_t deadline_ns,
                                                     ControlHandler& handler) {
  while (true) {
    const uint64_t now = MonotonicNs();
    if (deadline_ns != 0 && now >= deadline_ns) return Event::kDeadline;
    if (listener_ && !listener_.IsOurs()) return Event::kFailed;
    uint64_t next = deadline_ns;
    bool free_seat = false;
    for (Client& client : clients_) {
      if (!client.fd) {
        free_seat = true;
      } else if (next == 0 || client.deadline_ns < next) {
        next = client.deadline_ns;
      }
    }
    // poll ignores negative descriptors. If all client slots are in use, clients wait in the
    // backlog.
    std::array<pollfd, 2 + kMaxClients> fds = {};
    fds[0] = {wake_fd, POLLIN, 0};
    fds[1] = {free_seat ? listener_.get() : -1, POLLIN, 0};
    for (size_t i = 0; i < clients_.size(); ++i) {
      const short events = clients_[i].reply.empty() ? POLLIN : POLLOUT;
      fds[2 + i] = {clients_[i].fd.get(), events, 0};
    }
    int timeout_ms = -1;
    if (next != 0) {
      // Rounded up: a wait that ends too early would cause a busy loop.
      timeout_ms =
          next <= now
              ? 0
              : static_cast<int>(std::min<uint64_t>((next - now) / kMillisecondNs + 1, 60'000));
    }
    const int ready = poll(fds.data(), fds.size(), timeout_ms);
    if (ready < 0) {
      const int error = errno;
      if (error == EINTR) continue;
      // Not even this many descriptors may be polled (RLIMIT_NOFILE), or there is no memory: trying
      // again at once would be a busy loop.
      poll(nullptr, 0, 100);
      if (error == EAGAIN || error == ENOMEM) continue;
      return Event::kFailed;
    }
    for (size_t i = 0; i < clients_.size(); ++i) {
      Client& client = clients_[i];
      if (!client.fd) continue;
      if (fds[2 + i].revents != 0) {
        if (client.reply.empty()) Receive(client, handler);
        if (client.fd && !client.reply.empty()) Send(client);
      }
      // Checked after its data was read: the whole process may have been stopped in between.
      if (client.fd && now >= client.deadline_ns) Disconnect(client);
    }
    if ((fds[1].revents & POLLIN) != 0) {
      Accept(MonotonicNs());  // the wait may have been long
    } else if (fds[1].revents != 0) {
      return Event::kFailed;
    }
    if (fds[0].revents != 0) return Event::kWoken;
  }
}

void ControlServer::Transport::Accept(uint64_t now_ns) {
  if (!listener_.IsOurs()) return;
  const auto accept = [&] {
    return accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  };
  int fd = accept();
  if (fd < 0 && errno == EMFILE && spare_descriptor_) {
    spare_descriptor_.Close();
    fd = accept();
  }
  if (fd < 0) {
    // Out of descriptors: the application is short of them, and the connection stays in the
    // backlog. Trying again at once would be a busy loop.
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      poll(nullptr, 0, 100);
    }
    return;
  }
  auto* seat = std::find_if(clients_.begin(), clients_.end(),
                            [](const Client& client) { return !client.fd; });
  if (seat == clients_.end() || !IsTrusted(fd)) {
    close(fd);
    return;
  }
  seat->fd = Descriptor(fd);
  seat->deadline_ns = now_ns + kClientNs;
}

void ControlServer::Transport::KeepSpareDescriptor() {
  if (!spare_descriptor_.IsOurs()) {
    spare_descriptor_ = Descriptor(fcntl(listener_.get(), F_DUPFD_CLOEXEC, 0));
  }
}

void ControlServer::Transport::Receive(Client& client, ControlHandler& handler) {
  if (!client.fd.IsOurs()) {
    Disconnect(client);
    return;
  }
  const size_t room = client.request.size() - client.received;
  const ssize_t size = recv(client.fd.get(), client.request.data() + client.received, room, 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) {
    Disconnect(client);
    return;
  }
  client.received += static_cast<size_t>(size);
  const std::string_view text(client.request.data(), client.received);
  const bool whole = text.find('\n') != std::string_view::npos;
  if (!whole && client.received < client.request.size()) return;
  client.reply = AnswerLine(text, handler);
  // The handler's time does not count against the client.
  client.deadline_ns = MonotonicNs() + kClientNs;
}

void ControlServer::Transport::Send(Client& client) {
  if (!client.fd.IsOurs()) {  // the handler may have taken half a minute
    Disconnect(client);
    return;
  }
  while (client.sent < client.reply.size()) {
    const ssize_t size = send(client.fd.get(), client.reply.data() + client.sent,
                              client.reply.size() - client.sent, MSG_NOSIGNAL);
    if (size < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) Disconnect(client);
      return;
    }
    client.sent += static_cast<size_t>(size);
  }
  Disconnect(client);
}

void ControlServer::Transport::Disconnect(Client& client) {
  if (client.fd) {
    client.fd.Close();
    KeepSpareDescriptor();
  }
  client.deadline_ns = 0;
  client.reply = {};
  client.sent = 0;
  client.received = 0;
}

ControlServer::ControlServer() : transport_(std::make_unique<Transport>()) {}

ControlServer::~ControlServer() = default;

bool ControlServer::Open(std::string_view tmp, uint32_t pid, std::string* why) {
  return transport_->Open(tmp, pid, why);
}

bool ControlServer::OpenUsual(std::string_view tmp, uint32_t pid, std::string* why) {
  return transport_->OpenUsual(tmp, pid, why);
}

bool ControlServer::IsReachable() const { return transport_->IsReachable(); }

ControlServer::Event ControlServer::Serve(int wake_fd, uint64_t deadline_ns,
                                          ControlHandler& handler) {
  return transport_->Serve(wake_fd, deadline_ns, handler);
}

void ControlServer::LeavePath(const std::string& path) { transport_->LeavePath(path); }

void ControlServer::Close() { transport_->Close(); }

bool ControlServer::is_open() const { return static_cast<bool>(transport_->listener_); }

}  // namespace hindsight::recorder
