#include "bench/heap/event_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hindsight::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::vector<uint8_t>;

// dotnet/diagnostics, documentation/design-docs/ipc-protocol.md.
constexpr char kMagic[] = "DOTNET_IPC_V1";
constexpr size_t kHeaderBytes = 20;
constexpr uint8_t kEventPipeSet = 0x02;
constexpr uint8_t kStopTracing = 0x01;
constexpr uint8_t kCollectTracing2 = 0x03;
constexpr uint8_t kOk = 0x00;

// Of the provider Microsoft-Windows-DotNETRuntime: GC, Type, GCHeapCollect, GCHeapDump, and the
// names of types, as GCHeapSnapshot in TraceEvent.
constexpr uint64_t kHeapSnapshotKeywords = 0x1980001;
constexpr uint32_t kVerbose = 5;
constexpr uint32_t kBufferMegabytes = 1024;  // what dotnet-gcdump asks for
constexpr uint32_t kNetTrace = 1;

constexpr double kQuietSeconds = 0.5;
constexpr double kQuietProcessorShare = 0.15;  // a thread that wakes every millisecond runs on
constexpr size_t kReadBytes = 1 << 20;

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  int get() const { return value_; }

 private:
  int value_;
};

[[noreturn]] void Fail(const std::string& what) {
  throw std::runtime_error("heap dump through EventPipe: " + what);
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

// The session's number: the whole payload of the answer to both commands.
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

Bytes StartRequest() {
  Bytes payload;
  PutNumber(payload, kBufferMegabytes, 4);
  PutNumber(payload, kNetTrace, 4);
  payload.push_back(0);      // no rundown
  PutNumber(payload, 1, 4);  // provider
  PutNumber(payload, kHeapSnapshotKeywords, 8);
  PutNumber(payload, kVerbose, 4);
  PutText(payload, "Microsoft-Windows-DotNETRuntime");
  PutNumber(payload, 0, 4);  // no filter
  return Message(kCollectTracing2, payload);
}

double ProcessorSeconds(pid_t process) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/stat");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) Fail("the process is gone");
  unsigned long user = 0, system = 0;
  std::sscanf(text.c_str() + name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
              &user, &system);
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double Seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

// From a stream to a file, until the stream ends.
class Copy {
 public:
  Copy(int from, const std::filesystem::path& file)
      : from_(from),
        to_(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)),
        buffer_(kReadBytes) {
    if (to_.get() < 0) Fail(file.string() + " can't be written");
  }

  bool has_ended() const { return has_ended_; }
  uint64_t bytes() const { return bytes_; }
  Clock::time_point last() const { return last_; }  // byte

  // Waits at most 50 ms for more.
  void Step() {
    pollfd ready{from_, POLLIN, 0};
    if (poll(&ready, 1, 50) <= 0) return;
    const ssize_t got = read(from_, buffer_.data(), buffer_.size());
    has_ended_ = got <= 0;
    if (has_ended_) return;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = write(to_.get(), buffer_.data() + done, static_cast<size_t>(got - done));
      if (put <= 0) Fail("the disk is full");
      done += put;
    }
    bytes_ += static_cast<uint64_t>(got);
    last_ = Clock::now();
  }

 private:
  int from_;
  Descriptor to_;
  Bytes buffer_;
  uint64_t bytes_ = 0;
  Clock::time_point last_ = Clock::now();
  bool has_ended_ = false;
};

void CopyUntilQuiet(pid_t process, Copy& copy) {
  Clock::time_point since = Clock::now();
  uint64_t bytes = copy.bytes();
  double processor = ProcessorSeconds(process);
  while (!copy.has_ended()) {
    copy.Step();
    const double quiet = Seconds(Clock::now() - since);
    if (copy.bytes() == bytes && quiet < kQuietSeconds) continue;
    const double used = ProcessorSeconds(process) - processor;
    if (copy.bytes() == bytes && used < kQuietProcessorShare * quiet) return;
    since = Clock::now();
    bytes = copy.bytes();
    processor += used;
  }
  Fail("the stream ended by itself");
}

}  // namespace

HeapDump DumpThroughEventPipe(pid_t process, const std::filesystem::path& file) {
  const Clock::time_point start = Clock::now();
  const Descriptor stream = Connect(process);
  const uint64_t session = Ask(stream.get(), StartRequest());
  Copy copy(stream.get(), file);
  CopyUntilQuiet(process, copy);
  const double dump = Seconds(copy.last() - start);

  const Clock::time_point stop = Clock::now();
  Bytes payload;
  PutNumber(payload, session, 8);
  const Bytes request = Message(kStopTracing, payload);
  const Descriptor control = Connect(process);
  // The answer comes when the rest has been sent: the stream has to be read meanwhile.
  if (write(control.get(), request.data(), request.size()) !=
      static_cast<ssize_t>(request.size())) {
    Fail("the session could not be stopped");
  }
  while (!copy.has_ended()) copy.Step();
  return {.seconds = dump + Seconds(Clock::now() - stop), .bytes = copy.bytes()};
}

}  // namespace hindsight::bench
