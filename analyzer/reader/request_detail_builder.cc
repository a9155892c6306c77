#include "analyzer/reader/request_detail_builder.h"

#include <algorithm>

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kMostCount = uint64_t{1} << 40;  // in one packet
constexpr uint64_t kMostNs = uint64_t{1} << 50;
constexpr int64_t kNsOfUs = 1000;
constexpr uint32_t kRefusedStatus = 400, kFailedStatus = 500;

void AddTo(uint64_t& sum, uint64_t value) {
  sum = value > UINT64_MAX - sum ? UINT64_MAX : sum + value;
}

}  // namespace

RequestPartGroup* RequestDetailBuilder::GroupOf(uint32_t route, const RequestPart& part) {
  const bool is_call = part.kind() == RequestPart::CALL;
  if (!is_call && part.kind() != RequestPart::COMMAND) return nullptr;
  const RequestPartKind kind = is_call ? RequestPartKind::kCall : RequestPartKind::kCommand;
  std::string what(file_.Text(part.what()));
  const auto [place, is_new] = groups_.try_emplace({route, kind, what}, details_.parts.size());
  if (is_new) {
    if (details_.parts.size() == RequestDetails::kMaxParts) {
      groups_.erase(place);
      details_.lacks_some = true;
      return nullptr;
    }
    // Groups are referred to by pointer while a request is read, so room for all is reserved.
    if (details_.parts.capacity() == 0) details_.parts.reserve(RequestDetails::kMaxParts);
    RequestPartGroup& group = details_.parts.emplace_back();
    group.kind = kind;
    group.route = route;
    group.what = std::move(what);
  }
  RequestPartGroup& group = details_.parts[place->second];
  if (group.text.empty()) group.text = file_.Text(part.text());
  return &group;
}

void RequestDetailBuilder::AddStack(RequestPartGroup& group, StackId stack, uint64_t count) {
  if (stack == 0) return;
  const auto known = std::find_if(group.stacks.begin(), group.stacks.end(),
                                  [stack](const auto& row) { return row.first == stack; });
  if (known != group.stacks.end()) {
    AddTo(known->second, count);
  } else if (group.stacks.size() < RequestPartGroup::kMaxStacks) {
    group.stacks.emplace_back(stack, count);
  }
}

uint64_t RequestDetailBuilder::AddPart(uint32_t route, const RequestPart& part,
                                       std::map<RequestPartGroup*, Doing>& doing,
                                       std::vector<Interval>& intervals) {
  RequestPartGroup* const group = GroupOf(route, part);
  if (group == nullptr) return 0;
  Doing& its = doing[group];
  int64_t from_us = 0;
  for (int i = 0; i < part.length_us_size(); ++i) {
    from_us += part.start_us(i);
    const Interval interval = {from_us, from_us + int64_t{part.length_us(i)}};
    its.intervals.push_back(interval);
    intervals.push_back(interval);
    AddTo(group->total_ns, uint64_t{part.length_us(i)} * kNsOfUs);
  }
  const uint64_t count =
      static_cast<uint64_t>(part.length_us_size()) + std::min(part.more_count(), kMostCount);
  its.count += count;
  AddTo(group->count, count);
  AddTo(group->failed, std::min(part.failed(), count));
  AddTo(group->total_ns, std::min(part.more_ns(), kMostNs));
  AddStack(*group, file_.StackOf(part.stack()), count);
  return count;
}

void RequestDetailBuilder::Sum(RequestPartGroup& group, Doing& doing, uint64_t duration_ns) {
  if (doing.count == 0) return;
  ++group.requests;
  AddTo(group.requests_ns, duration_ns);
  group.per_request.Add(doing.count);
  std::vector<Interval>& intervals = doing.intervals;
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.from < b.from; });
  for (size_t i = 1; i < intervals.size(); ++i) {
    ++group.gaps;
    AddTo(group.idle_ns,
          static_cast<uint64_t>(std::max<int64_t>(0, intervals[i].from - intervals[i - 1].to)) *
              kNsOfUs);
  }
  if (intervals.empty()) return;
  int64_t last = intervals.front().to;
  for (const Interval& interval : intervals) last = std::max(last, interval.to);
  AddTo(group.stretch_ns,
        static_cast<uint64_t>(std::max<int64_t>(0, last - intervals.front().from)) * kNsOfUs);
}

