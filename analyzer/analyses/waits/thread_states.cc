#include "analyzer/analyses/waits/thread_states.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "analyzer/analyses/waits/exact_waits.h"
#include "analyzer/analyses/waits/time_shares.h"
#include "analyzer/analyses/waits/yielding_threads.h"

namespace hindsight::analyzer {
namespace {

// The number of parts of the recording to which CPU samples assign running time.
constexpr int64_t kSampleParts = 1024;
// On each side of a pause: the time that shows whether the thread would have run in it.
constexpr uint64_t kAroundPauseNs = 100'000'000;

using Visit = std::function<void(const StatePiece&)>;

// The rows of one thread; all rows are sorted by thread, and `thread_of` is one of their members.
// Not equal_range, whose result clang 14 does not compile.
template <typename Row, typename ThreadOf>
std::span<const Row> OfThread(const std::vector<Row>& rows, ThreadIndex thread,
                              ThreadOf thread_of) {
  return {std::ranges::lower_bound(rows, thread, {}, thread_of),
          std::ranges::upper_bound(rows, thread, {}, thread_of)};
}
template <typename Row>
std::span<const Row> OfThread(const std::vector<Row>& rows, ThreadIndex thread) {
  return OfThread(rows, thread, &Row::thread);
}

struct Stop {
  int64_t from_ns = 0, to_ns = 0;
};

// What is known about a part of a thread's life between two moments at which it was seen.
struct Stretch {
  int64_t from_ns = 0, to_ns = 0;
  bool is_counted = false;  // by the kernel
  bool is_unmoved = false;
  uint64_t ran_ns = 0, ready_ns = 0;
  const ThreadStatus* before = nullptr;  // at its ends; null: not seen
  const ThreadStatus* after = nullptr;
};

// A part of a stretch in which everything is spread evenly. No event reports a wait in it, except
// possibly for a task.
struct Slice {
  int64_t from_ns = 0, to_ns = 0;
  bool is_stopped = false;
  const ExactWait* task = nullptr;
  const WallSite* wall_site = nullptr;
  uint64_t lock = 0;
  ThreadIndex owner = 0;

  uint64_t length() const { return static_cast<uint64_t>(to_ns - from_ns); }
};

// A CPU sample of the thread.
struct Ran {
  int64_t at_ns = 0;
  uint64_t cpu_ns = 0;
};

// Covers the life of one thread.
class ThreadTimeline {
 public:
  ThreadTimeline(const Model& model, WallSites& wall_sites, YieldingThreads& yielding,
                 const ThreadLife& life, std::span<const Stop> stops, std::span<const Ran> samples,
                 std::span<const OpenWait* const> open, const Visit& visit)
      : model_(model),
        wall_sites_(wall_sites),
        yielding_(yielding),
        life_(life),
        stops_(stops),
        samples_(samples),
        visit_(visit),
        waits_(ExactWaits(wall_sites, OfThread(model.waits.spans, life.thread), open, life.from_ns,
                          life.to_ns)),
        sums_(OfThread(model.waits.span_sums, life.thread)) {
    part_ns_ = std::max<int64_t>(1, (model.facts.last_ns - model.facts.first_ns) / kSampleParts);
  }

  void Run() {
    int64_t now_ns = life_.from_ns;
    const ThreadStatus* last = nullptr;
    for (const ThreadInterval& row : OfThread(model_.waits.intervals, life_.thread)) {
      const int64_t to_ns = std::min(row.to_ns, life_.to_ns);
      const uint64_t ready_ns = row.ready_ns != 0 && yielding_.IsIdleWorker(row) ? 0 : row.ready_ns;
      if (row.from_begin) {
        // Counts since the thread began only describe its life here if it began here.
        const ThreadInfo& info = model_.threads[life_.thread];
        const bool is_whole = info.has_start && !info.seen_alive && now_ns == info.start_ns;
        Cover({.from_ns = now_ns,
               .to_ns = to_ns,
               .is_counted = is_whole,
               .ran_ns = row.ran_ns,
               .ready_ns = ready_ns,
               .after = &row.after});
      } else {
        Cover({.from_ns = now_ns, .to_ns = row.from_ns, .before = last, .after = &row.before});
        Cover({.from_ns = std::max(now_ns, row.from_ns),
               .to_ns = to_ns,
               .is_counted = true,
               .is_unmoved = row.is_unmoved,
               .ran_ns = row.ran_ns,
               .ready_ns = ready_ns,
               .before = &row.before,
               .after = &row.after});
      }
      now_ns = std::max(now_ns, to_ns);
      last = &row.after;
    }
    Cover({.from_ns = now_ns, .to_ns = life_.to_ns, .before = last});
  }

