// ParseCatalogueRow is total: any line is either a row that can be written and read again, or
// rejected; and any rows can be shown.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/fleet/catalogue_row.h"
#include "analyzer/fleet/fleet.h"
#include "analyzer/report/fleet/fleet_report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hindsight::analyzer;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<RecordingRow> rows;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (std::optional<RecordingRow> row = ParseCatalogueRow(text.substr(0, end))) {
      const std::string line = CatalogueLine(*row);
      const std::optional<RecordingRow> again = ParseCatalogueRow(line);
      if (!again || CatalogueLine(*again) != line) std::abort();
      rows.push_back(std::move(*row));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const Fleet fleet = FleetOf(rows);
  const FleetPage page{.fleet = &fleet, .read = 0, .from_catalogue = 0, .catalogue_note = ""};
  const std::string shown = FleetText(page, {}, 0);
  if (PrintableLines(shown) != shown) std::abort();
  FleetJson(page);
  return 0;
}
