#include "analyzer/serve/heap_view.h"

#include <algorithm>
#include <utility>

#include "analyzer/analyses/heap/targets.h"
#include "analyzer/analyses/references/owner_path.h"
#include "analyzer/base/text.h"
#include "analyzer/report/heap/histogram_report.h"
#include "analyzer/report/heap/object_pages_report.h"
#include "analyzer/report/heap/object_reports.h"

namespace hindsight::analyzer {

HeapView::HeapView(HeapParts parts)
    : parts_(std::move(parts)), names_(*parts_.model), top_(*parts_.model, names_, *parts_.paths) {
  const HeapGraph& graph = parts_.model->graph;
  referrers_ = std::async(std::launch::async, [&graph] { return Referrers(graph); }).share();
  tree_.emplace(parts_.dominators);
  const TypeHistogram histogram = MakeTypeHistogram(model(), parts_.dominators, *tree_);
  types_json_ = HistogramJson({.model = &model(),
                               .dominators = &parts_.dominators,
                               .histogram = &histogram,
                               .snapshots = parts_.snapshots,
                               .order = HistogramOrder::kRetained});
  at_the_top_ = analyzer::Dominated(*tree_, names_, kSuperRoot);
}

Result<std::string> HeapView::Instances(std::string_view type, const PageRange& range) const {
  const std::lock_guard lock(mutex_);
  if (type_ != type || instances_.empty()) {
    // By the whole name, as the table of types has it; two types may have the same.
    std::vector<bool> classes;
    for (const HeapClass& one : model().graph.classes()) {
      classes.push_back(TypeDisplayName(model().dictionaries, one.type) == type);
    }
    type_ = type;
    instances_ = ObjectsOf(model().graph, classes);
  }
  if (instances_.empty()) return Error{"No object has the type \"" + Printable(type) + "\"."};
  SortRange(parts_.dominators, range, instances_);
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
  const ObjectDetails details = DescribeObject(model(), parts_.dominators, names_, *parts_.paths,
                                               *id, range, &referrers_.get());
  return ObjectJson(model(), parts_.dominators, details);
}

Result<std::string> HeapView::RootPath(std::string_view address) const {
  const Result<ObjectId> id = FindObject(model(), address);
  if (!id) return id.error();
  const std::vector<ObjectId> objects = parts_.paths->PathTo(*id);
  OwnerPath path;
  if (!objects.empty()) path = MakeOwnerPath(model(), names_, *parts_.paths, objects);
  return RootPathJson(context(), path);
}

Result<std::string> HeapView::Dominated(std::string_view address, const PageRange& range) const {
  ObjectId above = kSuperRoot;
  if (!address.empty()) {
    const Result<ObjectId> id = FindObject(model(), address);
    if (!id) return id.error();
    above = *id;
  }
  std::vector<ObjectId> ids =
      above == kSuperRoot ? at_the_top_ : analyzer::Dominated(*tree_, names_, above);
  const ObjectPage page = PageOfDominated(model(), parts_.dominators, *tree_, *parts_.paths, names_,
                                          top_, above, std::move(ids), range);
  return DominatedJson(context(), above, range, page);
}

ObjectTableSource HeapView::Tables() const {
  return {.model = parts_.model.get(),
          .names = &names_,
          .dominators = &parts_.dominators,
          .tree = &*tree_,
          .referrers = [this]() -> const Referrers& { return referrers_.get(); }};
}

}  // namespace hindsight::analyzer
