#include "analyzer/analyses/heap/leak_sources.h"

#include "analyzer/analyses/call_paths.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMostMethods = 5;

// The most frequent place among the samples, and its callers as long as the given share of them
// agrees.
LeakSource CommonPath(const CallPaths& callers, double same) {
  LeakSource source;
  source.of = callers.nodes[0].total.samples;
  const PathChildren children(callers);
  uint64_t at_place = 0;
  for (uint32_t node = 0; source.path.size() < kMostMethods;) {
    uint32_t most = 0;
    for (const uint32_t child : children.Of(node)) {
      const bool is_more =
          most == 0 || callers.nodes[child].total.samples > callers.nodes[most].total.samples;
      if (is_more) most = child;
    }
    if (most == 0) break;
    const uint64_t samples = callers.nodes[most].total.samples;
    if (node == 0) at_place = samples;
    if (static_cast<double>(samples) < same * static_cast<double>(at_place)) break;
    source.path.push_back(callers.frames[callers.nodes[most].frame].name);
    source.samples = samples;
    node = most;
  }
  return source;
}

}  // namespace

bool LeakSources::IsIn(ObjectId id, ClassIndex accumulation, const std::set<ObjectId>& owners) {
  way_.clear();
  bool is_in = false;
  for (ObjectId at = id; at < known_.size(); at = dominators_.immediate[at]) {
    if (known_[at]) {
      is_in = inside_[at];
      break;
    }
    known_[at] = true;
    way_.push_back(at);
    if (model_.graph.ClassOf(at) == accumulation && owners.contains(dominators_.immediate[at])) {
      is_in = true;
      break;
    }
  }
  for (const ObjectId on_way : way_) inside_[on_way] = is_in;
  return is_in;
}

std::optional<LeakSource> LeakSources::Of(ClassIndex accumulation, const std::set<ObjectId>& owners,
                                          TypeId type) {
  const HeapGraph& graph = model_.graph;
  known_.assign(graph.size(), false);
  inside_.assign(graph.size(), false);
  std::vector<const Survivor*> all, own;
  for (const Survivor& survivor : model_.survivors.samples) {
    if (survivor.call == 0 || !dominators_.IsReachable(survivor.object)) continue;
    if (!IsIn(survivor.object, accumulation, owners)) continue;
    all.push_back(&survivor);
    if (graph.classes()[graph.ClassOf(survivor.object)].type == type) own.push_back(&survivor);
  }
  if (all.empty()) return std::nullopt;
  const bool is_held = own.size() < kFewSamples && own.size() < all.size();
  CallPathsBuilder builder(model_.dictionaries, model_.survivors.calls, {});
  for (const Survivor* survivor : is_held ? all : own) {
    builder.Add(
        survivor->call,
        {.amount = survivor->bytes, .count = survivor->objects, .variance = 0, .samples = 1});
  }
  LeakSource source = CommonPath(Callers(builder.Build()), same_);
  source.is_held = is_held;
  return source;
}

}  // namespace hindsight::analyzer
