// `hindsight export --to postgresql://...`: recordings into a database that a team shares.
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "analyzer/base/text.h"
#include "analyzer/base/tool.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/export.h"
#include "analyzer/exports/tables/load_scripts.h"
#include "analyzer/reader/recording_groups.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSchemes[] = {"postgresql://", "postgres://"};

// The address for display: without the password.
std::string WithoutPassword(const std::string& address) {
  const size_t user = address.find("//") + 2;
  const size_t host = address.find('@', user);
  const size_t secret = address.find(':', user);
  if (host == address.npos || secret > host) return Printable(address.substr(0, address.find('?')));
  return Printable(address.substr(0, secret) + address.substr(host, address.find('?') - host));
}

Result<uint64_t> Load(const ExportOptions& options, const std::string& psql, size_t& recordings) {
  const auto groups = GroupByRecording(options.paths);
  if (!groups) return groups.error();
  recordings = groups->size();
  std::error_code error;
  const std::string place = fs::temp_directory_path(error).string();
  const Interruption interruption;
  const Result<TemporaryFolder> folder =
      TemporaryFolder::Create(error ? "/tmp" : place, "hindsight-export-");
  if (!folder) return folder.error();
  const std::string tables = folder->path() + "/tables";
  Result<uint64_t> rows = WriteCsvTables(*groups, tables, options.symbols);
  if (!rows) return rows;
  const Result<int> ended = RunTool(
      {psql, "-X", "-q", "-d", options.to, "-f", std::string(kPostgresqlScriptFile)}, tables);
  if (!ended) return ended.error();
  if (*ended != 0) {
    return Error{"psql ended with " + std::to_string(*ended) +
                 "; see its message above. Nothing was changed in " + WithoutPassword(options.to) +
                 "."};
  }
  return rows;
}

}  // namespace

Result<void> CheckPostgresql(const std::string& address) {
  for (const std::string_view scheme : kSchemes) {
    if (address.starts_with(scheme)) return {};
  }
  return Error{"--to takes the address of a PostgreSQL database: postgresql://USER@HOST/DATABASE.",
               ExitCode::kUsage};
}

ExitCode ExportPostgresql(const ExportOptions& options) {
  // Checked before recordings are read, which may take long.
  const std::optional<std::string> psql = FindTool("psql");
  if (!psql) {
    return Fail(MissingTool("--to needs psql, PostgreSQL's own program",
                            "Install it (Debian and Ubuntu: apt install postgresql-client; RHEL: "
                            "dnf install postgresql).",
                            "write the tables with --format csv, and load them with the script "
                            "next to them: psql ADDRESS -f load-postgresql.sql."));
  }
  size_t recordings = 0;
  const Result<uint64_t> rows = Load(options, *psql, recordings);
  if (!rows) return Fail(rows.error());
  std::cout << "Loaded " << Plural(recordings, "recording") << ", " << Plural(*rows, "row")
            << ", into the schema hindsight of " << WithoutPassword(options.to) << ".\n";
  return ExitCode::kOk;
}

}  // namespace hindsight::analyzer
