#include "recorder/base/process_parsers.h"

#include <algorithm>
#include <charconv>

namespace hindsight::recorder {
namespace {

// Removes the text up to `separator`, and the separator itself, from the front of `text`.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const size_t at = text.find(separator);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  text = Trim(text);
  Number value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

bool HasItem(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    if (TakeUntil(list, ',') == item) return true;
  }
  return false;
}

// mountinfo writes blanks and backslashes as octal: \040.
std::string Unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '\\' && i + 3 < text.size()) {
      const char* const digits = text.data() + i + 1;
      const auto parsed = std::from_chars(digits, digits + 3, value, 8);
      if (parsed.ec == std::errc() && parsed.ptr == digits + 3 && value < 256) {
        out.push_back(static_cast<char>(value));
        i += 3;
        continue;
      }
    }
    out.push_back(text[i]);
  }
  return out;
}

}  // namespace

std::vector<std::string> ParseCommandLine(std::string_view text) {
  text = text.substr(0, kMaxCommandLineBytes);
  std::vector<std::string> arguments;
  while (!text.empty() && arguments.size() < kMaxArguments) {
    arguments.emplace_back(TakeUntil(text, '\0'));
  }
  return arguments;
}

std::vector<std::string> ParseEnvironmentNames(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty() && names.size() < kMaxEnvironmentNames) {
    const std::string_view entry = TakeUntil(text, '\0');
    const size_t equals = entry.find('=');
    // Without '=', the whole entry might be a value.
    if (equals == 0 || equals == std::string_view::npos || equals > kMaxEnvironmentNameBytes) {
      continue;
    }
    names.emplace_back(entry.substr(0, equals));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool IsRuntimeSetting(std::string_view name, std::string_view value) {
  constexpr size_t kMaxDigits = 16;
  const std::string_view prefix = name.starts_with("DOTNET_") ? "DOTNET_" : "COMPlus_";
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  if (std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; })) {
    return false;
  }
  if (value.starts_with("0x") || value.starts_with("0X")) value.remove_prefix(2);
  return !value.empty() && value.size() <= kMaxDigits &&
         value.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::vector<std::string> ParseRuntimeSettings(std::string_view text) {
  std::vector<std::string> settings;
  while (!text.empty() && settings.size() < kMaxEnvironmentNames) {
    const std::string_view entry = TakeUntil(text, '\0');
    const size_t equals = entry.find('=');
    if (equals > kMaxEnvironmentNameBytes) continue;  // also if there is none
    if (!IsRuntimeSetting(entry.substr(0, equals), entry.substr(equals + 1))) continue;
    settings.emplace_back(entry);
  }
  std::sort(settings.begin(), settings.end());
  return settings;
}

std::optional<uint64_t> ParseStartTicks(std::string_view stat) {
  // Field 2, the name, is in parentheses and may itself contain blanks and parentheses.
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > stat.size()) return std::nullopt;
  stat.remove_prefix(name_end + 2);
  constexpr int kFirstField = 3;
  constexpr int kStartTime = 22;
  for (int field = kFirstField; field < kStartTime; ++field) TakeUntil(stat, ' ');
  return ParseNumber<uint64_t>(TakeUntil(stat, ' '));
}

std::optional<uint64_t> ParseBootSeconds(std::string_view stat) {
  constexpr std::string_view kLabel = "btime ";
  while (!stat.empty()) {
    const std::string_view line = TakeUntil(stat, '\n');
    if (line.starts_with(kLabel)) return ParseNumber<uint64_t>(line.substr(kLabel.size()));
  }
  return std::nullopt;
}

CgroupPaths ParseCgroupPaths(std::string_view proc_self_cgroup) {
  CgroupPaths paths;
  while (!proc_self_cgroup.empty()) {
    // number:controllers:path; for version 2, the number is 0 and there are no controllers.
    std::string_view line = TakeUntil(proc_self_cgroup, '\n');
    const std::string_view number = TakeUntil(line, ':');
    const std::string_view controllers = TakeUntil(line, ':');
    if (!line.starts_with('/')) continue;
    if (number == "0" && controllers.empty()) paths.unified = line;
    if (HasItem(controllers, "memory")) paths.memory = line;
    if (HasItem(controllers, "cpu")) paths.cpu = line;
  }
  return paths;
}

CgroupMounts ParseCgroupMounts(std::string_view proc_self_mountinfo) {
  CgroupMounts mounts;
  while (!proc_self_mountinfo.empty()) {
    // id parent major:minor root point options [optional...] - type source super-options
    std::string_view line = TakeUntil(proc_self_mountinfo, '\n');
    const size_t separator = line.find(" - ");
    if (separator == std::string_view::npos) continue;
    std::string_view tail = line.substr(separator + 3);
    const std::string_view type = TakeUntil(tail, ' ');
    if (type != "cgroup" && type != "cgroup2") continue;
    TakeUntil(tail, ' ');
    for (int field = 0; field < 3; ++field) TakeUntil(line, ' ');
    CgroupMount mount;
    mount.root = Unescape(TakeUntil(line, ' '));
    mount.point = Unescape(TakeUntil(line, ' '));
    if (type == "cgroup2") {
      mounts.unified = mount;
    } else {
      if (HasItem(tail, "memory")) mounts.memory = mount;
      if (HasItem(tail, "cpu")) mounts.cpu = mount;
    }
  }
  return mounts;
}

std::vector<std::string> CgroupFolders(const CgroupMount& mount, std::string_view path) {
  std::string_view inside;
  const std::string_view root = mount.root == "/" ? std::string_view() : mount.root;
  if (path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/')) {
    inside = path.substr(root.size());
  }
  // A path outside the mount's root begins with "/..": only the mount point is visible.
  if (inside.starts_with("/..")) inside = {};
  while (inside.ends_with('/')) inside.remove_suffix(1);

  std::vector<std::string> folders;
  while (!inside.empty() && folders.size() < kMaxCgroupDepth) {
    folders.push_back(mount.point + std::string(inside));
    inside = inside.substr(0, inside.rfind('/'));
  }
  folders.push_back(mount.point);
  return folders;
}

std::optional<uint64_t> ParseMemoryLimit(std::string_view text) {
  // Version 1 expresses "no limit" as LONG_MAX rounded down to a page.
  constexpr uint64_t kNoLimit = uint64_t{1} << 62;
  const std::optional<uint64_t> limit = ParseNumber<uint64_t>(text);
  if (!limit || *limit >= kNoLimit) return std::nullopt;
  return limit;
}

std::optional<double> ParseCpuMax(std::string_view text) {
  text = Trim(text);
  const std::string_view quota = TakeUntil(text, ' ');
  return ParseCpuQuota(quota, text);
}

std::optional<double> ParseCpuQuota(std::string_view quota, std::string_view period) {
  const std::optional<int64_t> quota_us = ParseNumber<int64_t>(quota);
  const std::optional<int64_t> period_us = ParseNumber<int64_t>(period);
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

}  // namespace hindsight::recorder
