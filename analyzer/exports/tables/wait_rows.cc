#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "analyzer/analyses/gc/gc.h"
#include "analyzer/analyses/gc/gc_descriptions.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

// What was waited for, in the words of `hindsight locks`: the call on the stack says more than the
// event.
class WaitNames {
 public:
  // `dictionaries` must outlive this.
  explicit WaitNames(const Dictionaries& dictionaries)
      : dictionaries_(dictionaries), calls_(dictionaries) {}

  std::string_view Of(WaitKind kind, StackId stack) {
    const auto [at, is_new] = call_of_.try_emplace(stack, BlockingCall::Kind::kNone);
    if (is_new) at->second = calls_.Find(WaitPath(dictionaries_, stack)).kind;
    return WaitName(kind, at->second);
  }

 private:
  const Dictionaries& dictionaries_;
  const BlockingCalls calls_;
  std::unordered_map<StackId, BlockingCall::Kind> call_of_;
};

void WriteWaits(const Model& model, NameTables& names, TableWriter& writer) {
  const Waits& waits = model.waits;
  WaitNames kinds(model.dictionaries);
  if (writer.Begin("wait_places")) {
    uint64_t number = 0;
    for (const WaitGroup& group : waits.groups) {
      writer.Row(++number, kinds.Of(group.kind, group.stack), Known(names.OfStack(group.stack)),
                 group.count, group.total_ns, group.longest_ns, group.longest_at_ns,
                 Known(group.longest_owner), Known(names.OfStack(group.longest_owner_stack)));
    }
  }
  if (writer.Begin("lock_waits")) {
    uint64_t number = 0;
    for (const WaitRow& row : waits.rows) {
      writer.Row(++number, row.at_ns, row.duration_ns, Known(row.thread),
                 kinds.Of(row.kind, row.stack), Known(names.OfStack(row.stack)), std::nullopt,
                 std::nullopt);
    }
    for (const OpenWait& wait : waits.open) {
      const std::optional<uint64_t> lock = wait.lock == 0 ? std::nullopt : std::optional(wait.lock);
      writer.Row(++number, wait.start_ns, std::nullopt, Known(wait.thread),
                 kinds.Of(wait.kind, wait.stack), Known(names.OfStack(wait.stack)), lock,
                 Known(wait.owner));
    }
  }
  if (writer.Begin("locks")) {
    for (const LockGroup& lock : waits.locks) {
      writer.Row(lock.lock, kinds.Of(lock.kind, 0), lock.count, lock.total_ns, lock.longest_ns,
                 lock.waiters_at_most);
    }
  }
}

std::string_view StateName(ThreadRunState state) {
  switch (state) {
    case ThreadRunState::kRunning:
      return "running";
    case ThreadRunState::kSleeping:
      return "sleeping";
    case ThreadRunState::kBlocked:
      return "blocked";
    case ThreadRunState::kStopped:
      return "stopped";
    case ThreadRunState::kUnknown:
      break;
  }
  return "unknown";
}

void WriteThreadStacks(const Waits& waits, NameTables& names, TableWriter& writer) {
  if (!writer.Begin("thread_stacks") || waits.snapshots.empty()) return;
  const ThreadSnapshot& newest = waits.snapshots.back();
  uint64_t number = 0;
  for (const ThreadInSnapshot& thread : newest.threads) {
    const std::optional<uint64_t> cpu =
        thread.cpu_ns == 0 ? std::nullopt : std::optional(thread.cpu_ns);
    writer.Row(++number, newest.at_ns, Known(thread.thread), Known(names.OfStack(thread.stack)),
               StateName(thread.state), cpu,
               std::max<int64_t>(newest.at_ns - thread.unchanged_since_ns, 0));
  }
}

std::optional<std::string_view> TypeName(CollectionType type) {
  switch (type) {
    case CollectionType::kBlocking:
      return "blocking";
    case CollectionType::kBackground:
      return "background";
    case CollectionType::kBlockingDuringBackground:
      return "blocking_during_background";
    case CollectionType::kUnknown:
      break;
  }
  return {};
}

void WriteCollections(const GarbageCollections& facts, TableWriter& writer) {
  if (writer.Begin("gcs")) {
    uint64_t number = 0;
    for (const CollectionRow& row : facts.rows) {
      // Beyond what every collection reports, NULL if the runtime's events about it are missing.
      const auto detail = [&row](uint64_t value) {
        return row.detailed ? std::optional(value) : std::nullopt;
      };
      uint64_t before = 0;
      for (const GenerationChange& change : row.generations) before += change.before_bytes;
      writer.Row(++number, row.at_ns, row.duration_ns, row.pause_ns, row.generation,
                 TypeName(row.type), GcReasonLabel(row.reason, row.induced), row.induced,
                 detail(row.compacting), detail(before), detail(HeapAfter(row)),
                 detail(row.promoted_bytes), detail(row.committed_bytes),
                 detail(row.pinned_objects), detail(row.memory_load_percent));
    }
  }
  if (writer.Begin("pauses")) {
    uint64_t number = 0;
    for (const Pause& pause : FindPauses(facts, INT64_MIN, INT64_MAX)) {
      std::optional<int64_t> gc;
      if (pause.collection != nullptr) gc = pause.collection - facts.rows.data() + 1;
      writer.Row(++number, pause.suspension->at_ns, pause.suspension->total_ns,
                 pause.suspension->stopping_ns, PauseKindKey(pause.kind), gc);
    }
  }
}

}  // namespace

void WriteWaitRows(const Model& model, NameTables& names, TableWriter& writer) {
  WriteWaits(model, names, writer);
  WriteThreadStacks(model.waits, names, writer);
  if (writer.Begin("pool_samples")) {
    uint64_t number = 0;
    for (const PoolSampleInfo& sample : model.waits.samples) {
      writer.Row(++number, sample.at_ns, sample.workers, sample.queue_length, sample.completed);
    }
  }
  if (writer.Begin("memory_samples")) {
    uint64_t number = 0;
    for (const MemorySample& sample : model.memory) {
      writer.Row(++number, sample.at_ns, sample.resident_bytes, sample.anonymous_bytes);
    }
  }
  WriteCollections(model.collections, writer);
}

}  // namespace hindsight::analyzer
