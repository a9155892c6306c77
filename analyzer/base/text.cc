#include "analyzer/base/text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "analyzer/base/wrap.h"

namespace hindsight::analyzer {
namespace {

template <typename... Args>
std::string Print(const char* format, Args... args) {
  std::array<char, 96> out;
  const int size = std::snprintf(out.data(), out.size(), format, args...);
  return std::string(out.data(), std::clamp<size_t>(size, 0, out.size() - 1));
}

// Length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none.
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
      (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) {
    return 0;  // overlong, a surrogate, or beyond U+10FFFF
  }
  return length;
}

// Of a well-formed sequence.
char32_t CodePoint(std::string_view sequence) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0);
  char32_t code = byte(0) & (0x7f >> sequence.size());
  for (size_t i = 1; i < sequence.size(); ++i) code = code << 6 | (byte(i) & 0x3f);
  return code;
}

// C0, DEL and C1 controls; other line ends (U+2028, U+2029); characters that reorder a line (bidi
// marks, embeddings, isolates); and invisible ones that make two names look the same (soft hyphen,
// zero-width and invisible signs, fillers, variation selectors, tags, the byte order mark).
bool IsUnsafe(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  static constexpr Range kRanges[] = {
      {0x00, 0x1f},     {0x7f, 0x9f},       {0xad, 0xad},      {0x034f, 0x034f}, {0x061c, 0x061c},
      {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},  {0x200b, 0x200f}, {0x2028, 0x202e},
      {0x2060, 0x206f}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},  {0xfeff, 0xfeff}, {0xffa0, 0xffa0},
      {0xfff0, 0xfffb}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
  return std::any_of(std::begin(kRanges), std::end(kRanges), [code](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

std::string Escape(char32_t code, std::string_view) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  const auto number = static_cast<unsigned>(code);
  return Print(code < 0x80 ? "\\x%02x" : code <= 0xffff ? "\\u%04x" : "\\U%08x", number);
}

std::string EscapeInJson(char32_t code, std::string_view) {
  if (code <= 0xffff) return Print("\\u%04x", static_cast<unsigned>(code));
  const auto beyond = static_cast<unsigned>(code - 0x10000);
  return Print("\\u%04x\\u%04x", 0xd800 + (beyond >> 10), 0xdc00 + (beyond & 0x3ff));
}

bool IsLayout(char32_t code) { return code == '\n' || code == '\r' || code == '\t'; }

bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c != 0x7f; });
}

// `text` is valid UTF-8; `escape` returns the replacement of an unsafe character, or nothing if it
// stays.
template <typename Escapes>
std::string Clean(std::string_view text, const Escapes& escape) {
  if (IsPlain(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      text.remove_prefix(1);
      continue;
    }
    const std::string_view sequence = text.substr(0, length);
    const char32_t code = CodePoint(sequence);
    const std::string escaped = IsUnsafe(code) ? escape(code, sequence) : std::string();
    out += escaped.empty() ? sequence : escaped;
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace

std::string FormatCount(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string FormatBytes(uint64_t bytes) {
  if (bytes < 1024) return Plural(bytes, "byte");
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return Print("%.1f %s", value, kUnits[unit]);
}

std::string FormatDuration(uint64_t nanoseconds) {
  const auto value = static_cast<double>(nanoseconds);
  if (nanoseconds < 1'000) return Print("%u ns", static_cast<unsigned>(nanoseconds));
  if (value < 999.95e3) return Print("%.1f us", value / 1e3);
  if (value < 999.95e6) return Print("%.1f ms", value / 1e6);
  if (value < 59.995e9) return Print("%.2f s", value / 1e9);
  const uint64_t seconds =
      nanoseconds / 1'000'000'000 + (nanoseconds % 1'000'000'000 >= 500'000'000);
  const auto part = [](uint64_t number) { return static_cast<unsigned long long>(number); };
  if (seconds < 3600) return Print("%llu m %02llu s", part(seconds / 60), part(seconds % 60));
  if (seconds < 86400) {
    return Print("%llu h %02llu m", part(seconds / 3600), part(seconds / 60 % 60));
  }
  return Print("%llu d %02llu h", part(seconds / 86400), part(seconds / 3600 % 24));
}

std::string FormatMoment(int64_t nanoseconds) {
  return nanoseconds <= 0 ? "0 s" : FormatDuration(static_cast<uint64_t>(nanoseconds));
}

std::string FormatUnixTime(uint64_t unix_ns) {
  const std::chrono::sys_time<std::chrono::milliseconds> time(
      std::chrono::milliseconds(unix_ns / 1'000'000));
  const auto midnight = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day day(midnight);
  const std::chrono::hh_mm_ss of_day(time - midnight);
  return Print("%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(day.year()),
               static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
               static_cast<int>(of_day.hours().count()), static_cast<int>(of_day.minutes().count()),
               static_cast<int>(of_day.seconds().count()),
               static_cast<int>(of_day.subseconds().count()));
}

std::string FormatPercent(double share) {
  const double percent = share * 100;
  if (percent != 0 && std::abs(percent) < 0.1) return Print("%.3f %%", percent);
  return Print("%.1f %%", percent);
}

std::string FormatHex(uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016" PRIx64, number);
  return text;
}

std::string FormatHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string Plural(uint64_t count, std::string_view noun) {
  std::string out = FormatCount(count) + " ";
  out += noun;
  if (count != 1) out += "s";
  return out;
}

std::string Printable(std::string_view text) { return Clean(text, Escape); }

std::string PrintableLines(std::string_view text) {
  return Clean(text, [](char32_t code, std::string_view sequence) {
    return IsLayout(code) ? std::string() : Escape(code, sequence);
  });
}

std::string ValidUtf8(std::string_view text) {
  return Clean(text, [](char32_t, std::string_view) { return std::string(); });
}

std::string EscapedJson(std::string_view json) {
  return Clean(json, [](char32_t code, std::string_view sequence) {
    return IsLayout(code) ? std::string() : EscapeInJson(code, sequence);
  });
}

std::string CsvText(std::string_view text) {
  const bool is_formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  std::string cell = (is_formula ? "'" : "") + PrintableLines(text);
  if (!cell.empty() && cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

void AlignedRows::Add(std::string_view label, std::string value) {
  rows_.emplace_back(label, std::move(value));
}

std::string AlignedRows::Render(std::string_view indent, size_t width) const {
  constexpr size_t kLeastWidth = 20;  // of values
  size_t labels = 0;
  for (const auto& [label, value] : rows_) labels = std::max(labels, label.size());
  const size_t margin = indent.size() + labels + 2;
  const size_t room = std::max(width, margin + kLeastWidth) - margin;
  std::string out;
  for (const auto& [label, value] : rows_) {
    out += indent;
    out += label;
    out.append(labels - label.size() + 2, ' ');
    std::string_view rest = value;
    while (true) {
      const size_t end = rest.find('\n');
      const std::string_view line = rest.substr(0, end);
      out += room >= line.size() ? std::string(line) : Wrap(line, room, margin);
      if (end == rest.npos) break;
      out += '\n' + std::string(margin, ' ');
      rest.remove_prefix(end + 1);
    }
    out += '\n';
  }
  return out;
}

}  // namespace hindsight::analyzer
