#include "analyzer/commands/load_model.h"

#include "analyzer/base/console.h"

namespace hindsight::analyzer {

Progress ProgressOf(const char* label, bool shows) {
  return shows ? Progress(label) : Progress(label, kStandardError, /*draws=*/false);
}

Result<Recording> OpenRecording(std::span<const std::string> paths, bool shows_progress) {
  Progress progress = ProgressOf("reading", shows_progress);
  return Recording::Open(paths, &progress);
}

Result<std::unique_ptr<Model>> LoadModel(Recording& recording, const ExceptionScope& scope,
                                         bool shows_progress) {
  Progress progress = ProgressOf("reading", shows_progress);
  Result<std::unique_ptr<Model>> model = BuildModel(recording, scope, &progress);
  progress.Finish();
  return model;
}

Result<std::unique_ptr<Model>> LoadModel(std::span<const std::string> paths,
                                         const ExceptionScope& scope) {
  Result<Recording> recording = OpenRecording(paths);
  if (!recording) return recording.error();
  return LoadModel(*recording, scope);
}

}  // namespace hindsight::analyzer
