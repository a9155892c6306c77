// How quantities and foreign texts are written for people. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hindsight::analyzer {

std::string FormatCount(uint64_t count);                    // 1,234,567
std::string FormatBytes(uint64_t bytes);                    // 1.5 MiB
std::string FormatDuration(uint64_t nanoseconds);           // 850 ns, 12.3 ms, 1 m 30 s, 2 h 05 m
std::string FormatUnixTime(uint64_t unix_ns);               // 2026-11-21T10:15:30.123Z; UTC
std::string FormatPercent(double share);                    // 0.0312 -> 3.1 %
std::string FormatHex(uint64_t number);                     // all of its 16 digits
std::string FormatHex(std::string_view bytes);              // two digits each
std::string Plural(uint64_t count, std::string_view noun);  // 1 segment, 2 segments

// Foreign text made safe for a terminal and for JSON: control characters (escape sequences among
// them) as \n, \x1b; bytes that are not UTF-8 as U+FFFD.
std::string Printable(std::string_view text);
// Only the latter: valid UTF-8, control characters kept. For JSON strings.
std::string ValidUtf8(std::string_view text);
// A cell of CSV (RFC 4180): quoted where it has to be, and where it is empty.
std::string CsvText(std::string_view text);

// Rows of `label  value`, labels padded to the longest; lines of a value after its first are
// indented to the same column.
class AlignedRows {
 public:
  void Add(std::string_view label, std::string value);
  std::string Render(std::string_view indent = "") const;

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

}  // namespace hindsight::analyzer
