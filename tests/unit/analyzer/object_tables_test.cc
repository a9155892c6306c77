// SQL over the objects of a heap: rows, what is looked up and what is scanned, and that only
// reading is possible.
#include "analyzer/exports/tables/object_tables.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/exports/tables/query.h"
#include "tests/support/documented_queries.h"
#include "tests/support/heap_builder.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;
using Cells = std::vector<QueryCell>;

constexpr int64_t kOrders = 3;

// Three orders in the list of a static field, each with bytes; one more order without referrers,
// and a class without objects.
std::unique_ptr<HeapModel> Shop() {
  HeapBuilder heap;
  const ClassIndex order = heap.Class("Shop.Order", {"_note", "_same"}, 640);
  const ClassIndex list = heap.Array("Shop.Order");
  const ClassIndex bytes = heap.PlainArray("System.Byte", 1);
  heap.Class("Shop.Unused", {});
  const ObjectId all = heap.Add(list, kOrders);
  for (uint64_t i = 0; i < kOrders; ++i) {
    const ObjectId one = heap.Add(order);
    const ObjectId note = heap.Add(bytes, 100 * i);
    heap.Refer(one, "_note", note);
    heap.Refer(one, "_same", note);
    heap.Refer(all, i, one);
  }
  heap.Add(order);
  heap.Static("Shop.Program", "orders", all);
  return heap.Build();
}

class HeapSql : public ::testing::Test {
 protected:
  void Load(std::unique_ptr<HeapModel> model) {
    model_ = std::move(model);
    dominators_ = ComputeDominators(model_->graph);
    tree_.emplace(dominators_);
    names_.emplace(*model_);
    tables_.Show({.model = model_.get(),
                  .names = &*names_,
                  .dominators = &dominators_,
                  .tree = &*tree_,
                  .referrers = [this]() -> const Referrers& {
                    if (!referrers_) referrers_.emplace(model_->graph);
                    return *referrers_;
                  }});
  }
  void SetUp() override {
    ASSERT_TRUE(database_.ok());
    ASSERT_TRUE(tables_.AddTo(*database_).ok());
  }

  // Rows one after the other; an error fails the test.
  Cells Ask(const std::string& sql) {
    Result<Query> query = Query::Prepare(*database_, sql);
    if (!query) {
      ADD_FAILURE() << sql << ": " << query.error().sentence;
      return {};
    }
    query->LimitTime(std::chrono::seconds(10));  // as the explorer does
    Cells all, row;
    while (true) {
      const Result<bool> more = query->Next(row);
      if (!more) ADD_FAILURE() << sql << ": " << more.error().sentence;
      if (!more || !*more) return all;
      all.insert(all.end(), row.begin(), row.end());
    }
  }
  int64_t Number(const std::string& sql) {
    const Cells cells = Ask(sql);
    return cells.size() == 1 && std::holds_alternative<int64_t>(cells[0])
               ? std::get<int64_t>(cells[0])
               : -1;
  }
  // SQLite's query plan.
  std::string Plan(const std::string& sql) {
    std::string plan;
    for (const QueryCell& cell : Ask("EXPLAIN QUERY PLAN " + sql)) {
      if (const auto* text = std::get_if<std::string>(&cell)) plan += *text + "\n";
    }
    return plan;
  }

  std::unique_ptr<HeapModel> model_;
  Dominators dominators_;
  std::optional<DominatorTree> tree_;
  std::optional<SlotNames> names_;
  std::optional<Referrers> referrers_;
  ObjectTables tables_;
  Result<Database> database_ = Database::OpenMemory();
};

TEST_F(HeapSql, ObjectsAreThoseOfTheGraph) {
  Load(Shop());
  EXPECT_EQ(Number("SELECT count(*) FROM objects"), model_->graph.size());
  EXPECT_EQ(Ask("SELECT id, type, size, length, retained, dominator FROM objects WHERE id = 1"),
            (Cells{int64_t{1},
                   "Shop.Order",
                   int64_t{640},
                   {},
                   static_cast<int64_t>(dominators_.retained[1]),
                   int64_t{0}}));
  EXPECT_EQ(Ask("SELECT type, length FROM objects WHERE id = 4"), (Cells{"byte[]", int64_t{100}}));
  // Nothing refers to it: no retained size and no dominator, which is different from 0.
  EXPECT_EQ(Ask("SELECT retained, dominator, generation FROM objects WHERE id = 7"),
            (Cells{{}, {}, "2"}));
  for (ObjectId id = 0; id < model_->graph.size(); ++id) {
    const std::string where = " FROM objects WHERE id = " + std::to_string(id);
    EXPECT_EQ(Number("SELECT size" + where), static_cast<int64_t>(model_->graph.Bytes(id)));
    // By its address, in this notation only.
    EXPECT_EQ(Number("SELECT id FROM objects WHERE address = (SELECT address" + where + ")"), id);
    EXPECT_EQ(
        Number("SELECT count(*) FROM objects WHERE address = (SELECT upper(address)" + where + ")"),
        0);
  }
}

