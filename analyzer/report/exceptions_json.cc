#include "analyzer/report/exceptions_json.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyzer/report/exception_sentences.h"
#include "analyzer/report/json.h"
#include "analyzer/report/path_variants.h"

namespace hindsight::analyzer {
namespace {

constexpr uint32_t kRateBuckets = 32;

std::string_view HopName(Hop hop) {
  switch (hop) {
    case Hop::kNone:
      return "throw";
    case Hop::kRethrow:
      return "rethrow";
    case Hop::kRestored:
      return "restored";
    case Hop::kAgain:
      return "again";
  }
  return "throw";
}

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kInFlight:
      return "in_flight";
    case Outcome::kCaught:
      return "caught";
    case Outcome::kReplaced:
      return "replaced";
    case Outcome::kLostInFilter:
      return "lost_in_filter";
    case Outcome::kUnhandled:
      return "unhandled";
    case Outcome::kCaughtNative:
      return "caught_native";
  }
  return "in_flight";
}

class ExceptionsJsonWriter {
 public:
  explicit ExceptionsJsonWriter(const ExceptionReport& report, const Lines* lines = nullptr)
      : report_(report), lines_(lines) {}

  Json Method(MethodId id) const {
    return {{"name", JsonText(report_.names.Display(id))},
            {"raw", JsonText(report_.names.Raw(id))}};
  }
  Json Place(MethodId id, int32_t il_offset) const {
    Json method = Method(id);
    if (lines_ != nullptr) AddJsonLine(method, lines_->Of(id, il_offset));
    return method;
  }
  Json Type(TypeId id) const {
    return {{"name", JsonText(report_.names.Type(id))},
            {"raw", JsonText(report_.names.RawType(id))}};
  }
  Json Group(size_t rank, const ExceptionFinding& finding, size_t messages) const;

 private:
  Json Relations(const std::vector<Relation>& relations) const;
  Json Routes(const std::vector<Route>& routes) const;
  Json Rate(const ExceptionGroup& group) const;
  Json Places(const ExceptionFinding& finding) const;
  Json PlaceOf(const ExceptionFinding& finding) const;
  Json OtherPaths(const ExceptionFinding& finding) const;

  const ExceptionReport& report_;
  const Lines* lines_;
};

struct Outcomes {
  uint64_t endings[kEndingCount] = {};
  uint64_t probably_unhandled = 0;
  uint64_t ended_requests = 0;
  uint64_t swallowed = 0;
  uint64_t never_awaited = 0;
  uint64_t swallowed_async = 0;

  void Add(const ExceptionFinding& finding) {
    for (size_t i = 0; i < kEndingCount; ++i) endings[i] += finding.group.endings[i];
    probably_unhandled += finding.probably_unhandled;
    ended_requests += finding.ended_requests;
    swallowed += finding.swallowed;
    never_awaited += finding.never_awaited;
    swallowed_async += finding.swallowed_async;
  }

  Json Write() const {
    const auto of = [this](Ending ending) { return endings[static_cast<size_t>(ending)]; };
    Json json = {{"unhandled", of(Ending::kUnhandled)},
                 {"probably_unhandled", probably_unhandled},
                 {"in_flight", of(Ending::kInFlight) - probably_unhandled},
                 {"swallowed", swallowed},
                 {"never_awaited", never_awaited},
                 {"swallowed_or_never_awaited", swallowed_async},
                 {"wrapped", of(Ending::kWrapped)},
                 {"replaced", of(Ending::kReplaced)},
                 {"lost_in_filter", of(Ending::kLostInFilter)},
                 {"caught_native", of(Ending::kCaughtNative)}};
    if (ended_requests > 0) json["ended_requests"] = ended_requests;
    if (of(Ending::kCaught) > 0) json["caught"] = of(Ending::kCaught);
    return json;
  }
};

// Throws without details, if there are any.
void AddCounted(Json& json, const ThrowCounts& counted) {
  if (counted.thrown == 0 && counted.Ended() == 0) return;
  const auto ended = [&counted](Outcome outcome) {
    return counted.ended[static_cast<size_t>(outcome)];
  };
  json["counted"] = {{"throws", counted.thrown},
                     {"thrown_again", counted.thrown_again},
                     {"caught", ended(Outcome::kCaught)},
                     {"replaced", ended(Outcome::kReplaced)},
                     {"lost_in_filter", ended(Outcome::kLostInFilter)},
                     {"unhandled", ended(Outcome::kUnhandled)},
                     {"caught_native", ended(Outcome::kCaughtNative)},
                     {"total_ns", counted.total_ns}};
}

