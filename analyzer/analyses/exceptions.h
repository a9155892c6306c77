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
  std::string method;  // any method of the path, or a catcher; display or raw name: other paths to
                       // the same place do not count
  std::string thread;  // name, OS id, or id of the first throw's thread. Needs a model with
                       // separate groups for each thread
};

struct ExceptionRules {
  // If a recording breaks off: an exception thrown this shortly before its end is more likely to
  // have ended the process. A killed process loses no more than that.
  int64_t soon_ns = 1'000'000'000;
  // If this many from one stack were all handled, another one has a handler as well.
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
  int32_t il_offset = -1;  // of the handler in that method that caught most of them; -1: unknown
};

// One of the paths to a finding's place.
struct PathVariant {
  StackId stack = 0;
  std::vector<MethodId> path;  // innermost first
  uint64_t count = 0;
};

// One variant of a finding's path, by the locations in its methods.
struct PlacedPath {
  std::vector<int32_t> il_offsets;  // parallel to ExceptionFinding::path; -1: unknown
  uint64_t count = 0;
  bool is_other = false;  // another path to the same place: known only as far as both are the same
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
  uint64_t count = 0;  // at least; exact if ExceptionFinding::messages_exact
};

struct ThreadShare {
  ThreadIndex thread = 0;
  uint64_t count = 0;
};

// Another group that is related to this one.
struct Relation {
  size_t finding = 0;  // its rank from 1; 0 if a filter excluded it
  TypeId type = 0;
  MethodId thrower = 0;
  uint64_t count = 0;
};

// Exceptions of one type whose first throws are at one place (places.h).
struct ExceptionFinding {
  TypeId type = 0;
  PlaceId place_id = 0;
  Place place;                        // as on `path`
  std::vector<PathVariant> variants;  // at least one, most frequent first
  // Of the most frequent variant: the path of the first throw, innermost first.
  StackId stack = 0;
  std::vector<MethodId> path;
  std::vector<PlacedPath> places;  // most frequent first, other paths last; counts are lower bounds
  bool starts_late = false;
  bool is_rest = false;

  ExceptionGroup group;  // with its counts, times and durations

  // Those in flight at the end of a recording that broke off, which probably ended the process.
  uint64_t probably_unhandled = 0;
  Evidence unhandled_evidence;  // if any were, or probably were, unhandled

  // Part of Ending::kSwallowed; `swallowed` is the rest.
  uint64_t ended_requests = 0;  // by the last handler in a server's pipeline (request_ends.h)
  // Likewise, but the client closed its connection, canceled, or sent nonsense.
  uint64_t ended_by_client = 0;
  // Of yours, called by the pipeline; that of most of them first. Empty: unknown.
  std::vector<MethodId> request_handlers;
  MethodId request_handler() const { return request_handlers.empty() ? 0 : request_handlers[0]; }
  // If the place is not yours: your method that awaited it, and threw it again; 0: none, or
  // unknown.
  MethodId thrown_again_in = 0;
  uint64_t swallowed = 0;       // by a catch block
  uint64_t never_awaited = 0;   // by the handler that stores exceptions in a task
  uint64_t faulted_blocks = 0;  // part of never_awaited: in that of a dataflow block, which it ends
  uint64_t swallowed_async = 0;  // in an async method: one of the two above, it is unknown which
  // Part of the last three: in a method of a package that has called your code, as for each job or
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
  std::vector<Relation> replacers;      // exceptions that replaced it
  std::vector<Relation> thrown_during;  // exceptions in whose filter or finally block it was thrown
  bool messages_exact = true;
  uint64_t other_messages = 0;  // occurrences of messages not in the list

  bool is_unhandled() const {
    return group.EndedAs(Ending::kUnhandled) > 0 || probably_unhandled > 0;
  }
};

// The model's error with its place.
struct FatalErrorRow {
  const FatalError* error = nullptr;
  Place place;
};

// "A stack overflow ended the process".
std::string_view FatalErrorTitle(FatalError::Kind kind);

struct ExceptionReport {
  explicit ExceptionReport(const Model& model) : model(&model), names(model.dictionaries) {}

  const Model* model;  // must outlive the report
  MethodNames names;
  // Unhandled ones first, then by total time from throw to catch, then by count.
  std::vector<ExceptionFinding> findings;
  std::optional<FatalErrorRow> fatal_error;  // in the time range, regardless of the other filters

  // Sums over the findings.
  uint64_t count = 0;
  uint64_t throws = 0;
  uint64_t total_ns = 0;
  ThrowCounts counted;  // the throws without details
  uint64_t probably_unhandled = 0;
  uint64_t ended_requests = 0;
  uint64_t ended_by_client = 0;
  uint64_t endings[kEndingCount] = {};
  int64_t from_ns = 0;  // the examined time range, within the recording
  int64_t to_ns = 0;
  bool is_filtered = false;
};

// [from_ns, to_ns) is the range with which the model was built: ExceptionScope.
ExceptionReport AnalyzeExceptions(const Model& model, const ExceptionQuery& query, int64_t from_ns,
                                  int64_t to_ns, const ExceptionRules& rules = {});

}  // namespace hindsight::analyzer
