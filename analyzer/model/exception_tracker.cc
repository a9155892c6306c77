#include "analyzer/model/exception_tracker.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

uint64_t Mix(uint64_t value) {
  value ^= value >> 32;
  value *= 0x9E3779B97F4A7C15;
  return value ^ value >> 29;
}

uint64_t Combine(uint64_t seed, uint64_t value) { return Mix(seed * 31 + value); }

}  // namespace

size_t ExceptionTracker::GroupKeyHash::operator()(const GroupKey& key) const {
  const uint64_t seed = Mix(uint64_t{key.type} << 32 | key.stack);
  return Combine(seed, uint64_t{key.thread} << 1 | (key.starts_late ? 1 : 0));
}

size_t ExceptionTracker::RouteStepHash::operator()(const RouteStep& step) const {
  const uint64_t seed = Mix(uint64_t{step.previous} << 32 | step.thrower);
  return Combine(seed, uint64_t{step.handler} << 16 | static_cast<uint64_t>(step.hop) << 8 |
                           static_cast<uint64_t>(step.outcome));
}

bool ExceptionTracker::RouteStepEqual::operator()(const RouteStep& a, const RouteStep& b) const {
  return a.previous == b.previous && a.hop == b.hop && a.thrower == b.thrower &&
         a.outcome == b.outcome && a.handler == b.handler;
}

ExceptionTracker::ExceptionTracker(const Dictionaries& dictionaries, const ExceptionScope& scope)
    : dictionaries_(dictionaries), scope_(scope) {}

// ---- Remembering throws ------------------------------------------------------------------------

ExceptionTracker::Record* ExceptionTracker::Find(uint64_t id) {
  if (id == 0) return nullptr;
  Record& record = window_[id % kWindow];
  if (record.thrown.id == id) return &record;
  const auto found = in_flight_.find(id);
  return found == in_flight_.end() ? nullptr : &found->second;
}

ExceptionTracker::Record* ExceptionTracker::FindTail(uint64_t id) {
  Record* record = Find(id);
  if (record == nullptr) return nullptr;
  while (record->next != 0) {
    Record* next = Find(record->next);
    if (next == nullptr) return nullptr;  // its end is already counted
    record = next;
  }
  // So that later lookups from the same throw take one step.
  if (Record* first = Find(id); first != record) first->next = record->thrown.id;
  return record;
}

ExceptionTracker::Record& ExceptionTracker::PlaceFor(uint64_t id) {
  const size_t place = id % kWindow;
  reach_ = std::max(reach_, place + 1);
  Record& record = window_[place];
  if (record.thrown.id != 0) Evict(record);
  return record;
}

void ExceptionTracker::Evict(Record& record) {
  if (!record.is_linked) Link(record);
  const bool in_flight = record.thrown.outcome.kind == Outcome::kInFlight && record.next == 0;
  if (in_flight && in_flight_.size() < kMaxInFlight) {
    in_flight_.emplace(record.thrown.id, record);
  } else {
    End(record);
  }
  record = Record();
}

// ---- Events ------------------------------------------------------------------------------------

void ExceptionTracker::OnThrow(const Throw& thrown, bool has_message, std::string_view message) {
  ++table_.throws;
  if (thrown.id == 0 || Find(thrown.id) != nullptr) {
    ++table_.repeated_ids;
    return;
  }
  rows_.Add({thrown.time_ns, thrown.thread, thrown.type, thrown.stack, thrown.hop});
  Record& record = PlaceFor(thrown.id);
  record.thrown = thrown;
  const uint64_t hash = has_message ? std::hash<std::string_view>()(message) : 0;
  if (thrown.previous == 0) {
    StartChain(record, false);
    if (has_message && record.group != 0) group(record.group).AddMessage(hash, message);
  } else if (has_message) {
    hop_messages_.insert_or_assign(
        thrown.id, StashedMessage{hash, std::string(message.substr(0, kMaxMessageBytes))});
  }
  fresh_.push_back(thrown.id);
  if (fresh_.size() >= 2 * kReorder) LinkOldest(kReorder);
}

void ExceptionTracker::OnOutcome(uint64_t id, const ThrowOutcome& outcome) {
  Record* record = Find(id);
  if (record == nullptr) {
    ++table_.stray_outcomes;
    return;
  }
  record->thrown.outcome = outcome;
  if (in_flight_.contains(id)) {
    // It has left the window: only throws that are already linked may continue it.
    End(*record);
    in_flight_.erase(id);
    return;
  }
  if (record->next != 0) {
    if (Record* tail = FindTail(id); tail != nullptr) tail->chain_ns += outcome.throw_to_end_ns;
  }
}

