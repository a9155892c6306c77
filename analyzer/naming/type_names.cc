#include "analyzer/naming/type_names.h"

#include <algorithm>
#include <charconv>

#include "analyzer/naming/method_names.h"
#include "proto/csharp_keywords.h"

namespace hindsight::analyzer::naming {
namespace {

constexpr size_t kMaxArity = 256;  // a larger number after a tick is not an arity

// Removes `2 from the end of a segment.
size_t TakeArity(std::string_view& segment) {
  const size_t tick = segment.rfind('`');
  if (tick == std::string_view::npos || tick == 0) return 0;
  const std::string_view digits = segment.substr(tick + 1);
  size_t arity = 0;
  if (!IsDigits(digits)) return 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), arity);
  if (error != std::errc() || arity > kMaxArity) return 0;
  segment = segment.substr(0, tick);
  return arity;
}

// There may be a namespace before the part that the compiler generated: Shop.<p>F12AB__Hidden.
// Returns where that part begins; npos if there is none.
size_t GeneratedPart(std::string_view name) {
  const size_t angle = name.find('<');
  if (angle == std::string_view::npos) return angle;
  return angle == 0 || name[angle - 1] == '.' ? angle : std::string_view::npos;
}

// <File>F0123ABC__Name -> Name: a type that is local to its source file.
std::string_view FileLocalName(std::string_view generated) {
  const size_t close = ClosingAngle(generated, 0);
  if (close == std::string_view::npos || close >= generated.size() || generated[close] != 'F') {
    return {};
  }
  const size_t separator = generated.find("__", close);
  if (separator == std::string_view::npos) return {};
  const std::string_view hash = generated.substr(close + 1, separator - close - 1);
  const bool is_hash = !hash.empty() && std::all_of(hash.begin(), hash.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
  });
  return is_hash ? generated.substr(separator + 2) : std::string_view();
}

TypeSegment Classify(std::string_view text) {
  TypeSegment segment{.name = text};
  segment.arity = TakeArity(segment.name);
  const std::string_view name = segment.name;
  if (name == "<>c" || name.starts_with("<>c__")) {
    segment.kind = TypeSegment::Kind::kClosure;
    return segment;
  }
  if (name.starts_with('<')) {
    const size_t close = ClosingAngle(name, 0);
    if (close == std::string_view::npos || close < 3) return segment;
    const std::string_view suffix = name.substr(close);
    if (suffix == "d" || (suffix.starts_with("d__") && IsDigits(suffix.substr(3)))) {
      segment.kind = TypeSegment::Kind::kStateMachine;
      segment.name = name.substr(1, close - 2);
    }
  }
  return segment;
}

// A plain segment as people write it, without arguments.
void AppendPlainName(std::string_view name, std::string& out) {
  constexpr std::string_view kAnonymous = "<>f__AnonymousType";
  const size_t generated = GeneratedPart(name);
  if (generated == std::string_view::npos) {
    out += name;
    return;
  }
  const std::string_view part = name.substr(generated);
  if (part.starts_with(kAnonymous)) {
    out += name.substr(0, generated);
    out += "AnonymousType#";
    out += part.substr(kAnonymous.size());
  } else if (const std::string_view local = FileLocalName(part); !local.empty()) {
    out += name.substr(0, generated);
    out += local;
  } else {
    out += name;
  }
}

// The start of the trailing [..][..] of `name`; its size if there are none.
size_t TrailingBrackets(std::string_view name) {
  size_t start = name.size();
  while (start > 0 && name[start - 1] == ']') {
    size_t open = start - 1;
    while (open > 0 && name[open - 1] == ',') --open;
    if (open == 0 || name[open - 1] != '[') break;
    start = open - 1;
  }
  return start;
}

}  // namespace

size_t ClosingAngle(std::string_view text, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

std::vector<TypeSegment> SplitType(std::string_view raw) {
  std::vector<TypeSegment> segments;
  size_t begin = 0;
  size_t depth = 0;
  for (size_t i = 0; i <= raw.size(); ++i) {
    if (i < raw.size()) {
      if (raw[i] == '<') ++depth;
      if (raw[i] == '>' && depth > 0) --depth;
      if (raw[i] != '+' || depth > 0) continue;
    }
    segments.push_back(Classify(raw.substr(begin, i - begin)));
    begin = i + 1;
  }
  return segments;
}

bool IsStateMachineType(std::string_view raw) {
  const std::vector<TypeSegment> segments = SplitType(raw);
  return !segments.empty() && segments.back().kind == TypeSegment::Kind::kStateMachine;
}

void AppendGeneric(std::string_view name, size_t arity, std::span<const std::string> arguments,
                   std::string& out) {
  AppendPlainName(name, out);
  if (arity == 0 && arguments.empty()) return;
  out += '<';
  if (arguments.empty()) {
    out.append(arity - 1, ',');
  } else {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i != 0) out += ", ";
      if (arguments[i] != "System.__Canon") {
        out += arguments[i];
      } else {
        out += 'T';
        if (arguments.size() > 1) out += std::to_string(i + 1);
      }
    }
  }
  out += '>';
}

std::string TypeName(std::string_view raw, std::span<const std::string> arguments) {
  if (arguments.empty()) {
    if (const std::string_view keyword = CsharpKeyword(raw); !keyword.empty()) {
      return std::string(keyword);
    }
  }
  if (raw == "System.Nullable`1" && arguments.size() == 1) return arguments[0] + '?';
  std::string out;
  if (raw.starts_with("System.ValueTuple`") && arguments.size() >= 2 && arguments.size() <= 7) {
    AppendGeneric("", arguments.size(), arguments, out);
    out.front() = '(';
    out.back() = ')';
    return out;
  }
  const std::vector<TypeSegment> segments = SplitType(raw);
  // Named after its method, which may be a lambda or a local function.
  if (segments.back().kind == TypeSegment::Kind::kStateMachine) {
    return MethodName(raw, arguments, "MoveNext").name;
  }
  for (const TypeSegment& segment : segments) {
    if (!out.empty()) out += '.';
    const auto own = arguments.first(std::min(segment.arity, arguments.size()));
    arguments = arguments.subspan(own.size());
    switch (segment.kind) {
      case TypeSegment::Kind::kPlain:
        AppendGeneric(segment.name, segment.arity, own, out);
        break;
      case TypeSegment::Kind::kClosure:
        out += "closure";
        break;
      case TypeSegment::Kind::kStateMachine:
        AppendGeneric(segment.name, segment.arity, own, out);
        break;
    }
  }
  return out;
}

std::string ArrayName(std::string_view element, uint32_t rank) {
  const size_t brackets = TrailingBrackets(element);
  std::string out(element.substr(0, brackets));
  out += '[';
  if (rank > 1) out.append(std::min<uint32_t>(rank, 32) - 1, ',');
  out += ']';
  out += element.substr(brackets);
  return out;
}

std::string ShortTypeName(std::string_view name) {
  std::string out;
  size_t word = 0;  // where in `out` the name being read began
  for (const char c : name) {
    if (c == '.') {
      out.resize(word);
      continue;
    }
    out += c;
    if (c == '<' || c == ',' || c == ' ' || c == '(' || c == '[') word = out.size();
  }
  return out;
}

}  // namespace hindsight::analyzer::naming
