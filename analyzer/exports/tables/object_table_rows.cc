#include "analyzer/exports/tables/object_table_rows.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "analyzer/analyses/heap/generations.h"
#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/analyses/heap/targets.h"
#include "analyzer/exports/tables/cell_text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

constexpr double kRows = 1e6;  // of a table, while the heap has not been read
constexpr double kFew = 10;

// The id that is equal to a number in SQL; nullopt: none is.
std::optional<ObjectId> IdOf(sqlite3_value* value, uint32_t size) {
  const int type = sqlite3_value_numeric_type(value);
  int64_t number = -1;
  if (type == SQLITE_INTEGER) number = sqlite3_value_int64(value);
  if (type == SQLITE_FLOAT) {
    const double real = sqlite3_value_double(value);
    if (real >= 0 && real < size && real == std::floor(real)) number = static_cast<int64_t>(real);
  }
  if (number < 0 || number >= int64_t{size}) return std::nullopt;
  return static_cast<ObjectId>(number);
}

// nullopt: it is not a text.
std::optional<std::string_view> TextOf(sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return std::nullopt;
  return std::string_view(text, static_cast<size_t>(sqlite3_value_bytes(value)));
}

void GiveNumber(sqlite3_context* context, uint64_t value) {
  sqlite3_result_int64(context, static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX)));
}
// `text` must live as long as the query.
void GiveLasting(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}
void GiveText(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

// 0, 1, 2, large, pinned, frozen; empty: unknown.
std::string_view ShortName(Generation generation) {
  if (generation == Generation::kUnknown) return {};
  const std::string_view name = GenerationName(generation);
  return name.starts_with("gen") ? name.substr(3) : name;
}

// A constraint that a plan can use: column = value. The first one for each column counts. Texts
// must be compared by bytes.
std::optional<int> EqualityOn(sqlite3_index_info* info, int column, bool is_text) {
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (constraint.iColumn != column) continue;
    if (is_text && sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) continue;
    return i;
  }
  return std::nullopt;
}

// SQLite compares the values again, since it decides itself what is equal.
void Use(sqlite3_index_info* info, int constraint, int argument) {
  info->aConstraintUsage[constraint].argvIndex = argument;
}

void Plan(sqlite3_index_info* info, int plan, double rows) {
  info->idxNum = plan;
  info->estimatedRows = static_cast<sqlite3_int64>(std::max(rows, 1.0));
  info->estimatedCost = std::max(rows, 1.0);
}

bool IsOrderedBy(const sqlite3_index_info* info, int column) {
  return info->nOrderBy == 1 && info->aOrderBy[0].iColumn == column && info->aOrderBy[0].desc == 0;
}

}  // namespace

void ObjectRows::Choose(sqlite3_index_info* info) {
  if (const auto id = EqualityOn(info, kId, false)) {
    Use(info, *id, 1);
    Plan(info, kById, 1);
    info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  } else if (const auto address = EqualityOn(info, kAddress, true)) {
    Use(info, *address, 1);
    Plan(info, kByAddress, 1);
  } else if (const auto dominator = EqualityOn(info, kDominator, false)) {
    Use(info, *dominator, 1);
    Plan(info, kByDominator, kFew);
  } else if (const auto type = EqualityOn(info, kType, true)) {
    Use(info, *type, 1);
    Plan(info, kByType, kRows / 100);
    info->orderByConsumed = IsOrderedBy(info, kId) ? 1 : 0;
  } else if (IsOrderedBy(info, kType)) {
    Plan(info, kInOrderOfTypes, kRows);
    info->orderByConsumed = 1;
  } else {
    Plan(info, kAll, kRows);
    info->orderByConsumed = IsOrderedBy(info, kId) ? 1 : 0;
  }
}

void ObjectRows::Begin(ObjectTableIndex& index, int plan, std::span<sqlite3_value*> values) {
  const HeapGraph& graph = index.graph();
  list_ = {};
  at_ = end_ = 0;
  tree_ = nullptr;
  switch (plan) {
    case kById:
    case kByAddress: {
      const std::optional<ObjectId> id =
          plan == kById ? IdOf(values[0], graph.size()) : AtAddress(index, values[0]);
      if (id) at_ = *id, end_ = *id + 1;
      break;
    }
    case kByDominator:
      if (const auto id = IdOf(values[0], graph.size()); id && index.source.tree != nullptr) {
        tree_ = index.source.tree;
        child_ = tree_->FirstChild(*id);
      }
      break;
    case kByType: {
      const auto name = TextOf(values[0]);
      const size_t type = name ? index.FindType(*name) : index.types();
      if (type < index.types()) list_ = index.OfType(type);
      end_ = static_cast<uint32_t>(list_.size());
      break;
    }
    case kInOrderOfTypes:
      list_ = index.ByType();
      end_ = static_cast<uint32_t>(list_.size());
      break;
    default:
      end_ = graph.size();
  }
}

