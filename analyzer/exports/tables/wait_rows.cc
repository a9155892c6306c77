#include <algorithm>
#include <unordered_map>

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

struct WaitPlaceRow {
  std::string_view kind;
  const WaitGroup* group = nullptr;
};

SqlTable<WaitPlaceRow> WaitPlaces() {
  return {
      "wait_places",
      "Finished waits, by kind and stack",
      TableSource::kEvents,
      1,
      {Numbered<WaitPlaceRow>("place"),
       {"kind",
        "monitor, lock, reader-writer lock, semaphore, task, event, thread, pulse, wait "
        "handle, unknown",
        &WaitPlaceRow::kind},
       {"stack", "", StackOf(Of(&WaitPlaceRow::group, &WaitGroup::stack))},
       {"waits", "", Of(&WaitPlaceRow::group, &WaitGroup::count)},
       {"total_ns", "", Of(&WaitPlaceRow::group, &WaitGroup::total_ns)},
       {"longest_ns", "", Of(&WaitPlaceRow::group, &WaitGroup::longest_ns)},
       {"longest_at_ns", "when that began", Of(&WaitPlaceRow::group, &WaitGroup::longest_at_ns)},
       {"longest_owner", "who held the lock then",
        KnownId(Of(&WaitPlaceRow::group, &WaitGroup::longest_owner))},
       {"longest_owner_stack", "the owner's stack",
        StackOf(Of(&WaitPlaceRow::group, &WaitGroup::longest_owner_stack))}}};
}

struct SingleWait {
  int64_t at_ns = 0;
  std::optional<uint64_t> duration_ns;
  uint32_t thread = 0;
  std::string_view kind;
  StackId stack = 0;
  std::optional<uint64_t> lock;
  uint32_t owner = 0;
};

SqlTable<SingleWait> LockWaits() {
  return {"lock_waits",
          "Individual waits; finished ones are thinned out evenly beyond 262,144 (exact counts are "
          "in wait_places)",
          TableSource::kEvents,
          1,
          {Numbered<SingleWait>("wait"),
           {"at_ns", "when it began", &SingleWait::at_ns},
           {"duration_ns", "NULL: not over when the recording ended", &SingleWait::duration_ns},
           {"thread", "", KnownId(&SingleWait::thread)},
           {"kind", "as in wait_places", &SingleWait::kind},
           {"stack", "", StackOf(&SingleWait::stack)},
           {"lock", "the runtime's id of the lock; only for unfinished waits", &SingleWait::lock},
           {"owner", "who held it; only for unfinished waits", KnownId(&SingleWait::owner)}}};
}

struct LockRow {
  std::string_view kind;
  const LockGroup* group = nullptr;
};

