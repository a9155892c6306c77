#include "recorder/sources/requests/route_template.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "recorder/sources/requests/enumerated_pairs.h"

namespace hindsight::recorder {
namespace {

// Used in the path while its values are replaced; neither occurs in a path.
constexpr char16_t kOpen = u'\x01', kClose = u'\x02';

bool NamesCode(std::u16string_view name) {
  static constexpr std::array<std::u16string_view, 5> kNames = {u"action", u"controller", u"page",
                                                                u"area", u"handler"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// The last position of a value, because the template's own words usually come first. Whole segments
// are preferred; otherwise it may be part of one: {name}.{ending}.
size_t PlaceOf(std::u16string_view value, std::u16string_view path) {
  const auto is_replaced = [&](size_t at) {
    const size_t open = path.rfind(kOpen, at), close = path.rfind(kClose, at);
    return open != std::u16string_view::npos &&
           (close == std::u16string_view::npos || close < open);
  };
  size_t anywhere = std::u16string_view::npos;
  for (size_t at = path.rfind(value); at != std::u16string_view::npos && at > 0;
       at = path.rfind(value, at - 1)) {
    if (is_replaced(at)) continue;
    const size_t end = at + value.size();
    if (path[at - 1] == u'/' && (end == path.size() || path[end] == u'/')) return at;
    if (anywhere == std::u16string_view::npos) anywhere = at;
  }
  return anywhere;
}

}  // namespace

std::u16string RouteTemplate(std::u16string_view path, std::u16string_view values) {
  if (path.empty() || path.find_first_of(u"{}[]\x01\x02") != std::u16string_view::npos) return {};
  std::u16string out(path);
  if (values.size() >= 2 && values.front() == u'[' && values.back() == u']') {
    values.remove_prefix(1);
    values.remove_suffix(1);
  }
  // Backwards, so that of equal values the last one is the last in the path, too.
  while (!values.empty()) {
    const size_t before = values.rfind(kBetweenPairs);
    const bool is_first = before == std::u16string_view::npos;
    const std::u16string_view pair =
        is_first ? values : values.substr(before + kBetweenPairs.size());
    values = values.substr(0, is_first ? 0 : before);
    const size_t comma = pair.find(kAfterPairName);
    if (comma == std::u16string_view::npos) return {};
    const std::u16string_view name = pair.substr(0, comma);
    const std::u16string_view value = pair.substr(comma + kAfterPairName.size());
    if (value.empty() || NamesCode(name)) continue;
    const size_t at = PlaceOf(value, out);
    if (at == std::u16string_view::npos) return {};
    out.replace(at, value.size(), kOpen + std::u16string(name) + kClose);
  }
  if (out.size() > 1 && out.back() == u'/') out.pop_back();
  std::replace(out.begin(), out.end(), kOpen, u'{');
  std::replace(out.begin(), out.end(), kClose, u'}');
  return out;
}

}  // namespace hindsight::recorder
