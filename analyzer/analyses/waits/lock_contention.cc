#include "analyzer/analyses/waits/lock_contention.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyzer/analyses/places/inlined_places.h"

namespace hindsight::analyzer {
namespace {

bool ReportsWaits(const Dictionaries& dictionaries, MethodId id) {
  const Method& method = dictionaries.method(id);
  const std::string_view type = dictionaries.String(dictionaries.type(method.type).name);
  return type == "System.Diagnostics.Tracing.NativeRuntimeEventSource" ||
         type == "System.Threading.Tasks.TplEventSource";
}

class WaitPlaces {
 public:
  explicit WaitPlaces(const Model& model)
      : model_(model), calls_(model.dictionaries), places_(model), inlined_(places_) {
    std::map<std::pair<WaitKind, StackId>, InlinedPlaces::Events> all;
    for (const WaitRow& row : model.waits.rows) {
      all[{row.kind, row.stack}] += {1, row.at_ns, row.at_ns};
    }
    for (const auto& [stack, events] : all) {
      const std::vector<MethodId> path = WaitPath(model.dictionaries, stack.second);
      inlined_.Add(WhatOf(stack.first, calls_.Find(path).kind), BehindWait(calls_, path), events);
    }
  }

  void Add(const WaitGroup& group) {
    const Row row = Of(group.kind, group.stack);
    WaitGroup& sum = waits_[row.place].group;
    sum.count += group.count;
    sum.total_ns += group.total_ns;
    if (group.longest_ns >= sum.longest_ns) {
      sum.longest_ns = group.longest_ns;
      sum.longest_at_ns = group.longest_at_ns;
      sum.lock_of_longest = group.lock_of_longest;
      sum.longest_owner = group.longest_owner;
      sum.longest_owner_stack = group.longest_owner_stack;
    }
    Count(row, group.count, group.total_ns);
  }

  void Add(const OpenWait& wait) {
    const Row row = Of(wait.kind, wait.stack);
    const uint64_t age = AgeOf(wait, model_.facts.last_ns);
    waits_[row.place].open.push_back(&wait);
    waits_[row.place].open_ns += age;
    Count(row, 1, age);
    AddHolder(row.place, wait.owner_stack, age);
  }

  // Once all waits were added.
  void Add(const HolderGroup& group) {
    const auto waits = stack_index_.find({group.kind, group.waiter});
    if (waits != stack_index_.end()) AddHolder(waits->second.place, group.stack, group.total_ns);
    std::vector<MethodId> path = model_.dictionaries.Path(group.stack);
    const auto [at, is_new] =
        holder_index_.try_emplace(places_.Of(BehindWait(calls_, path)), holders_.size());
    if (is_new) {
      holders_.push_back({group, std::move(path), 0});
    } else {
      HolderGroup& sum = holders_[at->second].group;
      sum.count += group.count;
      sum.total_ns += group.total_ns;
      sum.longest_ns = std::max(sum.longest_ns, group.longest_ns);
      if (group.total_ns > longest_of_holder_[at->second]) {
        sum.stack = group.stack;
        holders_[at->second].path = std::move(path);
      }
    }
    longest_of_holder_.resize(holders_.size());
    uint64_t& longest = longest_of_holder_[at->second];
    longest = std::max(longest, group.total_ns);
  }

  // What the owners of locks did at the moment of a thread snapshot. Call after adding all waits:
  // each look is assumed to stand for as much waiting as one wait there takes.
  void Add(const ThreadSnapshot& snapshot) {
    for (const ThreadInSnapshot& waiter : snapshot.threads) {
      if (waiter.lock_owner == 0) continue;
      const auto owner =
          std::ranges::find(snapshot.threads, waiter.lock_owner, &ThreadInSnapshot::thread);
      if (owner == snapshot.threads.end()) continue;
      const std::optional<size_t> place = FindPlace(waiter.stack);
      if (!place) continue;
      const WaitPlace& waits = waits_[*place];
      AddHolder(*place, owner->stack, (waits.group.total_ns + waits.open_ns) / waits.count());
    }
    LookForInsider(snapshot);
  }

