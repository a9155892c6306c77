#include "analyzer/report/exceptions_json.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/report/common_fields.h"
#include "analyzer/report/exception_fields.h"
#include "analyzer/report/exception_sentences.h"
#include "analyzer/report/path_variants.h"

namespace hindsight::analyzer {
namespace {

constexpr uint32_t kRateBuckets = 32;

constexpr Named<Hop> kHops[] = {{Hop::kRethrow, "rethrow"},
                                {Hop::kRestored, "restored"},
                                {Hop::kAgain, "again"},
                                {Hop::kNone, "throw"}};
constexpr Named<Outcome> kOutcomes[] = {{Outcome::kCaught, "caught"},
                                        {Outcome::kReplaced, "replaced"},
                                        {Outcome::kLostInFilter, "lost_in_filter"},
                                        {Outcome::kUnhandled, "unhandled"},
                                        {Outcome::kCaughtNative, "caught_native"},
                                        {Outcome::kInFlight, "in_flight"}};

std::optional<std::string_view> FileOf(const SourceLine& line) {
  return IfKnown(!line.file.empty(), line.file);
}
std::optional<uint32_t> LineOfSource(const SourceLine& line) {
  return IfKnown(line.known(), line.line);
}
std::optional<std::string_view> UrlOf(const SourceLine& line) {
  return IfKnown(!line.url.empty(), line.url);
}

Object<SourceLine> SourceLineFields() {
  return {
      {"file", "Source file; null: unknown", &FileOf},
      {"line", "Number of the line; null: unknown", &LineOfSource},
      {"url", "URL of the source; null: unknown", &UrlOf},
  };
}

// A method on a path, or one that caught; with its line, if lines are requested.
struct PlacedMethod {
  NameRow method;
  std::optional<SourceLine> line;
};

PlacedMethod PlacedMethodOf(const ExceptionsAnswer& in, MethodId method, int32_t il_offset) {
  PlacedMethod out = {MethodRowOf(in, method), {}};
  if (in.lines != nullptr) out.line = in.lines->Of(method, il_offset);
  return out;
}

// A field of SourceLineFields; the key is missing without --lines.
auto LinePart(auto part) {
  return [part](auto& placed) {
    return If{placed.line.has_value(), part(placed.line.value_or(SourceLine()))};
  };
}

Object<PlacedMethod> PlacedMethodFields() {
  return {
      {NameFields(), &PlacedMethod::method},
      {"file", "With --lines: source file; null: unknown", LinePart(&FileOf)},
      {"line", "With --lines: number of the line; null: unknown", LinePart(&LineOfSource)},
      {"url", "With --lines: URL of the source; null: unknown", LinePart(&UrlOf)},
  };
}

struct Outcomes {
  uint64_t endings[kEndingCount] = {};
  uint64_t probably_unhandled = 0;
  uint64_t ended_requests = 0;
  uint64_t ended_by_client = 0;
  uint64_t swallowed = 0;
  uint64_t never_awaited = 0;
  uint64_t swallowed_async = 0;