TEST_F(HeapSql, ReferencesAreThereOnceEach) {
  Load(Shop());
  uint64_t references = 0;
  for (ObjectId id = 0; id < model_->graph.size(); ++id) {
    const auto of = model_->graph.References(id);
    references += of.size();
    const std::string text = std::to_string(id);
    EXPECT_EQ(Number("SELECT count(*) FROM refs WHERE source = " + text),
              static_cast<int64_t>(of.size()));
    // The same without the lookup.
    EXPECT_EQ(Ask("SELECT source, slot FROM refs WHERE target = " + text + " ORDER BY 1, 2"),
              Ask("SELECT source, slot FROM refs WHERE +target = " + text + " ORDER BY 1, 2"));
  }
  EXPECT_EQ(Number("SELECT count(*) FROM refs"), static_cast<int64_t>(references));
  EXPECT_EQ(Number("SELECT count(DISTINCT rowid) FROM refs"), static_cast<int64_t>(references));
  EXPECT_EQ(Ask("SELECT target, slot FROM refs WHERE source = 3"),
            (Cells{int64_t{4}, "._note", int64_t{4}, "._same"}));
  EXPECT_EQ(Number("SELECT count(*) FROM refs WHERE source = 3 AND target = 4"), 2);
  EXPECT_EQ(Number("SELECT count(*) FROM refs WHERE source = 3 AND target = 5"), 0);
  EXPECT_EQ(Ask("SELECT slot FROM refs WHERE source = 0 AND target = 5"), (Cells{"[2]"}));
}

TEST_F(HeapSql, TypesAreSumsOfTheirObjects) {
  Load(Shop());
  const Cells types = Ask("SELECT type, objects, size FROM object_types");
  EXPECT_EQ(types, Ask("SELECT type, count(*), sum(size) FROM objects GROUP BY type"));
  EXPECT_EQ(Ask("SELECT objects, size FROM object_types WHERE type = 'Shop.Order'"),
            (Cells{kOrders + 1, 640 * (kOrders + 1)}));
  EXPECT_EQ(Number("SELECT count(*) FROM object_types WHERE type = 'Shop.Unused'"), 0);
  EXPECT_EQ(Number("SELECT retained FROM object_types WHERE type = 'Shop.Order'"),
            Number("SELECT sum(retained) FROM objects WHERE type = 'Shop.Order'"));
  EXPECT_EQ(Number("SELECT count(*) FROM objects WHERE dominator = 0"), kOrders);
  EXPECT_EQ(Number("SELECT count(*) FROM objects WHERE type = 'Shop.Order'"), kOrders + 1);
}

TEST_F(HeapSql, WhatNoRowIsEqualToIsNotFound) {
  Load(Shop());
  for (const char* value :
       {"-1", "1000000", "9223372036854775807", "1.5", "'x'", "NULL", "x'31'"}) {
    for (const char* column :
         {"objects WHERE id", "objects WHERE dominator", "refs WHERE source", "refs WHERE target",
          "objects WHERE type", "objects WHERE address"}) {
      EXPECT_EQ(Number("SELECT count(*) FROM " + std::string(column) + " = " + value), 0)
          << column << " " << value;
    }
  }
  EXPECT_EQ(Number("SELECT id FROM objects WHERE id = 1.0"), 1);
  EXPECT_EQ(Number("SELECT count(*) FROM objects WHERE id IN (1, 2, 99, 2)"), 2);
  EXPECT_EQ(Number("SELECT count(*) FROM objects WHERE type = 'shop.order'"), 0);
  EXPECT_EQ(Number("SELECT count(*) FROM objects WHERE type = 'shop.order' COLLATE NOCASE"),
            kOrders + 1);
}

