// A session with the runtime's event provider over its diagnostics port, like those of dotnet-trace
// and dotnet-gcdump. The stream goes to a file.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

namespace hindsight::bench {

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

struct EventPipeRequest {
  uint64_t keywords = 0;  // of the provider
  uint32_t level = 4;     // 4: informational, 5: verbose
  uint32_t buffer_megabytes = 256;
  std::string_view provider = "Microsoft-Windows-DotNETRuntime";
};

// Throws std::runtime_error. Step and AskToStop may be on two threads; otherwise one.
class EventPipeSession {
 public:
  EventPipeSession(pid_t process, const EventPipeRequest& request,
                   const std::filesystem::path& file);

  // Waits at most 50 ms for more of the stream, and writes it.
  void Step();
  bool has_ended() const { return has_ended_; }
  uint64_t bytes() const { return bytes_; }
  std::chrono::steady_clock::time_point last() const { return last_; }  // time of the last byte

  // The runtime sends the rest and ends the stream; it must be read until then.
  void AskToStop() const;

 private:
  const pid_t process_;
  Descriptor stream_, file_;
  uint64_t session_ = 0;
  std::vector<uint8_t> buffer_;
  uint64_t bytes_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool has_ended_ = false;
};

}  // namespace hindsight::bench
