#include "analyzer/page/fleet_page.h"

#include <utility>

#include "analyzer/base/text.h"
#include "analyzer/exports/html_document.h"
#include "analyzer/page/descriptions.h"
#include "analyzer/page/page_files.h"
#include "analyzer/page/printable_json.h"

namespace hindsight::analyzer {
namespace {

// Cuts lists after the most significant rows; returns {list: rows that were cut}.
Json CutLists(Json& fleet, size_t most) {
  Json left_out = Json::object();
  for (auto& [name, list] : fleet.items()) {
    if (!list.is_array() || list.size() <= most) continue;
    left_out[name] = list.size() - most;
    list.erase(list.begin() + static_cast<Json::difference_type>(most), list.end());
  }
  return left_out;
}

}  // namespace

bool WriteFleetPage(const FleetPage& fleet, const std::string& creator, const ByteSink& sink,
                    const FleetPageLimits& limits) {
  Json answer = Json::parse(FleetJson(fleet));
  Json left_out = CutLists(answer, limits.rows);
  Json page = {
      {"creator", creator}, {"fleet", std::move(answer)}, {"left_out", std::move(left_out)}};
  MakePrintable(page);
  const std::string data = EscapedJson(page.dump(-1, ' ', false, Json::error_handler_t::replace));
  const PageFrame frame = FrameWith(FleetDescriptions() + std::string(kFleetScript));
  HtmlDocument document(kFleetPage, sink);
  return document.UpTo("{{head}}") && sink(frame.head) && document.UpTo("{{data}}") &&
         WriteWithoutTags(data, sink) && document.UpTo("{{foot}}") && sink(frame.foot) &&
         document.Finish();
}

}  // namespace hindsight::analyzer
