#include "trigger/write_all.h"

#include <unistd.h>

#include <cerrno>

namespace hindsight::trigger {

bool WriteAll(int to, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(to, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

bool CopyAll(int from, int to) {
  std::byte buffer[65536];
  while (true) {
    const ssize_t size = read(from, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0;
    if (!WriteAll(to, std::span(buffer).first(static_cast<size_t>(size)))) return false;
  }
}

}  // namespace hindsight::trigger
