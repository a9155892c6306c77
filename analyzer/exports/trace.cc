#include "analyzer/exports/trace.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/stack_profile.h"
#include "analyzer/analyses/thread_filter.h"
#include "analyzer/exports/cpu_slices.h"
#include "analyzer/exports/trace_events.h"

namespace hindsight::analyzer {
namespace {

constexpr int64_t kMostBuckets = 2000;  // of a counter's curve
constexpr int64_t kLeastBucketNs = 100'000'000;

std::string_view WaitTitle(WaitKind kind) {
  switch (kind) {
    case WaitKind::kMonitor:
      return "waits for a monitor";
    case WaitKind::kLock:
      return "waits for a Lock";
    case WaitKind::kMonitorWait:
      return "Monitor.Wait";
    case WaitKind::kTask:
      return "waits for a task";
    case WaitKind::kWaitHandle:
      return "waits for a handle";
    case WaitKind::kUnknown:
      break;
  }
  return "waits";
}

// COR_PRF_SUSPEND_REASON.
std::string_view PauseTitle(uint32_t reason) {
  switch (reason) {
    case 1:
    case 6:
      return "paused for a collection";
    case 4:
      return "paused to unload code";
    case 5:
      return "paused to shut down";
    case 7:
      return "paused for a debugger or profiler";
    case 9:
      return "paused to recompile";
    default:
      return "paused";
  }
}

int64_t EndOf(int64_t at_ns, uint64_t duration_ns) {
  return at_ns + static_cast<int64_t>(std::min<uint64_t>(duration_ns, kMaxTimeNs));
}

// Amounts per period of time, all of the same length.
class Curve {
 public:
  Curve(int64_t from_ns, int64_t to_ns)
      : from_ns_(from_ns), bucket_ns_(std::max(kLeastBucketNs, (to_ns - from_ns) / kMostBuckets)) {}

  void Add(int64_t at_ns, double amount) { sums_[(at_ns - from_ns_) / bucket_ns_] += amount; }
  // Calls `on_rate` for each period with an amount, and for the next one if that has none: its
  // beginning, and the amount per second.
  void ForEach(const std::function<void(int64_t, double)>& on_rate) const {
    const double seconds = static_cast<double>(bucket_ns_) / 1e9;
    for (auto sum = sums_.begin(); sum != sums_.end(); ++sum) {
      on_rate(from_ns_ + sum->first * bucket_ns_, sum->second / seconds);
      const auto next = std::next(sum);
      if (next == sums_.end() || next->first != sum->first + 1) {
        on_rate(from_ns_ + (sum->first + 1) * bucket_ns_, 0);
      }
    }
  }

 private:
  const int64_t from_ns_, bucket_ns_;
  std::map<int64_t, double> sums_;
};

class TraceWriter {
 public:
  TraceWriter(const Model& model, const TraceQuery& query, const ByteSink& sink)
      : model_(model),
        query_(query),
        names_(model.dictionaries),
        out_(model.facts.pid, sink),
        from_ns_(std::max(query.from_ns, model.facts.first_ns)),
        to_ns_(std::min(query.to_ns, std::max(model.facts.last_ns, model.facts.first_ns) + 1)) {}

  TraceTotals Write(const ExportFacts& facts) {
    NameTracks();
    Waits();
    Calls();
    Throws();
    Collections();
    Counters();
    totals_.written = out_.Finish(facts.creator, facts.title);
    return totals_;
  }

 private:
  bool IsInTime(int64_t at_ns) const { return at_ns >= from_ns_ && at_ns < to_ns_; }
  bool IsAskedFor(ThreadIndex thread, int64_t at_ns) const {
    return matches_[thread] && IsInTime(at_ns);
  }

  // The kernel's thread ids; tracks that are not threads have larger ids.
  void NameTracks() {
    uint64_t free = model_.facts.pid;
    for (const ThreadInfo& thread : model_.threads) free = std::max<uint64_t>(free, thread.os_id);
    const std::string& application = model_.facts.application;
    out_.ProcessName(application.empty() ? "?" : application);
    pauses_ = ++free;
    collections_ = ++free;
    background_ = ++free;
    out_.ThreadName(pauses_, "Stop-the-world pauses", 1);
    out_.ThreadName(collections_, "Collections", 2);
    out_.ThreadName(background_, "Background collections", 3);
    for (ThreadIndex i = 0; i < model_.threads.size(); ++i) {
      matches_.push_back(MatchesThread(model_, i, query_.thread));
      const uint64_t os_id = model_.threads[i].os_id;
      tracks_.push_back(os_id != 0 ? os_id : ++free);
      if (matches_[i]) out_.ThreadName(tracks_[i], ThreadTitle(model_, i), 10 + i);
    }
  }

  // ---- Of threads

  void Waits() {
    standstills_.resize(model_.threads.size());
    std::vector<WaitRow> rows = model_.waits.rows;
    for (const OpenWait& open : model_.waits.open) {
      const auto until = static_cast<uint64_t>(std::max(to_ns_ - open.start_ns, int64_t{0}));
      rows.push_back({open.start_ns, until, open.thread, open.kind, open.stack});
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const WaitRow& a, const WaitRow& b) { return a.at_ns < b.at_ns; });
    for (const WaitRow& row : rows) {
      if (!IsAskedFor(row.thread, row.at_ns)) continue;
      std::vector<Standstill>& before = standstills_[row.thread];
      const int64_t from = before.empty() ? row.at_ns : std::max(row.at_ns, before.back().to_ns);
      const int64_t to = EndOf(row.at_ns, row.duration_ns);
      if (to <= from) continue;
      before.push_back({from, to});
      out_.Slice(tracks_[row.thread], "wait", WaitTitle(row.kind), from, to,
                 {{"in", Site(row.stack)}});
      ++totals_.waits;
    }
  }

