// A heap snapshot that stays in memory, and the questions that the explorer asks of it.
#pragma once

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
#include "analyzer/base/result.h"
#include "analyzer/exports/tables/object_tables.h"
#include "analyzer/report/heap/heap_fields.h"

namespace hindsight::analyzer {

struct HeapParts {
  std::unique_ptr<HeapModel> model;
  Dominators dominators;
  std::optional<RootPaths> paths;    // of the model
  std::vector<HeapFacts> snapshots;  // of the recording, by number
};

// All answers are JSON. Any thread. Memory beside that of the parts: 12 bytes an object and 4 a
// reference, and 4 more for each object of the type asked for last, and at the top of the dominator
// tree.
class HeapView {
 public:
  explicit HeapView(HeapParts parts);
  HeapView(const HeapView&) = delete;
  HeapView& operator=(const HeapView&) = delete;

  // As `hindsight heap --sort retained --json`.
  const std::string& Types() const { return types_json_; }
  // An error: no object has a type of this name.
  Result<std::string> Instances(std::string_view type, const PageRange& range) const;
  // As `hindsight object ADDRESS --json`. The errors of all that take one are those of FindObject.
  Result<std::string> Object(std::string_view address, const DetailRange& range) const;
  Result<std::string> RootPath(std::string_view address) const;
  // What it immediately dominates; empty: the top of the dominator tree.
  Result<std::string> Dominated(std::string_view address, const PageRange& range) const;
  // For SQL over its objects; of this, which has to stay.
  ObjectTableSource Tables() const;

 private:
  const HeapModel& model() const { return *parts_.model; }
  HeapContext context() const { return {parts_.model.get(), &names_, &parts_.dominators}; }

  const HeapParts parts_;
  const SlotNames names_;
  const TopEdges top_;
  std::optional<DominatorTree> tree_;
  std::vector<ObjectId> at_the_top_;  // of the dominator tree
  std::string types_json_;
  // Made while the user looks at the types.
  std::shared_future<Referrers> referrers_;

  // The type asked for last, and its objects: pages of one are asked for in a row.
  mutable std::mutex mutex_;
  mutable std::string type_;
  mutable std::vector<ObjectId> instances_;
};

}  // namespace hindsight::analyzer