 private:
  void Cover(const Stretch& stretch) {
    if (stretch.to_ns <= stretch.from_ns) return;
    stretch_ = &stretch;
    TakeSamples();
    MakeSlices();
    if (slices_.empty()) return;
    PlaceRunning();
    PlacePauses();
    PlaceSums();
    PlaceRest();
  }

  void TakeSamples() {
    const auto first = std::ranges::lower_bound(samples_, stretch_->from_ns, {}, &Ran::at_ns);
    const auto end =
        std::ranges::lower_bound(first, samples_.end(), stretch_->to_ns, {}, &Ran::at_ns);
    sampled_ = {first, end};
  }

  // Inclusive of ends: a wait that outlasts the thread's life is cut there.
  bool WaitsAt(int64_t at_ns) const {
    const auto after = std::ranges::upper_bound(waits_, at_ns, {}, &ExactWait::from_ns);
    return after != waits_.begin() && at_ns <= std::prev(after)->to_ns;
  }

  // ---- Slices

  struct End {
    const WallSite* wall_site = nullptr;
    uint64_t lock = 0;
    ThreadIndex owner = 0;
    bool is_silent = false;  // it says nothing about the time around it: use the other end
  };

  End EndOf(const ThreadStatus* seen, int64_t at_ns) {
    const bool has_run = !stretch_->is_counted && !sampled_.empty();
    if (seen == nullptr) return {.is_silent = model_.facts.cpu_on && !has_run};
    if (WaitsAt(at_ns)) return {.is_silent = true};
    if (seen->state == ThreadRunState::kRunning && !stretch_->is_unmoved) return {};
    return {.wall_site = &wall_sites_.Of(life_.thread, *seen, stretch_->is_unmoved),
            .lock = seen->waits_for,
            .owner = seen->lock_owner};
  }

  void MakeSlices() {
    slices_.clear();
    const int64_t from_ns = stretch_->from_ns, to_ns = stretch_->to_ns;
    const End before = EndOf(stretch_->before, from_ns);
    const End after = EndOf(stretch_->after, to_ns);
    const int64_t middle_ns = from_ns + (to_ns - from_ns) / 2;
    cuts_.assign({middle_ns, to_ns});
    auto stop = MayBePaused() ? FirstStop(from_ns) : stops_.end();
    for (; stop != stops_.end() && stop->from_ns < to_ns; ++stop) {
      cuts_.insert(cuts_.end(), {stop->from_ns, stop->to_ns});
    }
    for (const Ran& sample : sampled_) {
      const int64_t part_ns = PartBegin(sample.at_ns);
      cuts_.insert(cuts_.end(), {part_ns, part_ns + part_ns_});
    }
    std::ranges::sort(cuts_);
    auto wait = std::ranges::upper_bound(waits_, from_ns, {}, &ExactWait::to_ns);
    int64_t now_ns = from_ns;
    for (int64_t cut_ns : cuts_) {
      cut_ns = std::min(cut_ns, to_ns);
      while (now_ns < cut_ns) {
        while (wait != waits_.end() && wait->to_ns <= now_ns) ++wait;
        const bool waits = wait != waits_.end() && wait->from_ns <= now_ns;
        int64_t end_ns = cut_ns;
        if (wait != waits_.end()) end_ns = std::min(end_ns, waits ? wait->to_ns : wait->from_ns);
        if (waits && !wait->may_run) {
          Emit(*wait, now_ns, end_ns);
        } else {
          const bool is_early = now_ns < middle_ns;
          const End& near = is_early ? before : after;
          const End& end = near.is_silent ? (is_early ? after : before) : near;
          slices_.push_back({.from_ns = now_ns,
                             .to_ns = end_ns,
                             .is_stopped = MayBePaused() && IsStopped(now_ns),
                             .task = waits ? &*wait : nullptr,
                             .wall_site = end.wall_site,
                             .lock = end.lock,
                             .owner = end.owner});
        }
        now_ns = end_ns;
      }
    }
    const size_t count = slices_.size();
    run_.assign(count, 0);
    ready_.assign(count, 0);
    paused_.assign(count, 0);
    room_.resize(count);
    for (size_t i = 0; i < count; ++i) room_[i] = slices_[i].length();
  }

