// `hindsight export --format heapsnapshot`: a heap, for Chrome's developer tools.
#include <iostream>
#include <string>

#include "analyzer/base/text.h"
#include "analyzer/commands/export.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/output_file.h"
#include "analyzer/exports/heapsnapshot.h"

namespace hindsight::analyzer {

ExitCode ExportHeap(const ExportOptions& options) {
  const Result<Heap> heap = LoadHeap(options.paths, options.snapshot, HeapNeeds::kDominators);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const Dominators& dominators = *heap->dominators;
  const SlotNames names(model);

  Result<OutputFile> file = OutputFile::Create(options.file);
  if (!file) return Fail(file.error());
  const HeapsnapshotTotals totals = WriteHeapsnapshot(
      model, names, dominators, [&](std::string_view bytes) { return file->Write(bytes); });
  if (const Result<void> done = file->Finish(); !done) return Fail(done.error());
  std::cout << "Wrote " << Printable(options.file) << ": " << Plural(totals.objects, "object")
            << " of " << FormatBytes(totals.bytes) << " and " << Plural(totals.edges, "reference")
            << ".\n";
  if (dominators.unreachable_objects > 0) {
    std::cout << "Omitted: " << Plural(dominators.unreachable_objects, "unreachable object")
              << " of " << FormatBytes(dominators.unreachable_bytes)
              << "; the format has no garbage.\n";
  }
  if (totals.clipped > 0) {
    std::cout << Plural(totals.clipped, "object")
              << " of 4 GiB and more written as 4 GiB, the largest size in the format.\n";
  }
  std::cout << "Open it in Chrome: DevTools, Memory, Load profile.\n";
  return ExitCode::kOk;
}

}  // namespace hindsight::analyzer
