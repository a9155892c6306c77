#include <windows.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "recorder/base/clock.h"
#include "recorder/base/error_text.h"
#include "recorder/base/handle_windows.h"
#include "recorder/base/security_windows.h"
#include "recorder/base/wide_text_windows.h"
#include "recorder/control/server.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kMillisecondNs = 1'000'000;
constexpr uint64_t kLongestMs = 60'000;

HANDLE NewEvent() { return CreateEventW(nullptr, /*bManualReset=*/TRUE, FALSE, nullptr); }

}  // namespace

// The pipe: one instance listens, others have a client. Each has one operation in progress.
struct ControlServer::Transport {
  struct End {
    enum class Doing : uint8_t { kNothing, kListening, kReceiving, kSending, kWaitingForEnd };

    HANDLE pipe = nullptr;
    HANDLE event = nullptr;
    OVERLAPPED operation{};
    Doing doing = Doing::kNothing;
    uint64_t deadline_ns = 0;
    std::string reply;
    size_t received = 0;
    std::array<char, contract::kMaxRequestBytes> request;
    char last = 0;  // for the read that waits for the end of the stream
  };

  ~Transport() { Close(); }

  bool Open(uint32_t pid, std::string* why);
  void Close();
  Event Serve(int wake_fd, uint64_t deadline_ns, ControlHandler& handler);

  bool Listen(bool first);
  void Start(End& end, End::Doing doing, bool started);
  void Go(End& end, ControlHandler& handler);
  void Connected(End& end);
  void Receive(End& end);
  void Received(End& end, size_t bytes, ControlHandler& handler);
  void Drop(End& end);
  bool Listens() const;

  std::wstring name_;
  std::array<End, kMaxClients> ends_;
};

bool ControlServer::Transport::Open(uint32_t pid, std::string* why) {
  Close();
  const std::string name = contract::ControlPipe(pid);
  name_ = Utf16(name);
  if (Listen(/*first=*/true)) return true;
  const int error = ErrnoOf(GetLastError());
  Close();
  *why = error == EACCES ? "Another process serves the pipe " + name + '.'
                         : "Cannot create the control pipe " + name + ": " + ErrorText(error) + '.';
  return false;
}

// A new instance that waits for a client. The first one takes the name: no other process has it
// then, and none can take it while an instance of ours exists.
bool ControlServer::Transport::Listen(bool first) {
  const auto end =
      std::find_if(ends_.begin(), ends_.end(), [](const End& one) { return one.pipe == nullptr; });
  if (end == ends_.end()) return false;
  const OnlyOwner owner;
  if (owner.descriptor() == nullptr) return false;
  SECURITY_ATTRIBUTES security{sizeof security, owner.descriptor(), FALSE};
  const HANDLE pipe = CreateNamedPipeW(
      name_.c_str(),
      PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | (first ? FILE_FLAG_FIRST_PIPE_INSTANCE : 0),
      PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, kMaxClients,
      contract::kMaxReplyBytes, contract::kMaxRequestBytes, 0, &security);
  if (pipe == INVALID_HANDLE_VALUE) return false;
  end->pipe = pipe;
  end->event = NewEvent();
  if (end->event == nullptr) {
    Drop(*end);
    return false;
  }
  end->received = 0;
  end->reply.clear();
  end->operation = {};
  end->operation.hEvent = end->event;
  Start(*end, End::Doing::kListening, ConnectNamedPipe(pipe, &end->operation));
  return end->pipe != nullptr;
}

// An operation that was started will set the event; if it is complete already, the event is set
// here.
void ControlServer::Transport::Start(End& end, End::Doing doing, bool started) {
  end.doing = doing;
  if (started) return;
  const DWORD error = GetLastError();
  if (error == ERROR_IO_PENDING) return;
  if (error == ERROR_PIPE_CONNECTED) {
    SetEvent(end.event);
    return;
  }
  Drop(end);
}

bool ControlServer::Transport::Listens() const {
  return std::any_of(ends_.begin(), ends_.end(),
                     [](const End& end) { return end.doing == End::Doing::kListening; });
}

