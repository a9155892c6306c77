// Files that the kernel makes up, in /proc and /sys. Linux only.
#pragma once

#include <string>

namespace hindsight::recorder {

// They report no size: read to the end, at most 256 KiB. Empty if that fails. Any thread.
std::string ReadProcFile(const std::string& path);

}  // namespace hindsight::recorder
