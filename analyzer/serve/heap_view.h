// A heap snapshot that stays in memory, and the explorer's queries on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/heap/dominator_walk.h"
#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/analyses/heap/object_details.h"
#include "analyzer/analyses/heap/object_pages.h"
#include "analyzer/analyses/heap/referrers.h"
#include "analyzer/analyses/heap/top_edges.h"
#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/result.h"
#include "analyzer/exports/tables/object_tables.h"
#include "analyzer/report/heap/heap_fields.h"

namespace hindsight::analyzer {

struct HeapParts {
  std::unique_ptr<HeapModel> model;
  std::vector<HeapFacts> snapshots;  // of the recording, ordered by number
};

// All results are JSON. Thread-safe. What holds what is computed in the background, starting
// immediately; whatever needs it waits. Memory in addition to that of the parts: 32 bytes per
// object and 4 per reference, and another 4 for each object of the type requested last, and for
// each at the top of the dominator tree.
class HeapView {
 public:
  // How long Types waits before it returns what is known so far.
  static constexpr std::chrono::milliseconds kPatience{300};

  explicit HeapView(HeapParts parts);
  HeapView(const HeapView&) = delete;
  HeapView& operator=(const HeapView&) = delete;

  // Like `hindsight heap --sort retained --json`. Until that is available, TypesSoFar.
  std::string Types() const;
  // {"is_preliminary": true, "percent": progress of computing what holds what, "heap":
  // {"application", "snapshot", "unix_ns"}, "types": [{"type", "objects", "bytes"}], largest
  // first}; includes unreachable objects.
  std::string TypesSoFar() const;
  // An error: no object has a type with this name.
  Result<std::string> Instances(std::string_view type, const PageRange& range) const;
  // Like `hindsight object ADDRESS --json`. All functions that take an address have the errors of
  // FindObject.
  Result<std::string> Object(std::string_view address, const DetailRange& range) const;
  Result<std::string> RootPath(std::string_view address) const;
  // What it immediately dominates; empty: the top of the dominator tree.
  Result<std::string> Dominated(std::string_view address, const PageRange& range) const;
  // For SQL over its objects; refers to this, which must outlive it.
  ObjectTableSource Tables(bool with_dominators) const;

 private:
  // What is derived from what holds what.
  struct Holders {
    Dominators dominators;
    std::optional<RootPaths> paths;
    std::optional<TopEdges> top;
    std::optional<DominatorTree> tree;
    std::vector<ObjectId> at_the_top;  // of the dominator tree
    std::string types_json;
  };

  const HeapModel& model() const { return *parts_.model; }
  const Holders& holders() const { return *holders_.get(); }
  HeapContext context() const { return {parts_.model.get(), &names_, &holders().dominators}; }
  std::shared_ptr<const Holders> FindHolders();

  const HeapParts parts_;
  const SlotNames names_;
  Progress progress_{"", -1, false};  // never drawn, only read

  // The type requested last and its objects, because its pages are requested one after the other.
  mutable std::mutex mutex_;
  mutable std::string type_;
  mutable std::vector<ObjectId> instances_;

  // They use the other members, so they are destroyed first.
  std::shared_future<std::shared_ptr<const Holders>> holders_;
  std::shared_future<Referrers> referrers_;
};

}  // namespace hindsight::analyzer
