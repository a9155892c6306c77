#include "recorder/stack/thread_snapshot_taker.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "proto/limits.h"
#include "recorder/base/clock.h"
#include "recorder/base/own_cost.h"
#include "recorder/base/thread.h"
#include "recorder/clr/for_each_id.h"
#include "recorder/stack/context.h"
#include "recorder/stack/guessed_frame.h"

namespace hindsight::recorder {
namespace {

// The frames of 1000 threads take about 500 KiB. The largest size that leaves seven eighths of the
// budget to others is used; if not even the smallest fits, there are no snapshots. Only what is
// used becomes resident.
constexpr size_t kFrameBytes[] = {2u << 20, 512u << 10, 128u << 10};
// Threads not walked by then have no stack: no application is paused for longer.
constexpr uint64_t kMaxWalkNs = 200'000'000;
// The runtime refuses while another suspension is in progress.
constexpr int kAttempts = 200;
constexpr timespec kBetweenSuspensions = {0, 1'000'000};

// Calls `visit(ThreadID, os id)` for every thread of the application, while all are stopped. During
// a suspension requested by a profiler, the runtime itself holds the lock of its list
// (dotnet/runtime, ProfilerThreadEnum::Init), so no thread is added or removed, and none is freed.
template <typename Visit>
void ForEachStoppedThread(clr::ICorProfilerInfo10* info, Visit visit) {
  clr::ForEachThread(info, [&](clr::ThreadID thread) {
    uint32_t os_id = 0;
    if (clr::Failed(info->GetThreadInfo(thread, &os_id)) || os_id == 0) return;
    if (!IsOwnThread(os_id)) visit(thread, os_id);
  });
}

template <typename Row>
bool ByOsId(const Row& a, const Row& b) {
  return a.os_id < b.os_id;
}

template <typename Row>
const Row* Find(std::span<const Row> rows, uint32_t os_id) {
  const auto found = std::ranges::lower_bound(rows, os_id, {}, &Row::os_id);
  return found != rows.end() && found->os_id == os_id ? &*found : nullptr;
}

}  // namespace

bool ThreadSnapshotTaker::Open(MemoryBudget& budget) {
  constexpr size_t kTableBytes = kMaxThreads * (2 * sizeof(SnapshotThread) + sizeof(Known));
  for (const size_t frame_bytes : kFrameBytes) {
    if (frame_bytes > budget.limit() / 8) continue;
    mapped_ = budget.Map(kTableBytes + frame_bytes);
    if (mapped_ == nullptr) continue;
    mapped_bytes_ = kTableBytes + frame_bytes;
    threads_ = static_cast<SnapshotThread*>(mapped_);
    previous_ = threads_ + kMaxThreads;
    known_ = reinterpret_cast<Known*>(previous_ + kMaxThreads);
    frames_ = reinterpret_cast<SnapshotFrame*>(known_ + kMaxThreads);
    frame_capacity_ = frame_bytes / sizeof(SnapshotFrame);
    return true;
  }
  return false;
}

void ThreadSnapshotTaker::Close(MemoryBudget& budget) {
  budget.Unmap(mapped_, mapped_bytes_);
  mapped_ = nullptr;
  thread_count_ = 0;
}

bool ThreadSnapshotTaker::Take(clr::ICorProfilerInfo10* info, ThreadGate& gate) {
  KeepPrevious();
  ReadRuns(gate);
  uint64_t requested_ns = 0;
  clr::HRESULT stopped = clr::E_FAIL;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    requested_ns = MonotonicNs();
    stopped = info->SuspendRuntime();
    if (clr::Succeeded(stopped)) break;
    nanosleep(&kBetweenSuspensions, nullptr);
  }
  if (clr::Failed(stopped)) return false;
  taken_ns_ = MonotonicNs();
  stopping_ns_ = taken_ns_ - requested_ns;
  WalkAll(info);
  info->ResumeRuntime();
  pause_ns_ = MonotonicNs() - requested_ns;
  AddRuns();
  std::sort(threads_, threads_ + thread_count_, ByOsId<SnapshotThread>);
  return true;
}

// Compacts the frames of the last snapshot, to make room after them.
void ThreadSnapshotTaker::KeepPrevious() {
  std::swap(threads_, previous_);
  previous_count_ = thread_count_;
  thread_count_ = frame_count_ = walked_ = 0;
  const std::span<SnapshotThread> previous = {previous_, previous_count_};
  size_t needed = 0;
  for (const SnapshotThread& thread : previous) needed += thread.frame_count;
  if (needed > frame_capacity_ / 2) previous_count_ = 0;
  if (previous_count_ == 0) return;
  std::sort(previous.begin(), previous.end(), [](const SnapshotThread& a, const SnapshotThread& b) {
    return a.first_frame < b.first_frame;
  });
  for (SnapshotThread& thread : previous) {
    std::memmove(frames_ + frame_count_, frames_ + thread.first_frame,
                 thread.frame_count * sizeof(SnapshotFrame));
    thread.first_frame = static_cast<uint32_t>(frame_count_);
    frame_count_ += thread.frame_count;
  }
  std::sort(previous.begin(), previous.end(), ByOsId<SnapshotThread>);
}