Json ExceptionsJsonWriter::Relations(const std::vector<Relation>& relations) const {
  Json out = Json::array();
  for (const Relation& relation : relations) {
    out.push_back({{"rank", relation.finding == 0 ? Json() : Json(relation.finding)},
                   {"type", Type(relation.type)},
                   {"thrown_in", Method(relation.thrower)},
                   {"count", relation.count}});
  }
  return out;
}

Json ExceptionsJsonWriter::Routes(const std::vector<Route>& routes) const {
  Json out = Json::array();
  for (const Route& route : routes) {
    Json hops = Json::array();
    for (const RouteHop& hop : route.hops) {
      hops.push_back(
          {{"hop", HopName(hop.hop)},
           {"thrown_in", Method(hop.thrower)},
           {"outcome", OutcomeName(hop.outcome)},
           {"caught_in", hop.outcome == Outcome::kCaught ? Method(hop.catcher) : Json()}});
    }
    out.push_back({{"count", route.count}, {"hops", std::move(hops)}});
  }
  return out;
}

Json ExceptionsJsonWriter::Rate(const ExceptionGroup& group) const {
  const int64_t length = std::max<int64_t>(report_.to_ns - report_.from_ns, 0);
  Json counts = Json::array();
  for (const double count : group.times.Resampled(report_.from_ns, report_.to_ns, kRateBuckets)) {
    counts.push_back(std::round(count * 10) / 10);
  }
  return {{"bucket_ns", length / kRateBuckets}, {"counts", std::move(counts)}};
}

Json ExceptionsJsonWriter::Places(const ExceptionFinding& finding) const {
  Json places = Json::array();
  for (const PlacedPath& placed : finding.places) {
    Json lines = Json::array();
    for (size_t i = 0; i < finding.path.size(); ++i) {
      AddJsonLine(lines.emplace_back(), lines_->Of(finding.path[i], placed.il_offsets[i]));
    }
    places.push_back({{"count", placed.count}, {"lines", std::move(lines)}});
  }
  return places;
}

Json ExceptionsJsonWriter::PlaceOf(const ExceptionFinding& finding) const {
  const analyzer::Place& place = finding.place;
  if (place.site == 0) return {};
  return {{"site", Method(place.site)},
          {"through", place.through == 0 ? Json() : Method(place.through)},
          {"is_yours", place.is_yours}};
}

Json ExceptionsJsonWriter::OtherPaths(const ExceptionFinding& finding) const {
  Json paths = Json::array();
  for (size_t i = 1; i < finding.variants.size() && i <= kOtherPathsInJson; ++i) {
    Json path = Json::array();
    for (const MethodId method : finding.variants[i].path) {
      path.push_back(JsonText(report_.names.Display(method)));
    }
    paths.push_back({{"count", finding.variants[i].count}, {"path", std::move(path)}});
  }
  return paths;
}

