#include "bench/driver/event_pipe_session.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hindsight::bench {
namespace {

using Bytes = std::vector<uint8_t>;

// dotnet/diagnostics, documentation/design-docs/ipc-protocol.md.
constexpr char kMagic[] = "DOTNET_IPC_V1";
constexpr size_t kHeaderBytes = 20;
constexpr uint8_t kEventPipeSet = 0x02;
constexpr uint8_t kStopTracing = 0x01;
constexpr uint8_t kCollectTracing2 = 0x03;
constexpr uint8_t kOk = 0x00;
constexpr uint32_t kNetTrace = 1;
constexpr size_t kReadBytes = 1 << 20;

[[noreturn]] void Fail(const std::string& what) {
  throw std::runtime_error("session of EventPipe: " + what);
}

void PutNumber(Bytes& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

void PutText(Bytes& out, std::string_view ascii) {
  PutNumber(out, ascii.size() + 1, 4);
  for (const char c : ascii) PutNumber(out, static_cast<uint8_t>(c), 2);
  PutNumber(out, 0, 2);
}

Bytes Message(uint8_t command, const Bytes& payload) {
  Bytes message(kMagic, kMagic + sizeof kMagic);
  PutNumber(message, kHeaderBytes + payload.size(), 2);
  message.push_back(kEventPipeSet);
  message.push_back(command);
  PutNumber(message, 0, 2);
  message.insert(message.end(), payload.begin(), payload.end());
  return message;
}

std::filesystem::path Socket(pid_t process) {
  const char* folder = std::getenv("TMPDIR");
  const std::string prefix = "dotnet-diagnostic-" + std::to_string(process) + "-";
  for (const auto& entry : std::filesystem::directory_iterator(folder ? folder : "/tmp")) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix) && name.ends_with("-socket")) return entry.path();
  }
  Fail("process " + std::to_string(process) + " has no diagnostics port");
}

Descriptor Connect(pid_t process) {
  const std::string path = Socket(process);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) Fail(path + " is too long for a socket's path");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Descriptor descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(descriptor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    Fail("no connection to " + path);
  }
  return descriptor;
}

void ReceiveAll(int descriptor, uint8_t* to, size_t size) {
  while (size > 0) {
    const ssize_t got = read(descriptor, to, size);
    if (got <= 0) Fail("the connection ended early");
    to += got;
    size -= static_cast<size_t>(got);
  }
}

// The session's number: the whole payload of the reply to both commands.
uint64_t Ask(int descriptor, const Bytes& message) {
  if (write(descriptor, message.data(), message.size()) != static_cast<ssize_t>(message.size())) {
    Fail("the request could not be sent");
  }
  std::array<uint8_t, kHeaderBytes> header;
  ReceiveAll(descriptor, header.data(), header.size());
  if (std::memcmp(header.data(), kMagic, sizeof kMagic) != 0) Fail("the answer is not understood");
  if (header[17] != kOk) Fail("the runtime refused the session");
  uint64_t session = 0;
  ReceiveAll(descriptor, reinterpret_cast<uint8_t*>(&session), sizeof session);
  return session;
}

Bytes StartRequest(const EventPipeRequest& request) {
  Bytes payload;
  PutNumber(payload, request.buffer_megabytes, 4);
  PutNumber(payload, kNetTrace, 4);
  payload.push_back(0);      // no rundown
  PutNumber(payload, 1, 4);  // provider
  PutNumber(payload, request.keywords, 8);
  PutNumber(payload, request.level, 4);
  PutText(payload, request.provider);
  PutNumber(payload, 0, 4);  // no filter
  return Message(kCollectTracing2, payload);
}

}  // namespace

EventPipeSession::EventPipeSession(pid_t process, const EventPipeRequest& request,
                                   const std::filesystem::path& file)
    : process_(process),
      stream_(Connect(process)),
      file_(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)),
      buffer_(kReadBytes) {
  if (file_.get() < 0) Fail(file.string() + " can't be written");
  session_ = Ask(stream_.get(), StartRequest(request));
}

void EventPipeSession::Step() {
  pollfd ready{stream_.get(), POLLIN, 0};
  if (poll(&ready, 1, 50) <= 0) return;
  const ssize_t got = read(stream_.get(), buffer_.data(), buffer_.size());
  has_ended_ = got <= 0;
  if (has_ended_) return;
  for (ssize_t done = 0; done < got;) {
    const ssize_t put = write(file_.get(), buffer_.data() + done, static_cast<size_t>(got - done));
    if (put <= 0) Fail("the disk is full");
    done += put;
  }
  bytes_ += static_cast<uint64_t>(got);
  last_ = std::chrono::steady_clock::now();
}

void EventPipeSession::AskToStop() const {
  Bytes payload;
  PutNumber(payload, session_, 8);
  const Bytes request = Message(kStopTracing, payload);
  const Descriptor control = Connect(process_);
  if (write(control.get(), request.data(), request.size()) !=
      static_cast<ssize_t>(request.size())) {
    Fail("the session could not be stopped");
  }
}

}  // namespace hindsight::bench
