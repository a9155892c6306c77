// Formatting of quantities and of untrusted text for display. Pure functions.
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
std::string FormatMoment(int64_t nanoseconds);              // since a start: 0 s, 12.3 ms, 1 m 30 s
std::string FormatUnixTime(uint64_t unix_ns);               // 2026-11-21T10:15:30.123Z; UTC
std::string FormatPercent(double share);                    // 0.0312 -> 3.1 %
std::string FormatHex(uint64_t number);                     // all of its 16 digits
std::string FormatHex(std::string_view bytes);              // two digits each
std::string Plural(uint64_t count, std::string_view noun);  // 1 segment, 2 segments

// Untrusted text made safe for a terminal: controls (including escape sequences), characters that
// end or reorder a line, and invisible ones become \n, \x1b, \u202e; bytes that are not UTF-8
// become U+FFFD.
std::string Printable(std::string_view text);
// The same, but line ends and tabs are kept: for a page or a cell that shows them.
std::string PrintableLines(std::string_view text);
// Only replaces bytes that are not UTF-8: all characters stay. For formats with their own escaping,
// such as JSON.
std::string ValidUtf8(std::string_view text);
// JSON in which the characters of strings that Printable would escape are written as JSON's own
// \u202e: the same values, but safe on a terminal and in a script. `json` must be valid.
std::string EscapedJson(std::string_view json);
// A cell of CSV (RFC 4180), printable: quoted if necessary, and if it is empty. Text that a
// spreadsheet would interpret as a formula (beginning with = + - @, tab or carriage return) gets a
// ' in front.
std::string CsvText(std::string_view text);

// Rows of `label  value`, with labels padded to the longest; further lines of a value are indented
// to the same column.
class AlignedRows {
 public:
  void Add(std::string_view label, std::string value);
  // Values are wrapped, within `width` columns in all.
  std::string Render(std::string_view indent = "", size_t width = SIZE_MAX) const;

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

}  // namespace hindsight::analyzer
