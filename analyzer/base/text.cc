#include "analyzer/base/text.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <ctime>

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

// C0, DEL and C1 controls, and the marks that reorder a line (U+202A..E, U+2066..9).
bool IsUnsafe(std::string_view sequence) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (sequence.size() == 2) return byte(0) == 0xc2 && byte(1) < 0xa0;
  if (sequence.size() != 3 || byte(0) != 0xe2) return false;
  return (byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae) ||
         (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);
}

std::string Escape(std::string_view sequence) {
  switch (sequence.front()) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  std::string out;
  for (const char c : sequence) out += Print("\\x%02x", static_cast<unsigned char>(c));
  return out;
}

std::string Clean(std::string_view text, bool escape) {
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
    if (escape && IsUnsafe(sequence)) {
      out += Escape(sequence);
    } else {
      out += sequence;
    }
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

std::string FormatUnixTime(uint64_t unix_ns) {
  const std::time_t seconds = static_cast<std::time_t>(unix_ns / 1'000'000'000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> date;
  const size_t size = std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  return std::string(date.data(), size) +
         Print(".%03uZ", static_cast<unsigned>(unix_ns / 1'000'000 % 1000));
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

std::string Printable(std::string_view text) { return Clean(text, true); }
std::string ValidUtf8(std::string_view text) { return Clean(text, false); }

std::string CsvText(std::string_view text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

void AlignedRows::Add(std::string_view label, std::string value) {
  rows_.emplace_back(label, std::move(value));
}

std::string AlignedRows::Render(std::string_view indent) const {
  size_t width = 0;
  for (const auto& [label, value] : rows_) width = std::max(width, label.size());
  std::string out;
  for (const auto& [label, value] : rows_) {
    std::string line(indent);
    line += label;
    line.append(width - label.size() + 2, ' ');
    for (const char c : value) {
      line += c;
      if (c == '\n') line.append(indent.size() + width + 2, ' ');
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace hindsight::analyzer
