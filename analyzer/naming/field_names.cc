#include "analyzer/naming/field_names.h"

#include <cstddef>

#include "analyzer/naming/type_names.h"

namespace hindsight::analyzer::naming {
namespace {

// `word`#1 for number 1; just `word` without a number.
std::string Numbered(std::string_view word, std::string_view number) {
  std::string out(word);
  if (!number.empty()) (out += '#') += number;
  return out;
}

// <>X__REST
std::string Unnamed(char kind, std::string_view rest) {
  switch (kind) {
    case '2':
    case '3':
    case '4':
    case 't':
      return std::string(rest);
    case 'u':
      if (IsDigits(rest)) return Numbered("awaiter", rest);
      break;
    case '8':
      if (rest.starts_with("locals")) rest.remove_prefix(6);
      if (IsDigits(rest)) return Numbered("closure", rest);
      break;
    case '7':
      if (rest.starts_with("wrap")) rest.remove_prefix(4);
      if (IsDigits(rest)) return Numbered("temporary", rest);
      break;
    case 's':
      if (IsDigits(rest)) return Numbered("temporary", rest);
      break;
    case '9': {
      const size_t separator = rest.rfind('_');
      const std::string_view number =
          separator == std::string_view::npos ? rest : rest.substr(separator + 1);
      if (IsDigits(number)) return Numbered("lambda", number);
      break;
    }
    default:
      break;
  }
  return {};
}

std::string OneName(std::string_view raw) {
  std::string_view name = raw;
  if (name.starts_with("CS$")) name.remove_prefix(3);
  if (!name.starts_with('<')) return std::string(raw);
  const size_t close = ClosingAngle(name, 0);
  if (close == std::string_view::npos) return std::string(raw);
  const std::string_view inner = name.substr(1, close - 2);
  const std::string_view suffix = name.substr(close);
  if (!inner.empty()) {
    const bool is_known = suffix == "k__BackingField" || suffix == "P" ||
                          (suffix.starts_with("5__") && IsDigits(suffix.substr(3)));
    return std::string(is_known ? inner : raw);
  }
  if (suffix == "9") return "instance";
  if (suffix.size() > 3 && suffix.substr(1, 2) == "__") {
    std::string out = Unnamed(suffix.front(), suffix.substr(3));
    if (!out.empty()) return out;
  }
  return std::string(raw);
}

}  // namespace

std::string FieldName(std::string_view raw) {
  std::string out;
  size_t begin = 0;
  size_t depth = 0;
  for (size_t i = 0; i <= raw.size(); ++i) {
    if (i < raw.size()) {
      if (raw[i] == '<') ++depth;
      if (raw[i] == '>' && depth > 0) --depth;
      if (raw[i] != '.' || depth > 0) continue;
    }
    if (begin != 0) out += '.';
    out += OneName(raw.substr(begin, i - begin));
    begin = i + 1;
  }
  return out;
}

}  // namespace hindsight::analyzer::naming