  // Owners change while threads queue, so those that the waits report may be outdated. But if each
  // look at a queue shows exactly one thread in the place that does not wait for the lock, that is
  // the one inside. Call after adding all snapshots.
  void AddInsiders() {
    constexpr size_t kLeastLooks = 2;  // once, it may be on its way in or out
    for (const auto& [place, queue] : queues_) {
      if (queue.looks < kLeastLooks || queue.insiders.size() != queue.looks) continue;
      const WaitPlace& waits = waits_[place];
      for (const StackId stack : queue.insiders) {
        AddHolder(place, stack, (waits.group.total_ns + waits.open_ns) / waits.count());
      }
    }
  }

  std::vector<WaitPlace> TakeWaits() {
    seen_.resize(waits_.size());
    for (WaitPlace& wait : waits_) {
      std::stable_sort(
          wait.variants.begin(), wait.variants.end(),
          [](const WaitVariant& a, const WaitVariant& b) { return a.total_ns > b.total_ns; });
      // Prefer variants with the site itself over those in which it was inlined.
      const PlaceId id = place_ids_[static_cast<size_t>(&wait - waits_.data())];
      std::stable_partition(wait.variants.begin(), wait.variants.end(),
                            [&](const WaitVariant& variant) {
                              return places_.Of(BehindWait(calls_, variant.path)) == id;
                            });
      std::stable_sort(
          wait.open.begin(), wait.open.end(),
          [](const OpenWait* a, const OpenWait* b) { return a->start_ns < b->start_ns; });
      wait.group.stack = wait.variants.front().stack;
      wait.path = wait.variants.front().path;
      wait.call = calls_.Find(wait.path);
      if (wait.call.kind == BlockingCall::Kind::kNone) wait.call.kind = KindOf(wait.group.kind);
      const Place place = WaitSiteOf(places_, calls_, wait.path);
      wait.site = place.site;
      wait.through = place.through;
      const auto& holders = seen_[static_cast<size_t>(&wait - waits_.data())];
      const auto most = std::max_element(
          holders.begin(), holders.end(),
          [](const auto& a, const auto& b) { return a.second.waited_ns < b.second.waited_ns; });
      if (most != holders.end()) wait.holder = most->second;
    }
    std::stable_sort(waits_.begin(), waits_.end(), [](const WaitPlace& a, const WaitPlace& b) {
      return a.total_ns() > b.total_ns();
    });
    return std::move(waits_);
  }

  std::vector<LockHolder> TakeHolders() {
    for (LockHolder& holder : holders_) {
      holder.site = WaitSiteOf(places_, calls_, holder.path).site;
      const MethodId innermost = holder.path.empty() ? 0 : holder.path.front();
      if (innermost != holder.site) holder.doing = innermost;
    }
    std::stable_sort(holders_.begin(), holders_.end(),
                     [](const LockHolder& a, const LockHolder& b) {
                       return a.group.total_ns > b.group.total_ns;
                     });
    return std::move(holders_);
  }

 private:
  struct Row {
    size_t place = 0, variant = 0;
  };

  // The place where a thread with that stack waits for a lock, if waits there were recorded.
  std::optional<size_t> FindPlace(StackId stack) {
    if (stack == 0) return std::nullopt;
    const std::vector<MethodId> path = WaitPath(model_.dictionaries, stack);
    const BlockingCall call = calls_.Find(path);
    const bool is_by_call = call.kind == BlockingCall::Kind::kReaderWriter;
    for (const WaitKind kind : {WaitKind::kMonitor, WaitKind::kLock, WaitKind::kWaitHandle}) {
      if (kind == WaitKind::kWaitHandle && !is_by_call) continue;
      const PlaceId place = inlined_.Of(WhatOf(kind, call.kind), BehindWait(calls_, path));
      const auto at = index_.find({kind, call.kind, place});
      if (at != index_.end()) return at->second;
    }
    return std::nullopt;
  }

