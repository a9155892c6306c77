// What the folder and the files of a recording are called (FORMAT.md). Pure.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace hindsight {

inline constexpr std::string_view kFolderSuffix = ".hindsight";
inline constexpr std::string_view kFileSuffix = ".hsr";
inline constexpr std::string_view kSnapshotPrefix = "heap-";  // of a heap snapshot's file

// The number in `000012.hsr` or, with the prefix, in `heap-000012.hsr`; nothing: not such a name.
inline std::optional<uint32_t> NumberInFileName(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(kFileSuffix)) return std::nullopt;
  if (name.size() < prefix.size() + kFileSuffix.size()) return std::nullopt;
  name.remove_prefix(prefix.size());
  name.remove_suffix(kFileSuffix.size());
  if (name.size() < 6 || name.size() > 9) return std::nullopt;
  uint32_t number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<uint32_t>(c - '0');
  }
  return number;
}

// The other way round.
inline std::string FileNameOf(uint32_t number, std::string_view prefix) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%06u", number);
  return std::string(prefix) + digits + std::string(kFileSuffix);
}

}  // namespace hindsight
