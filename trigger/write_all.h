// Writes bytes to a file descriptor, all of them.
#pragma once

#include <cstddef>
#include <span>

namespace hindsight::trigger {

// False: errno says why; some may have been written.
bool WriteAll(int to, std::span<const std::byte> bytes);
// The rest of `from`.
bool CopyAll(int from, int to);

}  // namespace hindsight::trigger
