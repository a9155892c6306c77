// `hindsight export`: a recording in the formats that other tools open.
#include "analyzer/commands/export.h"

#include <memory>
#include <string_view>

#include "analyzer/base/text.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/options.h"

namespace hindsight::analyzer {
namespace {

struct FormatRow {
  ExportFormat format;
  std::string_view name;
  std::vector<std::string_view> endings;  // of files in this format only
};

const std::vector<FormatRow>& Formats() {
  static const std::vector<FormatRow> kRows = {
      {ExportFormat::kFlamegraph, "flamegraph", {".html", ".htm"}},
      {ExportFormat::kPprof, "pprof", {".pprof", ".pb.gz"}},
      {ExportFormat::kOtlp, "otlp", {".otlp"}},
      {ExportFormat::kSpeedscope, "speedscope", {".speedscope.json", ".speedscope"}},
      {ExportFormat::kCollapsed, "collapsed", {".collapsed", ".folded"}},
      {ExportFormat::kTrace, "trace", {".trace.json", ".trace"}},
      {ExportFormat::kHeapsnapshot, "heapsnapshot", {".heapsnapshot"}},
      {ExportFormat::kSqlite, "sqlite", {".db", ".sqlite", ".sqlite3"}},
      {ExportFormat::kCsv, "csv", {".csv"}},
      {ExportFormat::kParquet, "parquet", {".parquet"}},
  };
  return kRows;
}

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const FormatRow& row : Formats()) names.emplace_back(row.name);
  return names;
}

Error Usage(std::string sentence) { return {std::move(sentence), ExitCode::kUsage}; }

Result<ExportFormat> FormatOf(const ExportOptions& options) {
  std::string endings;
  for (const FormatRow& row : Formats()) {
    if (options.format == row.name) return row.format;
    for (const std::string_view ending : row.endings) {
      if (options.format.empty() && options.file.ends_with(ending)) return row.format;
    }
    endings += (endings.empty() ? "" : ", ") + std::string(row.endings.front());
  }
  return Usage(
      "The format of " + Printable(options.file) +
      " is not clear from its name. Give --format, or use one of these endings: " + endings + ".");
}

// Options that do not apply to what is exported are errors, not ignored.
Result<void> Check(const ExportOptions& options, ExportFormat format) {
  const bool has_scope =
      !options.times.from.empty() || !options.times.to.empty() || !options.thread.empty();
  if (const Result<TimeWindow> window = WindowOf(options.times); !window) return window.error();
  if (!options.symbols.empty() && format == ExportFormat::kHeapsnapshot) {
    return Usage("--symbols is for source lines and native functions: a heap has neither.");
  }
  if (format == ExportFormat::kSqlite || format == ExportFormat::kCsv ||
      format == ExportFormat::kParquet) {
    if (!options.signal.empty() || has_scope || !options.baseline.empty() || options.snapshot) {
      return Usage(
          "Tables contain the whole recording: omit --signal, --from, --to, --thread, --baseline "
          "and --snapshot, and filter with `hindsight sql`.");
    }
    if (options.force && format == ExportFormat::kParquet) {
      return Usage("--force is for --format sqlite and csv; Parquet files are added to a folder.");
    }
    return {};
  }
  if (options.force) {
    return Usage(
        "--force is for --format sqlite and csv; other formats replace their file anyway.");
  }
  if (format == ExportFormat::kHeapsnapshot) {
    if (!options.signal.empty() || has_scope || !options.baseline.empty()) {
      return Usage(
          "A heap snapshot is one moment: --signal, --from, --to, --thread and --baseline do not "
          "apply. Choose the snapshot with --snapshot.");
    }
    return {};
  }
  if (options.snapshot) {
    return Usage("--snapshot is for --format heapsnapshot only.");
  }
  if (!options.baseline.empty() && format != ExportFormat::kFlamegraph) {
    return Usage("--baseline is for --format flamegraph only.");
  }
  if (format == ExportFormat::kTrace && !options.signal.empty()) {
    return Usage("A trace contains all signals; omit --signal.");
  }
  if (options.signal == "locks" && has_scope) {
    return Usage(
        "Waits for locks are summed over all threads and the whole recording; omit --from, --to "
        "and --thread. --format trace has each wait.");
  }
  return {};
}

// Of a database; times do not contain these characters.
bool IsAddress(const std::string& text) { return text.find("://") != text.npos; }

