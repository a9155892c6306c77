#include "analyzer/commands/load_model.h"

#include "analyzer/base/progress.h"
#include "analyzer/reader/recording_reader.h"

namespace hindsight::analyzer {

Result<std::unique_ptr<Model>> LoadModel(std::span<const std::string> paths,
                                         const ExceptionScope& scope) {
  Progress progress("reading");
  Result<Recording> recording = Recording::Open(paths, &progress);
  if (!recording) return recording.error();
  Result<std::unique_ptr<Model>> model = BuildModel(*recording, scope, &progress);
  progress.Finish();
  return model;
}

}  // namespace hindsight::analyzer
