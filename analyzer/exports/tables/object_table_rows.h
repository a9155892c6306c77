// The rows of the virtual tables `objects`, `refs` and `object_types`: how they are found, iterated
// over and read.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/exports/tables/object_table_index.h"

namespace hindsight::analyzer {

struct ObjectTableColumn {
  const char* name;
  const char* type;
  const char* meaning;
  bool from_dominators = false;
};
struct ObjectTableText {
  const char* name;
  const char* meaning;
  std::span<const ObjectTableColumn> columns;
};

// Each class of rows has kTable; Choose, which picks a plan for the constraints of a query; Begin,
// which goes to the first row of a plan; Next, IsAtEnd and Row, the number of the current row; and
// Give, which returns the value of a column.

class ObjectRows {
 public:
  enum ColumnNumber { kId, kAddress, kType, kSize, kLength, kGeneration, kRetained, kDominator };
  static constexpr std::array<ObjectTableColumn, 8> kColumns = {{
      {"id", "INTEGER", "number in this snapshot, by address"},
      {"address", "TEXT", "0x7f3a00001234"},
      {"type", "TEXT", "name"},
      {"size", "INTEGER", "shallow size in bytes"},
      {"length", "INTEGER", "elements or characters; NULL: not an array or string"},
      {"generation", "TEXT", "0, 1, 2, large, pinned or frozen"},
      {"retained", "INTEGER", "retained size in bytes; NULL: not reachable", true},
      {"dominator", "INTEGER", "id of the immediate dominator; NULL: none, or not reachable", true},
  }};
  static constexpr ObjectTableText kTable = {
      "objects", "All objects, also those that are not reachable", kColumns};

  static void Choose(sqlite3_index_info* info);

  void Begin(ObjectTableIndex& index, int plan, std::span<sqlite3_value*> values);
  void Next() {
    if (tree_ != nullptr) {
      child_ = tree_->NextSibling(child_);
    } else {
      ++at_;
    }
  }
  bool IsAtEnd() const { return tree_ != nullptr ? child_ == kNoObject : at_ >= end_; }
  int64_t Row() const { return Id(); }

  void Give(ObjectTableIndex& index, sqlite3_context* context, int column) const;

 private:
  enum PlanNumber { kAll, kById, kByAddress, kByType, kByDominator, kInOrderOfTypes };

  // Only for an address in this notation, and only at an object's beginning.
  static std::optional<ObjectId> AtAddress(ObjectTableIndex& index, sqlite3_value* value);

  ObjectId Id() const {
    return tree_ != nullptr ? child_ : list_.empty() ? ObjectId{at_} : list_[at_];
  }

  std::span<const ObjectId> list_;  // empty: the ids themselves
  uint32_t at_ = 0, end_ = 0;
  const DominatorTree* tree_ = nullptr;  // not null: iterates over the siblings of child_
  ObjectId child_ = kNoObject;
};

class ReferenceRows {
 public:
  enum ColumnNumber { kSource, kTarget, kSlot };
  static constexpr std::array<ObjectTableColumn, 3> kColumns = {{
      {"source", "INTEGER", "id of the object that refers"},
      {"target", "INTEGER", "id of the object that it refers to"},
      {"slot", "TEXT", "where: ._items, [3], static Shop.Cache._items"},
  }};
  static constexpr ObjectTableText kTable = {
      "refs", "All references between objects, without nulls", kColumns};

  static void Choose(sqlite3_index_info* info);

  void Begin(ObjectTableIndex& index, int plan, std::span<sqlite3_value*> values);
  void Next() {
    ++n_;
    Settle();
  }
  bool IsAtEnd() const { return at_ >= end_; }
  int64_t Row() const {
    return graph_->References(Holder()).data() + n_ - graph_->References(0).data();
  }

  void Give(ObjectTableIndex& index, sqlite3_context* context, int column) const;

 private:
  enum PlanNumber { kAll, kOfSource, kToTarget };

  ObjectId Holder() const { return target_ != kNoObject ? holders_[at_] : ObjectId{at_}; }

  // Goes to the next matching reference, from the current position on.
  void Settle();

  const HeapGraph* graph_ = nullptr;
  std::span<const ObjectId> holders_;  // with target_: the objects that refer to it
  ObjectId target_ = kNoObject;        // kNoObject: all of them
  uint32_t at_ = 0, end_ = 0;          // objects, or indexes into holders_
  size_t n_ = 0;
};

class ObjectTypeRows {
 public:
  enum ColumnNumber { kType, kObjects, kSize, kRetained };
  static constexpr std::array<ObjectTableColumn, 4> kColumns = {{
      {"type", "TEXT", "name"},
      {"objects", "INTEGER", "also those that are not reachable"},
      {"size", "INTEGER", "sum of their shallow sizes in bytes"},
      {"retained", "INTEGER", "what would be freed without the type, in bytes", true},
  }};
  static constexpr ObjectTableText kTable = {"object_types", "Types with objects, by name",
                                             kColumns};

  static void Choose(sqlite3_index_info* info);

  void Begin(ObjectTableIndex& index, int, std::span<sqlite3_value*>);
  void Next() { ++at_; }
  bool IsAtEnd() const { return at_ >= rows_.size(); }
  int64_t Row() const { return static_cast<int64_t>(at_); }

  void Give(ObjectTableIndex& index, sqlite3_context* context, int column) const;

 private:
  struct Sum {
    uint64_t objects = 0, bytes = 0, retained = 0;
  };
  std::vector<std::pair<uint32_t, Sum>> rows_;
  size_t at_ = 0;
};

}  // namespace hindsight::analyzer
