#include "trigger/target/process.h"

#include <algorithm>

namespace hindsight::trigger {

std::string Process::CommandLine() const {
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    line += argument;
  }
  return line;
}

std::string_view Process::Environment(std::string_view name) const {
  std::string_view block = environment;
  while (!block.empty()) {
    const size_t end = std::min(block.find('\0'), block.size());
    const std::string_view entry = block.substr(0, end);
    block.remove_prefix(std::min(end + 1, block.size()));
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
      return entry.substr(name.size() + 1);
    }
  }
  return {};
}

}  // namespace hindsight::trigger
