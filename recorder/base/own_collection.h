// Distinguishes collections that the recorder requests from those of the application.
#pragma once

#include <atomic>
#include <cstdint>

#include "recorder/base/thread.h"

namespace hindsight::recorder {

// While it is alive, the calling thread is requesting collections from the runtime.
class OwnCollection {
 public:
  OwnCollection() { Open().fetch_add(1); }
  ~OwnCollection() { Open().fetch_sub(1); }
  OwnCollection(const OwnCollection&) = delete;
  OwnCollection& operator=(const OwnCollection&) = delete;

  // Whether a request of ours is open.
  static bool IsRequested() { return Open().load() != 0; }
  // Whether the collection that begins now is ours; called on the thread that runs the callback.
  // With the workstation collector that is the requesting thread, so the answer is certain. With
  // Server GC it is one of the collector's threads: an induced collection counts as ours while a
  // request of ours is open, although the application may request one at the same moment.
  static bool Begins(bool induced) {
    // A small allocation on one of our threads may also trigger a collection because the budget is
    // used up: that one is the application's.
    if (Open().load() == 0) return false;
    if (OnOwnThread()) {
      SeenOnRequester().store(true, std::memory_order_relaxed);
      return true;
    }
    return induced && !SeenOnRequester().load(std::memory_order_relaxed);
  }

 private:
  static std::atomic<uint32_t>& Open() {
    static std::atomic<uint32_t> open{0};
    return open;
  }
  static std::atomic<bool>& SeenOnRequester() {
    static std::atomic<bool> reported{false};
    return reported;
  }
};

}  // namespace hindsight::recorder
