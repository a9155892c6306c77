// The explorer: what each address shows.
//
//   /TOKEN/                       the page, whose views are in the query: ?view=heap&recording=...
//   /TOKEN/report?recording=...   the report page; &earlier=... what changed since that one
//   /TOKEN/files/NAME             scripts and styles
//   /TOKEN/api/NAME?...           JSON
//   /TOKEN/do/NAME?...            POST: records processes of this machine; JSON
//
// A recording is identified by its name in the folder's list, so no part of an address is ever used
// in a path. Errors are one sentence, as text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/serve/access.h"
#include "analyzer/serve/heap_view.h"
#include "analyzer/serve/processes.h"
#include "analyzer/serve/recording_source.h"
#include "analyzer/serve/request.h"
#include "analyzer/serve/shared_cache.h"

namespace hindsight::analyzer {

// Thread-safe.
class Explorer {
 public:
  static constexpr size_t kMostRows = 500;  // in one response

  // Both must outlive this.
  Explorer(std::string token, RecordingSource& source, Processes& processes)
      : access_(std::move(token)), source_(source), processes_(processes) {}

  HttpResponse Answer(const HttpRequest& request);

 private:
  // A recording in its current state: while it is still being written to, its size changes.
  struct Subject {
    std::string path;
    uint64_t bytes = 0;
    auto operator<=>(const Subject&) const = default;
  };
  struct HeapKey {
    Subject subject;
    std::optional<uint64_t> snapshot;
    auto operator<=>(const HeapKey&) const = default;
  };
  struct ReportKey {
    Subject subject, earlier;
    auto operator<=>(const ReportKey&) const = default;
  };
  using Answerer = Result<std::string> (Explorer::*)(const HttpTarget&);

  HttpResponse AnswerTarget(const HttpTarget& target);
  // For POST.
  HttpResponse Do(const HttpTarget& target);
  HttpResponse Api(const HttpTarget& target);

  Result<std::string> List(const HttpTarget& target);
  Result<std::string> Brief(const HttpTarget& target);
  Result<std::string> Report(const HttpTarget& target);
  Result<std::string> Snapshots(const HttpTarget& target);
  Result<std::string> Types(const HttpTarget& target);
  Result<std::string> Instances(const HttpTarget& target);
  Result<std::string> Object(const HttpTarget& target);
  Result<std::string> RootPath(const HttpTarget& target);
  Result<std::string> Dominated(const HttpTarget& target);
  Result<std::string> HeapDiff(const HttpTarget& target);
  Result<std::string> Events(const HttpTarget& target);
  Result<std::string> Flames(const HttpTarget& target);
  Result<std::string> Sql(const HttpTarget& target);
  Result<std::string> ListProcesses(const HttpTarget& target);
  Result<std::string> ProcessStatus(const HttpTarget& target);

  // The recording given by the parameter `name`.
  Result<Subject> SubjectOf(const HttpTarget& target, std::string_view name);
  Result<SharedCache<HeapKey, HeapView>::Shared> HeapOf(const HttpTarget& target);

  const Access access_;
  RecordingSource& source_;
  Processes& processes_;
  // Two heaps, to switch between snapshots.
  SharedCache<HeapKey, HeapView> heaps_{2};
  SharedCache<ReportKey, std::string> reports_{8};
  SharedCache<Subject, std::string> briefs_{10'000};
};

}  // namespace hindsight::analyzer
