#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "recorder/base/clock.h"
#include "recorder/base/generated_code.h"
#include "recorder/base/stack_bounds.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kReadEveryNs = 1'000'000'000;

// The next field of a line of /proc/self/maps, up to a space.
std::string_view TakeField(std::string_view& line) {
  const std::string_view field = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), field.size() + 1));
  return field;
}

bool ReadHex(std::string_view text, uintptr_t& value) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value, 16);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

// The runtime maps its code twice, so that it is never writable where it runs: from a file without
// a folder, or, on old kernels, from one in /dev/shm (dotnet/runtime,
// src/coreclr/minipal/Unix/doublemapping.cpp).
bool IsGenerated(std::string_view path) {
  return path.empty() || path.starts_with("[anon") || path.starts_with("/memfd:") ||
         path.find("doublemapper") != std::string_view::npos;
}

}  // namespace

bool GeneratedCode::Contains(uintptr_t address) {
  const uint64_t now = MonotonicNs();
  if (read_ns_ == 0 || now - read_ns_ > kReadEveryNs) {
    read_ns_ = now;
    ranges_.clear();
    const std::string maps = ReadOwnMaps();
    for (std::string_view left = maps; !left.empty();) {
      std::string_view line = left.substr(0, left.find('\n'));
      left.remove_prefix(std::min(left.size(), line.size() + 1));
      const std::string_view addresses = TakeField(line), access = TakeField(line);
      for (int i = 0; i < 3; ++i) TakeField(line);  // offset, device, inode
      line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
      const size_t dash = addresses.find('-');
      Range range;
      if (dash != std::string_view::npos && access.size() > 2 && access[2] == 'x' &&
          IsGenerated(line) && ReadHex(addresses.substr(0, dash), range.low) &&
          ReadHex(addresses.substr(dash + 1), range.high)) {
        ranges_.push_back(range);
      }
    }
  }
  const auto next = std::ranges::upper_bound(ranges_, address, {}, &Range::low);
  return next != ranges_.begin() && address < std::prev(next)->high;
}

}  // namespace hindsight::recorder
