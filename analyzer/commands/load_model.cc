#include "analyzer/commands/load_model.h"

#include "analyzer/base/console.h"
#include "analyzer/symbols/native_symbols.h"

namespace hindsight::analyzer {

Progress ProgressOf(const char* label, bool shows) {
  return shows ? Progress(label) : Progress(label, kStandardError, /*draws=*/false);
}

Result<Recording> OpenRecording(std::span<const std::string> paths, bool shows_progress) {
  Progress progress = ProgressOf("reading", shows_progress);
  return Recording::Open(paths, &progress);
}

Result<std::unique_ptr<Model>> LoadModel(Recording& recording, const ExceptionScope& scope,
                                         bool shows_progress, const SymbolPaths& symbols) {
  Progress progress = ProgressOf("reading", shows_progress);
  NativeNamer names;
  NativeSymbols files(symbols);
  if (!symbols.empty()) {
    names = [&files](std::string_view path, std::string_view build_id, uint64_t rva) {
      return files.NameOf(path, build_id, rva);
    };
  }
  Result<std::unique_ptr<Model>> model = BuildModel(recording, scope, &progress, names);
  progress.Finish();
  return model;
}

Result<std::unique_ptr<Model>> LoadModel(std::span<const std::string> paths,
                                         const ExceptionScope& scope, const SymbolPaths& symbols) {
  Result<Recording> recording = OpenRecording(paths);
  if (!recording) return recording.error();
  return LoadModel(*recording, scope, true, symbols);
}

}  // namespace hindsight::analyzer