void ExceptionTracker::OnCounted(const CountedThrows& counted) {
  const ThrowCounts& counts = counted.counts;
  table_.throws += counts.thrown;
  table_.counted_throws += counts.thrown;
  // Individual times are unknown, so they are spread evenly.
  const int64_t middle_ns = counted.from_ns + (counted.to_ns - counted.from_ns) / 2;
  Throw thrown;
  thrown.time_ns = middle_ns;
  thrown.type = counted.type;
  thrown.stack = counted.stack;
  thrown.thread = counted.thread;
  if (!InScope(thrown)) return;
  ExceptionGroup& group = this->group(GroupFor(thrown, false));
  group.counted.Add(counts);
  group.total_ns += counts.total_ns;
  const uint64_t first = counts.thrown - std::min(counts.thrown, counts.thrown_again);
  if (first == 0) return;
  group.first_ns = group.count == 0 ? counted.from_ns : std::min(group.first_ns, counted.from_ns);
  group.last_ns = group.count == 0 ? counted.to_ns : std::max(group.last_ns, counted.to_ns);
  group.count += first;
  group.throws[static_cast<size_t>(Hop::kNone)] += first;
  group.threads.Add(counted.thread, first);
  if (counted.call != 0) group.places.Add(counted.call, first);
  constexpr int64_t kParts = 16;
  for (int64_t i = 0; i < kParts; ++i) {
    const auto part = [&](int64_t end) { return first * static_cast<uint64_t>(end) / kParts; };
    const uint64_t count = part(i + 1) - part(i);
    if (count == 0) continue;
    group.times.Add(counted.from_ns + (counted.to_ns - counted.from_ns) / kParts * i, count);
  }
}

// How the throws ended that were only counted. A throw of an object that had been thrown before
// continues an exception that had been caught.
void ExceptionTracker::EndCounted(ExceptionGroup& group) const {
  const ThrowCounts& counts = group.counted;
  const auto ended = [&counts](Outcome outcome) {
    return counts.ended[static_cast<size_t>(outcome)];
  };
  const auto add = [&group](Ending ending, uint64_t count) {
    group.endings[static_cast<size_t>(ending)] += count;
  };
  const uint64_t caught = ended(Outcome::kCaught);
  add(Ending::kCaught, caught - std::min(caught, counts.thrown_again));
  add(Ending::kReplaced, ended(Outcome::kReplaced));
  add(Ending::kLostInFilter, ended(Outcome::kLostInFilter));
  // What an async method throws has a handler: see End.
  const bool has_handler = IsInAsync(group.stack);
  add(has_handler ? Ending::kInFlight : Ending::kUnhandled, ended(Outcome::kUnhandled));
  add(Ending::kCaughtNative, ended(Outcome::kCaughtNative));
  add(Ending::kInFlight, counts.thrown - std::min(counts.thrown, counts.Ended()));
}

ExceptionTable ExceptionTracker::Finish() {
  LinkOldest(fresh_.size());
  for (size_t i = 0; i < reach_; ++i) {
    if (window_[i].thrown.id != 0) End(window_[i]);
  }
  std::vector<uint64_t> left;
  for (const auto& [id, record] : in_flight_) left.push_back(id);
  std::sort(left.begin(), left.end());
  for (const uint64_t id : left) End(in_flight_.at(id));
  for (ExceptionGroup& group : table_.groups) EndCounted(group);
  std::sort(table_.open.begin(), table_.open.end(),
            [](const OpenException& a, const OpenException& b) { return a.id < b.id; });
  window_.Free();
  in_flight_.clear();
  table_.rows = rows_.Take();
  return std::move(table_);
}

// ---- Chains ------------------------------------------------------------------------------------

void ExceptionTracker::StartChain(Record& record, bool starts_late) {
  const Throw& thrown = record.thrown;
  if (!InScope(thrown)) return;
  record.group = GroupFor(thrown, starts_late);
  ExceptionGroup& group = this->group(record.group);
  group.first_ns = group.count == 0 ? thrown.time_ns : std::min(group.first_ns, thrown.time_ns);
  group.last_ns = group.count == 0 ? thrown.time_ns : std::max(group.last_ns, thrown.time_ns);
  ++group.count;
  ++group.throws[static_cast<size_t>(starts_late ? thrown.hop : Hop::kNone)];
  group.times.Add(thrown.time_ns);
  group.threads.Add(thrown.thread);
  if (thrown.call != 0) group.places.Add(thrown.call);
  if (thrown.stack_truncated) ++group.truncated_stacks;
  if (starts_late) ++table_.starting_late;
}

