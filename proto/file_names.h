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

// The part of a folder's name that stands for the application: at most 64 of [A-Za-z0-9._-], never
// empty, never starting with '.' or '-'.
inline std::string SanitizedApplication(std::string_view application) {
  constexpr size_t kMaxChars = 64;
  std::string name(application.substr(0, kMaxChars));
  for (char& c : name) {
    const bool is_allowed = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                            (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (!is_allowed) c = '_';
  }
  if (name.empty()) return "process";
  if (name[0] == '.' || name[0] == '-') name[0] = '_';
  return name;
}

// The pid in a folder's name, `<app>-<pid>-<YYYYMMDDTHHMMSSZ>` and perhaps more, if it is the
// folder of a recording of `application`, which is given as SanitizedApplication returns it.
inline std::optional<uint32_t> PidInFolderName(std::string_view name,
                                               std::string_view application) {
  constexpr std::string_view kStamp = "-00000000T000000Z";
  constexpr size_t kMaxDigits = 9;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!name.starts_with(application)) return std::nullopt;
  name.remove_prefix(application.size());
  if (!name.starts_with('-')) return std::nullopt;
  name.remove_prefix(1);
  uint32_t pid = 0;
  size_t digits = 0;
  for (; digits < name.size() && is_digit(name[digits]); ++digits) {
    if (digits == kMaxDigits) return std::nullopt;
    pid = pid * 10 + static_cast<uint32_t>(name[digits] - '0');
  }
  name.remove_prefix(digits);
  if (digits == 0 || name.size() < kStamp.size()) return std::nullopt;
  for (size_t i = 0; i < kStamp.size(); ++i) {
    if (kStamp[i] == '0' ? !is_digit(name[i]) : name[i] != kStamp[i]) return std::nullopt;
  }
  return pid;
}

// The number in `000012.hsr` or, with the prefix, in `heap-000012.hsr`; empty: not such a name.
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

// The inverse.
inline std::string FileNameOf(uint32_t number, std::string_view prefix) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%06u", number);
  return std::string(prefix) + digits + std::string(kFileSuffix);
}

}  // namespace hindsight
