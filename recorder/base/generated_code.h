// Memory for code that is generated at run time: executable, and no file's.
#pragma once

#include <cstdint>
#include <vector>

namespace hindsight::recorder {

// One thread.
class GeneratedCode {
 public:
  // Whether such memory is at `address`, or was within the last second. Allocates; a millisecond at
  // most once a second.
  bool Contains(uintptr_t address);

 private:
  struct Range {
    uintptr_t low, high;
  };
  std::vector<Range> ranges_;  // on Linux; ascending
  uint64_t read_ns_ = 0;       // 0: not yet
};

}  // namespace hindsight::recorder