void ExceptionTracker::LinkOldest(size_t count) {
  if (!std::is_sorted(fresh_.begin(), fresh_.end())) std::sort(fresh_.begin(), fresh_.end());
  for (size_t i = 0; i < count; ++i) {
    Record* record = Find(fresh_[i]);
    if (record != nullptr && !record->is_linked) Link(*record);
  }
  fresh_.erase(fresh_.begin(), fresh_.begin() + static_cast<ptrdiff_t>(count));
}

void ExceptionTracker::Link(Record& record) {
  record.is_linked = true;
  const Throw& thrown = record.thrown;
  if (thrown.previous != 0) {
    Record* previous = thrown.previous < thrown.id ? FindTail(thrown.previous) : nullptr;
    const auto stashed = hop_messages_.find(thrown.id);
    if (previous == nullptr || previous == &record) {
      StartChain(record, true);
      if (stashed != hop_messages_.end() && record.group != 0) {
        group(record.group).AddMessage(stashed->second.hash, stashed->second.text);
      }
    } else {
      const ThrowOutcome& before = previous->thrown.outcome;
      record.group = previous->group;
      record.chain_ns = previous->chain_ns + before.throw_to_end_ns;
      previous->next = thrown.id;
      if (record.group != 0) {
        record.route = RouteThrough(*previous);
        ExceptionGroup& group = this->group(record.group);
        ++group.throws[static_cast<size_t>(thrown.hop)];
        if (thrown.hop_inferred) ++group.inferred_hops;
        group.finally_blocks += before.finally_count;
        group.filters += before.filter_count;
      }
      if (thrown.hop == Hop::kRestored && !thrown.hop_inferred && before.handler != 0 &&
          MayBeAwait(thrown.stack)) {
        if (table_.restored_from.size() <= before.handler) {
          table_.restored_from.resize(before.handler + 1);
        }
        ++table_.restored_from[before.handler];
      }
    }
    if (stashed != hop_messages_.end()) hop_messages_.erase(stashed);
  }
  if (record.group != 0) LinkRelatives(record);
}

// Code that has caught an exception may keep it and throw it again through ExceptionDispatchInfo;
// what an await rethrows is thrown there by the framework's tasks and awaiters.
bool ExceptionTracker::MayBeAwait(StackId stack) const {
  bool is_below_dispatch = false;
  for (; stack != 0; stack = dictionaries_.stack(stack).parent) {
    const Method& method = dictionaries_.method(dictionaries_.stack(stack).method);
    const std::string_view type = dictionaries_.String(dictionaries_.type(method.type).name);
    if (type.starts_with("System.Runtime.ExceptionServices.ExceptionDispatchInfo")) {
      is_below_dispatch = true;
    } else if (!method.is_native) {
      return !is_below_dispatch || type.starts_with("System.Runtime.CompilerServices.") ||
             type.starts_with("System.Threading.Tasks.");
    }
  }
  return true;
}

// Whether an async method is on the stack, which stores whatever leaves it in its task.
bool ExceptionTracker::IsInAsync(StackId stack) const {
  MethodId inner = 0;
  for (; stack != 0; stack = dictionaries_.stack(stack).parent) {
    const MethodId id = dictionaries_.stack(stack).method;
    const Method& method = dictionaries_.method(id);
    if (method.is_native) continue;
    const std::string_view type = dictionaries_.String(dictionaries_.type(method.type).name);
    const bool runs_async = type == "System.Threading.ExecutionContext" ||
                            type.find("StateMachineBox") != type.npos ||
                            (type.starts_with("System.Runtime.CompilerServices.Async") &&
                             dictionaries_.String(method.name) == "Start");
    if (runs_async && IsStateMachine(dictionaries_, inner)) return true;
    inner = id;
  }
  return false;
}

void ExceptionTracker::LinkRelatives(Record& record) {
  const Throw& thrown = record.thrown;
  const bool starts = record.chain_ns == 0 && record.route == 0;
  if (starts && thrown.cause != 0) {
    Record* cause = FindTail(thrown.cause);
    if (cause != nullptr && cause != &record) {
      cause->is_wrapped = true;
      cause->wrapper = record.group;
      if (cause->group != 0) group(record.group).causes.Add(cause->group);
    }
  }
  if (thrown.during != 0) {
    Record* outer = FindTail(thrown.during);
    if (outer != nullptr && outer != &record) {
      outer->replacer = record.group;
      if (outer->group != 0) group(record.group).thrown_during.Add(outer->group);
    }
  }
}

