// Where the explorer has recordings from. It knows names and answers; how a recording is read and
// what is made of it, commands/ knows.
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
  std::string thread;  // as --thread takes it; empty: all
  auto operator<=>(const EventScope&) const = default;
};

// Those that have a time and a thread.
inline constexpr std::string_view kFlameSignals[] = {"cpu", "allocations", "exceptions", "wall"};

// Called on any thread, several at a time. `path` is one that Find gave.
class RecordingSource {
 public:
  virtual ~RecordingSource() = default;

  virtual std::string Place() const = 0;  // the folder, for a person
  virtual Result<std::vector<FoundRecording>> List() = 0;
  // The one that List has with this name: the last part of its path. An error: it has none.
  virtual Result<FoundRecording> Find(std::string_view name) = 0;
  // JSON: what `hindsight fleet` keeps of a recording, its findings among it.
  virtual Result<std::string> Brief(const std::string& path) = 0;
  // The page of `hindsight report`; `earlier` may be empty.
  virtual Result<std::string> Report(const std::string& path, const std::string& earlier,
                                     const PageFrame& frame) = 0;
  // What heap snapshots it has, by number.
  virtual Result<std::vector<HeapFacts>> Snapshots(const std::string& path) = 0;
  virtual Result<std::unique_ptr<HeapParts>> Heap(const std::string& path,
                                                  std::optional<uint32_t> snapshot) = 0;
  // JSON: {COMMAND: what it answers with --from, --to, --thread}, and the timeline of all. `wall` is
  // of all threads; `waits_seen`: there is a flame graph of it for the thread, too.
  virtual Result<std::string> Events(const std::string& path, const EventScope& scope) = 0;
  // JSON as exports/flame/tree.js reads it: a flame graph of that part. `signal`: one of
  // kFlameSignals.
  virtual Result<std::string> Flames(const std::string& path, const EventScope& scope,
                                     std::string_view signal) = 0;
  // JSON as of `hindsight sql --json`; bounded in time and size. `heap` is asked for if the query
  // is about objects.
  using HeapAsker = std::function<Result<std::shared_ptr<const HeapView>>()>;
  virtual Result<std::string> Sql(const std::string& path, const std::string& query,
                                  const HeapAsker& heap) = 0;
  // JSON as of `hindsight diff --heap --json`. `later` may be the same recording.
  virtual Result<std::string> HeapDiff(const std::string& path, std::optional<uint32_t> snapshot,
                                       const std::string& later,
                                       std::optional<uint32_t> later_snapshot) = 0;
};

}  // namespace hindsight::analyzer