  int64_t PartBegin(int64_t at_ns) const {
    const int64_t from_ns = model_.facts.first_ns;
    return from_ns + (at_ns - from_ns) / part_ns_ * part_ns_;
  }

  // The first one that ends after `at_ns`.
  std::span<const Stop>::iterator FirstStop(int64_t at_ns) const {
    return std::ranges::upper_bound(stops_, at_ns, {}, &Stop::to_ns);
  }
  bool IsStopped(int64_t at_ns) const {
    const auto stop = FirstStop(at_ns);
    return stop != stops_.end() && stop->from_ns <= at_ns;
  }

  // A thread that never ran was not paused either.
  bool MayBePaused() const {
    if (stretch_->is_counted) return stretch_->ran_ns + stretch_->ready_ns > 0;
    return !sampled_.empty() || !model_.facts.cpu_on;
  }

  // ---- What fills them

  std::vector<double> Weights(auto weight_of) const {
    std::vector<double> weights(slices_.size());
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(weight_of(i));
    return weights;
  }
  std::vector<double> WeightsOutsideStops() const {
    return Weights([this](size_t i) { return slices_[i].is_stopped ? 0 : slices_[i].length(); });
  }
  std::vector<double> WeightsOfAll() const {
    return Weights([this](size_t i) { return slices_[i].length(); });
  }

  void PlaceRunning() {
    std::vector<double> samples(slices_.size());
    uint64_t sampled_ns = 0;
    for (const Ran& sample : sampled_) {
      auto at = std::ranges::upper_bound(slices_, sample.at_ns, {}, &Slice::to_ns);
      if (at == slices_.end()) --at;
      samples[static_cast<size_t>(at - slices_.begin())] += static_cast<double>(sample.cpu_ns);
      sampled_ns += sample.cpu_ns;
    }
    uint64_t ran_ns = stretch_->is_counted ? stretch_->ran_ns : sampled_ns;
    ran_ns = ShareOut(ran_ns, samples, room_, run_);
    if (ran_ns > 0) ran_ns = ShareOut(ran_ns, WeightsOutsideStops(), room_, run_);
    if (!stretch_->is_counted) return;
    if (ran_ns > 0) ShareOut(ran_ns, WeightsOfAll(), room_, run_);
    uint64_t ready_ns = stretch_->ready_ns;
    if (ready_ns == 0) return;
    ready_ns = ShareOut(ready_ns, Weights([this](size_t i) { return run_[i]; }), room_, ready_);
    if (ready_ns > 0) ready_ns = ShareOut(ready_ns, WeightsOutsideStops(), room_, ready_);
    if (ready_ns > 0) ShareOut(ready_ns, WeightsOfAll(), room_, ready_);
  }

  void PlacePauses() {
    for (size_t i = 0; i < slices_.size(); ++i) {
      // A thread that waits for a task hardly ever runs.
      if (!slices_[i].is_stopped || slices_[i].task != nullptr) continue;
      double part = RunsAround(i);
      // If nothing is known about it, it could not run in any case.
      const bool is_known = stretch_->is_counted || model_.facts.cpu_on;
      if (!is_known && slices_[i].wall_site == nullptr) part = 1;
      const auto ns = static_cast<uint64_t>(std::llround(static_cast<double>(room_[i]) * part));
      paused_[i] = std::min(room_[i], ns);
      room_[i] -= paused_[i];
    }
  }

  // Of the time around slice `i` that no event covers, the share in which the thread ran or was
  // ready.
  double RunsAround(size_t i) const {
    uint64_t length = 0, runs = 0;
    const auto add = [&](size_t at) {
      const Slice& slice = slices_[at];
      if (slice.is_stopped || slice.task != nullptr) return;
      length += slice.length();
      runs += run_[at] + ready_[at];
    };
    for (size_t at = i; at > 0 && length < kAroundPauseNs; --at) add(at - 1);
    const uint64_t enough = length + kAroundPauseNs;
    for (size_t at = i + 1; at < slices_.size() && length < enough; ++at) add(at);
    return length == 0 ? 0 : static_cast<double>(runs) / static_cast<double>(length);
  }

