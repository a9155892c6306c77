// What the recorder itself did in the application: no part of what a recording reports about it, so
// none of it reaches the model. It is summed up in one sentence.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "proto/recording.pb.h"

namespace hindsight::analyzer {

class RecorderActivity {
 public:
  // In the order of the recording. Whether the packet is the recorder's own doing: a collection
  // that it asked for, a pause for one or for a snapshot of the threads, one of its threads, a wait
  // for or of one.
  bool Takes(const Packet& packet);

  // "The recorder's own doing, and not counted as the application's: ..."; empty if there is none.
  std::string Sentence() const;

 private:
  static constexpr size_t kMaxThreads = 4096;  // further ones are the application's

  std::unordered_set<uint32_t> threads_;
  uint64_t collections_ = 0, pauses_ = 0, waits_ = 0;
  uint64_t pause_ns_ = 0, wait_ns_ = 0;  // what does not fit is cut off
};

}  // namespace hindsight::analyzer
