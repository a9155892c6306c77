#include <algorithm>
#include <charconv>

#include "proto/csharp_keywords.h"
#include "recorder/names/signature.h"

namespace hindsight::recorder {
namespace {

constexpr std::string_view kTuplePrefix = "System.ValueTuple`";
constexpr size_t kMaxTupleArguments = 7;  // an eighth would contain the rest in a tuple of its own

// Removes the namespace. Compiler-generated names may contain dots after their first '<', as
// <Shop.ICart.Add>d__4 does: those are not separators.
std::string_view WithoutNamespace(std::string_view name) {
  const size_t dot = name.substr(0, name.find('<')).rfind('.');
  return dot == std::string_view::npos || dot == 0 ? name : name.substr(dot + 1);
}

struct Segment {
  std::string_view name;
  size_t arity = 0;
};

// Name`2 -> {Name, 2}.
Segment SplitArity(std::string_view text) {
  const size_t tick = text.rfind('`');
  if (tick == std::string_view::npos || tick == 0) return {text, 0};
  const char* const end = text.data() + text.size();
  size_t arity = 0;
  const auto parsed = std::from_chars(text.data() + tick + 1, end, arity);
  if (parsed.ec != std::errc() || parsed.ptr != end) return {text, 0};
  return {text.substr(0, tick), arity};
}

std::string Join(std::span<const std::string> items) {
  std::string out;
  for (const std::string& item : items) {
    if (!out.empty()) out += ", ";
    out += item;
  }
  return out;
}

bool IsTuple(std::string_view raw_name, size_t arguments) {
  return arguments >= 2 && arguments <= kMaxTupleArguments && raw_name.starts_with(kTuplePrefix) &&
         raw_name.substr(kTuplePrefix.size()) == std::to_string(arguments);
}

}  // namespace

std::string CSharpTypeName(std::string_view raw_name, std::span<const std::string> arguments) {
  if (arguments.empty()) {
    if (const std::string_view keyword = CsharpKeyword(raw_name); !keyword.empty()) {
      return std::string(keyword);
    }
  }
  if (raw_name == "System.Nullable`1" && arguments.size() == 1) return arguments[0] + "?";
  if (IsTuple(raw_name, arguments.size())) return "(" + Join(arguments) + ")";

  // Each level takes as many arguments as its own arity; the innermost takes the rest.
  std::string out;
  std::string_view rest = WithoutNamespace(raw_name);
  for (bool last = false; !last;) {
    const size_t plus = rest.find('+');
    last = plus == std::string_view::npos;
    const Segment segment = SplitArity(rest.substr(0, plus));
    if (!last) rest.remove_prefix(plus + 1);
    if (!out.empty()) out += '.';
    out += segment.name;
    const size_t taken = last ? arguments.size() : std::min(segment.arity, arguments.size());
    if (taken != 0) out += "<" + Join(arguments.first(taken)) + ">";
    arguments = arguments.subspan(taken);
  }
  return out;
}

}  // namespace hindsight::recorder
