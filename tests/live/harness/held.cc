#include "tests/live/harness/held.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "tests/live/harness/process.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;

fs::path Of(pid_t pid) { return "/proc/" + std::to_string(pid); }

size_t EntriesOf(const fs::path& folder) {
  std::error_code gone;
  size_t entries = 0;
  for (fs::directory_iterator at(folder, gone), end; !gone && at != end; at.increment(gone)) {
    ++entries;
  }
  return entries;
}

}  // namespace

uint64_t StatusNumber(pid_t pid, const std::string& key) {
  std::ifstream stream(Of(pid) / "status");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(key)) return std::strtoull(line.c_str() + key.size(), nullptr, 10);
  }
  return 0;
}

size_t DescriptorsOf(pid_t pid) { return EntriesOf(Of(pid) / "fd"); }

Held HeldBy(pid_t pid) {
  return {.threads = EntriesOf(Of(pid) / "task"),
          .descriptors = DescriptorsOf(pid),
          .mappings = static_cast<size_t>(std::ranges::count(ReadFile(Of(pid) / "maps"), '\n')),
          .anonymous_kib = StatusNumber(pid, "RssAnon:"),
          .addresses_kib = StatusNumber(pid, "VmSize:")};
}

Held Most(const Held& one, const Held& other) {
  return {.threads = std::max(one.threads, other.threads),
          .descriptors = std::max(one.descriptors, other.descriptors),
          .mappings = std::max(one.mappings, other.mappings),
          .anonymous_kib = std::max(one.anonymous_kib, other.anonymous_kib),
          .addresses_kib = std::max(one.addresses_kib, other.addresses_kib)};
}

std::ostream& operator<<(std::ostream& out, const Held& held) {
  return out << held.threads << " threads, " << held.descriptors << " descriptors, "
             << held.mappings << " mappings, " << held.anonymous_kib << " KiB resident, "
             << held.addresses_kib << " KiB of addresses";
}

}  // namespace hindsight::live