// Databases receive whole recordings, so there is nothing to select.
Result<void> CheckTo(const ExportOptions& options) {
  if (!options.file.empty() || !options.format.empty() || options.force) {
    return Usage("--to names where the tables go; omit --output, --format and --force.");
  }
  if (const Result<void> checked = Check(options, ExportFormat::kSqlite); !checked)
    return checked.error();
  return CheckPostgresql(options.to);
}

ExitCode Run(const ExportOptions& options) {
  if (IsAddress(options.to)) {
    const Result<void> checked = CheckTo(options);
    return checked ? ExportPostgresql(options) : Fail(checked.error());
  }
  if (options.file.empty()) {
    return Fail(Usage("Give --output FILE, or the address of a database with --to."));
  }
  const Result<ExportFormat> format = FormatOf(options);
  if (!format) return Fail(format.error());
  if (const Result<void> checked = Check(options, *format); !checked) {
    return Fail(checked.error());
  }
  switch (*format) {
    case ExportFormat::kHeapsnapshot:
      return ExportHeap(options);
    case ExportFormat::kTrace:
      return ExportTrace(options);
    case ExportFormat::kSqlite:
    case ExportFormat::kCsv:
      return ExportTables(options, *format);
    case ExportFormat::kParquet:
      return ExportParquet(options);
    default:
      return ExportProfile(options, *format);
  }
}

}  // namespace

void DescribeExport(cli::Command& command) {
  const auto options = std::make_shared<ExportOptions>();
  AddRecording(command, options->paths);
  command
      .Value("--output", "FILE", options->file, "The file to write; for csv and parquet, a folder")
      .Letter('o')
      .Offers(cli::Offer::kFile);
  command
      .Value("--format", "FORMAT", options->format,
             "flamegraph: an HTML page; pprof, speedscope, collapsed: profiles for these tools; "
             "otlp: a profile for OpenTelemetry's collector; "
             "trace: for Perfetto and Chrome's Performance panel; heapsnapshot: for Chrome's "
             "Memory panel; sqlite: tables of one or more recordings, in a database to which later "
             "exports add; csv: the same tables as a folder of files; parquet: the same by day and "
             "application, written by DuckDB")
      .Choices(FormatNames())
      .Default("from the file's ending");
  command
      .Value("--signal", "SIGNAL", options->signal,
             "What to profile: cpu, allocations, exceptions, locks or wall (running and waiting)")
      .Choices({"cpu", "allocations", "exceptions", "locks", "wall"})
      .Default("cpu");
  AddFrom(command, options->times);
  command
      .Value(
          "--to", "TIME|ADDRESS", options->to,
          "End here, measured from the start of the recording; or, instead of a file, "
          "postgresql://USER@HOST/DATABASE: a database to which tables of one or more recordings "
          "are added, by psql. What is there of them is replaced. Passwords belong into "
          "~/.pgpass")
      .Verify([](const std::string& text) {
        return IsAddress(text) ? std::string() : CheckTime(text);
      });
  AddThread(command, options->thread);
  command
      .Value("--baseline", "RECORDING", options->baseline,
             "For flamegraph: a recording to compare with; changes are colored")
      .Offers(cli::Offer::kRecording);
  command
      .Value("--symbols", "FOLDER", options->symbols,
             "A folder with debug files of native libraries, for the names of their functions; for "
             "pprof and otlp also with PDBs, or with the build's assemblies. PDBs next to the "
             "recorded modules are found anyway")
      .Verify(CheckFolder)
      .Offers(cli::Offer::kFolder);
  AddSnapshot(command, options->snapshot);
  command.Flag("--force", options->force, "For sqlite and csv: replace existing output");
  command.Example("hindsight export shop.hindsight -o cpu.html", "a flame graph of CPU time");
  command.Example("hindsight export shop.hindsight --signal allocations -o bytes.pb.gz",
                  "an allocation profile for pprof");
  command.Example("hindsight export shop.hindsight -o shop.trace.json",
                  "all signals on a timeline, for ui.perfetto.dev");
  command.Example("hindsight export *.hindsight -o fleet.db", "tables of many recordings, for SQL");
  command.Example("hindsight export *.hindsight --to postgresql://hindsight@db/observability",
                  "the same in a database that a team shares");
  command.SeeAlso({"hindsight cpu", "hindsight timeline", "hindsight sql"});
  command.Runs([options] {
    if (!IsAddress(options->to)) options->times.to = options->to;
    return Run(*options);
  });
}

}  // namespace hindsight::analyzer