SqlTable<LockRow> Locks() {
  return {"locks",
          "Contended locks",
          TableSource::kEvents,
          1,
          {{"lock", "the runtime's id, reused after a lock has died",
            Of(&LockRow::group, &LockGroup::lock)},
           {"kind", "monitor or lock", &LockRow::kind},
           {"waits", "", Of(&LockRow::group, &LockGroup::count)},
           {"total_ns", "", Of(&LockRow::group, &LockGroup::total_ns)},
           {"longest_ns", "", Of(&LockRow::group, &LockGroup::longest_ns)},
           {"waiters_at_most", "most waiters at once",
            Of(&LockRow::group, &LockGroup::waiters_at_most)}}};
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

struct ThreadStackRow {
  int64_t at_ns = 0;
  const ThreadInSnapshot* thread = nullptr;
};

SqlTable<ThreadStackRow> ThreadStacks() {
  return {
      "thread_stacks",
      "Each thread's stack in the newest thread snapshot",
      TableSource::kEvents,
      1,
      {Numbered<ThreadStackRow>("number"),
       {"at_ns", kAt, &ThreadStackRow::at_ns},
       {"thread", "", KnownId([](auto& row) { return row.thread->thread; })},
       {"stack", "", StackOf([](auto& row) { return row.thread->stack; })},
       {"state", "running, sleeping, blocked, stopped, unknown",
        [](auto& row) { return StateName(row.thread->state); }},
       {"cpu_ns", "CPU time since the thread began",
        [](auto& row) {
          const uint64_t cpu_ns = row.thread->cpu_ns;
          return cpu_ns == 0 ? std::nullopt : std::optional(cpu_ns);
        }},
       {"unchanged_ns", "has been there, without running, for at least this long", [](auto& row) {
          return std::max<int64_t>(row.at_ns - row.thread->unchanged_since_ns, 0);
        }}}};
}

SqlTable<PoolSampleInfo> PoolSamples() {
  return {"pool_samples",
          "The thread pool, once per second; thinned out evenly beyond 4,096 rows",
          TableSource::kEvents,
          1,
          {Numbered<PoolSampleInfo>("sample"),
           {"at_ns", kAt, &PoolSampleInfo::at_ns},
           {"workers", "", &PoolSampleInfo::workers},
           {"queue_length", "queued work items", &PoolSampleInfo::queue_length},
           {"completed", "work items completed since the process started",
            &PoolSampleInfo::completed}}};
}

SqlTable<MemorySample> MemorySamples() {
  return {"memory_samples",
          "The process's memory, once per second; thinned out evenly beyond 4,096 rows",
          TableSource::kEvents,
          1,
          {Numbered<MemorySample>("sample"),
           {"at_ns", kAt, &MemorySample::at_ns},
           {"resident_bytes", "in physical memory", &MemorySample::resident_bytes},
           {"anonymous_bytes",
            "of those, not backed by files, without the recorder's; Windows: committed",
            &MemorySample::anonymous_bytes},
           {"open_files", "files, sockets and pipes; 0: not counted", &MemorySample::open_files}}};
}

void WriteSingleWaits(const Waits& waits, WaitNames& kinds, const RowContext& context,
                      TableWriter& writer) {
  TableRows<SingleWait> rows(LockWaits(), context, writer);
  if (!rows) return;
  for (const WaitRow& wait : waits.rows) {
    rows.Add({wait.at_ns,
              wait.duration_ns,
              wait.thread,
              kinds.Of(wait.kind, wait.stack),
              wait.stack,
              {},
              0});
  }
  for (const OpenWait& wait : waits.open) {
    const std::optional<uint64_t> lock = wait.lock == 0 ? std::nullopt : std::optional(wait.lock);
    rows.Add({wait.start_ns,
              {},
              wait.thread,
              kinds.Of(wait.kind, wait.stack),
              wait.stack,
              lock,
              wait.owner});
  }
}

}  // namespace

std::vector<TableSchema> WaitTables() {
  return {WaitPlaces(), LockWaits(), Locks(), ThreadStacks(), PoolSamples(), MemorySamples()};
}

void WriteWaits(const RowContext& context, TableWriter& writer) {
  const Waits& waits = context.model->waits;
  WaitNames kinds(context.model->dictionaries);
  if (TableRows<WaitPlaceRow> rows(WaitPlaces(), context, writer); rows) {
    for (const WaitGroup& group : waits.groups) {
      rows.Add({kinds.Of(group.kind, group.stack), &group});
    }
  }
  WriteSingleWaits(waits, kinds, context, writer);
  if (TableRows<LockRow> rows(Locks(), context, writer); rows) {
    for (const LockGroup& lock : waits.locks) rows.Add({kinds.Of(lock.kind, 0), &lock});
  }
  if (TableRows<ThreadStackRow> rows(ThreadStacks(), context, writer);
      rows && !waits.snapshots.empty()) {
    const ThreadSnapshot& newest = waits.snapshots.back();
    for (const ThreadInSnapshot& thread : newest.threads) rows.Add({newest.at_ns, &thread});
  }
  WriteRows(PoolSamples(), waits.samples, context, writer);
  WriteRows(MemorySamples(), context.model->memory, context, writer);
}

}  // namespace hindsight::analyzer
