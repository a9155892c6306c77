#include "recorder/stack/monitor_waits.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "recorder/base/runtime_library.h"
#include "recorder/base/thread_run.h"
#include "recorder/base/user_address.h"

namespace hindsight::recorder {
namespace {

// A Thread is smaller; what follows it does not pass the checks.
constexpr uint64_t kBytesOfThread = 4096;
// Size of the runtime's own frames above the managed ones, at most.
constexpr uint64_t kRuntimeStackBytes = 256u << 10;
constexpr uint32_t kIndexMask = 0x03ffffff, kIndexFlag = 0x80000000;
constexpr uint32_t kHasIndex = 0x08000000, kHasHash = 0x04000000;  // in an object's header
constexpr uint32_t kIsLocked = 1;
constexpr uint32_t kMaxThreadId = 1u << 22;  // PID_MAX_LIMIT
constexpr uint32_t kMaxManagedId = 1u << 24;
constexpr int kMostSearches = 8;
constexpr size_t kMostSamples = 2;  // each costs a read for every word of the runtime's variables

struct Item {
  uint64_t block;
  uint64_t app_domain;
  uint32_t kind;
  uint32_t timeout;
  uint64_t next;
};

struct Block {
  uint32_t state;
  uint32_t entries;
  uint64_t owner;
  uint64_t owner_os_id;
  uint32_t transient;
  uint32_t index;
};

struct TableEntry {
  uint64_t block;
  uint64_t object;
};

bool IsPointer(uint64_t word) { return word % 8 == 0 && word >> 12 != 0 && MayBeUserAddress(word); }

}  // namespace

void MonitorWaits::Look(const ThreadSnapshotTaker& snapshot) {
  waiting_.clear();
  for (const SnapshotThread& thread : snapshot.threads()) {
    WaitingThread& waiting = waiting_.emplace_back();
    waiting = {thread.clr_thread, thread.os_id, 0, thread.run.cpu_ns};
    // Where the system does not report the state, unchanged CPU time has to be evidence enough.
    const bool may_sleep =
        thread.run.state == RunState::kSleeping || thread.run.state == RunState::kUnknown;
    if (!may_sleep || thread.run.cpu_ns == 0) continue;
    for (const SnapshotFrame& frame : snapshot.frames(thread)) {
      if (frame.sp == 0) continue;
      waiting.innermost = frame.sp;
      break;
    }
  }
  Look(waiting_);
}

void MonitorWaits::Look(std::span<const WaitingThread> threads) {
  waits_.assign(threads.size(), MonitorWait{});
  candidates_.clear();
  for (size_t i = 0; i < threads.size(); ++i) {
    if (threads[i].innermost != 0) CollectOf(i, threads[i]);
  }
  if (candidates_.empty() || !FindTable() || !FindOffset()) return;
  for (const Candidate& candidate : candidates_) {
    constexpr uint32_t kEnters = 0;
    if (!candidate.fits || candidate.offset != offset_ || candidate.kind != kEnters) continue;
    waits_[candidate.thread] = Read(candidate, threads);
  }
  // Only now: all reported threads did not run until everything had been read.
  for (size_t i = 0; i < waits_.size(); ++i) {
    if (waits_[i].lock != 0 && CpuNsOfThread(threads[i].os_id) != threads[i].cpu_ns) waits_[i] = {};
  }
}

void MonitorWaits::CollectOf(size_t index, const WaitingThread& thread) {
  std::array<uint64_t, kBytesOfThread / 8> words;
  size_t first = 1, last = words.size();
  if (offset_ != 0) {
    first = offset_ / 8;
    last = first + 1;
    if (!memory_.Read(thread.clr_thread + offset_, &words[first], 8)) return;
  } else if (!memory_.Read(thread.clr_thread, words.data(), sizeof words)) {
    // Mapped memory may end at the end of its page.
    const uint64_t rest = kBytesOfThread - thread.clr_thread % kBytesOfThread;
    last = rest / 8;
    if (!memory_.Read(thread.clr_thread, words.data(), last * 8)) return;
  }
  const auto is_place = [&](uint64_t place) {
    return place % 8 == 0 && place < thread.innermost &&
           thread.innermost - place <= kRuntimeStackBytes;
  };
  for (size_t i = first; i < last; ++i) {
    Item item;
    Block block;
    uint64_t word;
    if (!is_place(words[i]) || !memory_.Read(words[i], &item, sizeof item)) continue;
    if (item.kind > 1 || (item.next != 0 && !is_place(item.next))) continue;
    if (!IsPointer(item.block) || !IsPointer(item.app_domain)) continue;
    if (!memory_.Read(item.app_domain, &word, sizeof word)) continue;
    if (!memory_.Read(item.block, &block, sizeof block)) continue;
    const uint32_t place = block.index & ~kIndexFlag;
    if (place == 0 || place > kIndexMask) continue;
    candidates_.push_back({index, i * 8, item.block, place, item.kind});
  }
}

// The entry points to the block, and the object refers to the entry.
bool MonitorWaits::FitsTable(uint64_t table, const Candidate& candidate) {
  TableEntry entry;
  uint32_t header;
  return memory_.Read(table + candidate.index * sizeof entry, &entry, sizeof entry) &&
         entry.block == candidate.block && IsPointer(entry.object) &&
         memory_.Read(entry.object - sizeof header, &header, sizeof header) &&
         (header & (kHasIndex | kHasHash)) == kHasIndex && (header & kIndexMask) == candidate.index;
}

// It fails if a collection moves the objects in the meantime: the next snapshot tries again.
bool MonitorWaits::FindTable() {
  const auto check = [&](uint64_t table) {
    bool any = false;
    for (Candidate& candidate : candidates_) {
      candidate.fits = FitsTable(table, candidate);
      any = any || candidate.fits;
    }
    return any;
  };
  uint64_t table = 0;
  if (table_at_ != 0) return memory_.Read(table_at_, &table, sizeof table) && check(table);
  if (searches_ == kMostSearches) return false;
  ++searches_;
  // Those at the most frequent offset are items, not remains of old ones.
  std::map<uint64_t, size_t> at;
  for (const Candidate& candidate : candidates_) ++at[candidate.offset];
  const uint64_t place =
      std::ranges::max_element(at, {}, [](const auto& each) { return each.second; })->first;
  std::vector<Candidate> samples;
  for (const Candidate& candidate : candidates_) {
    if (candidate.offset == place && samples.size() < kMostSamples) samples.push_back(candidate);
  }
  std::vector<uint64_t> words;
  uint64_t found = 0;
  for (const std::span<const uint32_t> data : RuntimeData()) {
    const uint64_t start = (reinterpret_cast<uint64_t>(data.data()) + 7) & ~uint64_t{7};
    const uint64_t end = reinterpret_cast<uint64_t>(data.data() + data.size());
    if (end <= start) continue;
    words.resize((end - start) / 8);
    if (!memory_.Read(start, words.data(), words.size() * 8)) continue;
    for (size_t i = 0; i < words.size(); ++i) {
      if (!IsPointer(words[i]) || words[i] == found) continue;
      const bool fits = std::any_of(samples.begin(), samples.end(), [&](const Candidate& each) {
        return FitsTable(words[i], each);
      });
      if (!fits) continue;
      if (found != 0) return false;  // two equally likely candidates
      found = words[i];
      table_at_ = start + i * 8;
    }
  }
  if (found != 0 && check(found)) return true;
  table_at_ = 0;
  return false;
}

// Other words of a Thread also point to its stack, and may by chance point to the remains of an old
// item there. So the offset where most threads have an item is used; two equally likely ones count
// as none.
bool MonitorWaits::FindOffset() {
  if (offset_ != 0) return true;
  std::map<uint64_t, size_t> found;
  for (const Candidate& candidate : candidates_) {
    if (candidate.fits) ++found[candidate.offset];
  }
  size_t most = 0;
  uint64_t offset = 0;
  bool is_alone = false;
  for (const auto& [at, count] : found) {
    is_alone = count != most && (count > most || is_alone);
    if (count > most) {
      most = count;
      offset = at;
    }
  }
  if (is_alone) offset_ = offset;
  return is_alone;
}

MonitorWait MonitorWaits::Read(const Candidate& candidate, std::span<const WaitingThread> threads) {
  Block block;
  if (!memory_.Read(candidate.block, &block, sizeof block)) return {};
  MonitorWait wait{candidate.block, 0};
  if ((block.state & kIsLocked) == 0 || block.owner_os_id == 0 ||
      block.owner_os_id > kMaxThreadId) {
    return wait;
  }
  const auto os_id = static_cast<uint32_t>(block.owner_os_id);
  const auto owner = std::ranges::lower_bound(threads, os_id, {}, &WaitingThread::os_id);
  if (owner == threads.end() || owner->os_id != os_id) return wait;  // it has ended
  const bool agrees =
      block.owner == owner->clr_thread || (static_cast<uint32_t>(block.owner) != 0 &&
                                           static_cast<uint32_t>(block.owner) < kMaxManagedId);
  if (agrees) wait.owner_os_id = os_id;
  return wait;
}

}  // namespace hindsight::recorder