const SnapshotThread* ThreadSnapshotTaker::Previous(uint32_t os_id) const {
  return Find(std::span<const SnapshotThread>(previous_, previous_count_), os_id);
}

void ThreadSnapshotTaker::ReadRuns(ThreadGate& gate) {
  known_count_ = 0;
  gate.ForEach([&](SeenThread thread) {
    if (known_count_ == kMaxThreads) return;
    const auto hold = gate.Enter(thread);
    const uint32_t os_id = hold ? hold->OsId() : 0;
    if (os_id != 0 && !IsOwnThread(os_id)) known_[known_count_++].os_id = os_id;
  });
  for (Known& known : std::span(known_, known_count_)) {
    // The state was read before the CPU time: a thread that slept then, and has not run, sleeps.
    const SnapshotThread* const previous = Previous(known.os_id);
    const bool sleeps = previous != nullptr && previous->run.state == RunState::kSleeping &&
                        previous->run.cpu_ns == CpuNsOfThread(known.os_id);
    known.run = sleeps ? previous->run : ReadThreadRun(known.os_id);
  }
  std::sort(known_, known_ + known_count_, ByOsId<Known>);
}

void ThreadSnapshotTaker::AddRuns() {
  for (SnapshotThread& thread : std::span(threads_, thread_count_)) {
    const Known* const known = Find(std::span<const Known>(known_, known_count_), thread.os_id);
    if (known == nullptr) continue;
    thread.run.state = known->run.state;
    thread.run.switches = known->run.switches;
    thread.run.ready_ns = known->run.ready_ns;
  }
}

void ThreadSnapshotTaker::WalkAll(clr::ICorProfilerInfo10* info) {
  ForEachStoppedThread(info, [&](clr::ThreadID clr_thread, uint32_t os_id) {
    if (thread_count_ == kMaxThreads) return;
    SnapshotThread& thread = threads_[thread_count_++];
    thread = {};
    thread.clr_thread = clr_thread;
    thread.os_id = os_id;
    thread.run.cpu_ns = CpuNsOfThread(os_id);
  });
  const uint64_t deadline_ns = MonotonicNs() + kMaxWalkNs;
  for (SnapshotThread& thread : std::span(threads_, thread_count_)) {
    WalkOne(info, thread, deadline_ns);
  }
}

struct ThreadSnapshotTaker::Walk {
  SnapshotFrame* frames;
  size_t capacity;
  size_t count = 0;
  FrameRegisters inner = {};  // of the last frame; nothing after native ones

  static clr::HRESULT OnFrame(clr::FunctionID function, uintptr_t ip, clr::COR_PRF_FRAME_INFO,
                              uint32_t, uint8_t* context, void* self) {
    auto& walk = *static_cast<Walk*>(self);
    const FrameRegisters inner = std::exchange(walk.inner, {});
    if (function == 0) return clr::S_OK;  // a run of native frames
    if (context != nullptr) {
      walk.inner = ReadContext(context);
      GuessFramesBetween(inner, walk.inner, [&walk](uintptr_t guess, uintptr_t sp) {
        walk.Add({guess | kGuessedFrame, sp});
      });
    }
    // Without room, the walk then fails.
    return walk.Add({ip, walk.inner.sp}) ? clr::S_OK : clr::S_FALSE;
  }

  bool Add(const SnapshotFrame& frame) {
    if (count == capacity) return false;
    frames[count++] = frame;
    return true;
  }
};

void ThreadSnapshotTaker::WalkOne(clr::ICorProfilerInfo10* info, SnapshotThread& thread,
                                  uint64_t deadline_ns) {
  const SnapshotThread* const previous = Previous(thread.os_id);
  if (previous != nullptr && previous->clr_thread == thread.clr_thread && !previous->truncated &&
      previous->run.cpu_ns == thread.run.cpu_ns && thread.run.cpu_ns != 0) {
    thread.first_frame = previous->first_frame;
    thread.frame_count = previous->frame_count;
    return;
  }
  thread.first_frame = static_cast<uint32_t>(frame_count_);
  if (MonotonicNs() > deadline_ns) {
    thread.truncated = true;
    return;
  }
  ++walked_;
  Walk walk{frames_ + frame_count_,
            std::min<size_t>(kMaxStackDepth, frame_capacity_ - frame_count_)};
  // Fails for a thread without managed frames, and for one in the middle of exception dispatch; the
  // frames reported until then are still valid.
  const clr::HRESULT walked = info->DoStackSnapshot(
      thread.clr_thread, &Walk::OnFrame, clr::kSnapshotRegisterContext, &walk, nullptr, 0);
  thread.frame_count = static_cast<uint32_t>(walk.count);
  thread.truncated = clr::Failed(walked) && walk.count > 0;
  frame_count_ += walk.count;
}

}  // namespace hindsight::recorder
