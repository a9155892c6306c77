// `hindsight diff`: what changed between two recordings, or between heap snapshots.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/comparison/recording_facts.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/diff_heaps.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/load_reports.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/report/comparison/comparison_report.h"

namespace hindsight::analyzer {
namespace {

struct DiffOptions {
  std::vector<std::string> paths;
  std::vector<uint32_t> snapshots;
  DiffRules rules;
  ComparisonRules comparison;
  std::string per;  // empty: UsualPer
  bool only_heap = false;
  size_t top = 20;
  bool json = false;
};

// A trend needs the order of time, which the names of recordings need not follow.
Result<std::vector<HeapSource>> InOrderOfTime(std::vector<HeapSource> sources,
                                              OpenRecordings& recordings) {
  std::vector<std::pair<uint64_t, size_t>> times;
  for (const HeapSource& source : sources) {
    const Result<Recording*> recording = recordings.At(source.path);
    if (!recording) return recording.error();
    const std::vector<HeapFacts> heaps = ListHeaps(**recording);
    times.emplace_back(heaps.empty() ? 0 : heaps.back().unix_ns, times.size());
  }
  std::sort(times.begin(), times.end());
  std::vector<HeapSource> ordered;
  for (const auto& [time, place] : times) ordered.push_back(std::move(sources[place]));
  return ordered;
}

// The snapshots, in order: for two, in the user's order, so that either can be the first.
Result<std::vector<HeapSource>> Sources(const DiffOptions& options, OpenRecordings& recordings) {
  std::vector<HeapSource> sources;
  if (options.paths.size() > 1) {
    if (!options.snapshots.empty()) {
      return Error{"--snapshots selects snapshots of one recording; there are " +
                       FormatCount(options.paths.size()) + ".",
                   ExitCode::kUsage};
    }
    for (const std::string& path : options.paths) sources.push_back({path, std::nullopt});
    if (sources.size() > 2) return InOrderOfTime(std::move(sources), recordings);
    return sources;
  }
  std::vector<uint32_t> numbers = options.snapshots;
  if (numbers.empty()) {
    const Result<Recording*> recording = recordings.At(options.paths[0]);
    if (!recording) return recording.error();
    for (const HeapFacts& heap : ListHeaps(**recording)) numbers.push_back(heap.number);
  }
  if (numbers.size() < 2) {
    return Error{Printable(options.paths[0]) + " has " + Plural(numbers.size(), "heap snapshot") +
                     "; give two recordings, or take another snapshot of this process.",
                 options.snapshots.empty() ? ExitCode::kUnusableInput : ExitCode::kUsage};
  }
  for (const uint32_t number : numbers) sources.push_back({options.paths[0], number});
  return sources;
}

ExitCode DiffHeaps(const DiffOptions& options) {
  OpenRecordings recordings;
  const auto sources = Sources(options, recordings);
  if (!sources) return Fail(sources.error());
  const Result<std::string> reported =
      WithHeapDiff(*sources, recordings, options.rules, [&options](DiffView& view) {
        view.top = options.top == 0 ? SIZE_MAX : options.top;
        return options.json ? DiffJson(view) : DiffText(view, StdoutStyle());
      });
  if (!reported) return Fail(reported.error());
  std::cout << *reported;
  return ExitCode::kOk;
}

Per PerOf(const std::string& name) {
  if (name == "request") return Per::kRequest;
  if (name == "cpu") return Per::kCpu;
  return name == "nothing" ? Per::kNothing : Per::kSecond;
}

// All signals. nullopt if both only contain heap snapshots: then there is more to say about these.
std::optional<ExitCode> DiffRecordings(const DiffOptions& options) {
  const Result<LoadedReports> before = LoadReports({&options.paths[0], 1});
  if (!before) return Fail(before.error());
  const Result<LoadedReports> after = LoadReports({&options.paths[1], 1});
  if (!after) return Fail(after.error());
  if (!before->model && !after->model) return std::nullopt;
  ComparisonRules rules = options.comparison;
  rules.per = options.per.empty()
                  ? UsualPer(before->model.get(), after->model.get(), options.comparison)
                  : PerOf(options.per);
  Comparison comparison = Compare(before->reports, after->reports, rules);
  for (const auto& [which, damages] : {std::pair("First recording: ", &before->damages),
                                       std::pair("Second recording: ", &after->damages)}) {
    for (const std::string& damage : *damages) comparison.notes.push_back(which + damage);
  }
  const ComparisonView view{.comparison = &comparison,
                            .before = &before->reports,
                            .after = &after->reports,
                            .before_label = options.paths[0],
                            .after_label = options.paths[1],
                            .top = options.top};
  std::cout << (options.json ? ComparisonJson(view) : ComparisonText(view, StdoutStyle()));
  return ExitCode::kOk;
}

ExitCode Run(const DiffOptions& options) {
  if (options.paths.size() == 2 && !options.only_heap && options.snapshots.empty()) {
    if (const std::optional<ExitCode> done = DiffRecordings(options)) return *done;
  }
  return DiffHeaps(options);
}

}  // namespace

void DescribeDiff(cli::Command& command) {
  const auto options = std::make_shared<DiffOptions>();
  command
      .Argument("RECORDING", options->paths,
                "Two recordings to compare; or one with several heap snapshots; or three and more, "
                "of which the newest snapshots are compared, in order of time")
      .Offers(cli::Offer::kRecording)
      .Unless("--latest");
  AddLatest(
      command,
      [options] {
        std::vector<std::string> newest;
        const ExitCode result = UseNewest(newest);
        options->paths.insert(options->paths.end(), newest.begin(), newest.end());
        return result;
      },
      "Compare with the newest recording in the recorder's usual folder");
  AcceptFolders(command, options->paths);
  command.Value("--per", "WHAT", options->per, "Unit that amounts are divided by")
      .Choices({"second", "request", "cpu", "nothing"})
      .Default("request if both served at least " +
               std::to_string(options->comparison.many_requests) +
               ", nothing for two complete runs of a batch job, otherwise second");
  command.Value("--confidence", "P", options->comparison.confidence, "Overall confidence level")
      .Range(0.5, 0.999999);
  command
      .Value("--min-change", "SHARE", options->comparison.min_change,
             "Ignore relative changes below this; of how long requests take, those below " +
                 std::to_string(std::lround(100 * options->comparison.min_change_of_requests)) +
                 " % in any case")
      .Range(0, 0.9);
  command.Flag("--heap", options->only_heap,
               "Compare only the heap snapshots of two recordings, in full");
  command
      .Value("--snapshots", "N,N", options->snapshots,
             "Snapshot numbers of one recording, such as 1,3")
      .Separator(',')
      .Default("all");
  AddMinBytes(command, options->rules.min_bytes,
              "Ignore smaller differences between heap snapshots");
  AddTop(command, options->top, "Rows per list");
  AddJson(command, options->json);
  command.Example("hindsight diff before.hindsight after.hindsight",
                  "what got worse, and with what confidence");
  command.Example("hindsight diff before.hindsight --latest",
                  "with the newest one of this machine");
  command.Example("hindsight diff before.hindsight after.hindsight --per second",
                  "the same, without dividing by the load");
  command.Example("hindsight diff shop.hindsight --snapshots 1,3",
                  "what grew between two heap snapshots");
  command.SeeAlso({"hindsight summary", "hindsight requests", "hindsight leaks", "hindsight heap"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
