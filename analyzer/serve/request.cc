#include "analyzer/serve/request.h"

#include <charconv>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

Error Malformed(std::string what) { return {std::move(what), ExitCode::kUsage}; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// nullopt: it is not a valid encoding.
std::optional<std::string> Decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (out.find('\0') != out.npos || ValidUtf8(out) != out) return std::nullopt;
  return out;
}

// Removes what comes before the next `separator` from `rest` and returns it.
std::string_view TakePart(std::string_view& rest, char separator) {
  const size_t at = rest.find(separator);
  const std::string_view part = rest.substr(0, at);
  rest = at == rest.npos ? std::string_view() : rest.substr(at + 1);
  return part;
}

}  // namespace

std::string_view HttpTarget::Text(std::string_view name) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string_view() : std::string_view(found->second);
}

Result<std::optional<uint64_t>> HttpTarget::Number(std::string_view name, uint64_t most) const {
  const std::string_view text = Text(name);
  if (text.empty()) return std::optional<uint64_t>();
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > most) {
    return Malformed("The parameter " + Printable(name) + " must be a number from 0 to " +
                     std::to_string(most) + ".");
  }
  return std::optional(number);
}

Result<HttpTarget> ParseTarget(std::string_view target) {
  if (target.size() > HttpTarget::kMostBytes) return Malformed("The address is too long.");
  if (!target.starts_with('/')) return Malformed("The address has no path.");
  HttpTarget parsed;
  std::string_view query = target;
  std::string_view path = TakePart(query, '?').substr(1);
  while (true) {
    const bool is_last = path.find('/') == path.npos;
    std::optional<std::string> segment = Decoded(TakePart(path, '/'), false);
    // A decoded slash or a dot segment would be a different path.
    if (!segment || segment->find('/') != segment->npos || *segment == "." || *segment == ".." ||
        parsed.path.size() == HttpTarget::kMostSegments) {
      return Malformed("The address has a path that is not one of this server's.");
    }
    parsed.path.push_back(std::move(*segment));
    if (is_last) break;
  }
  while (!query.empty()) {
    std::string_view value = TakePart(query, '&');
    if (value.empty()) continue;
    const std::optional<std::string> name = Decoded(TakePart(value, '='), true);
    std::optional<std::string> text = Decoded(value, true);
    if (!name || !text || parsed.parameters.size() == HttpTarget::kMostParameters ||
        !parsed.parameters.emplace(*name, std::move(*text)).second) {
      return Malformed("The address has parameters that are malformed, too many, or there twice.");
    }
  }
  return parsed;
}

}  // namespace hindsight::analyzer