  std::string Site(StackId stack) const {
    const MethodId site = model_.dictionaries.stack(stack).site;
    return site == 0 ? std::string() : names_.Display(site);
  }

  void Calls() {
    const auto is_asked_for = [this](const CpuSample& sample) {
      return IsAskedFor(sample.thread, sample.at_ns);
    };
    // By the logarithm of their length; callers are never shorter than their callees.
    std::array<uint64_t, 64> lengths{};
    const auto length = [](const CpuSlice& slice) {
      return static_cast<size_t>(
          std::bit_width(static_cast<uint64_t>(slice.to_ns - slice.from_ns)));
    };
    uint64_t all = 0;
    ForEachCpuSlice(model_, is_asked_for, standstills_, [&](const CpuSlice& slice) {
      ++lengths[length(slice)];
      ++all;
    });
    size_t least = 0;
    for (uint64_t left = all; left > query_.most_slices && least < lengths.size(); ++least) {
      left -= lengths[least];
    }
    ForEachCpuSlice(model_, is_asked_for, standstills_, [&](const CpuSlice& slice) {
      if (length(slice) < least) return;
      out_.Slice(tracks_[slice.thread], "cpu", names_.Display(slice.method), slice.from_ns,
                 slice.to_ns);
      ++totals_.calls;
    });
    totals_.left_out = all - totals_.calls;
    totals_.shortest_ns = least == 0 ? 0 : int64_t{1} << (least - 1);
  }

  void Throws() {
    for (const ThrowRow& row : model_.exceptions.rows) {
      if (!IsAskedFor(row.thread, row.at_ns)) continue;
      out_.Instant(tracks_[row.thread], "exception", names_.Type(row.type), row.at_ns,
                   {{"in", Site(row.stack)}, {"again", row.hop == Hop::kNone ? "" : "yes"}});
      ++totals_.throws;
    }
  }

  // ---- Of the process

  void Collections() {
    for (const SuspensionRow& row : model_.collections.pauses) {
      if (!IsInTime(row.at_ns)) continue;
      out_.Slice(pauses_, "gc", PauseTitle(row.reason), row.at_ns, EndOf(row.at_ns, row.total_ns),
                 {{"suspension, ns", row.stopping_ns}});
      ++totals_.pauses;
    }
    for (const CollectionRow& row : model_.collections.rows) {
      if (!IsInTime(row.at_ns)) continue;
      const bool is_background = row.type == CollectionType::kBackground;
      out_.Slice(is_background ? background_ : collections_, "gc",
                 "generation " + std::to_string(row.generation) + (row.induced ? ", induced" : ""),
                 row.at_ns, EndOf(row.at_ns, row.duration_ns),
                 {{"number", row.number},
                  {"pause, ns", row.pause_ns},
                  {"promoted, bytes", row.promoted_bytes},
                  {"compacting", row.compacting ? "yes" : ""}});
      ++totals_.collections;
      if (!row.detailed) continue;
      const auto& heap = row.generations;
      out_.Counter("Heap after collections, bytes", EndOf(row.at_ns, row.duration_ns),
                   {{"generation 0", heap[0].after_bytes},
                    {"generation 1", heap[1].after_bytes},
                    {"generation 2", heap[2].after_bytes},
                    {"large objects", heap[3].after_bytes},
                    {"pinned objects", heap[4].after_bytes}});
    }
  }

  void Counters() {
    Curve cpu(from_ns_, to_ns_), allocated(from_ns_, to_ns_);
    for (const CpuSample& sample : model_.samples.cpu.samples) {
      if (IsAskedFor(sample.thread, sample.at_ns)) {
        cpu.Add(sample.at_ns, static_cast<double>(sample.cpu_ns));
      }
    }
    for (const AllocationSample& sample : model_.samples.allocations.samples) {
      if (IsAskedFor(sample.thread, sample.at_ns)) allocated.Add(sample.at_ns, sample.bytes);
    }
    cpu.ForEach([this](int64_t at_ns, double ns) {
      out_.Counter("Cores used, per mille", at_ns,
                   {{"used", static_cast<uint64_t>(std::llround(ns / 1e6))}});
    });
    allocated.ForEach([this](int64_t at_ns, double bytes) {
      out_.Counter("Allocated, bytes per second", at_ns,
                   {{"bytes", static_cast<uint64_t>(std::llround(std::min(bytes, 9e18)))}});
    });
    for (const MemorySample& memory : model_.memory) {
      if (!IsInTime(memory.at_ns)) continue;
      out_.Counter("Resident memory", memory.at_ns, {{"bytes", memory.resident_bytes}});
    }
    for (const PoolSampleInfo& pool : model_.waits.samples) {
      if (!IsInTime(pool.at_ns)) continue;
      out_.Counter("Thread pool", pool.at_ns,
                   {{"workers", pool.workers}, {"queue", pool.queue_length}});
    }
  }

  const Model& model_;
  const TraceQuery& query_;
  MethodNames names_;
  TraceEvents out_;
  const int64_t from_ns_, to_ns_;
  std::vector<bool> matches_;     // indexed by ThreadIndex
  std::vector<uint64_t> tracks_;  // likewise
  std::vector<std::vector<Standstill>> standstills_;
  uint64_t pauses_ = 0, collections_ = 0, background_ = 0;
  TraceTotals totals_;
};

}  // namespace

TraceTotals WriteTrace(const Model& model, const TraceQuery& query, const ExportFacts& facts,
                       const ByteSink& sink) {
  return TraceWriter(model, query, sink).Write(facts);
}

}  // namespace hindsight::analyzer
