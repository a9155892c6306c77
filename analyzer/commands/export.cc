// `hindsight export`: a heap snapshot in a format that other tools open.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/exports/heapsnapshot.h"

namespace hindsight::analyzer {
namespace {

struct ExportOptions {
  std::vector<std::string> paths;
  std::optional<uint32_t> snapshot;
  std::string format = "heapsnapshot";
  std::string file;
};

Error CannotWrite(const std::string& file, int error) {
  return {"Cannot write " + Printable(file) + ": " + std::strerror(error) + ".",
          ExitCode::kUnusableInput};
}

ExitCode Run(const ExportOptions& options) {
  const Result<Heap> heap = LoadHeap(options.paths, options.snapshot, HeapNeeds::kDominators);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const Dominators& dominators = *heap->dominators;
  const SlotNames names(model);

  // A name of its own until it is whole.
  const std::string part = options.file + ".part";
  std::FILE* file = std::fopen(part.c_str(), "wbe");
  if (file == nullptr) return Fail(CannotWrite(part, errno));
  int error = 0;
  const HeapsnapshotTotals totals =
      WriteHeapsnapshot(model, names, dominators, [&](std::string_view bytes) {
        if (std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size()) return true;
        error = errno;
        return false;
      });
  if (std::fclose(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(part.c_str(), options.file.c_str()) != 0) error = errno;
  if (error != 0) {
    std::remove(part.c_str());
    return Fail(CannotWrite(options.file, error));
  }
  std::cout << "Wrote " << Printable(options.file) << ": " << Plural(totals.objects, "object")
            << " of " << FormatBytes(totals.bytes) << " and " << Plural(totals.edges, "reference")
            << ".\n";
  if (dominators.unreachable_objects > 0) {
    std::cout << "Left out: " << Plural(dominators.unreachable_objects, "unreachable object")
              << " of " << FormatBytes(dominators.unreachable_bytes)
              << "; the format knows no garbage.\n";
  }
  if (totals.clipped > 0) {
    std::cout << Plural(totals.clipped, "object")
              << " of 4 GiB and more written as 4 GiB: the format knows no larger size.\n";
  }
  std::cout << "Open it in Chrome: developer tools, Memory, Load profile.\n";
  return ExitCode::kOk;
}

}  // namespace

void RegisterExport(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "A heap snapshot as a file that Chrome's developer tools open");
  command->add_option("recording", options->paths, "Folder or files of one recording")->required();
  command->add_option("--snapshot", options->snapshot, "Its number. Default: the newest");
  command->add_option("--format", options->format, "heapsnapshot: V8's")
      ->check(CLI::IsMember({"heapsnapshot"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->file, "The file to write")->required();
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