  void LookForInsider(const ThreadSnapshot& snapshot) {
    constexpr uint64_t kLeastWaiters = 2;
    std::map<size_t, uint64_t> waiters;  // by place
    for (const ThreadInSnapshot& thread : snapshot.threads) {
      const PlacesOfStack& of = OfStack(thread.stack);
      if (of.waits_in) ++waiters[*of.waits_in];
    }
    for (const auto& [place, count] : waiters) {
      uint32_t& at_once = waits_[place].seen_at_once;
      at_once = std::max(at_once, static_cast<uint32_t>(count));
      if (count < kLeastWaiters) continue;
      Queue& queue = queues_[place];
      ++queue.looks;
      std::vector<StackId> inside;
      for (const ThreadInSnapshot& thread : snapshot.threads) {
        const std::vector<size_t>& in = OfStack(thread.stack).inside;
        if (std::find(in.begin(), in.end(), place) != in.end()) inside.push_back(thread.stack);
      }
      if (inside.size() == 1) queue.insiders.push_back(inside.front());
    }
  }

  // Where a thread with that stack waits for a lock; otherwise, the places in whose methods it is.
  // Not those that wait for reader-writer locks, which several threads may have.
  struct PlacesOfStack {
    std::optional<size_t> waits_in;
    std::vector<size_t> inside;
  };
  const PlacesOfStack& OfStack(StackId stack) {
    const auto [known, is_new] = of_stack_.try_emplace(stack);
    PlacesOfStack& of = known->second;
    if (!is_new || stack == 0) return of;
    const std::vector<MethodId> path = WaitPath(model_.dictionaries, stack);
    if (calls_.Find(path).is_lock()) {
      of.waits_in = FindPlace(stack);
      return of;
    }
    std::span<const MethodId> rest = BehindWait(calls_, path);
    constexpr size_t kMostFrames = 32;
    for (size_t i = 0; i < kMostFrames && !rest.empty(); ++i, rest = rest.subspan(1)) {
      for (const auto& [kind, call] : {std::pair(WaitKind::kMonitor, BlockingCall::Kind::kMonitor),
                                       std::pair(WaitKind::kLock, BlockingCall::Kind::kLock)}) {
        const auto at = index_.find({kind, call, inlined_.Of(WhatOf(kind, call), rest)});
        if (at != index_.end()) of.inside.push_back(at->second);
      }
    }
    return of;
  }

  // Kinds of waits that are kept apart.
  static uint64_t WhatOf(WaitKind kind, BlockingCall::Kind call) {
    return static_cast<uint64_t>(kind) << 8 | static_cast<uint64_t>(call);
  }

  // Of owners at the same place, the one for which others waited longest is reported.
  void AddHolder(size_t place, StackId stack, uint64_t waited_ns) {
    seen_.resize(std::max(seen_.size(), waits_.size()));
    if (stack == 0) return;
    SeenHolder holder{waited_ns, model_.dictionaries.Path(stack), 0, {}};
    holder.call = calls_.Find(holder.path);
    holder.site = WaitSiteOf(places_, calls_, holder.path).site;
    // It waits for the same lock, or for work, so another thread had it by then.
    if (holder.call.is_lock() && (holder.site == SiteOfPlace(place) || FindPlace(stack) == place)) {
      return;
    }
    if (calls_.WorkerOf(holder.path) == BlockingCalls::Worker::kIdle) {
      waits_[place].idle_owner_ns += waited_ns;
      return;
    }
    const auto [at, is_new] = seen_[place].try_emplace(
        {holder.call.kind, places_.Of(BehindWait(calls_, holder.path))}, holder);
    if (!is_new) at->second.waited_ns += waited_ns;
  }

