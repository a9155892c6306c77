#include "analyzer/exports/tables/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "analyzer/base/file_error.h"
#include "analyzer/base/private_file.h"
#include "analyzer/base/regular_file.h"
#include "analyzer/base/text.h"
#include "analyzer/exports/tables/cell_text.h"

namespace hindsight::analyzer {
namespace {

constexpr int kBusyMilliseconds = 10'000;

// The number that a statement returns; -1: none.
int64_t Ask(sqlite3* handle, const char* statement) {
  sqlite3_stmt* prepared = nullptr;
  int64_t value = -1;
  if (sqlite3_prepare_v2(handle, statement, -1, &prepared, nullptr) == SQLITE_OK &&
      sqlite3_step(prepared) == SQLITE_ROW) {
    value = sqlite3_column_int64(prepared, 0);
  }
  sqlite3_finalize(prepared);
  return value;
}

}  // namespace

void Database::Closer::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Error Database::Fault(int code) const {
  const std::string name = file_.empty() ? "The database" : Printable(file_);
  const std::string reason = sqlite3_errmsg(handle());
  switch (code & 0xff) {
    case SQLITE_FULL:
      return {"Cannot write " + name + ": the disk is full."};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {name + " is being written by another program; try again later."};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {"Cannot write " + name + ": the file or its folder is not writable."};
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR: {
      const int error = sqlite3_system_errno(handle());
      return {"Cannot write or read " + name + ": " +
              (error != 0 ? std::string(std::strerror(error)) : reason) + "."};
    }
    case SQLITE_NOTADB:
      return {name + " is not an SQLite database."};
    case SQLITE_CORRUPT:
      return {name + " is damaged: " + reason + "."};
    case SQLITE_NOMEM:
      return {"There is not enough memory for " + name + "."};
    default:
      return {name + ": " + reason + "."};
  }
}

Result<Database> Database::OpenFile(const std::string& file, int flags) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(file.empty() ? ":memory:" : file.c_str(), &handle,
                                   flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(file, handle);
  if (code != SQLITE_OK) return database.Fault(code);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  return database;
}

Result<Database> Database::OpenMemory() {
  Result<Database> database = OpenFile("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!database) return database;
  const Result<void> made = database->Run(CreateStatements());
  return made ? std::move(database) : Result<Database>(made.error());
}

Result<Database> Database::Create(const std::string& file) {
  // SQLite would lose the reason why a file cannot be created.
  std::FILE* const made_file = CreatePrivateFile(file);
  if (made_file == nullptr) return CannotWrite(file, errno);
  std::fclose(made_file);
  Result<Database> database = OpenFile(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!database) return database;
  const Result<void> made = database->Run(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; "
      "PRAGMA page_size = 8192;" +
      CreateStatements());
  return made ? std::move(database) : Result<Database>(made.error());
}

Result<Database> Database::Open(const std::string& file, bool writable) {
  Result<Database> database =
      OpenFile(file, writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  if (!database) return database;
  sqlite3* const handle = database->handle();
  // The first read shows whether it is a database at all.
  const int code = sqlite3_exec(handle, "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return database->Fault(code);
  if (Ask(handle, "PRAGMA application_id") != kTablesApplication) {
    return Error{Printable(file) + " is a database, but was not written by `hindsight export`."};
  }
  const int64_t version = Ask(handle, "PRAGMA user_version");
  if (version != kTablesVersion) {
    return Error{Printable(file) + " has schema version " + std::to_string(version) +
                 "; this hindsight uses version " + std::to_string(kTablesVersion) +
                 ". Export the recordings again, into another file."};
  }
  return database;
}

bool Database::IsDatabase(const std::string& file) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  int error = 0;
  const std::optional<RegularFile> opened = RegularFile::Open(file, error);
  if (!opened) return false;
  char head[16] = {};
  const size_t got = opened->ReadAt(0, std::as_writable_bytes(std::span(head)));
  return std::string_view(head, got) == kMagic;
}

Result<void> Database::Run(const std::string& statements) {
  const int code = sqlite3_exec(handle(), statements.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return Fault(code);
  return {};
}

Result<std::set<std::string>> Database::ColumnsOf(const TableSchema& table) const {
  sqlite3_stmt* prepared = nullptr;
  const std::string question =
      "SELECT name FROM pragma_table_info('" + std::string(table.name) + "')";
  std::set<std::string> columns;
  int code = sqlite3_prepare_v2(handle(), question.c_str(), -1, &prepared, nullptr);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(prepared);
    if (code != SQLITE_ROW) break;
    if (const unsigned char* const name = sqlite3_column_text(prepared, 0)) {
      columns.emplace(reinterpret_cast<const char*>(name));
    }
  }
  sqlite3_finalize(prepared);
  if (code != SQLITE_DONE) return Fault(code);
  return columns;
}

Result<void> Database::BringUpToDate() {
  std::string missing;
  for (const TableSchema& table : Tables()) {
    const Result<std::set<std::string>> present = ColumnsOf(table);
    if (!present) return present.error();
    if (present->empty()) {
      missing += CreateStatement(table);
      continue;
    }
    for (const ColumnSchema& column : table.columns) {
      if (!present->contains(std::string(column.name))) {
        missing += AddColumnStatement(table, column);
      }
    }
  }
  return Run(missing + ViewStatements());
}

Result<void> Database::Remove(int64_t recording) {
  const auto tables = Tables();
  // Rows are removed before what they refer to.
  for (auto table = tables.rbegin(); table != tables.rend(); ++table) {
    const Result<void> removed = Run("DELETE FROM " + std::string(table->name) +
                                     " WHERE recording = " + std::to_string(recording));
    if (!removed) return removed;
  }
  return {};
}

Result<void> Database::Close() {
  const int code = sqlite3_close(handle());
  if (code != SQLITE_OK) return Fault(code);
  handle_.release();
  return {};
}

DatabaseSink::~DatabaseSink() {
  for (const auto& [table, statement] : inserts_) sqlite3_finalize(statement);
}

void DatabaseSink::Keep(int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE || error_) return;
  error_ = std::make_unique<Error>(database_.Fault(code));
}

void DatabaseSink::Begin(const TableSchema& table) {
  cell_ = 0;
  if (error_) return;
  sqlite3_stmt*& insert = inserts_[table.name];
  if (insert == nullptr) {
    // By name: in a database of an older version, columns that were added come last.
    std::string sql = "INSERT OR IGNORE INTO " + std::string(table.name) + " (" +
                      ColumnList(table, table.columns.size()) + ") VALUES (?";
    for (size_t i = 0; i < table.columns.size(); ++i) sql += ",?";
    Keep(sqlite3_prepare_v3(database_.handle(), (sql + ")").c_str(), -1, SQLITE_PREPARE_PERSISTENT,
                            &insert, nullptr));
  }
  insert_ = insert;
}

void DatabaseSink::Integer(int64_t value) {
  if (!error_) Keep(sqlite3_bind_int64(insert_, ++cell_, value));
}

void DatabaseSink::Real(double value) {
  if (!error_) Keep(sqlite3_bind_double(insert_, ++cell_, value));
}

void DatabaseSink::Text(std::string_view value) {
  if (error_) return;
  const std::string text = CellText(value);
  Keep(sqlite3_bind_text(insert_, ++cell_, text.data(), static_cast<int>(text.size()),
                         SQLITE_TRANSIENT));
}

void DatabaseSink::Null() {
  if (!error_) Keep(sqlite3_bind_null(insert_, ++cell_));
}

void DatabaseSink::EndRow() {
  if (error_) return;
  Keep(sqlite3_step(insert_));
  sqlite3_reset(insert_);
  cell_ = 0;
  ++rows_;
}

Result<void> DatabaseSink::status() const {
  if (error_) return *error_;
  return {};
}

}  // namespace hindsight::analyzer
