#include "analyzer/page/treemap_data.h"

#include <string>
#include <utility>

#include "analyzer/analyses/heap/targets.h"
#include "analyzer/analyses/references/owner_path.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/page/text_table.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/heap/leaks_report.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMostSuspects = 50;

class Writer {
 public:
  Writer(const HeapReports& heap, const Treemap& map) : heap_(heap), map_(map) {}

  Json Write(bool has_before) {
    Json out = {{"snapshot", heap_.model.graph.facts.number},
                {"title", PageText(HeapTitle(heap_.model))},
                {"objects", map_.objects},
                {"bytes", map_.bytes},
                {"objectsBefore", has_before ? Json(map_.objects_before) : Json()},
                {"bytesBefore", has_before ? Json(map_.bytes_before) : Json()}};
    Json cells = Cells(has_before);
    Json suspects = Suspects();
    out["texts"] = std::move(texts_).Take();
    out["cells"] = std::move(cells);
    out["leftOut"] = map_.left_out;
    out["suspects"] = std::move(suspects);
    return out;
  }

 private:
  template <typename Of>
  Json Column(const Of& of) const {
    Json column = Json::array();
    for (const TreemapCell& cell : map_.cells) column.push_back(of(cell));
    return column;
  }

  Json Cells(bool has_before) {
    const Dictionaries& dictionaries = heap_.model.dictionaries;
    Json cells;
    cells["parent"] = Column([](const TreemapCell& cell) {
      return cell.parent == TreemapCell::kTop ? int64_t{-1} : int64_t{cell.parent};
    });
    cells["edge"] = Column([this](const TreemapCell& cell) {
      return cell.edge.empty() ? int64_t{-1} : int64_t{texts_.Of(cell.edge)};
    });
    cells["type"] = Column([&](const TreemapCell& cell) {
      return texts_.Of(TypeDisplayName(dictionaries, cell.type));
    });
    cells["brief"] = Column(
        [&](const TreemapCell& cell) { return texts_.Of(TypeBriefName(dictionaries, cell.type)); });
    cells["objects"] = Column([](const TreemapCell& cell) { return cell.objects; });
    cells["retained"] = Column([](const TreemapCell& cell) { return cell.retained; });
    cells["bytes"] = Column([](const TreemapCell& cell) { return cell.bytes; });
    cells["own"] = Column([](const TreemapCell& cell) { return cell.own; });
    cells["repeats"] = Column([](const TreemapCell& cell) { return cell.repeats ? 1 : 0; });
    cells["path"] = Column([this](const TreemapCell& cell) {
      return Texts(PathParts(heap_.model, heap_.names, heap_.paths, cell.example));
    });
    cells["example"] = Column([this](const TreemapCell& cell) {
      return AddressText(heap_.model.graph.Address(cell.example));
    });
    cells["objectsBefore"] = cells["retainedBefore"] = Json();
    if (has_before) {
      cells["objectsBefore"] = Column([](const TreemapCell& cell) { return cell.objects_before; });
      cells["retainedBefore"] =
          Column([](const TreemapCell& cell) { return cell.retained_before; });
    }
    return cells;
  }

  Json Texts(const std::vector<std::string>& parts) {
    Json numbers = Json::array();
    for (const std::string& part : parts) numbers.push_back(texts_.Of(part));
    return numbers;
  }

  Json Suspects() {
    Json out = Json::array();
    for (size_t i = 0; i < heap_.leaks.suspects.size() && i < kMostSuspects; ++i) {
      const LeakSuspect& suspect = heap_.leaks.suspects[i];
      const uint32_t cell = map_.suspects[i];
      const std::string type = TypeBriefName(heap_.model.dictionaries, suspect.type);
      out.push_back(
          {{"cell", cell == TreemapCell::kTop ? int64_t{-1} : int64_t{cell}},
           {"title", PageText(suspect.kind_name + ": " + FormatCount(suspect.count) + " " + type)},
           {"confidence", NameOf(kLeakConfidences, suspect.confidence)},
           {"type", texts_.Of(TypeDisplayName(heap_.model.dictionaries, suspect.type))},
           {"count", suspect.count},
           {"retained", suspect.retained},
           {"share", suspect.share},
           {"path", Texts(OwnerParts(heap_.model, heap_.names, suspect.path))},
           {"advice", PageText(suspect.advice)},
           {"command", "object " + AddressText(heap_.model.graph.Address(suspect.example))}});
    }
    return out;
  }

  const HeapReports& heap_;
  const Treemap& map_;
  TextTable texts_;
};

}  // namespace

Json TreemapData(const Reports& now, const Reports* before, const TreemapLimits& limits) {
  if (!now.heap) return nullptr;
  const HeapReports* const earlier = before == nullptr ? nullptr : before->heap.get();
  const Treemap map = MakeTreemap(*now.heap, earlier, limits);
  if (map.bytes == 0) return nullptr;
  return Writer(*now.heap, map).Write(earlier != nullptr);
}

}  // namespace hindsight::analyzer
