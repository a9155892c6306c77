#include <cerrno>

#include "recorder/heap/snapshot_child.h"

namespace hindsight::recorder {

// Windows cannot make a copy of a process that runs by itself: heaps are walked in the pause.
SnapshotChild::~SnapshotChild() = default;

bool SnapshotChild::Prepare() { return true; }

void SnapshotChild::Release() {}

int SnapshotChild::Clone(SnapshotTask&) { return ENOSYS; }

bool SnapshotChild::Reap(int*) { return true; }

int SnapshotChild::SignalThatEnded(int) { return 0; }

void SnapshotChild::Kill() {}

uint64_t SnapshotChild::PrivateBytes() const { return 0; }

uint64_t SnapshotChild::CopiedAtMost() const { return 0; }

bool SnapshotChild::CanBeMade() { return false; }

}  // namespace hindsight::recorder