bool ExceptionTracker::EndedProcess(const Throw& thrown) const {
  return violated_on_ != 0 && thrown.thread == violated_on_ &&
         dictionaries_.String(dictionaries_.type(thrown.type).name) ==
             "System.AccessViolationException";
}

void ExceptionTracker::End(Record& record) {
  if (!record.is_linked) Link(record);
  if (record.next != 0 || record.group == 0) return;
  ThrowOutcome& outcome = record.thrown.outcome;
  // The recorder saw no handler in time, but there is one: its outcome was not recorded.
  if (outcome.kind == Outcome::kUnhandled && IsInAsync(record.thrown.stack)) outcome = {};
  if (outcome.kind == Outcome::kInFlight && EndedProcess(record.thrown)) {
    outcome.kind = Outcome::kUnhandled;
  }
  ExceptionGroup& group = this->group(record.group);
  Ending ending = Ending::kInFlight;
  switch (outcome.kind) {
    case Outcome::kInFlight:
      if (table_.open.size() < ExceptionTable::kMaxOpen) {
        table_.open.push_back({record.thrown.id, record.group, record.thrown.thread,
                               record.thrown.time_ns, record.route != 0,
                               IsInAsync(record.thrown.stack)});
      }
      break;
    case Outcome::kCaught:
      ending = record.is_wrapped ? Ending::kWrapped : Ending::kSwallowed;
      break;
    case Outcome::kReplaced:
      ending = Ending::kReplaced;
      break;
    case Outcome::kLostInFilter:
      ending = Ending::kLostInFilter;
      break;
    case Outcome::kUnhandled:
      ending = Ending::kUnhandled;
      break;
    case Outcome::kCaughtNative:
      ending = Ending::kCaughtNative;
      break;
  }
  ++group.endings[static_cast<size_t>(ending)];
  if (outcome.kind != Outcome::kInFlight) {
    const uint64_t total = record.chain_ns + outcome.throw_to_end_ns;
    group.durations.Add(total);
    group.total_ns += total;
    group.finally_blocks += outcome.finally_count;
    group.filters += outcome.filter_count;
  }
  if (outcome.kind == Outcome::kCaught) group.handlers.Add(outcome.handler);
  if (ending == Ending::kSwallowed) group.swallowers.Add(outcome.handler);
  if (record.is_wrapped && record.wrapper != 0) group.wrappers.Add(record.wrapper);
  if (ending == Ending::kReplaced && record.replacer != 0) group.replacers.Add(record.replacer);
  group.routes.Add(RouteThrough(record));
}

GroupId ExceptionTracker::GroupFor(const Throw& thrown, bool starts_late) {
  const GroupKey key{thrown.type, thrown.stack, scope_.apart_by_thread ? thrown.thread : 0,
                     starts_late};
  const auto found = group_index_.find(key);
  if (found != group_index_.end()) return found->second;
  if (table_.groups.size() + 1 >= ExceptionTable::kMaxGroups) {
    if (rest_ == 0) {
      table_.groups.emplace_back().is_rest = true;
      rest_ = static_cast<GroupId>(table_.groups.size());
    }
    return rest_;
  }
  ExceptionGroup& group = table_.groups.emplace_back();
  group.type = thrown.type;
  group.stack = thrown.stack;
  group.starts_late = starts_late;
  group.thread = key.thread;
  const auto id = static_cast<GroupId>(table_.groups.size());
  group_index_.emplace(key, id);
  return id;
}

RouteId ExceptionTracker::RouteThrough(const Record& record) {
  const RouteStep step{record.route, record.thrown.hop,
                       dictionaries_.stack(record.thrown.stack).site, record.thrown.outcome.kind,
                       record.thrown.outcome.handler};
  const auto found = route_index_.find(step);
  if (found != route_index_.end()) return found->second;
  if (table_.routes.size() >= ExceptionTable::kMaxRoutes) {
    ++table_.routes_refused;
    return 0;
  }
  table_.routes.push_back(step);
  const auto id = static_cast<RouteId>(table_.routes.size());
  route_index_.emplace(step, id);
  return id;
}

}  // namespace hindsight::analyzer
