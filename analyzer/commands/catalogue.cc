// All commands of `hindsight`, by what one wants to know.
#include "analyzer/cli/json_schema.h"
#include "analyzer/commands/command.h"

namespace hindsight::analyzer {
namespace {

constexpr char kFirstLook[] = "A first look";
constexpr char kTime[] = "Where time and memory go";
constexpr char kWaits[] = "Who waits for what";
constexpr char kHeap[] = "What the heap holds";
constexpr char kTools[] = "Files and other tools";

struct Row {
  const char* group;
  const char* name;
  const char* summary;
  void (*describe)(cli::Command& command);
};

// The order is that of the help.
constexpr Row kRows[] = {
    {kFirstLook, "summary",
     "One page: what this process was, and what all analyses found, the worst first",
     DescribeSummary},
    {kFirstLook, "report",
     "One page for a browser, with all that a recording says; of two, what changed",
     DescribeReport},
    {kFirstLook, "info",
     "What was recorded: the process, the options, the size, the recorder's cost", DescribeInfo},
    {kFirstLook, "timeline", "All signals on one axis of time, and the moments worth a look",
     DescribeTimeline},
    {kFirstLook, "diff",
     "What changed between two recordings, in all signals, and how sure that is", DescribeDiff},
    {kFirstLook, "check", "Whether a recording keeps its budgets: a gate for CI", DescribeCheck},

    {kTime, "cpu", "What used the processors: hot paths and methods, by thread and over time",
     DescribeCpu},
    {kTime, "allocations", "What was allocated: types, paths and methods, by thread and over time",
     DescribeAllocations},
    {kTime, "gc", "Pauses and garbage collections: how long, why, what they left, and what to do",
     DescribeGc},
    {kTime, "exceptions",
     "What was thrown: by type and path, with times, messages, and what became of it",
     DescribeExceptions},

    {kWaits, "deadlocks", "Threads and tasks that wait for one another, with the proof",
     DescribeDeadlocks},
    {kWaits, "threads", "Which threads there were, where they stand, and which will never go on",
     DescribeThreads},
    {kWaits, "tasks", "What unfinished async methods await, with their async stacks",
     DescribeTasks},
    {kWaits, "locks", "Where threads wait for locks, how long, and who held them meanwhile",
     DescribeLocks},
    {kWaits, "pool", "Whether the thread pool starves, and where its workers block", DescribePool},

    {kHeap, "leaks", "What piles up in a heap snapshot and looks like a leak, and what holds it",
     DescribeLeaks},
    {kHeap, "heap", "A heap snapshot: when and how it was taken, objects and bytes by type",
     DescribeHeap},
    {kHeap, "retained", "The objects that keep most memory alive, and what holds them",
     DescribeRetained},
    {kHeap, "dominators", "Who alone keeps what alive: the dominator tree, by type",
     DescribeDominators},
    {kHeap, "paths", "Why objects are alive: the shortest paths from the roots to them",
     DescribePaths},
    {kHeap, "object", "One object: fields, size, who refers to it, why it is alive",
     DescribeObject},
    {kHeap, "collections", "How full List, Dictionary and the like are; what that wastes",
     DescribeCollections},
    {kHeap, "strings", "Strings: duplicates if contents were recorded, lengths, holders",
     DescribeStrings},
    {kHeap, "generations", "What lies in which generation; pinned objects and finalizers",
     DescribeGenerations},

    {kTools, "export",
     "A file that other tools open: a flame graph, pprof, speedscope, a trace, a heap, tables",
     DescribeExport},
    {kTools, "sql", "Ask recordings, or a database that `export` has made of them, in SQL",
     DescribeSql},
    {kTools, "verify", "What of a recording is intact, what is lost, where, and why",
     DescribeVerify},
    {kTools, "schema", "What the JSON of a command holds, as JSON Schema",
     [](cli::Command& command) { cli::DescribeSchema(command, "hindsight", "cpu"); }},
};

}  // namespace

void DescribeHindsight(cli::Program& program) {
  program.name = "hindsight";
  program.summary = "what a recording of a .NET process says";
  program.version = HINDSIGHT_VERSION;
  program.first_steps = {
      {"hindsight summary shop-4242-20261122T081500Z.hindsight",
       "what this process was, and what all analyses found"},
      {"hindsight diff before.hindsight after.hindsight", "what changed"},
  };
  program.files = {
      {"*.hindsight", "a recording: a folder, as hindsight-trigger makes it"},
      {"*.hsr", "one of its files; several, or all of them in one, are a recording as well"},
  };
  program.exit_codes = {
      {"0", "done"},
      {"1", "`verify` found that something is damaged or lost; `check`, that a budget is broken"},
      {"2", "the input cannot be used: not a recording, not readable, or of a newer version"},
      {"64", "the command line is wrong"},
  };
  program.environment = {
      {"NO_COLOR", "if set: no colours"},
      {"CLICOLOR", "0: no colours"},
      {"CLICOLOR_FORCE", "other than 0: colours even where the output is no terminal"},
      {"TERM", "dumb: no colours"},
  };
  program.see_also = {"hindsight-trigger"};
  for (const Row& row : kRows) row.describe(program.Add(row.group, row.name, row.summary));
  cli::AddCommonCommands(program);
}

}  // namespace hindsight::analyzer