ControlServer::Event ControlServer::Transport::Serve(int wake_fd, uint64_t deadline_ns,
                                                     ControlHandler& handler) {
  while (true) {
    const uint64_t now = MonotonicNs();
    if (deadline_ns != 0 && now >= deadline_ns) return Event::kDeadline;
    uint64_t next = deadline_ns == 0 ? UINT64_MAX : deadline_ns;
    std::array<HANDLE, 1 + kMaxClients> events;
    std::array<End*, 1 + kMaxClients> whose = {};
    DWORD count = 0;
    if (wake_fd >= 0) events[count++] = HandleOf(wake_fd);
    for (End& end : ends_) {
      if (end.pipe == nullptr) continue;
      if (end.doing != End::Doing::kListening && now >= end.deadline_ns) {
        Drop(end);
        continue;
      }
      if (end.doing != End::Doing::kListening) next = std::min(next, end.deadline_ns);
      whose[count] = &end;
      events[count++] = end.event;
    }
    if (!name_.empty() && !Listens()) Listen(/*first=*/false);
    // Rounded up: a wait that ends too early would cause a busy loop.
    const auto ms = static_cast<DWORD>(
        next <= now ? 0 : std::min((next - now - 1) / kMillisecondNs + 1, kLongestMs));
    if (count == 0) {
      Sleep(std::min<DWORD>(ms, 100));
      continue;
    }
    const DWORD ready = WaitForMultipleObjects(count, events.data(), FALSE, ms);
    if (ready == WAIT_FAILED) {
      Sleep(100);
      return Event::kFailed;
    }
    if (ready == WAIT_TIMEOUT || ready >= count) continue;
    // The bell comes first, so that a busy client cannot hide it.
    if (whose[ready] == nullptr) return Event::kWoken;
    Go(*whose[ready], handler);
  }
}

void ControlServer::Transport::Go(End& end, ControlHandler& handler) {
  DWORD bytes = 0;
  const bool done = GetOverlappedResult(end.pipe, &end.operation, &bytes, FALSE);
  ResetEvent(end.event);
  if (end.doing == End::Doing::kListening) {
    Connected(end);
  } else if (!done) {
    Drop(end);
  } else if (end.doing == End::Doing::kReceiving) {
    Received(end, bytes, handler);
  } else if (end.doing == End::Doing::kSending) {
    // If we closed first, what is still in the pipe would be lost: the client has to close it.
    Start(end, End::Doing::kWaitingForEnd,
          ReadFile(end.pipe, &end.last, 1, nullptr, &end.operation));
  } else {
    Drop(end);
  }
}

void ControlServer::Transport::Connected(End& end) {
  end.deadline_ns = MonotonicNs() + kClientNs;
  end.doing = End::Doing::kReceiving;
  Listen(/*first=*/false);
  Receive(end);
}

void ControlServer::Transport::Receive(End& end) {
  const auto room = static_cast<DWORD>(end.request.size() - end.received);
  Start(end, End::Doing::kReceiving,
        ReadFile(end.pipe, end.request.data() + end.received, room, nullptr, &end.operation));
}

void ControlServer::Transport::Received(End& end, size_t bytes, ControlHandler& handler) {
  end.received += bytes;
  const std::string_view text(end.request.data(), end.received);
  const bool whole = text.find('\n') != std::string_view::npos;
  if (!whole && end.received < end.request.size()) return Receive(end);
  end.reply = AnswerLine(text, handler);
  // The handler's time does not count against the client.
  end.deadline_ns = MonotonicNs() + kClientNs;
  Start(end, End::Doing::kSending,
        WriteFile(end.pipe, end.reply.data(), static_cast<DWORD>(end.reply.size()), nullptr,
                  &end.operation));
}

// An operation in progress must end before its memory is used for something else.
void ControlServer::Transport::Drop(End& end) {
  if (end.pipe != nullptr) {
    DWORD bytes = 0;
    if (CancelIoEx(end.pipe, &end.operation)) {
      GetOverlappedResult(end.pipe, &end.operation, &bytes, TRUE);
    }
    CloseHandle(end.pipe);
  }
  if (end.event != nullptr) CloseHandle(end.event);
  end.pipe = end.event = nullptr;
  end.doing = End::Doing::kNothing;
}

void ControlServer::Transport::Close() {
  for (End& end : ends_) Drop(end);
  name_.clear();
}

ControlServer::ControlServer() : transport_(std::make_unique<Transport>()) {}

ControlServer::~ControlServer() = default;

bool ControlServer::Open(std::string_view, uint32_t pid, std::string* why) {
  return transport_->Open(pid, why);
}

// There is only one name.
bool ControlServer::OpenUsual(std::string_view, uint32_t pid, std::string* why) {
  return transport_->Open(pid, why);
}

// A pipe cannot lose its name.
bool ControlServer::IsReachable() const { return is_open(); }

ControlServer::Event ControlServer::Serve(int wake_fd, uint64_t deadline_ns,
                                          ControlHandler& handler) {
  return transport_->Serve(wake_fd, deadline_ns, handler);
}

void ControlServer::LeavePath(const std::string&) {}

void ControlServer::Close() { transport_->Close(); }

bool ControlServer::is_open() const { return !transport_->name_.empty(); }

}  // namespace hindsight::recorder
