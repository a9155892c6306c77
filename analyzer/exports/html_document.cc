#include "analyzer/exports/html_document.h"

namespace hindsight::analyzer {

bool HtmlDocument::UpTo(std::string_view mark) {
  const size_t at = rest_.find(mark);
  const bool is_ok = sink_(rest_.substr(0, at));
  rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + mark.size());
  return is_ok;
}

bool WriteWithoutTags(std::string_view json, const ByteSink& sink) {
  while (!json.empty()) {
    const size_t tag = json.find('<');
    if (tag != 0 && !sink(json.substr(0, tag))) return false;
    if (tag == std::string_view::npos) return true;
    if (!sink("\\u003c")) return false;
    json.remove_prefix(tag + 1);
  }
  return true;
}

}  // namespace hindsight::analyzer
