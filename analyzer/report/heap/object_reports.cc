#include "analyzer/report/heap/object_reports.h"

#include <algorithm>

#include "analyzer/analyses/heap/generations.h"
#include "analyzer/analyses/heap/targets.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/heap/object_fields.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMostValueColumns = 200;  // of a recorded text

TypeId TypeOf(const HeapModel& model, ObjectId id) {
  return model.graph.classes()[model.graph.ClassOf(id)].type;
}

std::string TypeName(const HeapModel& model, ObjectId id) {
  return Printable(TypeDisplayName(model.dictionaries, TypeOf(model, id)));
}

std::string Address(const HeapModel& model, ObjectId id) {
  return AddressText(model.graph.Address(id));
}

std::string MoreObjects(uint64_t all, size_t shown) {
  return all <= shown ? "" : "(" + FormatCount(all - shown) + " more; --top shows more)";
}

}  // namespace

std::string RetainedText(const HeapModel& model, const LargestObjects& largest,
                         const TextStyle& style) {
  std::string out = HeapHead("Objects with the largest retained size in the heap", model, style);
  if (largest.objects.empty()) return out + "    No object is alive.\n";
  Table table({{"#", Table::Align::kRight},
               {"retained", Table::Align::kRight},
               {"share", Table::Align::kRight},
               {"shallow", Table::Align::kRight},
               {"address", Table::Align::kLeft},
               {"type", Table::Align::kLeft, true}});
  size_t rank = 0;
  for (const LargestObject& object : largest.objects) {
    table.AddRow({std::to_string(++rank), FormatBytes(object.retained),
                  PercentOf(object.retained, largest.bytes),
                  FormatBytes(model.graph.Bytes(object.id)), Address(model, object.id),
                  TypeCell(model, TypeOf(model, object.id), style)});
  }
  // Below each row, the path to the object.
  const std::string rows = table.Render(style, 2);
  size_t line = 0;
  for (size_t begin = 0; begin < rows.size(); ++line) {
    const size_t end = rows.find('\n', begin) + 1;
    out += rows.substr(begin, end - begin);
    begin = end;
    if (line == 0) continue;
    const std::string path = PathLine(largest.objects[line - 1].path, style.width - 6, style);
    out += "      " + Paint(style, Tone::kFaint, path) + "\n";
  }
  out += "\n";
  if (largest.skipped > 0) {
    out += Wrap(FormatCount(largest.skipped) +
                    (largest.skipped == 1 ? " more object is" : " more objects are") +
                    " as large, but almost entirely retained by one above; --all shows them.",
                style.width, 0) +
           "\n";
  }
  return out + NextHint(
                   "`hindsight object ADDRESS` shows one with its fields and referrers; "
                   "`dominators`, the same by type.",
                   style);
}

std::string ObjectText(const HeapModel& model, const Dominators& dominators,
                       const ObjectDetails& details, const TextStyle& style) {
  const HeapGraph& graph = model.graph;
  const ObjectId id = details.id;
  const bool is_alive = dominators.IsReachable(id);
  std::string out = HeapHead("Object " + Address(model, id) + " in the heap", model, style);
  AlignedRows facts;
  const size_t room = style.width - 16;
  facts.Add("type", ShortenMiddle(style, TypeName(model, id), room));
  std::string size = FormatBytes(graph.Bytes(id));
  if (details.length) {
    const bool is_string = graph.classes()[graph.ClassOf(id)].kind == HeapClass::Kind::kString;
    size += ", " + Plural(*details.length, is_string ? "character" : "element");
  }
  facts.Add("size", size);
  facts.Add("generation", GenerationName(graph.GenerationOf(id)));
  facts.Add("retained", is_alive ? FormatBytes(dominators.retained[id]) : "garbage: unreachable");
  std::string roots;
  for (const HeapRoot& root : details.roots) {
    const std::string name = Printable(RootName(model, root));
    if (roots.find(name) == std::string::npos) roots += (roots.empty() ? "" : ", ") + name;
  }
  if (!roots.empty()) facts.Add("root", ShortenEnd(style, roots, room));
  if (is_alive) facts.Add("path", Wrap(PathText(details.path), room, 0));
  out += facts.Render("    ") + "\n";

  const auto head = [&](std::string_view text) {
    return Paint(style, Tone::kFaint, std::string(text)) + "\n";
  };
  const auto object_row = [&](Table& table, std::string first, ObjectId target) {
    if (target == kNoObject) {
      table.AddRow({std::move(first), "null", "", ""});
      return;
    }
    table.AddRow(
        {std::move(first), Address(model, target), TypeCell(model, TypeOf(model, target), style),
         dominators.IsReachable(target) ? FormatBytes(dominators.retained[target]) : "garbage"});
  };
  const auto objects_table = [](const char* first) {
    return Table({{first, Table::Align::kLeft, true},
                  {"address", Table::Align::kLeft},
                  {"type", Table::Align::kLeft, true},
                  {"retained", Table::Align::kRight}});
  };
  const auto more = [&](uint64_t all, size_t shown) {
    return all <= shown ? std::string() : "  " + MoreObjects(all, shown) + "\n";
  };
  if (!details.values.empty()) {
    AlignedRows values;
    for (const ObjectValue& value : details.values) {
      values.Add(Printable(value.field),
                 ShortenEnd(style, Printable(value.text), kMostValueColumns));
    }
    out += head("Recorded values") + values.Render("  ") + "\n";
  }
  if (!details.references.empty()) {
    Table table = objects_table("references");
    for (const ObjectReference& reference : details.references) {
      object_row(table, Printable(reference.slot), reference.target);
    }
    out += table.Render(style, 2) + more(details.reference_count, details.references.size()) + "\n";
  }
  if (!details.referrers.empty()) {
    Table table = objects_table("referenced by");
    for (const ObjectReferrer& referrer : details.referrers) {
      object_row(table, Printable(referrer.slot), referrer.holder);
    }
    out += table.Render(style, 2) + more(details.referrer_count, details.referrers.size()) + "\n";
  }
  if (!details.dominators.empty()) {
    Table table = objects_table("dominated by");
    for (size_t i = 0; i < details.dominators.size(); ++i) {
      object_row(table, std::to_string(i + 1), details.dominators[i]);
    }
    out += table.Render(style, 2) + more(details.dominator_count, details.dominators.size()) + "\n";
  }
  return out +
         NextHint("`hindsight object` with an address from above continues from there; `paths " +
                      Address(model, id) + "` shows the path to this one as a tree.",
                  style);
}