void ObjectRows::Give(ObjectTableIndex& index, sqlite3_context* context, int column) const {
  const HeapGraph& graph = index.graph();
  const ObjectId id = Id();
  const Dominators* const dominators = index.source.dominators;
  switch (column) {
    case kId:
      return GiveNumber(context, id);
    case kAddress:
      return GiveText(context, AddressText(graph.Address(id)));
    case kType:
      return GiveLasting(context, index.TypeName(index.TypeOf(id)));
    case kSize:
      return GiveNumber(context, graph.Bytes(id));
    case kLength:
      if (graph.classes()[graph.ClassOf(id)].component_bytes != 0) {
        GiveNumber(context, graph.Length(id));
      }
      return;
    case kGeneration:
      if (const std::string_view name = ShortName(graph.GenerationOf(id)); !name.empty()) {
        GiveLasting(context, name);
      }
      return;
    case kRetained:
      if (dominators != nullptr && dominators->IsReachable(id)) {
        GiveNumber(context, dominators->retained[id]);
      }
      return;
    case kDominator:
      if (dominators != nullptr && dominators->immediate[id] < kSuperRoot) {
        GiveNumber(context, dominators->immediate[id]);
      }
      return;
  }
}

std::optional<ObjectId> ObjectRows::AtAddress(ObjectTableIndex& index, sqlite3_value* value) {
  const auto text = TextOf(value);
  if (!text) return std::nullopt;
  const Result<ObjectId> found = FindObject(*index.source.model, *text);
  if (!found || AddressText(index.graph().Address(*found)) != *text) return std::nullopt;
  return *found;
}

void ReferenceRows::Choose(sqlite3_index_info* info) {
  const auto source = EqualityOn(info, kSource, false);
  const auto target = EqualityOn(info, kTarget, false);
  if (source) {
    Use(info, *source, 1);
    Plan(info, kOfSource, kFew);
  } else if (target) {
    Use(info, *target, 1);
    Plan(info, kToTarget, kFew);
  } else {
    Plan(info, kAll, 3 * kRows);
    info->orderByConsumed = IsOrderedBy(info, kSource) ? 1 : 0;
  }
}

void ReferenceRows::Begin(ObjectTableIndex& index, int plan, std::span<sqlite3_value*> values) {
  graph_ = &index.graph();
  holders_ = {};
  target_ = kNoObject;
  at_ = end_ = 0;
  n_ = 0;
  if (plan == kAll) end_ = graph_->size();
  const std::optional<ObjectId> id = plan == kAll ? std::nullopt : IdOf(values[0], graph_->size());
  if (id && plan == kOfSource) at_ = *id, end_ = *id + 1;
  if (id && plan == kToTarget) {
    holders_ = index.source.referrers().Of(*id);
    end_ = static_cast<uint32_t>(holders_.size());
    target_ = *id;
  }
  Settle();
}

void ReferenceRows::Give(ObjectTableIndex& index, sqlite3_context* context, int column) const {
  switch (column) {
    case kSource:
      return GiveNumber(context, Holder());
    case kTarget:
      return GiveNumber(context, graph_->References(Holder())[n_]);
    case kSlot:
      return GiveText(context, CellText(index.source.names->Reference(Holder(), n_)));
  }
}

void ReferenceRows::Settle() {
  for (; at_ < end_; ++at_, n_ = 0) {
    const std::span<const ObjectId> references = graph_->References(Holder());
    if (target_ != kNoObject) {
      while (n_ < references.size() && references[n_] != target_) ++n_;
    }
    if (n_ < references.size()) return;
  }
}

void ObjectTypeRows::Choose(sqlite3_index_info* info) {
  Plan(info, 0, 1000);
  info->orderByConsumed = IsOrderedBy(info, kType) ? 1 : 0;
}

void ObjectTypeRows::Begin(ObjectTableIndex& index, int, std::span<sqlite3_value*>) {
  const HeapGraph& graph = index.graph();
  std::vector<Sum> sums(index.types());
  for (ObjectId id = 0; id < graph.size(); ++id) {
    Sum& sum = sums[index.TypeOf(id)];
    ++sum.objects;
    sum.bytes += graph.Bytes(id);
  }
  const ObjectTableSource& source = index.source;
  if (source.dominators != nullptr && source.tree != nullptr) {
    const TypeHistogram histogram =
        MakeTypeHistogram(*source.model, *source.dominators, *source.tree);
    for (const TypeRow& row : histogram.rows) {
      const size_t type =
          index.FindType(CellText(TypeDisplayName(source.model->dictionaries, row.type)));
      if (type < sums.size()) sums[type].retained += row.retained;
    }
  }
  rows_.clear();
  for (uint32_t type = 0; type < sums.size(); ++type) {
    if (sums[type].objects > 0) rows_.emplace_back(type, sums[type]);
  }
  at_ = 0;
}

void ObjectTypeRows::Give(ObjectTableIndex& index, sqlite3_context* context, int column) const {
  const auto& [type, sum] = rows_[at_];
  switch (column) {
    case kType:
      return GiveLasting(context, index.TypeName(type));
    case kObjects:
      return GiveNumber(context, sum.objects);
    case kSize:
      return GiveNumber(context, sum.bytes);
    case kRetained:
      if (index.source.dominators != nullptr) GiveNumber(context, sum.retained);
      return;
  }
}

}  // namespace hindsight::analyzer
