#include "analyzer/cut/cut_span.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analyzer/base/text.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/reader/read_bodies.h"

namespace hindsight::analyzer {
namespace {

int64_t Distance(uint64_t from, uint64_t to) { return static_cast<int64_t>(to - from); }

class SpanFinder {
 public:
  SpanFinder(const CutRequest& request, Recording& recording, Progress* progress)
      : request_(request), progress_(progress), recording_(recording), index_(recording.index()) {}

  Result<CutSpan> Find() {
    ReadSegments();
    if (Result<void> chosen = ChooseSegments(); !chosen) return chosen.error();
    ChooseHeaps();
    return std::move(span_);
  }

 private:
  // Time 0 is that of BuildModel, so that a time means the same in all commands.
  void Read(const Packet& packet, const PacketContext& context, SegmentFacts& facts) {
    if (packet.has_process()) {
      facts.has_process = true;
      if (!span_.process) span_.process = packet.process();
      if (!zero_ns_ && packet.process().recording_started_monotonic_ns() != 0) {
        zero_ns_ = packet.process().recording_started_monotonic_ns();
      }
    }
    if (packet.has_segment_start()) {
      facts.start = packet.segment_start();
    } else if (!zero_ns_) {
      zero_ns_ = context.monotonic_ns;
    }
    if (packet.has_heap_files()) {
      facts.has_heap_files = true;
      span_.heap_files.clear();
      span_.heap_files.insert(packet.heap_files().number().begin(),
                              packet.heap_files().number().end());
    }
    if (!zero_ns_) return;
    const int64_t time_ns = Distance(*zero_ns_, context.monotonic_ns);
    facts.first_ns = std::min(facts.first_ns, time_ns);
    if (time_ns < facts.last_ns) return;
    facts.last_ns = time_ns;
    facts.last_monotonic_ns = context.monotonic_ns;
    facts.last_unix_ns = context.unix_ns;
  }

  void ReadSegments() {
    ForEachBody(index_, progress_, [&](const CheckedBody& body) {
      SegmentFacts facts;
      facts.segment = body.segment;
      facts.first_ns = INT64_MAX;
      facts.last_ns = INT64_MIN;
      for (const auto& [packet, context] : body.packets) Read(*packet, context, facts);
      if (facts.first_ns == INT64_MAX) return;  // only its start, before anything else
      span_.segments.push_back(facts);
    });
    index_.Summarize();
  }

  std::string SpanText() const {
    const auto text = [](int64_t ns) { return FormatDuration(static_cast<uint64_t>(ns)); };
    if (request_.from_ns == INT64_MIN) return "before " + text(request_.to_ns);
    if (request_.to_ns == INT64_MAX) return "after " + text(request_.from_ns);
    return "between " + text(request_.from_ns) + " and " + text(request_.to_ns);
  }

  Result<void> ChooseSegments() {
    const auto is_in = [this](const SegmentFacts& facts) {
      return facts.last_ns >= request_.from_ns && facts.first_ns <= request_.to_ns;
    };
    const auto first = std::find_if(span_.segments.begin(), span_.segments.end(), is_in);
    if (first == span_.segments.end()) {
      if (span_.segments.empty()) return Error{Name() + " contains no events to cut."};
      const auto text = [](int64_t ns) {
        return FormatDuration(static_cast<uint64_t>(std::max<int64_t>(ns, 0)));
      };
      return Error{"Nothing was recorded " + SpanText() + ": " + Name() + " has events from " +
                       text(span_.segments.front().first_ns) + " to " +
                       text(span_.segments.back().last_ns) + " after its start.",
                   ExitCode::kUsage};
    }
    span_.first = static_cast<size_t>(first - span_.segments.begin());
    span_.last = span_.segments.size() - 1;
    while (!is_in(span_.segments[span_.last])) --span_.last;
    span_.first_ns = INT64_MAX;
    span_.last_ns = INT64_MIN;
    for (size_t i = span_.first; i <= span_.last; ++i) {
      span_.first_ns = std::min(span_.first_ns, span_.segments[i].first_ns);
      span_.last_ns = std::max(span_.last_ns, span_.segments[i].last_ns);
    }
    return {};
  }

  void ChooseHeaps() {
    if (index_.integrity().heaps.empty()) return;
    const SegmentStart& start = span_.segments[span_.first].start;
    for (const HeapFacts& heap : ListHeaps(recording_)) {
      // Both clocks at the same moment, because a snapshot is located by the time of day.
      const int64_t time_ns =
          Distance(start.unix_ns(), heap.unix_ns) + Distance(*zero_ns_, start.monotonic_ns());
      if (heap.unix_ns != 0 && time_ns >= request_.from_ns && time_ns <= request_.to_ns) {
        span_.heaps.insert(heap.number);
      } else {
        span_.heap_files.erase(heap.number);
      }
    }
  }

  std::string Name() const { return Printable(request_.paths[0]); }

  const CutRequest& request_;
  Progress* const progress_;
  Recording& recording_;
  SegmentIndex& index_;
  CutSpan span_;
  std::optional<uint64_t> zero_ns_;  // CLOCK_MONOTONIC of time 0
};

}  // namespace

Result<CutSpan> FindCutSpan(const CutRequest& request, Recording& recording, Progress* progress) {
  return SpanFinder(request, recording, progress).Find();
}

}  // namespace hindsight::analyzer