namespace {

Object<LargestObject, HeapContext> LargestObjectFields() {
  return {
      {ObjectIdFields(), &LargestObject::id},
      {"retained_bytes", "Retained size", &LargestObject::retained},
      {ObjectSizeFields(), &LargestObject::id},
      {ObjectGenerationFields(), &LargestObject::id},
      {"path", "From the root to the object", &LargestObject::path},
  };
}

Object<LargestObjects, HeapContext> RetainedFields() {
  return {
      HeadFields("retained"),
      {"heap", "", HeapFields(), kItsHeap},
      {"reachable_bytes", "Reachable bytes", &LargestObjects::bytes},
      {"skipped", "As large, but retained by a listed object", &LargestObjects::skipped},
      {"objects", "Most retained bytes first", LargestObjectFields(), &LargestObjects::objects},
  };
}

Object<ObjectValue> ObjectValueFields() {
  return {
      {"field", "Its name", &ObjectValue::field},
      {"value", "As text", &ObjectValue::text},
  };
}

Object<ObjectReference, HeapContext> ObjectReferenceFields() {
  return {
      {"slot", "Field or element", &ObjectReference::slot},
      {"target", "What it references; null: nothing", HeldObjectFields(),
       [](auto& reference) { return IfKnown(reference.target != kNoObject, reference.target); }},
  };
}

Object<ObjectReferrer, HeapContext> ObjectReferrerFields() {
  return {
      {"slot", "Field or element", &ObjectReferrer::slot},
      {"holder", "Whose field or element", HeldObjectFields(), &ObjectReferrer::holder},
  };
}

Object<ObjectDetails, HeapContext> ObjectDetailFields() {
  return {
      {ObjectIdFields(), &ObjectDetails::id},
      {ObjectSizeFields(), &ObjectDetails::id},
      {"length", "Of an array or a string; else null", &ObjectDetails::length},
      {ObjectGenerationFields(), &ObjectDetails::id},
      {"reachable", "Whether it is reachable",
       [](auto& details, auto& heap) { return heap.dominators->IsReachable(details.id); }},
      {ObjectRetainedFields(), &ObjectDetails::id},
      {"roots", "Roots that reference it",
       [](auto& details, auto& heap) {
         std::vector<std::string> roots;
         for (const HeapRoot& root : details.roots) roots.push_back(RootName(*heap.model, root));
         return roots;
       }},
      {"path", "From the root to the object", &ObjectDetails::path},
      {"values", "Recorded values of fields", ObjectValueFields(), &ObjectDetails::values},
      {"references", "What it references", ObjectReferenceFields(), &ObjectDetails::references},
      {"reference_count", "Of all, shown or not", &ObjectDetails::reference_count},
      {"referrers", "What references it", ObjectReferrerFields(), &ObjectDetails::referrers},
      {"referrer_count", "Of all, shown or not", &ObjectDetails::referrer_count},
      {"dominators", "Dominators, the nearest first", HeldObjectFields(),
       &ObjectDetails::dominators},
      {"dominator_count", "Of all, shown or not", &ObjectDetails::dominator_count},
  };
}

Object<ObjectDetails, HeapContext> ObjectFields() {
  return {
      HeadFields("object"),
      {"heap", "", HeapFields(), kItsHeap},
      {"object", "The object", ObjectDetailFields()},
  };
}

}  // namespace

std::string RetainedJson(const HeapModel& model, const LargestObjects& largest) {
  return JsonOf(RetainedFields(), largest, {&model});
}

SharedShape RetainedShape() { return RetainedFields().shape(); }

std::string ObjectJson(const HeapModel& model, const Dominators& dominators,
                       const ObjectDetails& details) {
  return JsonOf(ObjectFields(), details, {&model, nullptr, &dominators});
}

SharedShape SingleObjectShape() { return ObjectFields().shape(); }

}  // namespace hindsight::analyzer
