// Readers that cannot wait, and the memory that they may be reading.
//
// A walk counts itself in before it takes a published table, and out behind its last look at it.
// Who has published another table in its place may free the old one once it has seen no walk in
// flight: a later walk cannot have found it. All operations are sequentially consistent for that.
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
