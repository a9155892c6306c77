// Counts a thread's requests: how many it started and ended, and when.
//
// One writer, the thread itself, without a locked instruction; one reader, the drain thread. Reads
// are consistent: a request is counted with its time or not at all.
#pragma once

#include <atomic>
#include <cstdint>

namespace hindsight::recorder {

struct RequestCounts {
  uint64_t started = 0, finished = 0, failed = 0;
  // Sum of all end times minus sum of all start times, modulo 2^64: requests may end on another
  // thread than they started on, so only the sum over all threads has a meaning.
  uint64_t balance_ns = 0;

  RequestCounts& operator+=(const RequestCounts& other) {
    started += other.started;
    finished += other.finished;
    failed += other.failed;
    balance_ns += other.balance_ns;
    return *this;
  }
  bool operator==(const RequestCounts&) const = default;
  uint64_t in_flight() const { return started > finished ? started - finished : 0; }
};

class RequestTally {
 public:
  // Own thread.
  void Started(uint64_t now_ns) {
    Change([&](RequestCounts& counts) {
      ++counts.started;
      counts.balance_ns -= now_ns;
    });
  }
  void Finished(uint64_t now_ns) {
    Change([&](RequestCounts& counts) {
      ++counts.finished;
      counts.balance_ns += now_ns;
    });
  }
  void Failed() {
    Change([](RequestCounts& counts) { ++counts.failed; });
  }
  void Reset() {
    Change([](RequestCounts& counts) { counts = {}; });
  }

  // Drain thread. False, with `counts` unchanged: the thread is in the middle of a change, and may
  // have been descheduled there.
  bool Read(RequestCounts& counts) const {
    constexpr int kAttempts = 16;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const uint32_t version = version_.load(std::memory_order_acquire);
      if (version % 2 != 0) continue;
      // A reader that sees a value of the next change also sees the next version.
      const RequestCounts read = Load(std::memory_order_acquire);
      if (version_.load(std::memory_order_relaxed) != version) continue;
      counts = read;
      return true;
    }
    return false;
  }

 private:
  RequestCounts Load(std::memory_order order) const {
    return {started_.load(order), finished_.load(order), failed_.load(order),
            balance_ns_.load(order)};
  }

  template <typename F>
  void Change(F change) {
    const uint32_t version = version_.load(std::memory_order_relaxed);
    RequestCounts counts = Load(std::memory_order_relaxed);
    change(counts);
    version_.store(version + 1, std::memory_order_relaxed);
    started_.store(counts.started, std::memory_order_release);
    finished_.store(counts.finished, std::memory_order_release);
    failed_.store(counts.failed, std::memory_order_release);
    balance_ns_.store(counts.balance_ns, std::memory_order_release);
    version_.store(version + 2, std::memory_order_release);
  }

  std::atomic<uint32_t> version_{0};  // odd: a change is in progress
  std::atomic<uint64_t> started_{0}, finished_{0}, failed_{0}, balance_ns_{0};
};

}  // namespace hindsight::recorder
