// A user's query: a single SELECT, which cannot change or reach anything else.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/exports/tables/database.h"
#include "analyzer/exports/tables/object_tables.h"

namespace hindsight::analyzer {

using QueryCell = std::variant<std::monostate, int64_t, double, std::string>;  // first: NULL

class Query {
 public:
  // An error shows its position in `sql`. `database` must outlive this; rows may be added to it
  // before the first Next.
  static Result<Query> Prepare(Database& database, const std::string& sql);

  // Our tables that it reads, also through views.
  const TableNames& tables() const { return tables_; }
  const ObjectTableUse& heap() const { return heap_; }
  const std::vector<std::string>& columns() const { return columns_; }
  // From now on, Next ends with an error once this much time has passed.
  void LimitTime(std::chrono::milliseconds most);
  // Gets the next row; false: there is none.
  Result<bool> Next(std::vector<QueryCell>& row);

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };

  explicit Query(Database& database) : database_(&database) {}

  Database* database_;
  // In dynamic memory, because SQLite keeps its address.
  std::unique_ptr<std::chrono::steady_clock::time_point> until_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  TableNames tables_;
  ObjectTableUse heap_;
  std::vector<std::string> columns_;
};

}  // namespace hindsight::analyzer
