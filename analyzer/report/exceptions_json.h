// The answer of `hindsight exceptions --json`.
//
// Schema 1. Times are nanoseconds from the recording's start, durations nanoseconds. A *method* is
// {"name", "raw"}: as a C# programmer writes it, and as in the metadata ("" for native code). A
// *thread* is {"id", "os_id", "name"} or null.
//
// With --lines, the methods of a "path" and of "catchers" have "file", "line" and "url" too (null:
// not known): where most of the exceptions passed.
//
// "thrown_in" is the innermost method that is not part of the machinery of tasks and awaits.
//
// {
//   "schema": 1, "command": "exceptions",
//   "recording": see report/json.h,
//   "filtered": bool,
//   "from_ns", "to_ns": the stretch of time that was looked at,
//   "exceptions": logical exceptions, "throws": their throws,
//   "total_ns": from throw to catch in all,
//   "outcomes": as in a group, over all groups,
//   "percentile_relative_error": bound of p50_ns, p90_ns and p99_ns, such as 0.016,
//   "groups": [ in the order of the text report: unhandled first, then total_ns, then count
//     {
//       "rank": from 1,
//       "type": {"name", "raw"},
//       "place": {"site": method where to look: the innermost of yours, or else of others,
//         "through": what it called of others, or null, "is_yours"}, or null,
//       "path": [method], the first throw's, innermost first: the most frequent to the place,
//       "paths": how many lead to the place,
//       "other_paths": [{"count", "path": [name]}], the most frequent of the others,
//       "path_is_later_throw": the first throw is not in the recording,
//       "is_rest": everything beyond the tool's limit of groups; its path is empty,
//       "count": logical exceptions,
//       "throws": {"total", "first", "rethrow", "restored", "again"},
//       "inferred_hops": of these hops, linked by type and message only,
//       "outcomes": {
//         "unhandled", "probably_unhandled", "in_flight", "swallowed", "never_awaited",
//         "swallowed_or_never_awaited", "wrapped", "replaced", "lost_in_filter", "caught_native"
//       }, disjoint; they add up to "count",
//       "unhandled_evidence": {"confidence": "low" | "medium" | "high", "text"} or null,
//       "catcher": method that caught most of them finally, or null,
//       "catchers": [{"method", "count"}],
//       "places": [{"count", "lines": [{"file", "line", "url"}]}]: with --lines; how often the path
//         was taken over which lines, parallel to "path", most frequent first, at least that often,
//       "routes": [{"count", "hops": [{"hop": "throw" | "rethrow" | "restored" | "again",
//                   "thrown_in": method, "outcome": "caught" | "in_flight" | "replaced" |
//                   "lost_in_filter" | "unhandled" | "caught_native", "caught_in": method or
//                   null}]}],
//       "messages": [{"text", "count"}], most frequent first, "messages_exact": bool (otherwise
//         counts are lower bounds), "other_messages": occurrences of those not listed,
//       "threads": [{"thread": thread, "count"}],
//       "causes", "wrapped_by", "replaced_by", "thrown_during":
//         [{"rank": or null, "type": {"name", "raw"}, "thrown_in": method, "count"}],
//       "mean_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns", "total_ns": from throw to catch; null
//         (total_ns: 0) if none ended,
//       "finally_blocks", "filters": run or asked on the way,
//       "truncated_stacks": throws whose stack was deeper than the recorder walks,
//       "first_ns", "last_ns": first throws,
//       "rate": {"bucket_ns", "counts": [...]}: from "from_ns" on
//     }],
//   "line_notes": with --lines, sentences on lines that are unknown
// }
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/exception_tree.h"
#include "analyzer/analyses/exceptions.h"
#include "analyzer/symbols/lines.h"

namespace hindsight::analyzer {

// `top` groups and `messages` of each; 0: all. `lines` null: without them.
std::string ExceptionsJson(const ExceptionReport& report, size_t top, size_t messages,
                           const Lines* lines = nullptr);

// {"schema", "command": "exceptions --tree", "recording", "exceptions", "without_stack", "nodes":
//  [{"depth", "count", "methods": [method], outermost first, "thrown": [{"rank", "type", "count"}],
//    "folded": {"branches", "count"}}]}, children behind their parent.
std::string ExceptionTreeJson(const ExceptionReport& report, const ExceptionTree& tree);

}  // namespace hindsight::analyzer
