// A progress bar on stderr if that is a terminal; nothing otherwise.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace hindsight::analyzer {

// Not thread-safe, except Percent. Draws at most ten times a second, and only if the work takes
// longer than half a second; removes its line when finished or destroyed.
class Progress {
 public:
  explicit Progress(std::string label);
  // For tests: draws on `descriptor` if `draws`.
  Progress(std::string label, int descriptor, bool draws);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins a stage of `total` units; 0: unknown.
  void Start(uint64_t total);
  // `done` units of the stage are done.
  void Update(uint64_t done);
  void Finish();
  // Of the current stage; 0 if its total is unknown. Thread-safe.
  int Percent() const;

 private:
  using Clock = std::chrono::steady_clock;
  void Draw(uint64_t done);

  std::string label_;
  int descriptor_;
  bool draws_;
  bool visible_ = false;
  std::atomic<uint64_t> total_ = 0, done_ = 0;
  Clock::time_point started_;
  Clock::time_point next_draw_;
};

}  // namespace hindsight::analyzer
