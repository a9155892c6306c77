// All commands of `hindsight`, by purpose.
#include <filesystem>
#include <system_error>

#include "analyzer/base/path_text.h"
#include "analyzer/cli/schema_command.h"
#include "analyzer/cli/usual_folder.h"
#include "analyzer/commands/command.h"
#include "analyzer/reader/find_recordings.h"
#include "analyzer/report/schemas.h"

namespace hindsight::analyzer {
namespace {

constexpr char kFirstLook[] = "Overview";
constexpr char kTime[] = "CPU, memory, exceptions";
constexpr char kWaits[] = "Waiting";
constexpr char kHeap[] = "Heap snapshots";
constexpr char kTools[] = "Files and other tools";

struct Row {
  const char* group;
  const char* name;
  const char* summary;
  void (*describe)(cli::Command& command);
};

cli::Schemas JsonSchemas() {
  cli::Schemas schemas;
  for (const ReportSchema& report : ReportSchemas()) schemas.commands.emplace_back(report.command);
  schemas.of = ReportSchemaOf;
  return schemas;
}

// The order is that of the help.
constexpr Row kRows[] = {
    {kFirstLook, "summary",
     "One page: the process, the recording, and all findings, the worst first", DescribeSummary},
    {kFirstLook, "report",
     "An HTML page with everything in a recording, or the changes between two", DescribeReport},
    {kFirstLook, "info", "What was recorded: process, options, size, and the recorder's cost",
     DescribeInfo},
    {kFirstLook, "timeline", "All signals on one time axis, and notable moments", DescribeTimeline},
    {kFirstLook, "diff",
     "What changed between two recordings, in every signal, with a confidence each", DescribeDiff},
    {kFirstLook, "list", "List the recordings in a folder, the newest first", DescribeList},
    {kFirstLook, "fleet",
     "Many recordings: what is wrong, on how many hosts, and since which build", DescribeFleet},
    {kFirstLook, "serve", "Recordings in a browser: reports, and heaps object by object",
     DescribeServe},
    {kFirstLook, "check", "Check a recording against budgets: a gate for CI", DescribeCheck},

    {kTime, "cpu", "CPU time: hot paths and methods, by thread and over time", DescribeCpu},
    {kTime, "allocations", "Allocations: types, paths and methods, by thread and over time",
     DescribeAllocations},
    {kTime, "gc", "GC and other pauses: how long, why, the heap after, and what to do", DescribeGc},
    {kTime, "exceptions", "Exceptions by type and path, with times, messages and outcome",
     DescribeExceptions},
    {kTime, "requests", "Requests by route, and calls to other servers: how long, how they ended",
     DescribeRequests},

    {kWaits, "deadlocks", "Threads and tasks that wait for each other, with evidence",
     DescribeDeadlocks},
    {kWaits, "wall", "Wall-clock time: running, ready or waiting, by thread and place",
     DescribeWall},
    {kWaits, "threads", "Threads: lifetimes, current stacks, and which are stuck or leaked",
     DescribeThreads},
    {kWaits, "tasks", "Unfinished async methods: what they await, with async stacks",
     DescribeTasks},
    {kWaits, "locks", "Lock contention: where threads wait, how long, and who held the lock",
     DescribeLocks},
    {kWaits, "pool", "Thread pool: starvation, and where workers block", DescribePool},

    {kHeap, "leaks", "Leak suspects: what accumulates, and what holds it", DescribeLeaks},
    {kHeap, "heap", "The heap by type: objects and bytes; how the snapshot was taken",
     DescribeHeap},
    {kHeap, "retained", "The objects with the largest retained size, and what holds them",
     DescribeRetained},
    {kHeap, "dominators", "The dominator tree, by type", DescribeDominators},
    {kHeap, "paths", "Why objects are alive: shortest paths from the roots", DescribePaths},
    {kHeap, "object", "One object: fields, sizes, referrers, and why it is alive", DescribeObject},
    {kHeap, "collections", "How full collections (List, Dictionary, ...) are, and what that wastes",
     DescribeCollections},
    {kHeap, "strings", "Strings: lengths and holders; duplicates if contents were recorded",
     DescribeStrings},
    {kHeap, "generations", "Types by generation; pinned objects; finalizers", DescribeGenerations},

    {kTools, "export", "Export to flame graph, pprof, speedscope, trace, heap snapshot or tables",
     DescribeExport},
    {kTools, "sql", "Query recordings, or an exported database, with SQL", DescribeSql},
    {kTools, "cut", "Cut a time range out of a recording, as a new recording", DescribeCut},
    {kTools, "verify", "Check integrity: what is intact, what is lost, where and why",
     DescribeVerify},
    {kTools, "schema", "Describe a command's JSON output, as JSON Schema",
     [](cli::Command& command) {
       cli::DescribeSchema(command, "hindsight", "cpu", JsonSchemas());
     }},
};

}  // namespace

void DescribeHindsight(cli::Program& program) {
  program.name = "hindsight";
  program.summary = "analyzes recordings of .NET processes";
  program.version = HINDSIGHT_VERSION;
  program.first_steps = {
      {"hindsight summary shop-4242-20261122T081500Z.hindsight",
       "the process, and everything that was found"},
      {"hindsight summary", "the same, for the newest recording in the recorder's usual folder"},
      {"hindsight diff before.hindsight after.hindsight", "what changed"},
  };
  program.files = {
      {"*.hindsight", "a recording: the folder that the recorder wrote"},
      {"*.hsr", "one of its files; one file, several, or all concatenated are a recording as well"},
  };
  program.exit_codes = {
      {"0", "success"},
      {"1", "`verify`: something is damaged or lost; `check`: a budget is exceeded"},
      {"2", "unusable input: not a recording, not readable, or a newer format"},
      {"64", "usage error"},
  };
  program.default_command = "summary";
  program.is_input = [](const std::string& argument) {
    std::error_code error;
    return std::filesystem::exists(PathOf(argument), error);
  };
  program.has_input = [] { return NewestRecording(cli::UsualFolder()).ok(); };
  program.environment = {
      {"PAGER", "where long output on a terminal goes; default: less. --no-pager turns it off"},
      {"NO_COLOR", "if set: no colors"},
      {"CLICOLOR", "0: no colors"},
      {"CLICOLOR_FORCE", "other than 0: colors even if the output is not a terminal"},
      {"TERM", "dumb: no colors"},
  };
  program.see_also = {"hindsight-trigger"};
  for (const Row& row : kRows) row.describe(program.Add(row.group, row.name, row.summary));
  cli::AddCommonCommands(program);
}

}  // namespace hindsight::analyzer
