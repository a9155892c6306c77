// `hindsight export` of a signal along call paths: flame graph, pprof, OTLP, speedscope, collapsed.
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/analyses/stack_profile.h"
#include "analyzer/base/shell.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/export.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/output_file.h"
#include "analyzer/exports/collapsed.h"
#include "analyzer/exports/flame_graph.h"
#include "analyzer/exports/otlp_profiles.h"
#include "analyzer/exports/pprof.h"
#include "analyzer/exports/speedscope.h"

namespace hindsight::analyzer {
namespace {

// Beyond that, a file of samples in order of time is one that no browser opens: some 80 MiB.
constexpr uint64_t kMaxSpeedscopeNumbers = 16'000'000;

struct SignalRow {
  ProfileSignal signal;
  std::string_view name;    // on the command line
  std::string_view source;  // that records it
  std::string_view title;   // of the file
  std::string_view things;  // "the recording has no ..."
};

const SignalRow& SignalOf(const std::string& name) {
  static constexpr SignalRow kRows[] = {
      {ProfileSignal::kCpu, "cpu", "cpu", "CPU time", "CPU samples"},
      {ProfileSignal::kAllocations, "allocations", "allocations", "allocations",
       "sampled allocations"},
      {ProfileSignal::kExceptions, "exceptions", "exceptions", "exceptions", "exceptions"},
      {ProfileSignal::kLocks, "locks", "locks", "waits for locks", "waits for locks"},
      {ProfileSignal::kWall, "wall", "waits", "wall-clock time",
       "two thread snapshots with run times"},
  };
  for (const SignalRow& row : kRows) {
    if (row.name == name) return row;
  }
  return kRows[0];
}

struct Loaded {
  std::unique_ptr<Model> model;
  StackProfile profile;
};

std::string AmountText(const ProfileMeasure& measure, uint64_t amount) {
  switch (measure.unit) {
    case ProfileUnit::kNanoseconds:
      return FormatDuration(amount);
    case ProfileUnit::kBytes:
      return FormatBytes(amount);
    case ProfileUnit::kCount:
      break;
  }
  return FormatCount(amount) + ' ' + std::string(measure.name);
}

std::string TotalText(const StackProfile& profile) {
  std::string text = AmountText(profile.measures[0], profile.totals[0]);
  if (profile.measures.size() > 1) {
    text += " in " + AmountText(profile.measures[1], profile.totals[1]);
  }
  return text;
}

Result<Loaded> Load(const std::vector<std::string>& paths, const ExportOptions& options,
                    StackProfileQuery query) {
  const SignalRow& signal = SignalOf(options.signal);
  ExceptionScope scope;
  const Result<TimeWindow> window = WindowOf(options.times);
  if (!window) return window.error();
  scope.from_ns = window->from_ns;
  scope.to_ns = window->to_ns;
  scope.apart_by_thread = !options.thread.empty();
  Result<std::unique_ptr<Model>> model = LoadModel(paths, scope, options.symbols);
  if (!model) return model.error();

  query.signal = signal.signal;
  query.thread = options.thread;
  query.from_ns = scope.from_ns;
  query.to_ns = scope.to_ns;
  Loaded loaded{std::move(*model), {}};
  loaded.profile = BuildStackProfile(*loaded.model, query);
  if (!loaded.profile.rows.empty()) return loaded;

  const bool is_narrowed =
      !options.thread.empty() || !options.times.from.empty() || !options.times.to.empty();
  std::string sentence = Printable(paths.front()) + " has no " + std::string(signal.things);
  if (is_narrowed) {
    sentence += " for these threads and this time range; widen the filters.";
  } else {
    sentence += "; record with the source `" + std::string(signal.source) +
                "`, or choose another --signal.";
  }
  return Error{std::move(sentence), ExitCode::kUnusableInput};
}

ExportFacts FactsOf(const Loaded& loaded, const ExportOptions& options) {
  const std::string& application = loaded.model->facts.application;
  return {(application.empty() ? "A recording" : application) + ": " +
              std::string(SignalOf(options.signal).title),
          "hindsight " HINDSIGHT_VERSION};
}

std::vector<std::string> FlameFacts(const Loaded& now, const std::optional<Loaded>& baseline,
                                    const ExportOptions& options) {
  const RecordingFacts& facts = now.model->facts;
  const auto stretch = [](const StackProfile& profile) {
    return FormatDuration(static_cast<uint64_t>(profile.to_ns - profile.from_ns));
  };
  std::vector<std::string> texts = {TotalText(now.profile), "over " + stretch(now.profile)};
  if (facts.started_unix_ns != 0) texts.push_back(FormatUnixTime(facts.started_unix_ns));
  if (!facts.host.empty()) texts.push_back(facts.host);
  if (!facts.runtime_version.empty()) texts.push_back(".NET " + facts.runtime_version);
  if (!options.thread.empty()) texts.push_back("thread " + options.thread);
  if (baseline) {
    texts.push_back("baseline: " + TotalText(baseline->profile) + " over " +
                    stretch(baseline->profile));
  }
  return texts;
}

ExitCode WriteFlamegraph(const ExportOptions& options) {
  const StackProfileQuery query{.type_frames = true};
  const Result<Loaded> now = Load(options.paths, options, query);
  if (!now) return Fail(now.error());
  std::optional<Loaded> baseline;
  if (!options.baseline.empty()) {
    Result<Loaded> loaded = Load({options.baseline}, options, query);
    if (!loaded) return Fail(loaded.error());
    baseline = std::move(*loaded);
  }
  Result<OutputFile> file = OutputFile::Create(options.file);
  if (!file) return Fail(file.error());
  FlameSource base;
  if (baseline) base = {baseline->model.get(), &baseline->profile};
  const FlameGraphTotals totals =
      WriteFlameGraph({now->model.get(), &now->profile}, base, FactsOf(*now, options),
                      FlameFacts(*now, baseline, options),
                      [&](std::string_view bytes) { return file->Write(bytes); });
  if (const Result<void> done = file->Finish(); !done) return Fail(done.error());
  std::cout << "Wrote " << Printable(options.file) << ": " << TotalText(now->profile) << ", "
            << Plural(totals.nodes, "node") << ", " << FormatBytes(file->bytes()) << ".\n";
  if (totals.folded > 0) {
    std::cout << Plural(totals.folded, "smallest call")
              << " folded into their callers as (smaller calls).\n";
  }
  std::cout << "Open it in a browser.\n";
  return ExitCode::kOk;
}

// A profile with source lines. `write` writes it, with its lines, to a sink, and returns totals,
// which count `entries`. `next`: what to do with the file.
template <typename Write>
ExitCode WriteProfileWithLines(const ExportOptions& options, std::string_view entries,
                               const std::string& next, const Write& write) {
  const Result<Loaded> now = Load(options.paths, options, {.call_sites = true});
  if (!now) return Fail(now.error());
  Result<OutputFile> file = OutputFile::Create(options.file);
  if (!file) return Fail(file.error());
  const Lines lines(now->model->dictionaries, options.symbols);
  const auto totals =
      write(*now, lines, [&](std::string_view bytes) { return file->Write(bytes); });
  if (const Result<void> done = file->Finish(); !done) return Fail(done.error());
  std::cout << "Wrote " << Printable(options.file) << ": " << TotalText(now->profile) << ", "
            << Plural(totals.samples, entries) << " of " << Plural(totals.functions, "function")
            << ", " << FormatBytes(file->bytes()) << ".\n";
  for (const std::string& note : lines.Notes()) std::cout << note << "\n";
  std::cout << next << "\n";
  return ExitCode::kOk;
}

ExitCode WritePprofFile(const ExportOptions& options) {
  const auto write = [&](const Loaded& now, const Lines& lines, const ByteSink& sink) {
    return WritePprof(*now.model, now.profile, FactsOf(now, options), &lines, sink);
  };
  return WriteProfileWithLines(
      options, "path", "Open it with: go tool pprof -http=: " + Printable(options.file), write);
}

ExitCode WriteOtlpFile(const ExportOptions& options) {
  const auto write = [](const Loaded& now, const Lines& lines, const ByteSink& sink) {
    return WriteOtlpProfiles(*now.model, now.profile, HINDSIGHT_VERSION, &lines, sink);
  };
  return WriteProfileWithLines(
      options, "sample",
      "Send it to a collector: curl -H 'Content-Type: application/x-protobuf' --data-binary @" +
          Printable(ShellWord(options.file)) + " http://HOST:4318/v1development/profiles",
      write);
}

ExitCode WriteSpeedscopeFile(const ExportOptions& options) {
  Result<Loaded> now = Load(options.paths, options, {.type_frames = true, .in_time_order = true});
  if (!now) return Fail(now.error());
  const bool is_summed_up = SpeedscopeNumbers(now->profile) > kMaxSpeedscopeNumbers;
  if (is_summed_up) {
    now = Load(options.paths, options, {.type_frames = true});
    if (!now) return Fail(now.error());
  }
  Result<OutputFile> file = OutputFile::Create(options.file);
  if (!file) return Fail(file.error());
  const SpeedscopeTotals totals =
      WriteSpeedscope(*now->model, now->profile, FactsOf(*now, options),
                      [&](std::string_view bytes) { return file->Write(bytes); });
  if (const Result<void> done = file->Finish(); !done) return Fail(done.error());
  std::cout << "Wrote " << Printable(options.file) << ": " << TotalText(now->profile) << ", "
            << Plural(totals.profiles, "profile") << ", " << FormatBytes(file->bytes()) << ".\n";
  if (is_summed_up) {
    std::cout << "There are too many samples for speedscope's time order, so they are merged by "
                 "path; --from and --to select fewer.\n";
  }
  std::cout << "Open it at https://www.speedscope.app, or with: npx speedscope "
            << Printable(options.file) << "\n";
  return ExitCode::kOk;
}

ExitCode WriteCollapsedFile(const ExportOptions& options) {
  const Result<Loaded> now = Load(options.paths, options, {.type_frames = true});
  if (!now) return Fail(now.error());
  Result<OutputFile> file = OutputFile::Create(options.file);
  if (!file) return Fail(file.error());
  WriteCollapsed(now->profile, [&](std::string_view bytes) { return file->Write(bytes); });
  if (const Result<void> done = file->Finish(); !done) return Fail(done.error());
  std::cout << "Wrote " << Printable(options.file) << ": " << TotalText(now->profile) << ", "
            << FormatBytes(file->bytes()) << ".\n"
            << "Each line is a path and its " << now->profile.measures[0].name
            << (now->profile.measures[0].unit == ProfileUnit::kNanoseconds ? " nanoseconds"
                : now->profile.measures[0].unit == ProfileUnit::kBytes     ? " bytes"
                                                                           : "")
            << ".\n";
  return ExitCode::kOk;
}

}  // namespace

ExitCode ExportProfile(const ExportOptions& options, ExportFormat format) {
  switch (format) {
    case ExportFormat::kFlamegraph:
      return WriteFlamegraph(options);
    case ExportFormat::kPprof:
      return WritePprofFile(options);
    case ExportFormat::kOtlp:
      return WriteOtlpFile(options);
    case ExportFormat::kSpeedscope:
      return WriteSpeedscopeFile(options);
    default:
      return WriteCollapsedFile(options);
  }
}

}  // namespace hindsight::analyzer