void RequestDetailBuilder::KeepSlowest(const SingleRequest& request) {
  std::vector<SingleRequest>& slowest = details_.slowest;
  const auto place = std::upper_bound(
      slowest.begin(), slowest.end(), request,
      [](const SingleRequest& a, const SingleRequest& b) { return a.duration_ns > b.duration_ns; });
  if (place == slowest.end() && slowest.size() == RequestDetails::kMaxSlowest) return;
  slowest.insert(place, request);
  if (slowest.size() > RequestDetails::kMaxSlowest) slowest.pop_back();
}

void RequestDetailBuilder::On(const ServedRequest& packet, int64_t time_ns) {
  std::string name(file_.Text(packet.route()));
  const auto [place, is_new] =
      routes_.try_emplace(name, static_cast<uint32_t>(details_.routes.size()));
  if (is_new) {
    if (details_.routes.size() == RequestDetails::kMaxRoutes) {
      routes_.erase(place);
      details_.lacks_some = true;
      return;
    }
    details_.routes.emplace_back().name = std::move(name);
  }
  const uint32_t index = place->second;
  const uint64_t duration_ns = std::min(packet.duration_ns(), kMostNs);
  SingleRequest single = {.at_ns = time_ns - static_cast<int64_t>(duration_ns),
                          .duration_ns = duration_ns,
                          .route = index,
                          .status = packet.status(),
                          .thread = threads_.Of(packet.thread())};
  single.matched_ns =
      single.at_ns + static_cast<int64_t>(std::min(packet.matched_ns(), duration_ns));

  std::map<RequestPartGroup*, Doing> doing;
  std::vector<Interval> commands, calls;
  uint64_t more_commands_ns = 0, more_calls_ns = 0;
  for (const RequestPart& part : packet.part()) {
    const bool is_call = part.kind() == RequestPart::CALL;
    const uint64_t count = AddPart(index, part, doing, is_call ? calls : commands);
    AddTo(is_call ? single.calls : single.commands, count);
    AddTo(is_call ? more_calls_ns : more_commands_ns, std::min(part.more_ns(), kMostNs));
  }
  for (auto& [group, its] : doing) Sum(*group, its, duration_ns);

  // How long at least one of them was in progress, within the request.
  const auto covered_ns = [duration_ns](std::vector<Interval> intervals, uint64_t more_ns) {
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return a.from < b.from; });
    const auto end_us = static_cast<int64_t>(duration_ns) / kNsOfUs;
    int64_t covered_us = 0, to = 0;
    for (const Interval& interval : intervals) {
      const int64_t until = std::min(interval.to, end_us);
      if (until <= to) continue;
      covered_us += until - std::max(interval.from, to);
      to = until;
    }
    const uint64_t ns = static_cast<uint64_t>(std::max<int64_t>(0, covered_us)) * kNsOfUs;
    return std::min(duration_ns, ns + std::min(more_ns, kMostNs));
  };
  single.database_ns = covered_ns(commands, more_commands_ns);
  std::vector<Interval> both = commands;
  both.insert(both.end(), calls.begin(), calls.end());
  const uint64_t both_ns = covered_ns(std::move(both), more_commands_ns + more_calls_ns);
  single.calls_ns = both_ns - std::min(both_ns, single.database_ns);

  RequestRoute& route = details_.routes[index];
  ++details_.count;
  ++route.count;
  if (packet.status() >= kFailedStatus) {
    ++route.failed;
  } else if (packet.status() >= kRefusedStatus) {
    ++route.refused;
  }
  AddTo(route.total_ns, duration_ns);
  route.durations.Add(duration_ns);
  AddTo(route.database_ns, single.database_ns);
  AddTo(route.calls_ns, single.calls_ns);
  AddTo(route.commands, single.commands);
  AddTo(route.calls, single.calls);
  KeepSlowest(single);
  single_.Add(single);
}

void RequestDetailBuilder::On(const OutsideCalls& packet, int64_t time_ns) {
  if (packet.listening() && !details_.from_ns) details_.from_ns = time_ns;
  std::map<RequestPartGroup*, Doing> doing;
  std::vector<Interval> intervals;
  for (const RequestPart& part : packet.part()) {
    AddPart(RequestPartGroup::kOutside, part, doing, intervals);
  }
}

}  // namespace hindsight::analyzer
