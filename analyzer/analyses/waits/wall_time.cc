#include "analyzer/analyses/waits/wall_time.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyzer/analyses/gc/pauses.h"
#include "analyzer/analyses/waits/thread_states.h"

namespace hindsight::analyzer {
namespace {

struct PlaceSums {
  uint64_t total_ns = 0, proved_ns = 0;
  std::unordered_map<ThreadIndex, uint64_t> threads;
  uint64_t most_ns = 0;  // of one stack of one thread
  const WallSite* most = nullptr;
};

class WallTimeAnalysis {
 public:
  WallTimeAnalysis(const Model& model, const WallQuery& query)
      : model_(model), report_(model), states_(model) {
    report_.from_ns = std::max(query.from_ns, model.facts.first_ns);
    report_.to_ns = std::max(report_.from_ns, std::min(query.to_ns, model.facts.last_ns));
    if (query.lane_parts > 0) lanes_.emplace(report_.from_ns, report_.to_ns, query.lane_parts);
  }

  WallReport Run() {
    report_.is_seen = states_.is_seen();
    for (const ThreadLife& life : states_.lives()) {
      const int64_t from_ns = std::max(life.from_ns, report_.from_ns);
      const int64_t to_ns = std::min(life.to_ns, report_.to_ns);
      if (to_ns <= from_ns) continue;
      WallThread& thread = threads_[life.thread];
      thread.thread = life.thread;
      thread.from_ns = from_ns;
      thread.to_ns = to_ns;
    }
    states_.Each([this](const StatePiece& piece) { Add(piece); });
    FinishThread();
    if (lanes_) report_.lanes = lanes_->Take();
    AddPauses();
    TakePlaces();
    TakeThreads();
    return std::move(report_);
  }

 private:
  using PlaceKey = std::tuple<WallState, PlaceId>;
  struct StackSum {
    const WallSite* wall_site = nullptr;
    uint64_t total_ns = 0, proved_ns = 0;
  };

  // The pieces of a thread are consecutive.

  void Add(const StatePiece& piece) {
    const uint64_t ns = piece.Before(report_.to_ns) - piece.Before(report_.from_ns);
    if (ns == 0) return;
    if (lanes_) lanes_->Add(piece);
    if (thread_ == nullptr || piece.thread != thread_->thread) {
      FinishThread();
      thread_ = &threads_[piece.thread];
    }
    thread_->times[piece.state] += ns;
    report_.times[piece.state] += ns;
    if (piece.wall_site == nullptr) return;
    const uint32_t number = piece.wall_site->number;
    if (number >= sums_.size()) sums_.resize(number + 1);
    StackSum& sum = sums_[number];
    if (sum.wall_site == nullptr) seen_.push_back(number);
    sum.wall_site = piece.wall_site;
    sum.total_ns += ns;
    if (piece.is_proved) sum.proved_ns += ns;
  }

  // In the order in which the thread's sites were found.
  void FinishThread() {
    std::ranges::sort(seen_);
    uint64_t most_ns = 0;
    for (const uint32_t number : seen_) {
      const StackSum sum = std::exchange(sums_[number], {});
      if (sum.total_ns > most_ns) {
        most_ns = sum.total_ns;
        thread_->site = sum.wall_site->site;
      }
      if (sum.wall_site->state != WallState::kIdle) AddStack(thread_->thread, sum);
    }
    seen_.clear();
  }

  void AddStack(ThreadIndex thread, const StackSum& stack) {
    const WallSite& wall_site = *stack.wall_site;
    report_.stacks.push_back({thread, wall_site.state, stack.total_ns, wall_site.path});
    PlaceSums& sums = places_[{wall_site.state, wall_site.place}];
    sums.total_ns += stack.total_ns;
    sums.proved_ns += stack.proved_ns;
    sums.threads[thread] += stack.total_ns;
    if (sums.most == nullptr || stack.total_ns > sums.most_ns) {
      sums.most_ns = stack.total_ns;
      sums.most = &wall_site;
    }
  }

  void AddPauses() {
    for (const Pause& pause : FindPauses(model_.collections, report_.from_ns, report_.to_ns)) {
      const int64_t from = std::max(report_.from_ns, pause.suspension->at_ns);
      const int64_t to = std::min(report_.to_ns, pause.end_ns());
      if (to > from) report_.stopped_ns += static_cast<uint64_t>(to - from);
    }
  }

  void TakePlaces() {
    for (const auto& [key, sums] : places_) {
      WallPlace place{.state = sums.most->state,
                      .site = sums.most->site,
                      .through = sums.most->through,
                      .total_ns = sums.total_ns,
                      .proved_ns = sums.proved_ns,
                      .threads = {},
                      .path = sums.most->path};
      std::vector<std::pair<uint64_t, ThreadIndex>> threads;
      for (const auto& [thread, ns] : sums.threads) threads.emplace_back(ns, thread);
      std::sort(threads.begin(), threads.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
      });
      for (const auto& [ns, thread] : threads) place.threads.push_back(thread);
      report_.places.push_back(std::move(place));
    }
    std::stable_sort(
        report_.places.begin(), report_.places.end(),
        [](const WallPlace& a, const WallPlace& b) { return a.total_ns > b.total_ns; });
  }

  void TakeThreads() {
    for (auto& [index, thread] : threads_) report_.threads.push_back(thread);
    std::stable_sort(report_.threads.begin(), report_.threads.end(),
                     [](const WallThread& a, const WallThread& b) {
                       return a.times.not_idle() > b.times.not_idle();
                     });
  }

  const Model& model_;
  WallReport report_;
  ThreadStates states_;
  std::optional<LaneBuilder> lanes_;
  std::map<ThreadIndex, WallThread> threads_;
  std::map<PlaceKey, PlaceSums> places_;

  // The thread whose pieces are being added.
  WallThread* thread_ = nullptr;
  std::vector<StackSum> sums_;  // indexed by WallSite::number
  std::vector<uint32_t> seen_;  // the numbers in use
};

}  // namespace

WallReport AnalyzeWallTime(const Model& model, const WallQuery& query) {
  return WallTimeAnalysis(model, query).Run();
}

}  // namespace hindsight::analyzer
