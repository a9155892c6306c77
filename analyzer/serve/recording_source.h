// Where the explorer gets recordings from. It knows names and results; how a recording is read and
// what is computed from it is known to commands/.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/page/page.h"
#include "analyzer/reader/find_recordings.h"
#include "analyzer/serve/heap_view.h"

namespace hindsight::analyzer {

// Part of a recording; times are nanoseconds from its start.
struct EventScope {
  int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;
  std::string thread;  // as accepted by --thread; empty: all
  auto operator<=>(const EventScope&) const = default;
};

// Those with a time and a thread.
inline constexpr std::string_view kFlameSignals[] = {"cpu", "allocations", "exceptions", "wall"};

// Called on any thread, concurrently. `path` is one that Find returned.
class RecordingSource {
 public:
  virtual ~RecordingSource() = default;

  virtual std::string Place() const = 0;  // the folder, for display
  virtual Result<std::vector<FoundRecording>> List() = 0;
  // The recording of List with this name, which is the last part of its path. An error: there is
  // none.
  virtual Result<FoundRecording> Find(std::string_view name) = 0;
  // JSON: what `hindsight fleet` keeps of a recording, including its findings.
  virtual Result<std::string> Brief(const std::string& path) = 0;
  // The page of `hindsight report`; `earlier` may be empty.
  virtual Result<std::string> Report(const std::string& path, const std::string& earlier,
                                     const PageFrame& frame) = 0;
  // Its heap snapshots, ordered by number.
  virtual Result<std::vector<HeapFacts>> Snapshots(const std::string& path) = 0;
  virtual Result<std::unique_ptr<HeapParts>> Heap(const std::string& path,
                                                  std::optional<uint32_t> snapshot) = 0;
  // JSON: {COMMAND: its output with --from, --to, --thread}, and the timeline of everything. `wall`
  // is for all threads; `waits_seen`: there is also a flame graph of it for the thread.
  virtual Result<std::string> Events(const std::string& path, const EventScope& scope) = 0;
  // JSON as read by exports/flame/tree.js: a flame graph of that part. `signal`: one of
  // kFlameSignals.
  virtual Result<std::string> Flames(const std::string& path, const EventScope& scope,
                                     std::string_view signal) = 0;
  // JSON as from `hindsight sql --json`; limited in time and size. `heap` is called if the query is
  // about objects.
  using HeapAsker = std::function<Result<std::shared_ptr<const HeapView>>()>;
  virtual Result<std::string> Sql(const std::string& path, const std::string& query,
                                  const HeapAsker& heap) = 0;
  // JSON as from `hindsight diff --heap --json`. `later` may be the same recording.
  virtual Result<std::string> HeapDiff(const std::string& path, std::optional<uint32_t> snapshot,
                                       const std::string& later,
                                       std::optional<uint32_t> later_snapshot) = 0;
};

}  // namespace hindsight::analyzer