  // Waits of which only the sum is known.
  void PlaceSums() {
    while (!sums_.empty() && sums_.front().to_ns < stretch_->from_ns) sums_ = sums_.subspan(1);
    for (const WaitSum& sum : sums_) {
      if (sum.from_ns >= stretch_->to_ns) break;
      const int64_t begin_ns = std::max(sum.from_ns, life_.from_ns);
      const int64_t end_ns = std::max(begin_ns + 1, std::min(sum.to_ns, life_.to_ns));
      if (end_ns <= stretch_->from_ns || begin_ns >= stretch_->to_ns) continue;
      if (sum.kind == WaitKind::kTask) continue;  // the waits within it are reported as well
      StatePiece whole = {.from_ns = begin_ns, .to_ns = end_ns, .ns = sum.total_ns};
      const uint64_t here = whole.Before(stretch_->to_ns) - whole.Before(stretch_->from_ns);
      const auto first = std::ranges::upper_bound(slices_, begin_ns, {}, &Slice::to_ns);
      const auto end = std::ranges::lower_bound(first, slices_.end(), end_ns, {}, &Slice::from_ns);
      const std::span<uint64_t> room = std::span(room_).subspan(
          static_cast<size_t>(first - slices_.begin()), static_cast<size_t>(end - first));
      weights_.assign(room.begin(), room.end());
      given_.assign(room.size(), 0);
      ShareOut(here, weights_, room, given_);
      const WallSite& wall_site = wall_sites_.OfWait(life_.thread, sum.kind, sum.stack, false);
      // One piece per part: there are many sums, and where exactly in it they waited is unknown.
      for (size_t i = 0; i < given_.size();) {
        const Slice* slice = &*first + i;
        StatePiece piece = {.state = wall_site.state,
                            .from_ns = slice->from_ns,
                            .is_proved = true,
                            .wall_site = &wall_site,
                            .lock = sum.lock};
        const int64_t part_end_ns = PartBegin(slice->from_ns) + part_ns_;
        for (; i < given_.size() && slice->from_ns < part_end_ns; ++slice) {
          piece.to_ns = slice->to_ns;
          piece.ns += given_[i++];
        }
        Emit(piece);
      }
    }
  }

  void PlaceRest() {
    for (size_t i = 0; i < slices_.size(); ++i) {
      const Slice& slice = slices_[i];
      const auto emit = [&](WallState state, uint64_t ns) {
        Emit({.state = state, .from_ns = slice.from_ns, .to_ns = slice.to_ns, .ns = ns});
      };
      emit(WallState::kRunning, run_[i]);
      emit(WallState::kReady, ready_[i]);
      emit(WallState::kPaused, paused_[i]);
      const WallSite* const wall_site =
          slice.task != nullptr ? slice.task->wall_site : slice.wall_site;
      if (wall_site == nullptr) {
        emit(WallState::kUnknown, room_[i]);
        continue;
      }
      Emit({.state = wall_site->state,
            .from_ns = slice.from_ns,
            .to_ns = slice.to_ns,
            .ns = room_[i],
            .is_proved = slice.task != nullptr || stretch_->is_unmoved,
            .wall_site = wall_site,
            .lock = slice.lock,
            .owner = slice.owner});
    }
  }

  void Emit(const ExactWait& wait, int64_t from_ns, int64_t to_ns) {
    Emit({.state = wait.wall_site->state,
          .from_ns = from_ns,
          .to_ns = to_ns,
          .ns = static_cast<uint64_t>(to_ns - from_ns),
          .is_proved = true,
          .wall_site = wait.wall_site,
          .lock = wait.lock,
          .owner = wait.owner});
  }
  void Emit(StatePiece piece) {
    if (piece.ns == 0) return;
    piece.thread = life_.thread;
    visit_(piece);
  }

  const Model& model_;
  WallSites& wall_sites_;
  YieldingThreads& yielding_;
  const ThreadLife life_;
  const std::span<const Stop> stops_;
  const std::span<const Ran> samples_;  // ordered by time
  const Visit& visit_;
  const std::vector<ExactWait> waits_;
  std::span<const WaitSum> sums_;  // that end in or after the current stretch
  int64_t part_ns_ = 1;

