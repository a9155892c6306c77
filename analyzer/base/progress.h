// A progress bar on stderr, where that is a terminal; nothing anywhere else.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace hindsight::analyzer {

// One thread, but for Percent. Draws at most ten times a second and only after the work has lasted
// half a second; removes its line when finished or destroyed.
class Progress {
 public:
  explicit Progress(std::string label);
  // For tests: draws on `descriptor` if `draws` says so.
  Progress(std::string label, int descriptor, bool draws);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins a stretch of work: `total` units, 0 if not known.
  void Start(uint64_t total);
  // `done` units of the stretch are done.
  void Update(uint64_t done);
  void Finish();
  // Of the present stretch; 0 if its total is not known. Any thread.
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
