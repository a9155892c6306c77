// Recordings for `hindsight serve`: those in a folder, or a single one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/commands/load_model.h"
#include "analyzer/model/exception_tracker.h"
#include "analyzer/model/model.h"
#include "analyzer/serve/recording_source.h"
#include "analyzer/serve/shared_cache.h"

namespace hindsight::analyzer {

class ServedRecordings : public RecordingSource {
 public:
  // `path`: a folder with recordings, or a recording. An error: it is neither. `symbols`: see
  // LoadModel.
  static Result<std::unique_ptr<ServedRecordings>> Open(const std::string& path,
                                                        SymbolPaths symbols = {});

  // Whether it is a single recording, without a folder for others.
  bool IsOne() const { return is_one_; }
  std::string Place() const override { return place_; }
  Result<std::vector<FoundRecording>> List() override;
  Result<FoundRecording> Find(std::string_view name) override;
  Result<std::string> Brief(const std::string& path) override;
  Result<std::string> Report(const std::string& path, const std::string& earlier,
                             const PageFrame& frame) override;
  Result<std::vector<HeapFacts>> Snapshots(const std::string& path) override;
  Result<std::unique_ptr<HeapParts>> Heap(const std::string& path,
                                          std::optional<uint32_t> snapshot) override;
  Result<std::string> Events(const std::string& path, const EventScope& scope) override;
  Result<std::string> Flames(const std::string& path, const EventScope& scope,
                             std::string_view signal) override;
  Result<std::string> Sql(const std::string& path, const std::string& query,
                          const HeapAsker& heap) override;
  Result<std::string> HeapDiff(const std::string& path, std::optional<uint32_t> snapshot,
                               const std::string& later,
                               std::optional<uint32_t> later_snapshot) override;

 private:
  ServedRecordings(std::string place, bool is_one, SymbolPaths symbols)
      : place_(std::move(place)), is_one_(is_one), symbols_(std::move(symbols)) {}

  // Path, bytes at that time, and the exception scope of the model.
  using ModelKey = std::tuple<std::string, uint64_t, int64_t, int64_t, bool>;
  Result<SharedCache<ModelKey, Model>::Shared> ModelOf(const std::string& path,
                                                       const ExceptionScope& scope);

  const std::string place_;  // absolute, without links
  const bool is_one_;        // place_ is a recording
  const SymbolPaths symbols_;
  SharedCache<ModelKey, Model> models_{2};
};

}  // namespace hindsight::analyzer
