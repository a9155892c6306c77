// A connection to a local socket (on Windows: a named pipe), with one deadline for all its
// operations.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "trigger/result.h"
#include "trigger/unique_fd.h"

namespace hindsight::trigger {

using Clock = std::chrono::steady_clock;

class Stream {
 public:
  struct Peer {
    int pid = 0;  // in our namespace; 0: not visible there
    uint32_t uid = 0;
  };

  // `name` in the open folder `folder`, if there is one: works for paths of any length, and without
  // a race on the path. `who` names the other side in messages ("the runtime of process 12").
  static Expected<Stream> Connect(int folder, const std::string& name, Clock::time_point deadline,
                                  std::string who);

  // The process listening at the socket.
  Expected<Peer> GetPeer() const;

  Check Send(std::span<const uint8_t> bytes);
  // Up to bytes.size(); 0 at the end of the stream.
  Expected<size_t> Receive(std::span<uint8_t> bytes);

 private:
  Failure Broken(int error) const;

  UniqueFd fd_;
  Clock::time_point deadline_;
  std::string who_;
};

}  // namespace hindsight::trigger
