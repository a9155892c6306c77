#include "analyzer/report/json.h"

#include "analyzer/base/text.h"

namespace hindsight::analyzer {

Json JsonText(std::string_view text) { return ValidUtf8(text); }

std::string JsonDump(const Json& json) {
  return EscapedJson(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace hindsight::analyzer
