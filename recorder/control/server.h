// The control socket of a recorder, on Windows a named pipe: answers `status`, `stop` and the other
// verbs in its table.
//
// It runs inside an application, so no client can block it or make it grow: sockets are
// non-blocking, a client has kClientNs from its connection to its last byte, there are at most
// kMaxClients, and messages have the limits of recorder/contract/control.h. It raises no signal,
// leaks no descriptor to a child, and never uses a file that another user could have created.
//
// One thread owns a server: it calls Open, Serve and Close, and the handler is called on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "recorder/contract/control.h"

namespace hindsight::recorder {

// What the verbs do. A handler may take long (stop closes files); other clients wait in the
// meantime.
class ControlHandler {
 public:
  virtual contract::Reply OnStatus() = 0;
  virtual contract::Reply OnStop() = 0;
  virtual contract::Reply OnSnapshot() = 0;
  virtual contract::Reply OnSnapshotStatus() = 0;
  virtual contract::Reply OnSnapshotThreads() = 0;

 protected:
  ~ControlHandler() = default;
};

// The reply to a client's line, as it is sent.
std::string AnswerLine(std::string_view line, ControlHandler& handler);

class ControlServer {
 public:
  static constexpr int kMaxClients = 4;
  static constexpr uint64_t kClientNs = 2'000'000'000;

  enum class Event : uint8_t { kWoken, kDeadline, kFailed };

  ControlServer();
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  // Listens at ControlSocket(tmp, effective uid, pid), or, if that is not possible, in the spare
  // folder (recorder/contract/control.h). A socket left by a dead process is replaced; one that
  // answers is not. False: two sentences in `why`, and nothing is left behind.
  bool Open(std::string_view tmp, uint32_t pid, std::string* why);
  // Only in the usual folder.
  bool OpenUsual(std::string_view tmp, uint32_t pid, std::string* why);

  // Whether its socket still has its name: cleaners of temporary files delete old ones.
  bool IsReachable() const;

  // Serves clients until `wake_fd` is readable (a bell's, which the server does not read; -1:
  // none) or CLOCK_MONOTONIC reaches `deadline_ns` (0: none). Clients in the middle of a message
  // are kept for the next call. Replies are sent before it returns if the client accepts them at
  // once. Without an open socket it only waits. kFailed: the socket is lost, for example because
  // the application has closed it; Close and Open it, or wait.
  Event Serve(int wake_fd, uint64_t deadline_ns, ControlHandler& handler);

  // Leaves the recording's path for triggers that come after the detach (`<pid>.last` in
  // recorder/contract/control.h); empty: none, and removes an older one. Not in the spare folder,
  // which is removed with the socket, and not on Windows.
  void LeavePath(const std::string& path);

  // Disconnects all clients, and removes the socket unless another process has replaced it.
  void Close();

  bool is_open() const;

 private:
  struct Transport;  // the socket, or the pipe

  std::unique_ptr<Transport> transport_;
};

}  // namespace hindsight::recorder
