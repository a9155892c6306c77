#include "analyzer/page/descriptions.h"

#include <algorithm>

#include "analyzer/base/text.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/schemas.h"

namespace hindsight::analyzer {
namespace {

using Type = Shape::Type;

// By the unit in the field's name, as in the text reports; null: it has no cell.
std::string_view KindOf(const FieldShape& field) {
  const std::string_view name = field.name;
  const bool is_whole = field.shape.type == Type::kInteger;
  if (field.shape.type == Type::kText || field.shape.type == Type::kBoolean) return "text";
  if (!is_whole && field.shape.type != Type::kNumber) return {};
  if (name.ends_with("at_ns")) return "at";
  if (name.ends_with("_ns")) return "ns";
  if (name.ends_with("bytes")) return "bytes";
  if (name.ends_with("share")) return "share";
  return is_whole ? "count" : "decimal";
}

// "longest" for longest_ns that has no column in a text report.
std::string TitleOf(const FieldShape& field) {
  if (!field.title.empty()) return std::string(field.title);
  std::string title = field.name;
  for (const std::string_view unit : {"_ns", "_bytes"}) {
    if (title.ends_with(unit)) title.resize(title.size() - unit.size());
  }
  std::ranges::replace(title, '_', ' ');
  return title;
}

// The fields of a row, and of the objects in it.
void AddFields(const ObjectShape& row, const std::string& path, Json& out) {
  for (const FieldShape& field : row.fields) {
    const std::string name = path + field.name;
    if (field.shape.type == Type::kObject) AddFields(*field.shape.object, name + "/", out);
    const std::string_view kind = KindOf(field);
    if (kind.empty()) continue;
    out[name] = {TitleOf(field), kind, field.meaning};
  }
}

void AddLists(const ObjectShape& answer, const std::string& path, Json& out) {
  for (const FieldShape& field : answer.fields) {
    const std::string place = path + "/" + field.name;
    if (field.shape.type == Type::kObject) AddLists(*field.shape.object, place, out);
    if (field.shape.type != Type::kList || field.shape.element->type != Type::kObject) continue;
    Json fields = Json::object();
    AddFields(*field.shape.element->object, {}, fields);
    if (!fields.empty()) out[place] = std::move(fields);
  }
}

std::string ScriptFor(std::span<const std::string_view> commands) {
  return "const Descriptions = " + EscapedJson(Descriptions(commands).dump()) + "\n";
}

}  // namespace

Json Descriptions(std::span<const std::string_view> commands) {
  Json out = Json::object();
  for (const ReportSchema& report : ReportSchemas()) {
    if (std::ranges::find(commands, report.command) == commands.end()) continue;
    AddLists(*report.forms.front()(), std::string(report.command), out);
  }
  return out;
}

std::string ReportDescriptions() {
  static constexpr std::string_view kCommands[] = {"allocations", "cpu",   "exceptions", "gc",
                                                   "heap",        "leaks", "locks",      "pool",
                                                   "requests",    "tasks", "threads",    "wall"};
  return ScriptFor(kCommands);
}

std::string FleetDescriptions() {
  static constexpr std::string_view kCommands[] = {"fleet"};
  return ScriptFor(kCommands);
}

}  // namespace hindsight::analyzer
