#include "recorder/base/stack_bounds.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

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

}  // namespace

StackBounds FindStackBounds(std::string_view maps, uintptr_t stack_pointer,
                            uintptr_t thread_pointer) {
  constexpr std::string_view kFirstStack = "[stack]";
  uintptr_t end_before = 0;
  while (!maps.empty()) {
    const size_t end_of_line = maps.find('\n');
    std::string_view line = maps.substr(0, end_of_line);
    maps.remove_prefix(end_of_line == std::string_view::npos ? maps.size() : end_of_line + 1);
    uintptr_t low = 0, high = 0;
    if (!TakeAddress(line, '-', low) || !TakeAddress(line, ' ', high)) continue;
    if (stack_pointer >= low && stack_pointer < high) {
      // The kernel lets the first stack grow into the free space below it.
      if (line.ends_with(kFirstStack)) return {end_before, high};
      if (thread_pointer > stack_pointer && thread_pointer < high) return {low, thread_pointer};
      return {};
    }
    end_before = high;
  }
  return {};
}

// libc allocates here: it returns the bounds together with a set of processors.
StackBounds OwnStackBounds() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<uintptr_t>(low), reinterpret_cast<uintptr_t>(low) + size};
}

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

}  // namespace hindsight::recorder
