// A heap snapshot that stays in memory, and the questions that the explorer asks of it.
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
  std::vector<HeapFacts> snapshots;  // of the recording, by number
};

// All answers are JSON. Any thread. Who holds what is found out in the background, from the
// beginning on; what needs it waits for that. Memory beside that of the parts: 32 bytes an object
// and 4 a reference, and 4 more for each object of the type asked for last, and at the top of the
// dominator tree.
class HeapView {
 public:
  // How long Types waits before it answers with what is known so far.
  static constexpr std::chrono::milliseconds kPatience{300};

  explicit HeapView(HeapParts parts);
  HeapView(const HeapView&) = delete;
  HeapView& operator=(const HeapView&) = delete;

  // As `hindsight heap --sort retained --json`. Until that is known, TypesSoFar.
  std::string Types() const;
  // {"is_preliminary": true, "percent": of finding out who holds what, "heap": {"application",
  // "snapshot", "unix_ns"}, "types": [{"type", "objects", "bytes"}], the largest first}: objects
  // whether reachable or not.
  std::string TypesSoFar() const;
  // An error: no object has a type of this name.
  Result<std::string> Instances(std::string_view type, const PageRange& range) const;
  // As `hindsight object ADDRESS --json`. The errors of all that take one are those of FindObject.
  Result<std::string> Object(std::string_view address, const DetailRange& range) const;
  Result<std::string> RootPath(std::string_view address) const;
  // What it immediately dominates; empty: the top of the dominator tree.
  Result<std::string> Dominated(std::string_view address, const PageRange& range) const;
  // For SQL over its objects; of this, which has to stay.
  ObjectTableSource Tables(bool with_dominators) const;

 private:
  // What follows from who holds what.
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
  Progress progress_{"", -1, false};  // that nobody sees but who asks

  // The type asked for last, and its objects: pages of one are asked for in a row.
  mutable std::mutex mutex_;
  mutable std::string type_;
  mutable std::vector<ObjectId> instances_;

  // Of the rest; they end before it does.
  std::shared_future<std::shared_ptr<const Holders>> holders_;
  std::shared_future<Referrers> referrers_;
};

}  // namespace hindsight::analyzer
