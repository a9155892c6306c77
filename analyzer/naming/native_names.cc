#include "analyzer/naming/native_names.h"

#include <charconv>

#include "analyzer/base/file_name.h"

namespace hindsight::analyzer::naming {
namespace {

// Removes <length><name> from the front of `rest`; empty if there is none.
std::string_view TakeName(std::string_view& rest) {
  size_t length = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
  const auto digits = static_cast<size_t>(end - rest.data());
  if (error != std::errc() || length == 0 || length > rest.size() - digits) return {};
  const std::string_view name = rest.substr(digits, length);
  rest.remove_prefix(digits + length);
  return name;
}

}  // namespace

std::string DemangledName(std::string_view symbol) {
  std::string_view rest = symbol;
  if (!rest.starts_with("_Z")) return std::string(symbol);
  rest.remove_prefix(2);
  const bool is_local = rest.starts_with('L');  // static
  if (is_local) rest.remove_prefix(1);
  if (!rest.starts_with('N')) {
    const std::string_view name = TakeName(rest);
    return std::string(name.empty() ? symbol : name);
  }
  rest.remove_prefix(1);
  while (!rest.empty() && (rest.front() == 'K' || rest.front() == 'V')) rest.remove_prefix(1);
  std::string out;
  while (!rest.starts_with('E')) {
    const std::string_view name = TakeName(rest);
    if (name.empty()) return std::string(symbol);
    if (!out.empty()) out += "::";
    out += name;
  }
  return out.empty() ? std::string(symbol) : out;
}

std::string NativeName(std::string_view path, std::string_view symbol) {
  std::string out(FileName(path));
  if (out.empty()) out = "[native code]";
  if (!symbol.empty()) out += "!" + DemangledName(symbol);
  return out;
}

}  // namespace hindsight::analyzer::naming
