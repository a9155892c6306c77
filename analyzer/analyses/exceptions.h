// Exceptions by place, with their outcomes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/places/places.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Patterns as in pattern.h; empty: no restriction.
struct ExceptionQuery {
  std::string type;    // display or raw name
  std::string method;  // any method of the path, or a catcher; display or raw name: other paths
                       // to the same place do not count
  std::string thread;  // name, or OS id, or id of the first throw's thread. Needs a model whose
                       // groups are apart by thread
};

struct ExceptionRules {
  // Where a recording breaks off: what was thrown so shortly before its end is more likely to have
  // ended the process. A killed process loses no more than that.
  int64_t soon_ns = 1'000'000'000;
  // Of one stack so many that were all handled: one more has a handler as well.
  uint64_t handled_before = 10;
};

enum class Confidence { kLow, kMedium, kHigh };

struct Evidence {
  Confidence confidence = Confidence::kHigh;
  std::string text;  // a clause: "the runtime found no handler on the whole stack"
};

struct CatchSite {
  MethodId method = 0;  // 0: in native code
  uint64_t count = 0;
  int32_t il_offset = -1;  // of the handler of that method that caught most of them; -1 not known
};

// One of the paths that lead to a finding's place.
struct PathVariant {
  StackId stack = 0;
  std::vector<MethodId> path;  // innermost first
  uint64_t count = 0;
};

// One way that a finding's path was taken, by the places in its methods.
struct PlacedPath {
  std::vector<int32_t> il_offsets;  // parallel to ExceptionFinding::path; -1 not known
  uint64_t count = 0;
  bool is_other = false;  // another path to the same place: known as far as it is the same
};

struct RouteHop {
  Hop hop = Hop::kNone;
  MethodId thrower = 0;
  Outcome outcome = Outcome::kInFlight;
  MethodId catcher = 0;  // with kCaught
};

struct Route {
  std::vector<RouteHop> hops;  // in order of time
  uint64_t count = 0;
};

struct Message {
  std::string text;
  uint64_t count = 0;  // at least that often; exact while ExceptionFinding::messages_exact
};

struct ThreadShare {
  ThreadIndex thread = 0;
  uint64_t count = 0;
};

// Another group that this one is tied to.
struct Relation {
  size_t finding = 0;  // its rank from 1; 0 if a filter left it out
  TypeId type = 0;
  MethodId thrower = 0;
  uint64_t count = 0;
};

// Exceptions of one type whose first throws are in one place (places.h).
struct ExceptionFinding {
  TypeId type = 0;
  PlaceId place_id = 0;
  Place place;                        // as on `path`
  std::vector<PathVariant> variants;  // at least one, most frequent first
  // Of the most frequent variant: the path of the first throw, innermost first.
  StackId stack = 0;
  std::vector<MethodId> path;
  std::vector<PlacedPath> places;  // other paths last, most frequent first; at least that often
  bool starts_late = false;
  bool is_rest = false;

  ExceptionGroup group;  // its counts, times and durations

  // Those in flight at the end of a recording that broke off: probably what ended the process.
  uint64_t probably_unhandled = 0;
  Evidence unhandled_evidence;  // when any was, or probably was, unhandled

  // Of Ending::kSwallowed; `swallowed` is the rest of them.
  uint64_t ended_requests = 0;   // by what catches last in a server's pipeline (request_ends.h)
  MethodId request_handler = 0;  // of yours, that the pipeline called; 0: unknown
  uint64_t swallowed = 0;        // by a catch block
  uint64_t never_awaited = 0;    // by the handler that stores exceptions in a task
  uint64_t swallowed_async = 0;  // in an async method: one of the two, it is unknown which
  // Of the last three: in a method of a package that has called your code, as for each job or
  // message; and the method with most of them.
  uint64_t ended_in_packages = 0;
  MethodId package_handler = 0;

  // Most frequent first.
  std::vector<CatchSite> catchers;
  std::vector<Route> routes;
  std::vector<Message> messages;
  std::vector<ThreadShare> threads;
  std::vector<Relation> causes;         // inner exceptions
  std::vector<Relation> wrappers;       // exceptions whose inner exception this was
  std::vector<Relation> replacers;      // that took its place
  std::vector<Relation> thrown_during;  // in whose filter or finally block it was thrown
  bool messages_exact = true;
  uint64_t other_messages = 0;  // occurrences of messages that are not in the list

  bool is_unhandled() const {
    return group.EndedAs(Ending::kUnhandled) > 0 || probably_unhandled > 0;
  }
};

// The model's, with its place.
struct FatalErrorRow {
  const FatalError* error = nullptr;
  Place place;
};

// "A stack overflow ended the process".
std::string_view FatalErrorTitle(FatalError::Kind kind);

struct ExceptionReport {
  explicit ExceptionReport(const Model& model) : model(&model), names(model.dictionaries) {}

  const Model* model;  // outlives the report
  MethodNames names;
  // Unhandled ones first, then by total time from throw to catch, then by count.
  std::vector<ExceptionFinding> findings;
  std::optional<FatalErrorRow> fatal_error;  // in the stretch of time, whatever the other filters

  // Over the findings.
  uint64_t count = 0;
  uint64_t throws = 0;
  uint64_t total_ns = 0;
  ThrowCounts counted;  // of the throws, those without details
  uint64_t probably_unhandled = 0;
  uint64_t ended_requests = 0;
  uint64_t endings[kEndingCount] = {};
  int64_t from_ns = 0;  // the stretch of time that was looked at, of what is recorded
  int64_t to_ns = 0;
  bool is_filtered = false;
};

// [from_ns, to_ns) is what the model was built with: ExceptionScope.
ExceptionReport AnalyzeExceptions(const Model& model, const ExceptionQuery& query, int64_t from_ns,
                                  int64_t to_ns, const ExceptionRules& rules = {});

}  // namespace hindsight::analyzer
