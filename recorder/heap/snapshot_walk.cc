#include <algorithm>

#include "recorder/heap/heap_walk.h"
#include "recorder/heap/snapshot_child.h"

namespace hindsight::recorder {

std::span<const WalkedRange> AllRanges(SnapshotTask& task) {
  SnapshotShared& shared = *task.shared;
  for (uint32_t i = 0; i < shared.frozen_count; ++i) {
    task.ranges[task.range_count++] = shared.frozen[i];
  }
  std::sort(task.ranges, task.ranges + task.range_count,
            [](const WalkedRange& a, const WalkedRange& b) { return a.start < b.start; });
  return {task.ranges, task.range_count};
}

bool WalkAndWrite(const SnapshotTask& task, std::span<const WalkedRange> ranges,
                  uint64_t deadline_ns) {
  const bool may_write = !task.batch->keeps() && task.identity.IsOf(task.file);
  task.batch->Start(*task.shared, may_write ? task.file : -1);
  HeapWalk walk(*task.shared, ranges, deadline_ns);
  return walk.WriteObjects(*task.batch);
}

}  // namespace hindsight::recorder