  MethodId SiteOfPlace(size_t place) {
    return WaitSiteOf(places_, calls_, waits_[place].variants.front().path).site;
  }

  Row Of(WaitKind kind, StackId stack) {
    const auto [known, is_new_stack] = stack_index_.try_emplace({kind, stack}, Row());
    if (!is_new_stack) return known->second;
    std::vector<MethodId> path = WaitPath(model_.dictionaries, stack);
    const BlockingCall call = calls_.Find(path);
    const PlaceId place = inlined_.Of(WhatOf(kind, call.kind), BehindWait(calls_, path));
    const auto [at, is_new] = index_.try_emplace({kind, call.kind, place}, waits_.size());
    if (is_new) {
      waits_.emplace_back();
      place_ids_.push_back(place);
      waits_.back().group.kind = kind;
      waits_.back().end_ns = model_.facts.last_ns;
    }
    std::vector<WaitVariant>& variants = waits_[at->second].variants;
    known->second = {at->second, variants.size()};
    variants.push_back({stack, std::move(path), 0, 0});
    return known->second;
  }

  void Count(const Row& row, uint64_t count, uint64_t total_ns) {
    WaitVariant& variant = waits_[row.place].variants[row.variant];
    variant.count += count;
    variant.total_ns += total_ns;
  }