  void Add(const ExceptionFinding& finding) {
    for (size_t i = 0; i < kEndingCount; ++i) endings[i] += finding.group.endings[i];
    probably_unhandled += finding.probably_unhandled;
    ended_requests += finding.ended_requests;
    ended_by_client += finding.ended_by_client;
    swallowed += finding.swallowed;
    never_awaited += finding.never_awaited;
    swallowed_async += finding.swallowed_async;
  }
  uint64_t Of(Ending ending) const { return endings[static_cast<size_t>(ending)]; }
};

Outcomes OutcomesOf(std::span<const ExceptionFinding> findings) {
  Outcomes outcomes;
  for (const ExceptionFinding& finding : findings) outcomes.Add(finding);
  return outcomes;
}

auto EndingCount(Ending ending) {
  return [ending](auto& outcomes) { return outcomes.Of(ending); };
}

Object<Outcomes> OutcomeFields() {
  return {
      {"unhandled", "Ended the process", EndingCount(Ending::kUnhandled)},
      {"probably_unhandled", "Probably ended the process", &Outcomes::probably_unhandled},
      {"in_flight", "In flight when the recording ended",
       [](auto& all) { return all.Of(Ending::kInFlight) - all.probably_unhandled; }},
      {"swallowed", "Caught, and neither rethrown nor used as a cause", &Outcomes::swallowed},
      {"never_awaited", "In a task that was never awaited", &Outcomes::never_awaited},
      {"swallowed_or_never_awaited", "One of the two", &Outcomes::swallowed_async},
      {"wrapped", "Became the inner exception of another", EndingCount(Ending::kWrapped)},
      {"replaced", "Replaced by another exception", EndingCount(Ending::kReplaced)},
      {"lost_in_filter", "Thrown in a filter, and discarded by the runtime",
       EndingCount(Ending::kLostInFilter)},
      {"caught_native", "Caught by native code", EndingCount(Ending::kCaughtNative)},
      {"ended_requests", "Caught only by the end of a web server's pipeline; absent if 0",
       [](auto& all) {
         return If{all.ended_requests > 0, all.ended_requests};
       }},
      {"ended_by_client",
       "Likewise, because a client closed its connection, canceled, or sent an invalid request; "
       "absent if 0",
       [](auto& all) {
         return If{all.ended_by_client > 0, all.ended_by_client};
       }},
      {"caught", "Caught, and only counted: what happened afterwards was not recorded; absent if 0",
       [](auto& all) {
         const uint64_t caught = all.Of(Ending::kCaught);
         return If{caught > 0, caught};
       }},
  };
}

auto CountedAs(Outcome outcome) {
  return [outcome](auto& counted) { return counted.ended[static_cast<size_t>(outcome)]; };
}

Object<ThrowCounts> ThrowCountFields() {
  return {
      {"throws", "All of them", &ThrowCounts::thrown},
      {"thrown_again", "Throws of an object that was thrown before", &ThrowCounts::thrown_again},
      {"caught", "Ended in a handler", CountedAs(Outcome::kCaught)},
      {"replaced", "Replaced by another exception", CountedAs(Outcome::kReplaced)},
      {"lost_in_filter", "Thrown in a filter, and discarded by the runtime",
       CountedAs(Outcome::kLostInFilter)},
      {"unhandled", "Ended the process", CountedAs(Outcome::kUnhandled)},
      {"caught_native", "Caught by native code", CountedAs(Outcome::kCaughtNative)},
      {"total_ns", "From throw to end", &ThrowCounts::total_ns},
  };
}

If<const ThrowCounts*> CountedIfAny(const ThrowCounts& counted) {
  return {counted.thrown > 0 || counted.Ended() > 0, &counted};
}

constexpr std::string_view kCountedMeaning =
    "Throws that were only counted, for lack of room; included in all numbers except messages, "
    "routes, handlers and percentiles. Absent if none";

Object<Relation, ExceptionsAnswer> RelationFields() {
  return {
      {"rank", "Position in groups, from 1; null: not among them",
       [](auto& relation) { return IfKnown(relation.finding != 0, relation.finding); }},
      {"type", "The exception's type", NameFields(), TypeNameAt(&Relation::type)},
      {"thrown_in", "The innermost method that is not infrastructure", NameFields(),
       MethodNameAt(&Relation::thrower)},
      {"count", "How many", &Relation::count},
  };
}

Object<RouteHop, ExceptionsAnswer> RouteHopFields() {
  return {
      {"hop", "How it was thrown", kHops, &RouteHop::hop},
      {"thrown_in", "The innermost method that is not infrastructure", NameFields(),
       MethodNameAt(&RouteHop::thrower)},
      {"outcome", "Outcome of this throw", kOutcomes, &RouteHop::outcome},
      {"caught_in", "null: nowhere", NameFields(),
       [](auto& hop, auto& in) {
         return hop.outcome == Outcome::kCaught ? std::optional(MethodRowOf(in, hop.catcher))
                                                : std::nullopt;
       }},
  };
}

Object<Route, ExceptionsAnswer> RouteFields() {
  return {
      {"count", "How many", &Route::count},
      {"hops", "Throws, in order", RouteHopFields(), &Route::hops},
  };
}

Object<PathVariant, ExceptionsAnswer> OtherPathFields() {
  return {
      {"count", "How many", &PathVariant::count},
      {"path", "Methods, innermost first", StackAt(&PathVariant::path)},
  };
}

Object<ExceptionGroup> ThrowKindFields() {
  const auto thrown = [](Hop hop) {
    return [hop](const ExceptionGroup& group) { return group.throws[static_cast<size_t>(hop)]; };
  };
  return {
      {"total", "All", &ExceptionGroup::Throws},
      {"first", "First throws", thrown(Hop::kNone)},
      {"rethrow", "By throw;", thrown(Hop::kRethrow)},
      {"restored", "Rethrown by an await", thrown(Hop::kRestored)},
      {"again", "The same object, rethrown", thrown(Hop::kAgain)},
  };
}

Object<Evidence> EvidenceFields() {
  return {
      {"confidence", "How sure it is",
       OneOf<Confidence>{&ConfidenceName,
                         {Confidence::kLow, Confidence::kMedium, Confidence::kHigh}},
       &Evidence::confidence},
      {"text", "A clause", &Evidence::text},
  };
}

Object<CatchSite, ExceptionsAnswer> CatchSiteFields() {
  return {
      {"method", "The method that caught", PlacedMethodFields(),
       [](auto& site, auto& in) { return PlacedMethodOf(in, site.method, site.il_offset); }},
      {"count", "How many", &CatchSite::count},
  };
}

Object<Message> MessageFields() {
  return {
      {"text", "The text", &Message::text},
      {"count", "How many", &Message::count},
  };
}

Object<ThreadShare, ExceptionsAnswer> ThreadShareFields() {
  return {
      {"thread", "A thread; null: unknown", ThreadFields(), ThreadAt(&ThreadShare::thread)},
      {"count", "How many", &ThreadShare::count},
  };
}

// First throws of a group, over the time range of the report.
struct RateRow {
  int64_t bucket_ns;
  std::vector<double> counts;
};

Object<RateRow> RateFields() {
  return {
      {"bucket_ns", "Length of a part", &RateRow::bucket_ns},
      {"counts", "In each part", &RateRow::counts},
  };
}

RateRow RateOf(const ExceptionFinding& finding, const ExceptionsAnswer& in) {
  const auto [from_ns, to_ns] = std::pair(in.report.from_ns, in.report.to_ns);
  RateRow rate = {std::max<int64_t>(to_ns - from_ns, 0) / kRateBuckets, {}};
  for (const double count : finding.group.times.Resampled(from_ns, to_ns, kRateBuckets)) {
    rate.counts.push_back(std::round(count * 10) / 10);
  }
  return rate;
}

struct PlacedLines {
  uint64_t count;
  std::vector<SourceLine> lines;
};

Object<PlacedLines> PlacedLinesFields() {
  return {
      {"count", "How many", &PlacedLines::count},
      {"lines", "Parallel to path", SourceLineFields(), &PlacedLines::lines},
  };
}

std::vector<PlacedLines> PlacesOf(const ExceptionFinding& finding, const ExceptionsAnswer& in) {
  std::vector<PlacedLines> places;
  for (const PlacedPath& placed : finding.places) {
    places.push_back({placed.count, {}});
    for (size_t i = 0; i < finding.path.size(); ++i) {
      places.back().lines.push_back(in.lines->Of(finding.path[i], placed.il_offsets[i]));
    }
  }
  return places;
}

std::vector<PlacedMethod> PathOf(const ExceptionFinding& finding, const ExceptionsAnswer& in) {
  std::vector<PlacedMethod> path;
  for (size_t i = 0; i < finding.path.size(); ++i) {
    const int32_t il_offset = finding.places.empty() ? -1 : finding.places[0].il_offsets[i];
    path.push_back(PlacedMethodOf(in, finding.path[i], il_offset));
  }
  return path;
}

std::span<const PathVariant> OtherPathsOf(const ExceptionFinding& finding) {
  const std::span<const PathVariant> all = finding.variants;
  return all.subspan(std::min<size_t>(1, all.size()))
      .first(std::min(all.empty() ? 0 : all.size() - 1, kOtherPathsInJson));
}

// The messages that are shown.
std::span<const Message> MessagesOf(const ExceptionFinding& finding, const ExceptionsAnswer& in) {
  const std::span<const Message> all = finding.messages;
  return in.messages == 0 ? all : all.first(std::min(all.size(), in.messages));
}

uint64_t OtherMessagesOf(const ExceptionFinding& finding, const ExceptionsAnswer& in) {
  uint64_t others = finding.other_messages;
  const size_t shown = MessagesOf(finding, in).size();
  for (const Message& message : std::span(finding.messages).subspan(shown)) others += message.count;
  return others;
}

auto DurationQuantile(double q) {
  return [q](const ExceptionGroup& group) {
    const bool is_known = group.durations.count() > 0;
    return IfKnown(is_known, is_known ? group.durations.Quantile(q) : 0);
  };
}

Object<ExceptionGroup> DurationFields() {
  return {
      {"mean_ns", "Mean time from throw to catch; null: none ended",
       [](auto& group) {
         const uint64_t ended = group.Timed();
         return IfKnown(ended != 0, group.total_ns / std::max<uint64_t>(ended, 1));
       }},
      {"p50_ns", "Median", DurationQuantile(0.5)},
      {"p90_ns", "90th percentile", DurationQuantile(0.9)},
      {"p99_ns", "99th percentile", DurationQuantile(0.99)},
      {"max_ns", "The longest",
       [](auto& group) {
         const bool is_known = group.durations.count() > 0;
         return IfKnown(is_known, is_known ? group.durations.max() : 0);
       }},
      {"total_ns", "From throw to catch, in total", &ExceptionGroup::total_ns},
      {"finally_blocks", "Run on the way", &ExceptionGroup::finally_blocks},
      {"filters", "Exception filters run", &ExceptionGroup::filters},
      {"truncated_stacks", "Throws whose stack was deeper than the recorder walks",
       &ExceptionGroup::truncated_stacks},
      {"first_ns", "The first throw", &ExceptionGroup::first_ns},
      {"last_ns", "The last first throw", &ExceptionGroup::last_ns},
  };
}

struct RankedFinding {
  size_t rank;
  const ExceptionFinding* finding;
};

Object<ExceptionFinding, ExceptionsAnswer> ExceptionFindingFields() {
  return {
      {"type", "The exception's type", NameFields(), TypeNameAt(&ExceptionFinding::type)},
      {"place", "Where to look; null: unknown", PlaceFields(),
       [](auto& finding) { return finding.place.site == 0 ? nullptr : &finding.place; }},
      {"path", "The first throw's, innermost first", PlacedMethodFields(), &PathOf},
      {"paths", "How many paths lead to the place",
       [](auto& finding) { return finding.variants.size(); }},
      {"other_paths", "The most frequent other paths", OtherPathFields(), &OtherPathsOf},
      {"path_is_later_throw", "First thrown before the recording", &ExceptionFinding::starts_late},
      {"is_rest", "Everything beyond the tool's limit of groups; has an empty path",
       &ExceptionFinding::is_rest},
      {"count", "Logical exceptions", [](auto& finding) { return finding.group.count; }},
      {"throws", "How often thrown", ThrowKindFields(), &ExceptionFinding::group},
      {"inferred_hops", "Throws that were linked by type and message only",
       [](auto& finding) { return finding.group.inferred_hops; }},
      {"outcomes", "Disjoint; they add up to count", OutcomeFields(),
       [](auto& finding) { return OutcomesOf(std::span(&finding, 1)); }},
      {"unhandled_evidence", "Why it counts as unhandled; null: it does not", EvidenceFields(),
       [](auto& finding) {
         return finding.is_unhandled() ? &finding.unhandled_evidence : nullptr;
       }},
      {"catcher", "Method that caught most of them; null: none", NameFields(),
       [](auto& finding, auto& in) {
         return finding.catchers.empty()
                    ? std::nullopt
                    : std::optional(MethodRowOf(in, finding.catchers.front().method));
       }},
      {"catchers", "All of them", CatchSiteFields(), &ExceptionFinding::catchers},
      {"routes", "From throw to the end, hop by hop", RouteFields(), &ExceptionFinding::routes},
      {"messages", "Most frequent first", MessageFields(), &MessagesOf},
      {"messages_exact", "Otherwise counts are lower bounds", &ExceptionFinding::messages_exact},
      {"other_messages", "Occurrences of those not listed", &OtherMessagesOf},
      {"threads", "Most exceptions first", ThreadShareFields(), &ExceptionFinding::threads},
      {"causes", "Inner exceptions", RelationFields(), &ExceptionFinding::causes},
      {"wrapped_by", "Exceptions that wrap it", RelationFields(), &ExceptionFinding::wrappers},
      {"replaced_by", "Exceptions that replaced it", RelationFields(),
       &ExceptionFinding::replacers},
      {"thrown_during", "Exceptions in whose filter or finally block it was thrown",
       RelationFields(), &ExceptionFinding::thrown_during},
      {DurationFields(), &ExceptionFinding::group},
      {"rate", "First throws over time, from from_ns on", RateFields(), &RateOf},
      {"counted", kCountedMeaning, ThrowCountFields(),
       [](auto& finding) { return CountedIfAny(finding.group.counted); }},
      {"places",
       "With --lines: the lines along the path; for other paths to the place, as far as they agree",
       PlacedLinesFields(),
       [](auto& finding, auto& in) {
         const bool has_lines = in.lines != nullptr;
         return If{has_lines, has_lines ? PlacesOf(finding, in) : std::vector<PlacedLines>()};
       }},
  };
}

Object<RankedFinding, ExceptionsAnswer> RankedFindingFields() {
  return {
      {"rank", "Position in groups, from 1", &RankedFinding::rank},
      {ExceptionFindingFields(),
       [](auto& ranked) -> const ExceptionFinding& { return *ranked.finding; }},
  };
}

std::vector<RankedFinding> RankedFindings(const ExceptionReport& report,
                                          const ExceptionsAnswer& in) {
  std::vector<RankedFinding> rows;
  for (const ExceptionFinding& finding : report.findings) {
    if (in.top != 0 && rows.size() == in.top) break;
    rows.push_back({rows.size() + 1, &finding});
  }
  return rows;
}

Object<ExceptionReport, ExceptionsAnswer> ExceptionsFields() {
  return {
      HeadFields("exceptions"),
      {"recording", "", RecordingFields(), kItsModel},
      {"filtered", "Whether filters apply", &ExceptionReport::is_filtered},
      {"from_ns", "Time range covered: from here", &ExceptionReport::from_ns},
      {"to_ns", "... to here", &ExceptionReport::to_ns},
      {"exceptions", "Logical exceptions", &ExceptionReport::count},
      {"throws", "Their throws", &ExceptionReport::throws},
      {"total_ns", "Total time from throw to catch", &ExceptionReport::total_ns},
      {"outcomes", "Disjoint; they add up to exceptions", OutcomeFields(),
       [](auto& report) { return OutcomesOf(report.findings); }},
      {"fatal_error",
       "What the runtime ended the process for, other than an exception; absent if nothing",
       FatalErrorFields(),
       [](auto& report) {
         return If<const FatalErrorRow*>{report.fatal_error.has_value(),
                                         report.fatal_error ? &*report.fatal_error : nullptr};
       }},
      {"percentile_relative_error", "Bound of p50_ns, p90_ns and p99_ns",
       [](auto&) { return Histogram::kMaxRelativeError; }},
      {"groups", "By type and path: unhandled first, then by time, then by count",
       RankedFindingFields(), &RankedFindings},
      {"counted", kCountedMeaning, ThrowCountFields(),
       [](auto& report) { return CountedIfAny(report.counted); }},
      {"line_notes", "With --lines: notes on unknown lines, as sentences",
       [](auto&, auto& in) {
         const bool has_lines = in.lines != nullptr;
         return If{has_lines, has_lines ? in.lines->Notes() : std::vector<std::string>()};
       }},
  };
}

}  // namespace

std::string ExceptionsJson(const ExceptionReport& report, size_t top, size_t messages,
                           const Lines* lines) {
  return JsonOf(ExceptionsFields(), report, ExceptionsAnswer{report, top, messages, lines});
}

SharedShape ExceptionsShape() { return ExceptionsFields().shape(); }

}  // namespace hindsight::analyzer