Json ExceptionsJsonWriter::Group(size_t rank, const ExceptionFinding& finding,
                                 size_t messages) const {
  const ExceptionGroup& group = finding.group;
  Json path = Json::array();
  for (size_t i = 0; i < finding.path.size(); ++i) {
    path.push_back(
        Place(finding.path[i], finding.places.empty() ? -1 : finding.places[0].il_offsets[i]));
  }
  Outcomes outcomes;
  outcomes.Add(finding);
  Json evidence;
  if (finding.is_unhandled()) {
    evidence = {{"confidence", ConfidenceName(finding.unhandled_evidence.confidence)},
                {"text", finding.unhandled_evidence.text}};
  }
  Json catchers = Json::array();
  for (const CatchSite& site : finding.catchers) {
    catchers.push_back({{"method", Place(site.method, site.il_offset)}, {"count", site.count}});
  }
  Json texts = Json::array();
  uint64_t others = finding.other_messages;
  for (size_t i = 0; i < finding.messages.size(); ++i) {
    const Message& message = finding.messages[i];
    if (messages != 0 && i >= messages) {
      others += message.count;
    } else {
      texts.push_back({{"text", JsonText(message.text)}, {"count", message.count}});
    }
  }
  Json threads = Json::array();
  for (const ThreadShare& share : finding.threads) {
    threads.push_back(
        {{"thread", JsonThread(*report_.model, share.thread)}, {"count", share.count}});
  }
  const uint64_t ended = group.Timed();
  const bool has_times = group.durations.count() > 0;
  const auto quantile = [&](double q) {
    return !has_times ? Json() : Json(group.durations.Quantile(q));
  };
  Json json = {
      {"rank", rank},
      {"type", Type(finding.type)},
      {"place", PlaceOf(finding)},
      {"path", std::move(path)},
      {"paths", finding.variants.size()},
      {"other_paths", OtherPaths(finding)},
      {"path_is_later_throw", finding.starts_late},
      {"is_rest", finding.is_rest},
      {"count", group.count},
      {"throws",
       {{"total", group.Throws()},
        {"first", group.throws[0]},
        {"rethrow", group.throws[static_cast<size_t>(Hop::kRethrow)]},
        {"restored", group.throws[static_cast<size_t>(Hop::kRestored)]},
        {"again", group.throws[static_cast<size_t>(Hop::kAgain)]}}},
      {"inferred_hops", group.inferred_hops},
      {"outcomes", outcomes.Write()},
      {"unhandled_evidence", std::move(evidence)},
      {"catcher", finding.catchers.empty() ? Json() : Method(finding.catchers.front().method)},
      {"catchers", std::move(catchers)},
      {"routes", Routes(finding.routes)},
      {"messages", std::move(texts)},
      {"messages_exact", finding.messages_exact},
      {"other_messages", others},
      {"threads", std::move(threads)},
      {"causes", Relations(finding.causes)},
      {"wrapped_by", Relations(finding.wrappers)},
      {"replaced_by", Relations(finding.replacers)},
      {"thrown_during", Relations(finding.thrown_during)},
      {"mean_ns", ended == 0 ? Json() : Json(group.total_ns / ended)},
      {"p50_ns", quantile(0.5)},
      {"p90_ns", quantile(0.9)},
      {"p99_ns", quantile(0.99)},
      {"max_ns", !has_times ? Json() : Json(group.durations.max())},
      {"total_ns", group.total_ns},
      {"finally_blocks", group.finally_blocks},
      {"filters", group.filters},
      {"truncated_stacks", group.truncated_stacks},
      {"first_ns", group.first_ns},
      {"last_ns", group.last_ns},
      {"rate", Rate(group)}};
  AddCounted(json, group.counted);
  if (lines_ != nullptr) json["places"] = Places(finding);
  return json;
}

}  // namespace

std::string ExceptionsJson(const ExceptionReport& report, size_t top, size_t messages,
                           const Lines* lines) {
  const ExceptionsJsonWriter writer(report, lines);
  Outcomes outcomes;
  Json groups = Json::array();
  for (size_t i = 0; i < report.findings.size(); ++i) {
    outcomes.Add(report.findings[i]);
    if (top == 0 || i < top) groups.push_back(writer.Group(i + 1, report.findings[i], messages));
  }
  Json json = {{"schema", kJsonSchema},
               {"command", "exceptions"},
               {"recording", JsonRecording(*report.model)},
               {"filtered", report.is_filtered},
               {"from_ns", report.from_ns},
               {"to_ns", report.to_ns},
               {"exceptions", report.count},
               {"throws", report.throws},
               {"total_ns", report.total_ns},
               {"outcomes", outcomes.Write()},
               {"percentile_relative_error", Histogram::kMaxRelativeError},
               {"groups", std::move(groups)}};
  AddCounted(json, report.counted);
  if (lines != nullptr) json["line_notes"] = JsonLineNotes(*lines);
  return JsonDump(json);
}

std::string ExceptionTreeJson(const ExceptionReport& report, const ExceptionTree& tree) {
  const ExceptionsJsonWriter writer(report);
  Json nodes = Json::array();
  for (const TreeNode& node : tree.nodes) {
    Json methods = Json::array();
    for (const MethodId method : node.methods) methods.push_back(writer.Method(method));
    Json thrown = Json::array();
    for (const ThrownHere& here : node.thrown) {
      thrown.push_back({{"rank", here.finding},
                        {"type", writer.Type(report.findings[here.finding - 1].type)},
                        {"count", here.count}});
    }
    nodes.push_back({{"depth", node.depth},
                     {"count", node.count},
                     {"methods", std::move(methods)},
                     {"thrown", std::move(thrown)},
                     {"folded", {{"branches", node.folded_children}, {"count", node.folded}}}});
  }
  return JsonDump({{"schema", kJsonSchema},
                   {"command", "exceptions --tree"},
                   {"recording", JsonRecording(*report.model)},
                   {"exceptions", tree.count},
                   {"without_stack", tree.without_stack},
                   {"nodes", std::move(nodes)}});
}

}  // namespace hindsight::analyzer
