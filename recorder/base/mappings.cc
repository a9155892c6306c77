#include "recorder/base/mappings.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace hindsight::recorder {
namespace {

// Removes a hexadecimal number and the `separator` after it from the front of `text`.
bool TakeAddress(std::string_view& text, char separator, uintptr_t& value) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  const size_t size = static_cast<size_t>(parsed.ptr - text.data());
  if (parsed.ec != std::errc() || size >= text.size() || *parsed.ptr != separator) return false;
  text.remove_prefix(size + 1);
  return true;
}

// Removes the next field from the front of `line`, and the space after it.
std::string_view TakeField(std::string_view& line) {
  const std::string_view field = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), field.size() + 1));
  return field;
}

}  // namespace

std::string ReadOwnMaps() {
  constexpr size_t kMaxBytes = 16u << 20;
  constexpr size_t kPiece = 64u << 10;
  std::string maps;
  const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return maps;
  ssize_t got = 0;
  do {
    const size_t size = maps.size();
    maps.resize(size + kPiece);
    got = read(fd, maps.data() + size, kPiece);
    maps.resize(size + static_cast<size_t>(got > 0 ? got : 0));
  } while (got > 0 && maps.size() < kMaxBytes);
  close(fd);
  return maps;
}

void ForEachMapping(std::string_view maps, const std::function<bool(const Mapping&)>& found) {
  while (!maps.empty()) {
    std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(maps.size(), line.size() + 1));
    Mapping mapping;
    if (!TakeAddress(line, '-', mapping.low) || !TakeAddress(line, ' ', mapping.high)) continue;
    mapping.access = TakeField(line);
    for (int i = 0; i < 3; ++i) TakeField(line);  // offset, device, inode
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
    mapping.name = line;
    if (!found(mapping)) return;
  }
}

}  // namespace hindsight::recorder
