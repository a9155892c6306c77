// `hindsight export --format parquet`: recordings as files for engines that read columns.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include "analyzer/base/file_error.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/private_file.h"
#include "analyzer/base/text.h"
#include "analyzer/base/tool.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/export.h"
#include "analyzer/commands/output_file.h"
#include "analyzer/exports/tables/load_scripts.h"
#include "analyzer/exports/tables/schema.h"
#include "analyzer/reader/recording_groups.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

struct Written {
  uint64_t recordings = 0, rows = 0, files = 0, bytes = 0;
};

// A folder of earlier exports, an empty one, or none yet: any other file in it would be read as a
// table.
Result<void> CheckPlace(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(PathOf(folder), error)) return {};
  bool has_others = !fs::is_directory(PathOf(folder), error);
  if (!has_others) {
    for (const auto& entry : fs::directory_iterator(PathOf(folder), error)) {
      const std::string name = entry.path().filename().string();
      has_others = has_others || (FindTable(name) == nullptr && name != kParquetViewsFile);
    }
  }
  if (has_others)
    return Error{Printable(folder) + " is not a folder of Parquet tables; name another one."};
  return {};
}

Result<void> WriteText(const std::string& name, const std::string& text) {
  Result<OutputFile> file = OutputFile::Create(name);
  if (!file) return file.error();
  file->Write(text);
  return file->Finish();
}

Result<void> MakeFolder(const fs::path& folder) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return {};
  if (Result<void> made = MakeFolder(folder.parent_path()); !made) return made;
  // Another export may have created it meanwhile.
  if (!fs::create_directory(folder, error)) {
    if (error) return CannotWrite(folder.string(), error);
    return {};
  }
  MakeFolderPrivate(folder.string());
  return {};
}

// Moves the files, under unique names, next to those of earlier exports.
Result<void> MoveInto(const fs::path& made, const fs::path& folder, Written& written) {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(made, error)) {
    if (!entry.is_regular_file()) continue;
    const fs::path target = folder / entry.path().lexically_relative(made);
    if (Result<void> done = MakeFolder(target.parent_path()); !done) return done;
    fs::permissions(entry.path(), fs::perms::owner_read | fs::perms::owner_write, error);
    ++written.files;
    written.bytes += entry.file_size(error);
    fs::rename(entry.path(), target, error);
    if (error) return CannotWrite(target.string(), error);
  }
  return {};
}

// Queries can use each table by its name, even if it has no file yet.
Result<void> WriteViews(const std::string& folder) {
  std::set<std::string> tables;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(PathOf(folder), error)) {
    if (entry.is_directory(error)) tables.insert(entry.path().filename().string());
  }
  return WriteText(folder + "/" + std::string(kParquetViewsFile), ParquetViews(tables));
}

Result<Written> Write(const ExportOptions& options, const std::string& duckdb) {
  const auto groups = GroupByRecording(options.paths);
  if (!groups) return groups.error();
  const std::string name = WithoutLastSeparators(options.file);
  const Interruption interruption;
  // On the same file system, so that files can be moved.
  const fs::path path = PathOf(name);
  const Result<TemporaryFolder> work =
      TemporaryFolder::Create(path.has_parent_path() ? path.parent_path().string() : ".",
                              path.filename().string() + ".part-");
  if (!work) return work.error();
  const std::string tables = fs::absolute(PathOf(work->path())).string() + "/tables";
  const Result<uint64_t> rows = WriteCsvTables(*groups, tables, options.symbols);
  if (!rows) return rows.error();
  Result<void> done = MakeFolder(PathOf(tables + "/parquet"));
  if (done) done = WriteText(tables + "/all.sql", ParquetScriptWithEndMark());
  if (!done) return done.error();
  const Result<int> ended = RunTool({duckdb, "-bail", "-c", ".read all.sql"}, tables);
  if (!ended) return ended.error();
  std::error_code error;
  if (*ended != 0 || !fs::exists(PathOf(tables + "/" + std::string(kParquetDoneFile)), error)) {
    return Error{"duckdb could not write the tables (it ended with " + std::to_string(*ended) +
                 "; see its message above). Nothing was written to " + Printable(name) + "."};
  }
  Written written{.recordings = groups->size(), .rows = *rows};
  done = MakeFolder(path);
  if (done) done = MoveInto(PathOf(tables + "/parquet"), path, written);
  if (done) done = WriteViews(name);
  if (!done) return done.error();
  return written;
}

}  // namespace

ExitCode ExportParquet(const ExportOptions& options) {
  if (const Result<void> allowed = RefuseRecording(options.file); !allowed) {
    return Fail(allowed.error());
  }
  if (const Result<void> checked = CheckPlace(options.file); !checked) return Fail(checked.error());
  const std::optional<std::string> duckdb = FindTool("duckdb");
  if (!duckdb) {
    return Fail(MissingTool("--format parquet needs DuckDB's program, duckdb",
                            "It is one file without dependencies, from duckdb.org/install.",
                            "write the tables with --format csv, and run the script next to them "
                            "where DuckDB is: parquet-duckdb.sql."));
  }
  const Result<Written> written = Write(options, *duckdb);
  if (!written) return Fail(written.error());
  const std::string folder = Printable(WithoutLastSeparators(options.file));
  std::cout << "Wrote " << folder << ": " << Plural(written->recordings, "recording") << ", "
            << Plural(written->rows, "row") << ", " << Plural(written->files, "file") << ", "
            << FormatBytes(written->bytes) << ".\nQuery it: cd " << folder
            << " && duckdb -cmd \".read " << kParquetViewsFile
            << "\" -c \"SELECT * FROM recordings\"\n";
  return ExitCode::kOk;
}

}  // namespace hindsight::analyzer
