#include "analyzer/serve/heap_view.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "analyzer/analyses/heap/targets.h"
#include "analyzer/analyses/references/owner_path.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/heap/histogram_report.h"
#include "analyzer/report/heap/object_pages_report.h"
#include "analyzer/report/heap/object_reports.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

HeapView::HeapView(HeapParts parts) : parts_(std::move(parts)), names_(*parts_.model) {
  holders_ = std::async(std::launch::async, [this] { return FindHolders(); }).share();
  // Not before, so that it does not take a processor from what the first view needs.
  referrers_ = std::async(std::launch::async, [this] {
                 holders_.wait();
                 return Referrers(model().graph);
               }).share();
}

std::shared_ptr<const HeapView::Holders> HeapView::FindHolders() {
  auto found = std::make_shared<Holders>();
  auto paths = std::async(std::launch::async, [this] { return FindRootPaths(model()); });
  found->dominators = ComputeDominators(model().graph, &progress_);
  found->tree.emplace(found->dominators);
  const TypeHistogram histogram = MakeTypeHistogram(model(), found->dominators, *found->tree);
  found->types_json = HistogramJson({.model = &model(),
                                     .dominators = &found->dominators,
                                     .histogram = &histogram,
                                     .snapshots = parts_.snapshots,
                                     .order = HistogramOrder::kRetained});
  found->at_the_top = analyzer::Dominated(*found->tree, names_, kSuperRoot);
  found->paths.emplace(paths.get());
  found->top.emplace(model(), names_, *found->paths);
  return found;
}

std::string HeapView::Types() const {
  const bool is_known = holders_.wait_for(kPatience) == std::future_status::ready;
  return is_known ? holders().types_json : TypesSoFar();
}

std::string HeapView::TypesSoFar() const {
  const HeapGraph& graph = model().graph;
  std::vector<std::pair<uint64_t, uint64_t>> of_class(graph.classes().size());  // objects, bytes
  for (ObjectId id = 0; id < graph.size(); ++id) {
    auto& [objects, bytes] = of_class[graph.ClassOf(id)];
    ++objects;
    bytes += graph.Bytes(id);
  }
  std::map<std::string, std::pair<uint64_t, uint64_t>> by_name;
  for (size_t i = 0; i < of_class.size(); ++i) {
    if (of_class[i].first == 0) continue;
    auto& sum = by_name[TypeDisplayName(model().dictionaries, graph.classes()[i].type)];
    sum.first += of_class[i].first;
    sum.second += of_class[i].second;
  }
  using Row = decltype(by_name)::value_type;
  std::vector<const Row*> rows;
  for (const Row& row : by_name) rows.push_back(&row);
  std::ranges::stable_sort(rows, std::greater(), [](const Row* row) { return row->second.second; });
  Json types = Json::array();
  for (const Row* const row : rows) {
    types.push_back({{"type", JsonText(row->first)},
                     {"objects", row->second.first},
                     {"bytes", row->second.second}});
  }
  return JsonDump({{"is_preliminary", true},
                   {"percent", progress_.Percent()},
                   {"heap",
                    {{"application", JsonText(model().application)},
                     {"snapshot", graph.facts.number},
                     {"unix_ns", graph.facts.unix_ns}}},
                   {"types", std::move(types)}});
}

Result<std::string> HeapView::Instances(std::string_view type, const PageRange& range) const {
  const std::lock_guard lock(mutex_);
  if (type_ != type || instances_.empty()) {
    // By the full name, as in the table of types; two types may have the same one.
    std::vector<bool> classes;
    for (const HeapClass& one : model().graph.classes()) {
      classes.push_back(TypeDisplayName(model().dictionaries, one.type) == type);
    }
    type_ = type;
    instances_ = ObjectsOf(model().graph, classes);
  }
  if (instances_.empty()) return Error{"No object has the type \"" + Printable(type) + "\"."};
  SortRange(holders().dominators, range, instances_);
  const size_t from = std::min<size_t>(range.from, instances_.size());
  const size_t rows = std::min(range.rows, instances_.size() - from);
  return InstancesJson(context(), {.type = std::string(type),
                                   .objects = instances_.size(),
                                   .from = from,
                                   .rows = std::span(instances_).subspan(from, rows)});
}

Result<std::string> HeapView::Object(std::string_view address, const DetailRange& range) const {
  const Result<ObjectId> id = FindObject(model(), address);
  if (!id) return id.error();
  const ObjectDetails details = DescribeObject(model(), holders().dominators, names_,
                                               *holders().paths, *id, range, &referrers_.get());
  return ObjectJson(model(), holders().dominators, details);
}

Result<std::string> HeapView::RootPath(std::string_view address) const {
  const Result<ObjectId> id = FindObject(model(), address);
  if (!id) return id.error();
  const std::vector<ObjectId> objects = holders().paths->PathTo(*id);
  OwnerPath path;
  if (!objects.empty()) path = MakeOwnerPath(model(), names_, *holders().paths, objects);
  return RootPathJson(context(), path);
}

Result<std::string> HeapView::Dominated(std::string_view address, const PageRange& range) const {
  ObjectId above = kSuperRoot;
  if (!address.empty()) {
    const Result<ObjectId> id = FindObject(model(), address);
    if (!id) return id.error();
    above = *id;
  }
  std::vector<ObjectId> ids = above == kSuperRoot
                                  ? holders().at_the_top
                                  : analyzer::Dominated(*holders().tree, names_, above);
  const ObjectPage page =
      PageOfDominated(model(), holders().dominators, *holders().tree, *holders().paths, names_,
                      *holders().top, above, std::move(ids), range);
  return DominatedJson(context(), above, range, page);
}

ObjectTableSource HeapView::Tables(bool with_dominators) const {
  return {.model = parts_.model.get(),
          .names = &names_,
          .dominators = with_dominators ? &holders().dominators : nullptr,
          .tree = with_dominators ? &*holders().tree : nullptr,
          .referrers = [this]() -> const Referrers& { return referrers_.get(); }};
}

}  // namespace hindsight::analyzer
