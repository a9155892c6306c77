#include "analyzer/exports/tables/query.h"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/base/text.h"
#include "analyzer/base/wrap.h"

namespace hindsight::analyzer {
namespace {

constexpr char kOnlyRead[] = "only reading is allowed: one SELECT (or WITH ... SELECT)";

struct Reads {
  TableNames tables;
  ObjectTableUse heap;
};

// Columns that only USING or NATURAL JOIN names are not among what SQLite asks Authorize about.
// What a statement names is therefore read, too; a word that means something else costs only time.
void AddNamed(std::string_view sql, Reads& reads) {
  const auto is_word = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';  // of names of tables and columns
  };
  std::set<std::string> words;
  for (auto at = sql.begin(); at != sql.end();) {
    const auto begin = std::find_if(at, sql.end(), is_word);
    at = std::find_if_not(begin, sql.end(), is_word);
    std::string word(begin, at);
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!word.empty()) words.insert(std::move(word));
  }
  for (const std::string& table : words) {
    if (const TableSchema* known = FindTable(table)) reads.tables.insert(known->name);
    for (const std::string& column : words) {
      if (!ObjectTables::Note(table, column, reads.heap)) break;
    }
  }
}

// SQLite calls this before it compiles anything that a statement does. `context`: a Reads.
int Authorize(void* context, int action, const char* first, const char* second, const char*,
              const char*) {
  switch (action) {
    case SQLITE_READ: {
      Reads& reads = *static_cast<Reads*>(context);
      const std::string_view name = first == nullptr ? "" : first;
      if (const TableSchema* table = FindTable(name)) {
        reads.tables.insert(table->name);
      } else {
        ObjectTables::Note(name, second == nullptr ? "" : second, reads.heap);
      }
      return SQLITE_OK;
    }
    case SQLITE_FUNCTION:
      return sqlite3_stricmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    default:
      return SQLITE_DENY;
  }
}

// The line of `sql` with the error, and a mark below its position.
std::string PlaceOf(const std::string& sql, int offset) {
  if (offset < 0 || static_cast<size_t>(offset) > sql.size()) return {};
  const size_t at = static_cast<size_t>(offset);
  const size_t before = at == 0 ? std::string::npos : sql.rfind('\n', at - 1);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  const size_t end = std::min(sql.find('\n', at), sql.size());
  const std::string lead = Printable(std::string_view(sql).substr(begin, at - begin));
  return "\n  " + Printable(std::string_view(sql).substr(begin, end - begin)) + "\n  " +
         std::string(TextColumns(lead), ' ') + "^";
}

Error Wrong(sqlite3* handle, const std::string& sql, int code) {
  const std::string reason = (code & 0xff) == SQLITE_AUTH ? kOnlyRead : sqlite3_errmsg(handle);
  return {"SQL: " + Printable(reason) + "." + PlaceOf(sql, sqlite3_error_offset(handle)) +
              "\n`hindsight sql --tables` shows all tables and columns.",
          ExitCode::kUsage};
}

bool IsBlank(std::string_view rest) {
  return rest.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

}  // namespace

void Query::Finalizer::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Result<Query> Query::Prepare(Database& database, const std::string& sql) {
  Query query(database);
  sqlite3* const handle = database.handle();
  Reads reads;
  sqlite3_set_authorizer(handle, Authorize, &reads);
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, &rest);
  query.statement_.reset(statement);
  Result<void> checked;
  if (code != SQLITE_OK) checked = Wrong(handle, sql, code);
  sqlite3_set_authorizer(handle, nullptr, nullptr);
  if (!checked) return checked.error();
  AddNamed(sql, reads);
  query.tables_ = std::move(reads.tables);
  query.heap_ = reads.heap;
  if (statement == nullptr) return Error{"SQL: there is no statement.", ExitCode::kUsage};
  if (!IsBlank(rest)) {
    return Error{"SQL: there is more than one statement; give one at a time.", ExitCode::kUsage};
  }
  // VACUUM INTO writes a file without a call of the authorizer.
  if (!sqlite3_stmt_readonly(statement) || sqlite3_column_count(statement) == 0) {
    return Error{std::string("SQL: ") + kOnlyRead + ".", ExitCode::kUsage};
  }
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    query.columns_.emplace_back(sqlite3_column_name(statement, i));
  }
  return query;
}

void Query::LimitTime(std::chrono::milliseconds most) {
  constexpr int kInstructions = 10'000;  // of SQLite's machine, between looks at the clock
  using Clock = std::chrono::steady_clock;
  until_ = std::make_unique<Clock::time_point>(Clock::now() + most);
  const auto is_late = [](void* until) {
    return Clock::now() > *static_cast<Clock::time_point*>(until) ? 1 : 0;
  };
  sqlite3_progress_handler(database_->handle(), kInstructions, is_late, until_.get());
}

Result<bool> Query::Next(std::vector<QueryCell>& row) {
  sqlite3_stmt* const statement = statement_.get();
  const int code = sqlite3_step(statement);
  if (code == SQLITE_DONE) return false;
  if (code == SQLITE_INTERRUPT) {
    return Error{"SQL: the query took too long and was ended.", ExitCode::kUsage};
  }
  if (code != SQLITE_ROW) {
    return Error{"SQL: " + Printable(sqlite3_errmsg(database_->handle())) + ".", ExitCode::kUsage};
  }
  row.clear();
  for (int i = 0; i < static_cast<int>(columns_.size()); ++i) {
    switch (sqlite3_column_type(statement, i)) {
      case SQLITE_INTEGER:
        row.emplace_back(int64_t{sqlite3_column_int64(statement, i)});
        break;
      case SQLITE_FLOAT:
        row.emplace_back(sqlite3_column_double(statement, i));
        break;
      case SQLITE_NULL:
        row.emplace_back();
        break;
      default: {  // text, or a blob that the query created
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, i));
        row.emplace_back(text == nullptr ? std::string() : std::string(text, size));
      }
    }
  }
  return true;
}

}  // namespace hindsight::analyzer