  const Model& model_;
  BlockingCalls calls_;
  Places places_;
  InlinedPlaces inlined_;
  std::map<std::pair<WaitKind, StackId>, Row> stack_index_;
  std::map<std::tuple<WaitKind, BlockingCall::Kind, PlaceId>, size_t> index_;
  std::map<PlaceId, size_t> holder_index_;
  std::vector<WaitPlace> waits_;
  std::vector<PlaceId> place_ids_;  // parallel to waits_
  // Parallel to waits_.
  std::vector<std::map<std::pair<BlockingCall::Kind, PlaceId>, SeenHolder>> seen_;
  struct Queue {
    size_t looks = 0;               // thread snapshots in which several threads wait there
    std::vector<StackId> insiders;  // one for each look that shows exactly one
  };
  std::map<size_t, Queue> queues_;  // by place
  std::map<StackId, PlacesOfStack> of_stack_;
  std::vector<LockHolder> holders_;
  // Parallel to holders_: the most time of one of its stacks.
  std::vector<uint64_t> longest_of_holder_;
};

// Locks, including unfinished waits for them with their duration so far.
std::vector<HotLock> HotLocks(const Model& model, std::span<const WaitPlace> places) {
  std::vector<HotLock> locks;
  std::unordered_map<uint64_t, size_t> index;
  for (const LockGroup& lock : model.waits.locks) {
    index.emplace(lock.lock, locks.size());
    locks.push_back({lock, 0});
  }
  for (const OpenWait& wait : model.waits.open) {
    const auto at = index.find(wait.lock);
    if (at == index.end()) continue;
    HotLock& lock = locks[at->second];
    const uint64_t age = AgeOf(wait, model.facts.last_ns);
    ++lock.count;
    lock.total_ns += age;
    lock.longest_ns = std::max(lock.longest_ns, age);
  }
  const std::vector<LockTimes> times = LockTimesOf(model, places);
  std::vector<uint64_t> most(locks.size());
  for (size_t i = 0; i < places.size(); ++i) {
    for (const auto& [lock, time_ns] : times[i]) {
      const auto at = index.find(lock);
      if (at == index.end() || time_ns <= most[at->second]) continue;
      most[at->second] = time_ns;
      locks[at->second].site = places[i].site;
    }
  }
  std::stable_sort(locks.begin(), locks.end(),
                   [](const LockGroup& a, const LockGroup& b) { return a.total_ns > b.total_ns; });
  return locks;
}

}  // namespace

uint64_t AgeOf(const OpenWait& wait, int64_t end_ns) {
  return end_ns > wait.start_ns ? static_cast<uint64_t>(end_ns - wait.start_ns) : 0;
}

uint64_t WaitPlace::longest_ns() const {
  return open.empty() ? group.longest_ns : std::max(group.longest_ns, AgeOf(*open.front(), end_ns));
}

std::vector<MethodId> WaitPath(const Dictionaries& dictionaries, StackId stack) {
  return WaitPath(dictionaries, dictionaries.Path(stack));
}

std::vector<MethodId> WaitPath(const Dictionaries& dictionaries, std::vector<MethodId> path) {
  const auto first = std::find_if(path.begin(), path.end(), [&](MethodId method) {
    return method != 0 && !ReportsWaits(dictionaries, method);
  });
  path.erase(path.begin(), first);
  return path;
}

std::span<const MethodId> BehindWait(const BlockingCalls& calls, std::span<const MethodId> path) {
  const std::span<const MethodId> behind = path.subspan(calls.Find(path).frames);
  std::span<const MethodId> rest = behind;
  while (!rest.empty() && calls.IsThreading(rest.front())) rest = rest.subspan(1);
  return rest.empty() ? behind : rest;
}

Place WaitSiteOf(Places& places, const BlockingCalls& calls, std::span<const MethodId> path) {
  Place place = places.Find(BehindWait(calls, path));
  if (place.site == 0) place.site = calls.Site(path, calls.Find(path).frames);
  return place;
}

LockReport AnalyzeLocks(const Model& model) {
  LockReport report(model);
  WaitPlaces places(model);
  for (const WaitGroup& group : model.waits.groups) places.Add(group);
  for (const OpenWait& wait : model.waits.open) places.Add(wait);
  for (const HolderGroup& group : model.waits.holders) places.Add(group);
  for (const ThreadSnapshot& snapshot : model.waits.snapshots) places.Add(snapshot);
  places.AddInsiders();
  report.holders = places.TakeHolders();
  for (WaitPlace& place : places.TakeWaits()) {
    if (place.is_lock()) {
      report.lock_waits += place.count();
      report.lock_ns += place.total_ns();
      report.lock_open += place.open.size();
    }
    (place.is_lock() ? report.locks : report.signals).push_back(std::move(place));
  }
  report.hottest = HotLocks(model, report.locks);
  report.contended = ContendedLocks(model, report.locks);
  return report;
}

std::string_view HolderDoes(BlockingCall::Kind call) {
  using Call = BlockingCall::Kind;
  switch (call) {
    case Call::kNone:
      return "";
    case Call::kSleep:
      return "sleeps";
    case Call::kMonitor:
    case Call::kLock:
    case Call::kReaderWriter:
      return "waits for a lock itself";
    case Call::kTask:
    case Call::kTasks:
      return "waits for a task";
    case Call::kSemaphore:
      return "waits for a semaphore";
    case Call::kJoin:
      return "waits for a thread to end";
    case Call::kCallback:
      return "waits for a callback to end";
    default:
      return "waits for a signal";
  }
}

std::string_view WaitName(WaitKind kind, BlockingCall::Kind call) {
  using Call = BlockingCall::Kind;
  switch (kind) {
    case WaitKind::kMonitor:
      return "monitor";
    case WaitKind::kLock:
      return "lock";
    case WaitKind::kTask:
      return "task";
    default:
      break;
  }
  switch (call) {
    case Call::kReaderWriter:
      return "reader-writer lock";
    case Call::kClassInit:
      return "class constructor";
    case Call::kSemaphore:
      return "semaphore";
    case Call::kTask:
    case Call::kTasks:
      return "task";
    case Call::kEventSlim:
      return "event";
    case Call::kJoin:
      return "thread";
    default:
      return kind == WaitKind::kMonitorWait  ? "pulse"
             : kind == WaitKind::kWaitHandle ? "wait handle"
                                             : "unknown";
  }
}

}  // namespace hindsight::analyzer