TEST_F(HeapSql, LookupsAndOrdersNeedNoScanAndNoSorting) {
  Load(Shop());
  const std::string all = Plan("SELECT * FROM objects");
  for (const char* column : {"id", "address", "type", "dominator"}) {
    EXPECT_NE(Plan("SELECT * FROM objects WHERE " + std::string(column) + " = 'x'"), all) << column;
  }
  for (const char* column : {"source", "target"}) {
    EXPECT_NE(Plan("SELECT * FROM refs WHERE " + std::string(column) + " = 1"),
              Plan("SELECT * FROM refs"))
        << column;
  }
  for (const char* sql :
       {"SELECT type, count(*) FROM objects GROUP BY type", "SELECT * FROM objects ORDER BY type",
        "SELECT * FROM objects ORDER BY id", "SELECT * FROM objects WHERE type = 'x' ORDER BY id",
        "SELECT * FROM refs ORDER BY source", "SELECT * FROM object_types ORDER BY type"}) {
    EXPECT_EQ(Plan(sql).find("TEMP B-TREE"), std::string::npos) << sql << "\n" << Plan(sql);
  }
  EXPECT_NE(Plan("SELECT * FROM objects ORDER BY type DESC").find("TEMP B-TREE"), std::string::npos)
      << "another order than that of the rows";
}

TEST_F(HeapSql, AQueryReportsWhatItReads) {
  Load(Shop());
  const auto use = [this](const char* sql) {
    const Result<Query> query = Query::Prepare(*database_, sql);
    EXPECT_TRUE(query.ok()) << sql;
    return query ? query->heap() : ObjectTableUse();
  };
  EXPECT_FALSE(use("SELECT * FROM threads").any);
  EXPECT_TRUE(use("SELECT count(*) FROM refs").any);
  EXPECT_TRUE(use("SELECT t.name FROM types t JOIN objects USING (type)").any);
  EXPECT_FALSE(use("SELECT type, sum(size) FROM objects GROUP BY type").dominators);
  for (const char* sql :
       {"SELECT retained FROM objects", "SELECT 1 FROM objects WHERE dominator = 3",
        "SELECT * FROM object_types"}) {
    EXPECT_TRUE(use(sql).dominators) << sql;
  }
}

TEST_F(HeapSql, OnlyReadingIsPossible) {
  Load(Shop());
  for (const char* sql :
       {"DELETE FROM objects", "UPDATE objects SET size = 0", "INSERT INTO refs VALUES (1, 2, 3)",
        "DROP TABLE objects", "CREATE VIRTUAL TABLE x USING objects"}) {
    EXPECT_FALSE(Query::Prepare(*database_, sql).ok()) << sql;
  }
}

TEST_F(HeapSql, EveryDocumentedQueryAnswers) {
  Load(Shop());
  const std::vector<std::string> queries = testing::DocumentedQueries(HINDSIGHT_EXPLORER_MD);
  EXPECT_EQ(queries.size(), 5u);
  for (const std::string& query : queries) EXPECT_FALSE(Ask(query).empty()) << query;
}

// Two million objects: scanning instead of looking up would need 10^11 steps.
TEST_F(HeapSql, MillionsOfObjectsAnswerInTime) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next"});
  const ClassIndex leaf = heap.Class("Shop.Leaf", {});
  ObjectId before = heap.Add(node);
  heap.Root(before);
  constexpr int64_t kNodes = 1'000'000;
  for (int64_t i = 1; i < kNodes; ++i) {
    const ObjectId next = heap.Add(node);
    heap.Add(leaf);
    heap.Refer(before, "_next", next);
    before = next;
  }
  Load(heap.Build());
  EXPECT_EQ(Ask("SELECT type, count(*), sum(size) FROM objects GROUP BY type"),
            (Cells{"Shop.Leaf", kNodes - 1, 24 * (kNodes - 1), "Shop.Node", kNodes, 24 * kNodes}));
  EXPECT_EQ(Number("SELECT count(*) FROM (SELECT id FROM objects WHERE type = 'Shop.Node' LIMIT "
                   "50000) n JOIN refs r ON r.source = n.id JOIN objects o ON o.id = r.target"),
            50'000);
  EXPECT_EQ(Number("WITH RECURSIVE up(id, steps) AS (SELECT 49999, 0 UNION ALL SELECT r.source, "
                   "steps + 1 FROM up JOIN refs r ON r.target = up.id) SELECT max(steps) FROM up"),
            25'000);
}

}  // namespace
}  // namespace hindsight::analyzer
