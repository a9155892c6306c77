#include "analyzer/exports/tables/object_tables.h"

#include <sqlite3.h>

#include <algorithm>
#include <string>

#include "analyzer/base/wrap.h"
#include "analyzer/exports/tables/object_table_index.h"
#include "analyzer/exports/tables/object_table_rows.h"

namespace hindsight::analyzer {
namespace {

struct VirtualTable : sqlite3_vtab {
  ObjectTableIndex* index = nullptr;
};

template <typename Rows>
struct Cursor : sqlite3_vtab_cursor {
  Rows rows;
};

template <typename Rows>
Cursor<Rows>& Of(sqlite3_vtab_cursor* cursor) {
  return *static_cast<Cursor<Rows>*>(cursor);
}

ObjectTableIndex& IndexOf(const sqlite3_vtab_cursor* cursor) {
  return *static_cast<VirtualTable*>(cursor->pVtab)->index;
}

template <typename Rows>
int Connect(sqlite3* handle, void* index, int, const char* const*, sqlite3_vtab** table, char**) {
  std::string sql = std::string("CREATE TABLE ") + Rows::kTable.name + "(";
  for (const ObjectTableColumn& column : Rows::kTable.columns) {
    if (sql.back() != '(') sql += ", ";
    sql += std::string(column.name) + " " + column.type;
  }
  const int code = sqlite3_declare_vtab(handle, (sql + ")").c_str());
  if (code != SQLITE_OK) return code;
  auto made = std::make_unique<VirtualTable>();
  made->index = static_cast<ObjectTableIndex*>(index);
  *table = made.release();
  return SQLITE_OK;
}

int Disconnect(sqlite3_vtab* table) {
  delete static_cast<VirtualTable*>(table);
  return SQLITE_OK;
}

template <typename Rows>
sqlite3_module ModuleOf() {
  sqlite3_module module = {};
  // Without xCreate, the table exists under the module's name, and no other can be created.
  module.xConnect = Connect<Rows>;
  module.xDisconnect = Disconnect;
  module.xBestIndex = [](sqlite3_vtab*, sqlite3_index_info* info) {
    Rows::Choose(info);
    return SQLITE_OK;
  };
  module.xOpen = [](sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
    *cursor = new Cursor<Rows>();
    return SQLITE_OK;
  };
  module.xClose = [](sqlite3_vtab_cursor* cursor) {
    delete &Of<Rows>(cursor);
    return SQLITE_OK;
  };
  module.xFilter = [](sqlite3_vtab_cursor* cursor, int plan, const char*, int count,
                      sqlite3_value** values) {
    ObjectTableIndex& index = IndexOf(cursor);
    if (index.source.model == nullptr) return SQLITE_MISUSE;
    Of<Rows>(cursor).rows.Begin(index, plan, std::span(values, static_cast<size_t>(count)));
    return SQLITE_OK;
  };
  module.xNext = [](sqlite3_vtab_cursor* cursor) {
    Of<Rows>(cursor).rows.Next();
    return SQLITE_OK;
  };
  module.xEof = [](sqlite3_vtab_cursor* cursor) { return Of<Rows>(cursor).rows.IsAtEnd() ? 1 : 0; };
  module.xColumn = [](sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
    Of<Rows>(cursor).rows.Give(IndexOf(cursor), context, column);
    return SQLITE_OK;
  };
  module.xRowid = [](sqlite3_vtab_cursor* cursor, sqlite3_int64* row) {
    *row = Of<Rows>(cursor).rows.Row();
    return SQLITE_OK;
  };
  return module;
}

constexpr const ObjectTableText* kTables[] = {&ObjectRows::kTable, &ReferenceRows::kTable,
                                              &ObjectTypeRows::kTable};

template <typename Rows>
int Add(sqlite3* handle, ObjectTableIndex* index) {
  static const sqlite3_module module = ModuleOf<Rows>();
  const int added = sqlite3_create_module_v2(handle, Rows::kTable.name, &module, index, nullptr);
  if (added != SQLITE_OK) return added;
  // The table is declared when it is first named. Later, it would be a statement of the user, who
  // may only read.
  sqlite3_stmt* statement = nullptr;
  const std::string sql = std::string("SELECT 1 FROM ") + Rows::kTable.name;
  const int named = sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr);
  sqlite3_finalize(statement);
  return named;
}

}  // namespace

ObjectTables::ObjectTables() : index_(std::make_unique<ObjectTableIndex>()) {}

ObjectTables::~ObjectTables() = default;

Result<void> ObjectTables::AddTo(Database& database) {
  for (const auto add : {Add<ObjectRows>, Add<ReferenceRows>, Add<ObjectTypeRows>}) {
    const int code = add(database.handle(), index_.get());
    if (code != SQLITE_OK) return database.Fault(code);
  }
  return {};
}

void ObjectTables::Show(ObjectTableSource source) { index_->source = std::move(source); }

bool ObjectTables::Note(std::string_view table, std::string_view column, ObjectTableUse& use) {
  for (const ObjectTableText* const known : kTables) {
    if (known->name != table) continue;
    use.any = true;
    for (const ObjectTableColumn& one : known->columns) {
      if (one.name == column && one.from_dominators) use.dominators = true;
    }
    return true;
  }
  return false;
}

std::string ObjectTables::Describe() {
  std::string out =
      "\nOf one heap snapshot of one recording (--snapshot), object by object, without the column\n"
      "`recording`; not in exported databases:\n";
  for (const ObjectTableText* const table : kTables) {
    out += std::string("\n") + table->name + ": " + table->meaning + "\n";
    size_t width = 0;
    for (const ObjectTableColumn& column : table->columns) {
      width = std::max(width, std::string_view(column.name).size());
    }
    for (const ObjectTableColumn& column : table->columns) {
      out += "  " + PadRight(column.name, width + 2) + PadRight(column.type, 9) + column.meaning +
             "\n";
    }
  }
  return out;
}

}  // namespace hindsight::analyzer
