// Collections that the recorder asks for, told from those of the application.
#pragma once

#include <atomic>
#include <cstdint>

#include "recorder/base/thread.h"

namespace hindsight::recorder {

// While it lives, the calling thread asks the runtime for collections.
class OwnCollection {
 public:
  OwnCollection() { Open().fetch_add(1); }
  ~OwnCollection() { Open().fetch_sub(1); }
  OwnCollection(const OwnCollection&) = delete;
  OwnCollection& operator=(const OwnCollection&) = delete;

  // Whether the collection that begins now is ours, on the thread that the runtime tells it on.
  // With the workstation collector that is the thread that asked, so there is no doubt. With Server
  // GC it is a thread of the collector's: an induced one is ours while we ask, although the
  // application may ask at the same moment.
  static bool Begins(bool induced) {
    // A thread of ours may also be the one whose small allocation is the last that fits: that
    // collection is the application's.
    if (Open().load() == 0) return false;
    if (OnOwnThread()) {
      ToldOnAsker().store(true, std::memory_order_relaxed);
      return true;
    }
    return induced && !ToldOnAsker().load(std::memory_order_relaxed);
  }

 private:
  static std::atomic<uint32_t>& Open() {
    static std::atomic<uint32_t> open{0};
    return open;
  }
  static std::atomic<bool>& ToldOnAsker() {
    static std::atomic<bool> told{false};
    return told;
  }
};

}  // namespace hindsight::recorder
