// Counts readers that cannot wait, so that the memory they read can be freed safely.
//
// A walk increments the count before it takes a published table, and decrements it after its last
// access. A thread that has published a new table may free the old one once it has seen no walk in
// progress: a later walk cannot have found it. All operations are sequentially consistent for that.
#pragma once

#include <atomic>
#include <cstdint>

namespace hindsight::recorder {

class Walks {
 public:
  class InFlight {
   public:
    explicit InFlight(Walks& walks) : walks_(walks) { walks_.count_.fetch_add(1); }
    ~InFlight() { walks_.count_.fetch_sub(1); }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

   private:
    Walks& walks_;
  };

  bool none() const { return count_.load() == 0; }

 private:
  std::atomic<uint32_t> count_{0};
};

}  // namespace hindsight::recorder
