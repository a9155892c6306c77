#include "analyzer/analyses/gc/pauses.h"

#include <algorithm>
#include <span>

namespace hindsight::analyzer {
namespace {

// COR_PRF_SUSPEND_REASON of corprof.h; the last two are not in its documentation.
enum SuspendReason : uint32_t {
  kForGc = 1,
  kForAppDomainShutdown = 2,
  kForCodePitching = 3,
  kForShutdown = 4,
  kForInprocDebugger = 6,
  kForGcPrep = 7,  // the pauses of a background collection after its first
  kForReJit = 8,
  kForProfiler = 9,
};

int64_t After(int64_t at_ns, uint64_t duration_ns) {
  return at_ns + static_cast<int64_t>(std::min<uint64_t>(duration_ns, INT64_MAX / 4));
}

int64_t EndOf(const CollectionRow& collection) {
  return After(collection.at_ns, collection.duration_ns);
}

// Finds collections for pauses, which must be passed in ascending order.
class Collections {
 public:
  explicit Collections(const GarbageCollections& facts) : rows_(facts.rows) {}

  const CollectionRow* Serving(const SuspensionRow& pause) {
    const int64_t end_ns = After(pause.at_ns, pause.total_ns);
    for (; next_ < rows_.size() && rows_[next_].at_ns < pause.at_ns; ++next_) {
      GoesOn(rows_[next_]);
    }
    const CollectionRow* best = nullptr;
    int64_t most_ns = -1;
    for (size_t i = next_; i < rows_.size() && rows_[i].at_ns <= end_ns; ++i) {
      const int64_t overlap_ns = std::min(end_ns, EndOf(rows_[i])) - rows_[i].at_ns;
      if (overlap_ns <= most_ns) continue;
      most_ns = overlap_ns;
      best = &rows_[i];
    }
    if (best != nullptr) return best;
    const auto newest =
        std::find_if(going_on_.rbegin(), going_on_.rend(),
                     [&pause](const CollectionRow* row) { return EndOf(*row) >= pause.at_ns; });
    return newest != going_on_.rend() ? *newest : nullptr;
  }

 private:
  // A background collection, and those of young generations inside it.
  static constexpr size_t kMaxGoingOn = 8;

  void GoesOn(const CollectionRow& row) {
    std::erase_if(going_on_,
                  [&row](const CollectionRow* other) { return EndOf(*other) < row.at_ns; });
    if (going_on_.size() == kMaxGoingOn) going_on_.erase(going_on_.begin());
    going_on_.push_back(&row);
  }

  std::span<const CollectionRow> rows_;
  size_t next_ = 0;  // the first that begins at or after the pause
  std::vector<const CollectionRow*> going_on_;
};

PauseKind KindOf(uint32_t reason, const CollectionRow* collection) {
  switch (reason) {
    case kForGc:
    case kForGcPrep:
      break;
    case kForAppDomainShutdown:
    case kForShutdown:
      return PauseKind::kShutdown;
    case kForCodePitching:
    case kForReJit:
      return PauseKind::kCodeChange;
    case kForInprocDebugger:
      return PauseKind::kDebugger;
    case kForProfiler:
      return PauseKind::kThreadSnapshot;
    default:
      return PauseKind::kRuntimeMaintenance;
  }
  if (collection == nullptr) return PauseKind::kUnknownCollection;
  if (collection->generation == 0) return PauseKind::kGen0;
  if (collection->generation == 1) return PauseKind::kGen1;
  return IsBackground(*collection) ? PauseKind::kGen2Background : PauseKind::kGen2Blocking;
}

}  // namespace

int64_t Pause::end_ns() const { return After(suspension->at_ns, suspension->total_ns); }

bool IsBackground(const CollectionRow& collection) {
  if (collection.type != CollectionType::kUnknown) {
    return collection.type == CollectionType::kBackground;
  }
  return collection.generation >= 2 && collection.duration_ns > collection.pause_ns;
}

std::vector<Pause> FindPauses(const GarbageCollections& facts, int64_t from_ns, int64_t to_ns) {
  std::vector<Pause> pauses;
  Collections collections(facts);
  for (const SuspensionRow& row : facts.pauses) {
    Pause pause{.suspension = &row};
    if (row.reason == kForGc || row.reason == kForGcPrep) {
      pause.collection = collections.Serving(row);
    }
    pause.kind = KindOf(row.reason, pause.collection);
    if (pause.end_ns() >= from_ns && row.at_ns < to_ns) pauses.push_back(pause);
  }
  return pauses;
}

}  // namespace hindsight::analyzer
