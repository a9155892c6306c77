// Reads /proc, and the files around it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hindsight::trigger {

// A whole small file of /proc; false: it cannot be read.
bool ReadProcFile(const std::string& path, std::string& out);

// The arguments of a /proc/PID/cmdline.
std::vector<std::string> SplitArguments(const std::string& command_line);

std::string UserName(uint32_t uid);

}  // namespace hindsight::trigger