  // The current stretch.
  const Stretch* stretch_ = nullptr;
  std::span<const Ran> sampled_;
  std::vector<int64_t> cuts_;
  std::vector<Slice> slices_;
  std::vector<uint64_t> run_, ready_, paused_, room_;  // by slice; room_: time left
  std::vector<double> weights_;                        // of PlaceSums, kept for their memory
  std::vector<uint64_t> given_;
};

// Periods in which all threads were stopped, without overlaps.
std::vector<Stop> StopsOf(const GarbageCollections& facts) {
  std::vector<Stop> stops;
  for (const SuspensionRow& row : facts.pauses) {
    const auto length = static_cast<int64_t>(std::min<uint64_t>(row.total_ns, INT64_MAX / 4));
    const int64_t from_ns = stops.empty() ? row.at_ns : std::max(row.at_ns, stops.back().to_ns);
    if (row.at_ns + length > from_ns) stops.push_back({from_ns, row.at_ns + length});
  }
  return stops;
}

// For each thread, the number of CPU samples of it and of all threads before it.
std::vector<size_t> EndsByThread(const Model& model) {
  std::vector<size_t> ends(model.threads.size());
  for (const CpuSample& sample : model.samples.cpu.samples) ++ends[sample.thread];
  for (size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  return ends;
}

// The first and last time for which there is evidence of a thread.
struct SeenSpan {
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;

  void Add(int64_t from_ns, int64_t to_ns) {
    first_ns = std::min(first_ns, from_ns);
    last_ns = std::max(last_ns, to_ns);
  }
};

}  // namespace

uint64_t StatePiece::Before(int64_t at_ns) const {
  if (at_ns <= from_ns) return 0;
  if (at_ns >= to_ns) return ns;
  const auto part = static_cast<double>(at_ns - from_ns) / static_cast<double>(to_ns - from_ns);
  return std::min(ns, static_cast<uint64_t>(static_cast<double>(ns) * part));
}

ThreadStates::ThreadStates(const Model& model) : model_(model), wall_sites_(model) {
  std::vector<SeenSpan> seen(model.threads.size());
  for (const ThreadInterval& row : model.waits.intervals) {
    seen[row.thread].Add(row.from_begin ? row.to_ns : row.from_ns, row.to_ns);
  }
  for (const WaitSpan& span : model.waits.spans) {
    seen[span.thread].Add(span.at_ns, span.at_ns + static_cast<int64_t>(span.duration_ns));
  }
  for (const WaitSum& sum : model.waits.span_sums) seen[sum.thread].Add(sum.from_ns, sum.to_ns);
  for (const OpenWait& wait : model.waits.open) {
    seen[wait.thread].Add(wait.start_ns, model.facts.last_ns);
  }
  for (ThreadIndex i = 1; i < model.threads.size(); ++i) {
    const ThreadInfo& thread = model.threads[i];
    const bool is_reported = thread.has_start || thread.seen_alive;
    if (!is_reported && seen[i].first_ns > seen[i].last_ns) continue;
    const int64_t from_ns = thread.has_start && !thread.seen_alive ? thread.start_ns
                            : is_reported                          ? model.facts.first_ns
                                                                   : seen[i].first_ns;
    const int64_t to_ns = thread.has_end ? thread.end_ns
                          : is_reported  ? model.facts.last_ns
                                         : seen[i].last_ns;
    const ThreadLife life = {i, std::max(from_ns, model.facts.first_ns),
                             std::min(to_ns, model.facts.last_ns)};
    if (life.to_ns > life.from_ns) lives_.push_back(life);
  }
}

bool ThreadStates::is_seen() const {
  const Waits& waits = model_.waits;
  return !lives_.empty() && !(waits.intervals.empty() && waits.spans.empty() &&
                              waits.span_sums.empty() && waits.open.empty());
}

void ThreadStates::Each(const Visit& visit) {
  const std::vector<Stop> stops = StopsOf(model_.collections);
  const std::vector<size_t> ends = EndsByThread(model_);
  std::vector<Ran> samples(model_.samples.cpu.samples.size());
  std::vector<size_t> next(ends.size());
  for (size_t i = 1; i < ends.size(); ++i) next[i] = ends[i - 1];
  for (const CpuSample& sample : model_.samples.cpu.samples) {
    samples[next[sample.thread]++] = {sample.at_ns, sample.cpu_ns};
  }
  std::vector<const OpenWait*> open;
  for (const OpenWait& wait : model_.waits.open) open.push_back(&wait);
  std::ranges::stable_sort(open, {}, &OpenWait::thread);
  YieldingThreads yielding(model_);
  for (const ThreadLife& life : lives_) {
    const auto first = samples.begin() + static_cast<ptrdiff_t>(ends[life.thread - 1]);
    const auto end = samples.begin() + static_cast<ptrdiff_t>(ends[life.thread]);
    if (!std::ranges::is_sorted(first, end, {}, &Ran::at_ns)) {
      std::ranges::stable_sort(first, end, {}, &Ran::at_ns);
    }
    ThreadTimeline(model_, wall_sites_, yielding, life, stops, {first, end},
                   OfThread(open, life.thread, &OpenWait::thread), visit)
        .Run();
  }
}

}  // namespace hindsight::analyzer
