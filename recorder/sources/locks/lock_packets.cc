#include "recorder/sources/locks/lock_packets.h"

#include <algorithm>
#include <array>
#include <span>

#include "recorder/sources/packet_stack.h"

namespace hindsight::recorder {

void LockPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  switch (header.kind) {
    case EventKind::kLockWaitBegan:
      OnBegan(reinterpret_cast<const LockWaitBeganEvent&>(header), packets);
      break;
    case EventKind::kLockWaitEnded:
      OnEnded(reinterpret_cast<const LockWaitEndedEvent&>(header), packets);
      break;
    case EventKind::kLockOwnerSeen:
      OnOwnerSeen(reinterpret_cast<const ThreadStateEvent&>(header), packets);
      break;
    case EventKind::kPoolAdjusted: {
      const auto& event = reinterpret_cast<const PoolAdjustedEvent&>(header);
      if (event.reason == wire::PoolAdjustment::Reason::kStarvation) ++starvations_;
      packets.Write(wire::Packet::kPoolAdjustment, header.time_ns, [&](auto& adjustment) {
        adjustment.Set(adjustment.kWorkers, event.workers);
        adjustment.Set(adjustment.kThroughput, event.throughput);
        if (event.reason != wire::PoolAdjustment::Reason::kWarmup) {
          adjustment.Set(adjustment.kReason, event.reason);
        }
      });
      break;
    }
    case EventKind::kPoolSampled: {
      const auto& event = reinterpret_cast<const PoolSampledEvent&>(header);
      packets.Write(wire::Packet::kPoolSample, header.time_ns, [&](auto& sample) {
        sample.Set(sample.kWorkers, event.workers);
        sample.Set(sample.kQueueLength, event.queue_length);
        sample.Set(sample.kCompleted, event.completed);
      });
      break;
    }
    default:
      break;
  }
}

WaitKind LockPackets::KindOf(WaitKind kind, std::span<const uintptr_t> frames,
                             DictionaryWriter& dictionaries) {
  constexpr size_t kOwnFrames = 3;
  if (kind != WaitKind::kMonitor) return kind;
  for (const uintptr_t ip : frames.first(std::min(frames.size(), kOwnFrames))) {
    if (dictionaries.ReportsWaits(ip)) return WaitKind::kLock;
  }
  return WaitKind::kMonitor;
}

void LockPackets::OnBegan(const LockWaitBeganEvent& event, PacketWriter& packets) {
  if (pending_.size() >= kMaxPending) {  // ends were lost: none of these will be completed
    Flush(packets);
    pending_.clear();
  }
  Pending pending{};
  pending.id = ++last_id_;
  pending.began_ns = event.header.time_ns;
  pending.lock = event.lock;
  pending.object = event.object;
  pending.thread = threads_.IdOf(event.header.thread, packets);
  pending.owner_os_id = event.owner;
  pending.owner = event.owner != 0 ? threads_.IdOf(event.owner, packets) : 0;
  pending.stack = StackOf(event, dictionaries_);
  const std::span<const uintptr_t> frames = event.stack != 0
                                                ? dictionaries_.Frames(event.stack)
                                                : TailOf<uintptr_t>(event, event.frames_inline);
  pending.kind = KindOf(event.kind, frames, dictionaries_);
  pending.stack_truncated = event.stack_truncated;
  pending_[{event.header.thread, event.ordinal}] = pending;
}

void LockPackets::OnEnded(const LockWaitEndedEvent& event, PacketWriter& packets) {
  const auto found = pending_.find({event.header.thread, event.ordinal});
  if (found == pending_.end()) return;
  const Pending& pending = found->second;
  if (!pending.written) {
    Write(pending, true, event.header.time_ns, packets);
  } else {
    packets.Write(wire::Packet::kLockWaitEnd, event.header.time_ns, [&](auto& end) {
      end.Set(end.kId, pending.id);
      end.Set(end.kOver, true);
      end.Set(end.kDurationNs, event.header.time_ns - pending.began_ns);
    });
  }
  pending_.erase(found);
}

void LockPackets::OnOwnerSeen(const ThreadStateEvent& event, PacketWriter& packets) {
  const uint32_t stack = StackOf(event, dictionaries_);
  if (stack == 0) return;
  for (auto& entry : pending_) {
    auto& pending = entry.second;
    const bool meant = pending.owner_os_id == event.header.thread && pending.owner_stack == 0 &&
                       pending.began_ns < event.header.time_ns;
    if (!meant) continue;
    pending.owner_stack = stack;
    if (!pending.written) continue;
    packets.Write(wire::Packet::kLockWaitEnd, event.header.time_ns, [&](auto& news) {
      news.Set(news.kId, pending.id);
      news.Set(news.kOwnerStack, stack);
    });
  }
}

void LockPackets::AskForOwners(uint64_t now_ns) {
  std::array<uint32_t, ThreadSnapshots::kMaxOwners> owners;
  size_t count = 0;
  for (auto& [key, pending] : pending_) {
    if (pending.owner_os_id == 0 || pending.owner_stack != 0 || pending.asked == kMaxAsked ||
        now_ns < pending.began_ns + kLongNs) {
      continue;
    }
    const auto end = owners.begin() + static_cast<ptrdiff_t>(count);
    if (std::find(owners.begin(), end, pending.owner_os_id) == end) {
      if (count == owners.size()) continue;  // they come later
      owners[count++] = pending.owner_os_id;
    }
    ++pending.asked;
  }
  if (count != 0 && ask_) ask_({owners.data(), count});
}

void LockPackets::Flush(PacketWriter& packets) {
  AskForOwners(MonotonicNs());
  for (auto& [key, pending] : pending_) {
    if (pending.written) continue;
    Write(pending, false, 0, packets);
    pending.written = true;
  }
}

void LockPackets::Write(const Pending& pending, bool over, uint64_t ended_ns,
                        PacketWriter& packets) {
  const int64_t id_delta = packets.WaitIdDelta(pending.id);
  packets.Write(wire::Packet::kLockWait, pending.began_ns, [&](auto& wait) {
    if (id_delta != 0) wait.Set(wait.kIdDelta, id_delta);
    wait.Set(wait.kThread, pending.thread);
    wait.Set(wait.kKind, pending.kind);
    if (pending.lock != 0) wait.Set(wait.kLock, pending.lock);
    if (pending.object != 0) wait.Set(wait.kObject, pending.object);
    if (pending.owner != 0) wait.Set(wait.kOwner, pending.owner);
    if (pending.stack != 0) wait.Set(wait.kStack, pending.stack);
    if (over) {
      wait.Set(wait.kOver, true);
      wait.Set(wait.kDurationNs, ended_ns - pending.began_ns);
    }
    if (pending.owner_stack != 0) wait.Set(wait.kOwnerStack, pending.owner_stack);
    if (pending.stack_truncated) wait.Set(wait.kStackTruncated, true);
  });
}

uint64_t LockPackets::memory_bytes() const {
  return sizeof(*this) + pending_.size() * (sizeof(EventKey) + sizeof(Pending) + 2 * sizeof(void*));
}

}  // namespace hindsight::recorder
