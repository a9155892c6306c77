// `hindsight export --format sqlite|csv`: recordings as tables.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <system_error>

#include "analyzer/base/file_error.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/text.h"
#include "analyzer/base/tool.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/export.h"
#include "analyzer/commands/load_tables.h"
#include "analyzer/commands/output_file.h"
#include "analyzer/exports/tables/csv_folder.h"
#include "analyzer/exports/tables/database.h"
#include "analyzer/reader/recording_groups.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;
using Groups = std::vector<std::vector<std::string>>;

// A file with this name, removed unless it is kept.
class PartFile {
 public:
  explicit PartFile(std::string name) : name_(std::move(name)) { Remove(); }
  ~PartFile() {
    if (!name_.empty()) Remove();
  }
  const std::string& name() const { return name_; }
  Result<void> Rename(const std::string& to) {
    std::error_code error;
    fs::rename(PathOf(name_), PathOf(to), error);
    if (error) return CannotWrite(to, error);
    name_.clear();
    return {};
  }

 private:
  void Remove() {
    std::error_code ignored;
    fs::remove(PathOf(name_), ignored);
  }

  std::string name_;
};

uint64_t SizeOf(const std::string& file) {
  std::error_code error;
  const uint64_t bytes = fs::file_size(PathOf(file), error);
  return error ? 0 : bytes;
}

// `replaces`: the recordings may be there already.
Result<uint64_t> Fill(const Groups& groups, Database& database, bool replaces,
                      const SymbolPaths& symbols) {
  DatabaseSink sink(database);
  Result<void> done = database.Run("BEGIN IMMEDIATE");
  if (done && replaces) done = database.BringUpToDate();
  if (!done) return done.error();
  done = ForEachRecording(
      groups, {},
      [&](const TableParts& parts) -> Result<void> {
        if (replaces) {
          const Result<void> removed = database.Remove(RecordingKey(parts.recording_id));
          if (!removed) return removed;
        }
        WriteTables(parts, {}, sink);
        return sink.status();
      },
      symbols);
  if (done) done = database.Run("COMMIT");
  if (!done) return done.error();
  return sink.rows();
}

Result<uint64_t> WriteDatabase(const ExportOptions& options, const Groups& groups) {
  std::error_code ignored;  // what cannot be examined cannot be written either
  if (fs::is_directory(PathOf(options.file), ignored)) {
    return Error{Printable(options.file) + " is a folder, not a database file."};
  }
  if (fs::exists(PathOf(options.file), ignored) &&
      !fs::is_regular_file(PathOf(options.file), ignored)) {
    return Error{Printable(options.file) + " is a device or a pipe, not a database file."};
  }
  if (options.force && fs::is_symlink(PathOf(options.file), ignored)) {
    return Error{Printable(options.file) + " is a symbolic link; name the file itself."};
  }
  if (fs::exists(PathOf(options.file), ignored) && !options.force) {
    Result<Database> database = Database::Open(options.file, true);
    if (!database) {
      return Error{database.error().sentence + " --force replaces it.", database.error().exit_code};
    }
    return Fill(groups, *database, true, options.symbols);
  }
  PartFile part(options.file + ".part");
  Result<Database> database = Database::Create(part.name());
  if (!database) return database.error();
  const Result<uint64_t> rows = Fill(groups, *database, false, options.symbols);
  if (!rows) return rows;
  if (const Result<void> closed = database->Close(); !closed) return closed.error();
  if (const Result<void> renamed = part.Rename(options.file); !renamed) return renamed.error();
  return rows;
}

Result<std::unique_ptr<CsvFolder>> FillCsv(std::span<const std::vector<std::string>> groups,
                                           const std::string& name, const SymbolPaths& symbols) {
  Result<std::unique_ptr<CsvFolder>> folder = CsvFolder::Create(name);
  if (!folder) return folder;
  const Result<void> written = ForEachRecording(
      groups, {},
      [&](const TableParts& parts) -> Result<void> {
        if (Interruption::HasCome()) return Error{"Interrupted; nothing was written."};
        WriteTables(parts, {}, **folder);
        return {};
      },
      symbols);
  if (!written) return written.error();
  return folder;
}

Result<uint64_t> FinishCsv(CsvFolder& folder) {
  if (const Result<void> done = folder.Finish(); !done) return done.error();
  return folder.rows();
}

Result<uint64_t> WriteCsv(const ExportOptions& options, const Groups& groups) {
  std::error_code error;
  if (fs::exists(PathOf(options.file), error)) {
    const std::string name = Printable(options.file);
    if (!CsvFolder::HasNothingElse(options.file)) {
      return Error{name + " is not a folder of exported tables; name another one."};
    }
    if (!options.force && !fs::is_empty(PathOf(options.file), error)) {
      return Error{name + " already contains tables; --force replaces them."};
    }
  }
  Result<std::unique_ptr<CsvFolder>> folder = FillCsv(groups, options.file, options.symbols);
  if (!folder) return folder.error();
  if (options.force) fs::remove_all(PathOf(options.file), error);
  return FinishCsv(**folder);
}

}  // namespace

Result<uint64_t> WriteCsvTables(std::span<const std::vector<std::string>> groups,
                                const std::string& folder, const SymbolPaths& symbols) {
  Result<std::unique_ptr<CsvFolder>> csv = FillCsv(groups, folder, symbols);
  if (!csv) return csv.error();
  return FinishCsv(**csv);
}

ExitCode ExportTables(const ExportOptions& options, ExportFormat format) {
  if (const Result<void> allowed = RefuseRecording(options.file); !allowed) {
    return Fail(allowed.error());
  }
  const Result<Groups> groups = GroupByRecording(options.paths);
  if (!groups) return Fail(groups.error());
  const bool is_csv = format == ExportFormat::kCsv;
  const Result<uint64_t> rows =
      is_csv ? WriteCsv(options, *groups) : WriteDatabase(options, *groups);
  if (!rows) return Fail(rows.error());
  std::cout << "Wrote " << Printable(options.file) << ": " << Plural(groups->size(), "recording")
            << ", " << Plural(*rows, "row");
  if (!is_csv) std::cout << ", " << FormatBytes(SizeOf(options.file));
  std::cout << ".\n";
  if (is_csv) {
    std::cout << "Each file is a table; `hindsight sql --tables` describes the columns. "
                 "load-postgresql.sql and\nparquet-duckdb.sql load them; each says how.\n";
  } else {
    std::cout << "Query it: hindsight sql " << Printable(options.file)
              << " \"SELECT * FROM recordings\"\n";
  }
  return ExitCode::kOk;
}

}  // namespace hindsight::analyzer
