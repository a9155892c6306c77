// SQLite databases of tables.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "analyzer/base/result.h"
#include "analyzer/exports/tables/table_writer.h"

struct sqlite3;
struct sqlite3_stmt;

namespace hindsight::analyzer {

// One connection; not thread-safe.
class Database {
 public:
  // Creates empty tables in memory.
  static Result<Database> OpenMemory();
  // Creates empty tables in a file that must not exist. Nothing is safe before Close: no journal,
  // no sync.
  static Result<Database> Create(const std::string& file);
  // Opens a database that was made by an export of this version. `writable`: for adding to it.
  static Result<Database> Open(const std::string& file, bool writable);
  // Whether the file begins as SQLite's do.
  static bool IsDatabase(const std::string& file);

  Result<void> Run(const std::string& statements);
  // Adds the tables and columns that an older version of the analyzer did not have, and replaces
  // the views by those of this version. Existing contents stay unchanged.
  Result<void> BringUpToDate();
  // Removes the recording, if it is there.
  Result<void> Remove(int64_t recording);
  Result<void> Close();

  sqlite3* handle() const { return handle_.get(); }
  // What `code`, SQLite's last error, means for the user.
  Error Fault(int code) const;

 private:
  struct Closer {
    void operator()(sqlite3* handle) const;
  };

  Database(std::string file, sqlite3* handle) : file_(std::move(file)), handle_(handle) {}
  // Empty: there is no such table.
  Result<std::set<std::string>> ColumnsOf(const TableSchema& table) const;
  static Result<Database> OpenFile(const std::string& file, int flags);

  std::string file_;  // for messages
  std::unique_ptr<sqlite3, Closer> handle_;
};

// Writes rows to a database. Repetitions from damaged input are stored once.
class DatabaseSink : public RowSink {
 public:
  // `database` must outlive this.
  explicit DatabaseSink(Database& database) : database_(database) {}
  ~DatabaseSink() override;

  void Begin(const TableSchema& table) override;
  void Integer(int64_t value) override;
  void Real(double value) override;
  void Text(std::string_view value) override;
  void Null() override;
  void EndRow() override;

  // The first error, if any.
  Result<void> status() const;
  uint64_t rows() const { return rows_; }

 private:
  void Keep(int code);

  Database& database_;
  std::map<std::string_view, sqlite3_stmt*> inserts_;  // by table
  sqlite3_stmt* insert_ = nullptr;
  int cell_ = 0;
  uint64_t rows_ = 0;
  std::unique_ptr<Error> error_;
};

}  // namespace hindsight::analyzer
