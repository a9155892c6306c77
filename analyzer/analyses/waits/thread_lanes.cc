#include "analyzer/analyses/waits/thread_lanes.h"

#include <algorithm>
#include <utility>

namespace hindsight::analyzer {
namespace {

// Different waits in one part, the longest of which is found; further ones are ignored.
constexpr size_t kMaxWaits = 16;

uint64_t ToDo(const WallTimes& times) { return times.not_idle() - times[WallState::kUnknown]; }

}  // namespace

int64_t ThreadLanes::At(uint32_t part) const {
  const auto length = static_cast<double>(to_ns - from_ns);
  return part >= parts ? to_ns : from_ns + static_cast<int64_t>(length * part / parts);
}

LaneBuilder::LaneBuilder(int64_t from_ns, int64_t to_ns, uint32_t parts, const LaneRules& rules)
    : rules_(rules), cells_(parts) {
  lanes_.from_ns = from_ns;
  lanes_.to_ns = to_ns;
  lanes_.parts = parts;
  for (uint32_t part = 0; part <= parts; ++part) begins_.push_back(lanes_.At(part));
}

bool LaneBuilder::IsIn(uint32_t part, int64_t at_ns) const {
  return begins_[part] <= at_ns && at_ns < begins_[part + 1];
}

uint32_t LaneBuilder::PartOf(int64_t at_ns) const {
  if (IsIn(part_, at_ns)) return part_;
  const auto after = std::upper_bound(begins_.begin(), begins_.end() - 1, at_ns);
  return static_cast<uint32_t>(after - begins_.begin()) - 1;
}

void LaneBuilder::Add(const StatePiece& piece) {
  const int64_t from_ns = std::max(piece.from_ns, lanes_.from_ns);
  const int64_t to_ns = std::min(piece.to_ns, lanes_.to_ns);
  if (to_ns <= from_ns) return;
  if (piece.thread != thread_) FinishThread();
  thread_ = piece.thread;
  uint64_t before = piece.Before(from_ns);
  part_ = PartOf(from_ns);
  for (uint32_t part = part_; part < lanes_.parts && begins_[part] < to_ns; ++part) {
    const uint64_t until = piece.Before(std::min(to_ns, begins_[part + 1]));
    const uint64_t ns = until - before;
    before = until;
    if (ns == 0) continue;
    cells_[part].times[piece.state] += ns;
    if (piece.wall_site != nullptr) AddWait(cells_[part], piece, ns);
  }
}

void LaneBuilder::AddWait(Cell& cell, const StatePiece& piece, uint64_t ns) {
  for (Wait& wait : cell.waits) {
    if (wait.wall_site != piece.wall_site || wait.lock != piece.lock || wait.owner != piece.owner) {
      continue;
    }
    wait.ns += ns;
    return;
  }
  if (cell.waits.size() < kMaxWaits) {
    cell.waits.push_back({piece.wall_site, piece.lock, piece.owner, ns});
  }
}

LaneRun LaneBuilder::RunOf(const Cell& cell, uint32_t part) const {
  LaneRun run = {.first_part = part, .parts = 1, .times = cell.times};
  const auto most = std::max_element(cell.times.ns.begin(), cell.times.ns.end());
  run.state = static_cast<WallState>(most - cell.times.ns.begin());
  const Wait* longest = nullptr;
  for (const Wait& wait : cell.waits) {
    if (wait.wall_site->state != run.state) continue;
    if (longest == nullptr || wait.ns > longest->ns) longest = &wait;
  }
  if (longest == nullptr) return run;
  run.site = longest->wall_site->site;
  run.through = longest->wall_site->through;
  run.lock = longest->lock;
  run.owner = longest->owner;
  return run;
}

bool LaneBuilder::IsPure(const LaneRun& run) const {
  return static_cast<double>(run.times[run.state]) >=
         static_cast<double>(run.times.all()) * rules_.of_one_state;
}

void LaneBuilder::FinishThread() {
  if (thread_ == 0) return;
  ThreadLane lane;
  lane.thread = thread_;
  for (uint32_t part = 0; part < lanes_.parts; ++part) {
    Cell& cell = cells_[part];
    if (cell.times.all() == 0) continue;
    const LaneRun run = RunOf(cell, part);
    lane.times += cell.times;
    cell = {};
    if (!lane.runs.empty()) {
      LaneRun& last = lane.runs.back();
      const bool is_same = last.state == run.state && last.site == run.site &&
                           last.through == run.through && last.lock == run.lock &&
                           last.owner == run.owner;
      if (is_same && last.first_part + last.parts == part && IsPure(last) && IsPure(run)) {
        ++last.parts;
        last.times += run.times;
        continue;
      }
    }
    lane.runs.push_back(run);
  }
  lane.is_idle =
      static_cast<double>(ToDo(lane.times)) < static_cast<double>(lane.times.all()) * rules_.to_do;
  if (!lane.runs.empty()) lanes_.lanes.push_back(std::move(lane));
}

ThreadLanes LaneBuilder::Take() {
  FinishThread();
  thread_ = 0;
  std::stable_sort(lanes_.lanes.begin(), lanes_.lanes.end(),
                   [](const ThreadLane& a, const ThreadLane& b) {
                     if (a.is_idle != b.is_idle) return b.is_idle;
                     return ToDo(a.times) > ToDo(b.times);
                   });
  return std::move(lanes_);
}

}  // namespace hindsight::analyzer
