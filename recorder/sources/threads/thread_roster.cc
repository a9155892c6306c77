#include "recorder/sources/threads/thread_roster.h"

#include <algorithm>
#include <string_view>

#include "recorder/base/clock.h"
#include "recorder/base/thread.h"
#include "recorder/base/thread_run.h"
#include "recorder/names/utf8.h"

namespace hindsight::recorder {
namespace {

// How the class library names its own threads, through the property that the runtime reports: as
// much of it as the kernel keeps. (dotnet/runtime, System.Private.CoreLib: PortableThreadPool,
// TimerQueue, ThreadPoolTaskScheduler)
bool IsOfTheClassLibrary(std::string_view name) {
  return name.starts_with(".NET TP ") || name == ".NET Timer" || name == ".NET Long Runni";
}

}  // namespace

void ThreadRoster::Consume(const EventHeader& header, PacketWriter& packets) {
  const auto& event = reinterpret_cast<const ThreadEvent&>(header);
  switch (header.kind) {
    case EventKind::kThreadCreating:
      ForgetRun(event.clr_thread);
      {
        Known& known = threads_[OfRuntimeThread(event.clr_thread)];
        known.creator_stack = event.stack;
        known.created_ns = header.time_ns;
      }
      break;
    case EventKind::kThreadCreated:
      ForgetRun(event.clr_thread);
      threads_[OfRuntimeThread(event.clr_thread)].started_ns = event.seen ? 0 : header.time_ns;
      break;
    case EventKind::kThreadAssigned: {
      const uint32_t id = OfRuntimeThread(event.clr_thread);
      Known& known = threads_[id];
      const bool reported = known.os_id == event.os_id;
      known.os_id = event.os_id;
      by_os_id_[event.os_id] = id;
      if (!reported) {
        WriteLife(id, event.seen ? LifeKind::kSeen : LifeKind::kCreated, header.time_ns, packets);
      }
      break;
    }
    case EventKind::kThreadNamed: {
      const uint32_t id = OfRuntimeThread(event.clr_thread);
      Known& known = threads_[id];
      known.name = ToUtf8({reinterpret_cast<const char16_t*>(&event + 1), event.name_units});
      known.name_given = true;
      if (given_.size() < kMaxGiven) given_.insert(known.name.substr(0, kKernelNameBytes));
      if (known.file == file_) WriteEntry(id, packets);
      break;
    }
    case EventKind::kThreadDestroyed: {
      const auto found = by_runtime_.find(event.clr_thread);
      if (found == by_runtime_.end()) {
        EndUnknown();
        break;
      }
      const uint32_t id = found->second;
      by_runtime_.erase(found);
      Known& known = threads_[id];
      known.ended_ns = header.time_ns;
      if (known.os_id == 0) {
        EndUnknown();
      } else {
        WriteEntry(id, packets);
        WriteLife(id, LifeKind::kDestroyed, header.time_ns, packets);
        ended_.resize(std::max(ended_.size(), next_ended_ + 1));
        ended_[next_ended_] = {known.os_id, id, header.time_ns, file_};
        next_ended_ = (next_ended_ + 1) % kEndedKept;
        const auto mapped = by_os_id_.find(known.os_id);
        if (mapped != by_os_id_.end() && mapped->second == id) by_os_id_.erase(mapped);
      }
      threads_.erase(id);
      break;
    }
    default:
      break;
  }
}

void ThreadRoster::TakeCounted() {
  const ThreadTally news = ThreadTracks::Instance().TakeCounted();
  counted_.started += news.started;
  counted_.ended += news.ended;
  starts_without_end_ += news.started;
}

// The end of a thread whose start was only counted, or of a thread object that never became a
// kernel thread, which is of no interest.
void ThreadRoster::EndUnknown() {
  TakeCounted();
  if (starts_without_end_ == 0) return;
  --starts_without_end_;
  ++counted_.ended;
}

bool ThreadRoster::HasNews() {
  return record_ &&
         (counted_.started != 0 || counted_.ended != 0 || ThreadTracks::Instance().HasCounted());
}

void ThreadRoster::Flush(PacketWriter& packets) {
  TakeCounted();
  unconfirmed_ = counted_;
  if (!record_ || (counted_.started == 0 && counted_.ended == 0)) return;
  packets.Write(wire::Packet::kThreadCounts, MonotonicNs(), [&](auto& counts) {
    if (counted_.started != 0) counts.Set(counts.kStarted, counted_.started);
    if (counted_.ended != 0) counts.Set(counts.kEnded, counted_.ended);
  });
}

void ThreadRoster::SegmentEnded(bool written) {
  if (written) {
    counted_.started -= unconfirmed_.started;
    counted_.ended -= unconfirmed_.ended;
  }
  unconfirmed_ = {};
}

// A thread's name may have been reported before it runs. An entry that has run belongs to a dead
// thread whose end was missed.
void ThreadRoster::ForgetRun(uint64_t clr_thread) {
  const auto found = by_runtime_.find(clr_thread);
  if (found == by_runtime_.end() || threads_[found->second].os_id == 0) return;
  threads_.erase(found->second);
  by_runtime_.erase(found);
}

uint32_t ThreadRoster::IdOf(uint32_t os_id, PacketWriter& packets) {
  const auto found = by_os_id_.find(os_id);
  uint32_t id = 0;
  if (found != by_os_id_.end()) {
    id = found->second;
  } else {
    Known known;
    known.os_id = os_id;
    id = Add(std::move(known));
    by_os_id_[os_id] = id;
  }
  if (threads_[id].file != file_) WriteEntry(id, packets);
  return id;
}

uint32_t ThreadRoster::IdAt(uint32_t os_id, uint64_t time_ns, PacketWriter& packets) {
  for (const Ended& ended : ended_) {
    if (ended.os_id == os_id && ended.ended_ns >= time_ns && ended.file == file_) return ended.id;
  }
  return IdOf(os_id, packets);
}

uint32_t ThreadRoster::Add(Known known) {
  if (threads_.size() >= look_for_ended_) ForgetEnded();
  threads_.emplace(++last_id_, std::move(known));
  return last_id_;
}

void ThreadRoster::ForgetEnded() {
  std::erase_if(threads_, [&](const auto& entry) {
    const auto& [id, known] = entry;
    if (known.os_id == 0 || id + kNewest > last_id_ || CpuNsOfThread(known.os_id) != 0) {
      return false;
    }
    if (const auto it = by_os_id_.find(known.os_id); it != by_os_id_.end() && it->second == id) {
      by_os_id_.erase(it);
    }
    if (const auto it = by_runtime_.find(known.clr_thread);
        it != by_runtime_.end() && it->second == id) {
      by_runtime_.erase(it);
    }
    return true;
  });
  look_for_ended_ = std::max(kLookForEnded, 2 * threads_.size());
}

uint32_t ThreadRoster::OfRuntimeThread(uint64_t clr_thread) {
  const auto found = by_runtime_.find(clr_thread);
  if (found != by_runtime_.end()) return found->second;
  Known known;
  known.clr_thread = clr_thread;
  return by_runtime_[clr_thread] = Add(std::move(known));
}

// A thread that the runtime reports is never ours, though its kernel id may have been. But one may
// work for us: it collects metrics while somebody reads them. Its name is as much of
// "MetricsEventSource CollectWorker" as the kernel keeps, or all of it (dotnet/runtime,
// System.Diagnostics.Metrics: AggregationManager).
bool ThreadRoster::IsRecorder(const Known& known) const {
  if (known.clr_thread != 0) return reads_metrics_ && known.name.starts_with("MetricsEventSou");
  return IsOwnThread(known.os_id) || WasOwnThread(known.os_id);
}

// A thread has its creator's name in the kernel until it is given one. So a name that the main
// thread, another thread or one of ours has counts as inherited; so does any name of a thread that
// managed code was seen to create, and one of the class library's on a thread whose start we saw,
// because the naming would have been reported. (For threads that existed at an attach we cannot
// know: most of them are what they are called.)
std::string ThreadRoster::KernelName(const Known& known) const {
  std::string name = KernelNameOfThread(known.os_id);
  const uint32_t process = MainThreadId();
  if (known.os_id == process || IsRecorder(known)) return name;
  if (known.created_ns != 0 || name == KernelNameOfThread(process) || given_.contains(name) ||
      name.starts_with("hindsight-") || (known.started_ns != 0 && IsOfTheClassLibrary(name))) {
    return {};
  }
  return name;
}

void ThreadRoster::WriteEntry(uint32_t id, PacketWriter& packets) {
  Known& known = threads_[id];
  if (!known.name_given && known.name.empty()) known.name = KernelName(known);
  const bool is_recorder = IsRecorder(known);
  const uint32_t name = dictionaries_.Text(known.name);
  if (known.creator_stack != 0 && known.creator_file != file_) {
    known.creator = dictionaries_.StackAsOf(known.creator_stack, known.created_ns);
    known.creator_file = file_;
  }
  const uint32_t creator = known.creator;
  packets.Write(wire::Packet::kThread, kNoTime, [&](auto& entry) {
    entry.Set(entry.kId, id);
    entry.Set(entry.kOsId, known.os_id);
    if (name != 0) entry.Set(entry.kName, name);
    if (known.started_ns != 0) entry.Set(entry.kStartedNs, known.started_ns);
    if (known.ended_ns != 0) entry.Set(entry.kEndedNs, known.ended_ns);
    if (creator != 0) entry.Set(entry.kCreatorStack, creator);
    if (is_recorder) entry.Set(entry.kIsRecorder, true);
  });
  known.file = file_;
}

void ThreadRoster::WriteLife(uint32_t id, LifeKind kind, uint64_t time_ns, PacketWriter& packets) {
  if (!record_) return;
  if (threads_[id].file != file_) WriteEntry(id, packets);
  packets.Write(wire::Packet::kThreadLifetime, time_ns, [&](auto& life) {
    life.Set(life.kThread, id);
    if (kind != LifeKind::kSeen) life.Set(life.kKind, kind);
  });
}

}  // namespace hindsight::recorder
