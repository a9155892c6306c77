// What the recorder itself did in the application. This is not part of what a recording reports
// about the application, so none of it enters the model. One sentence sums it up.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "proto/recording.pb.h"

namespace hindsight::analyzer {

class RecorderActivity {
 public:
  // Called in the order of the recording. Returns whether the packet is the recorder's own
  // activity: a collection that it requested, a pause for one or for a thread snapshot, one of its
  // threads, or a wait for or by one of these.
  bool Takes(const Packet& packet);
  // Packets of samples have those of many threads. Whether one is of a thread of the recorder's, or
  // of one that works for it; it is counted.
  bool TakesSampleOf(uint32_t thread) {
    if (!threads_.contains(thread)) return false;
    ++samples_;
    return true;
  }

  // "The recorder's own doing, and not counted as the application's: ..."; empty if there is none.
  std::string Sentence() const;

 private:
  static constexpr size_t kMaxThreads = 4096;  // others count as the application's

  std::unordered_set<uint32_t> threads_;
  uint64_t collections_ = 0, pauses_ = 0, waits_ = 0, samples_ = 0;
  uint64_t pause_ns_ = 0, wait_ns_ = 0;  // overflow is cut off
};

}  // namespace hindsight::analyzer
