// `hindsight export --format trace`: all signals on one time axis.
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/base/text.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/export.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/output_file.h"
#include "analyzer/exports/trace.h"

namespace hindsight::analyzer {

ExitCode ExportTrace(const ExportOptions& options) {
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths, {}, options.symbols);
  if (!model) return Fail(model.error());
  TraceQuery query;
  query.thread = options.thread;
  const Result<TimeWindow> window = WindowOf(options.times);
  if (!window) return Fail(window.error());
  query.from_ns = window->from_ns;
  query.to_ns = window->to_ns;
  Result<OutputFile> file = OutputFile::Create(options.file);
  if (!file) return Fail(file.error());
  const TraceTotals totals =
      WriteTrace(**model, query, {(*model)->facts.application, "hindsight " HINDSIGHT_VERSION},
                 [&](std::string_view bytes) { return file->Write(bytes); });
  if (totals.Events() == 0) {
    return Fail({Printable(options.paths.front()) +
                     " has nothing for a trace here: record with the sources `cpu`, `gc`, `locks` "
                     "or `exceptions`, or widen the filters.",
                 ExitCode::kUnusableInput});
  }
  if (const Result<void> done = file->Finish(); !done) return Fail(done.error());
  std::cout << "Wrote " << Printable(options.file) << ": " << Plural(totals.calls, "call") << ", "
            << Plural(totals.waits, "wait") << ", " << Plural(totals.throws, "throw") << ", "
            << Plural(totals.collections, "collection") << ", " << Plural(totals.pauses, "pause")
            << ", " << FormatBytes(file->bytes()) << ".\n";
  if (totals.left_out > 0) {
    std::cout << "Omitted: " << Plural(totals.left_out, "call") << " shorter than "
              << FormatDuration(static_cast<uint64_t>(totals.shortest_ns))
              << "; narrow --from and --to to include them.\n";
  }
  std::cout
      << "Open it at https://ui.perfetto.dev, or in Chrome: DevTools, Performance, Load profile.\n";
  return ExitCode::kOk;
}

}  // namespace hindsight::analyzer
