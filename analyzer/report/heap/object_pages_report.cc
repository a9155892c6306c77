#include "analyzer/report/heap/object_pages_report.h"

#include <optional>

#include "analyzer/report/common_fields.h"
#include "analyzer/report/heap/object_fields.h"

namespace hindsight::analyzer {
namespace {

std::optional<uint64_t> LengthOf(ObjectId id, const HeapContext& heap) {
  const HeapGraph& graph = heap.model->graph;
  return IfKnown(graph.classes()[graph.ClassOf(id)].component_bytes != 0, graph.Length(id));
}

Object<ObjectId, HeapContext> ListedObjectFields() {
  return {
      HeldObjectFields(),
      ObjectSizeFields(),
      {"length", "Of an array or a string; else null",
       [](auto& id, auto& heap) { return LengthOf(id, heap); }},
      ObjectGenerationFields(),
  };
}

Object<InstancesView, HeapContext> InstancesFields() {
  return {
      {"type", "A type, as C# writes it", &InstancesView::type},
      {"count", "Objects of it", &InstancesView::objects},
      {"from", "Left out before the first one", &InstancesView::from},
      {"objects", "Most retained bytes first", ListedObjectFields(), &InstancesView::rows},
  };
}

struct DominatedView {
  std::optional<ObjectId> above;
  uint64_t from;
  const ObjectPage* page;
};

Object<DominatedObject, HeapContext> DominatedObjectFields() {
  return {
      {ListedObjectFields(), &DominatedObject::id},
      {"held_by", "The dominator's slot, a static field or a root; null: through others",
       [](auto& row) { return IfKnown(!row.held_by.empty(), row.held_by); }},
      {"dominated", "Objects that it immediately dominates", &DominatedObject::dominated},
  };
}

Object<DominatedView, HeapContext> DominatedFields() {
  return {
      {"above", "Who dominates them; null: the roots", HeldObjectFields(), &DominatedView::above},
      {"count", "All that it immediately dominates", [](auto& view) { return view.page->objects; }},
      {"retained_bytes", "By these", [](auto& view) { return view.page->retained; }},
      {"reachable_bytes", "All that is alive",
       [](auto&, auto& heap) { return heap.dominators->reachable_bytes; }},
      {"from", "Left out before the first one", &DominatedView::from},
      {"objects", "Most retained bytes first", DominatedObjectFields(),
       [](auto& view) -> decltype(auto) { return (view.page->rows); }},
  };
}

struct PathStep {
  OwnerPhrases words;
  ObjectId to;
};

Object<PathStep, HeapContext> PathStepFields() {
  return {
      {"from", "A root, static, or the type of who refers",
       [](auto& step) { return step.words.from; }},
      {"field", "Of it", [](auto& step) { return step.words.field; }},
      {"to", "What it leads to", HeldObjectFields(), &PathStep::to},
  };
}

Object<OwnerPath, HeapContext> RootPathFields() {
  return {
      {"path", "As `hindsight leaks` writes it",
       OwnerPartsAt([](auto& path) -> const auto& { return path; })},
      {"steps", "The same with its objects; a stretch through objects of one type is one step",
       PathStepFields(),
       [](auto& path, auto& heap) {
         std::vector<PathStep> steps;
         for (size_t i = 0; i < path.steps.size(); ++i) {
           steps.push_back(
               {DescribeStep(*heap.model, *heap.names, path.steps[i]), path.objects[i]});
         }
         return steps;
       }},
  };
}

}  // namespace

std::string InstancesJson(const HeapContext& heap, const InstancesView& view) {
  return JsonOf(InstancesFields(), view, heap);
}

std::string DominatedJson(const HeapContext& heap, ObjectId above, const PageRange& range,
                          const ObjectPage& page) {
  const DominatedView view = {IfKnown(above != kSuperRoot, above), range.from, &page};
  return JsonOf(DominatedFields(), view, heap);
}

std::string RootPathJson(const HeapContext& heap, const OwnerPath& path) {
  return JsonOf(RootPathFields(), path, heap);
}

}  // namespace hindsight::analyzer
