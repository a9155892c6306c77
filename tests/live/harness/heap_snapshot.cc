#include "tests/live/harness/heap_snapshot.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/model/display_names.h"
#include "analyzer/reader/heap_reader.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

using analyzer::ClassIndex;
using analyzer::HeapGraph;
using analyzer::HeapModel;
using analyzer::ObjectId;
using analyzer::RootKind;
using analyzer::SlotKey;
using analyzer::SlotNames;

// Names of classes and of references, each created once.
class Names {
 public:
  explicit Names(const HeapModel& model) : model_(model), slots_(model) {
    for (const analyzer::HeapClass& one : model.graph.classes()) {
      types_.push_back(analyzer::TypeDisplayName(model.dictionaries, one.type));
    }
  }

  const std::string& Type(ClassIndex index) const { return types_[index]; }
  const std::string& TypeOf(ObjectId id) const { return Type(model_.graph.ClassOf(id)); }

  SlotKey Key(ObjectId from, uint64_t slot) const { return slots_.Key(from, slot); }

  HeapEdge Edge(ClassIndex from, SlotKey key, ClassIndex to) const {
    const std::string name = slots_.Name(key);
    for (const char* kind : {"static", "thread static"}) {
      const std::string prefix = std::string(kind) + ' ';
      if (name.starts_with(prefix)) return {kind, name.substr(prefix.size()), Type(to)};
    }
    return {Type(from), name, Type(to)};
  }

 private:
  const HeapModel& model_;
  SlotNames slots_;
  std::vector<std::string> types_;
};

}  // namespace

HeapApplication::HeapApplication(int runtime, const std::string& sample,
                                 std::vector<std::string> arguments,
                                 EnvironmentVariables environment)
    : SampleApplication({.command = HeapSample(runtime, sample),
                         .arguments = std::move(arguments),
                         .environment = std::move(environment)}) {}

std::unique_ptr<HeapModel> ReadSnapshot(const std::filesystem::path& path) {
  const std::string name = path;
  auto model = analyzer::ReadHeap(std::span(&name, 1), std::nullopt);
  if (!model) throw std::runtime_error(model.error().sentence);
  return std::move(model).value();
}

analyzer::HeapFacts FactsOf(const std::filesystem::path& path) {
  const std::string name = path;
  const auto facts = analyzer::ListHeaps(std::span(&name, 1));
  if (!facts) throw std::runtime_error(facts.error().sentence);
  if (facts->size() != 1) throw std::runtime_error("not one snapshot in " + name);
  return facts->front();
}

std::string Defects(const HeapModel& model) {
  const HeapGraph& graph = model.graph;
  const analyzer::HeapFacts& facts = graph.facts;
  std::ostringstream defects;
  if (!facts.complete()) defects << "not complete: " << facts.result_reason << "\n";
  const auto expect = [&](const char* what, uint64_t found, uint64_t certified) {
    if (found != certified) {
      defects << what << ": " << found << ", certified " << certified << "\n";
    }
  };
  uint64_t bytes = 0, collected = 0;  // frozen objects do not belong to the collector
  for (ObjectId id = 0; id < graph.size(); ++id) {
    bytes += graph.Bytes(id);
    if (graph.GenerationOf(id) != analyzer::Generation::kFrozen) collected += graph.Bytes(id);
  }
  expect("objects", graph.size(), facts.certified_objects);
  expect("bytes", bytes, facts.certified_bytes);
  expect("dangling slots", facts.dangling_slots, 0);
  const std::vector<bool> reachable = Reachable(graph);
  expect("dangling references of reachable objects",
         static_cast<uint64_t>(std::ranges::count_if(graph.dangling_holders(),
                                                     [&](ObjectId id) { return reachable[id]; })),
         0);
  expect("lost segments", facts.lost_segments, 0);
  // What the collector reports as used is objects, and free space between them.
  expect("objects and free space", collected + facts.free_bytes, facts.gc_bytes);
  for (const analyzer::HeapRoot& root : graph.roots()) {
    if (root.object == analyzer::kNoObject) {
      defects << "a root leads nowhere\n";
      break;
    }
  }
  return defects.str();
}

std::vector<bool> Reachable(const HeapGraph& graph) {
  std::vector<bool> reachable(graph.size());
  std::vector<ObjectId> open;
  const auto reach = [&](ObjectId id) {
    if (id == analyzer::kNoObject || reachable[id]) return;
    reachable[id] = true;
    open.push_back(id);
  };
  for (const analyzer::HeapRoot& root : graph.roots()) {
    if (root.kind != RootKind::kWeakHandle) reach(root.object);
  }
  while (true) {
    while (!open.empty()) {
      const ObjectId id = open.back();
      open.pop_back();
      for (const ObjectId target : graph.References(id)) reach(target);
    }
    for (const analyzer::HeapDependent& one : graph.dependents()) {
      if (one.key != analyzer::kNoObject && reachable[one.key]) reach(one.value);
    }
    if (open.empty()) return reachable;
  }
}

HeapContents ContentsOf(const HeapModel& model, std::string_view sample) {
  const HeapGraph& graph = model.graph;
  const std::vector<bool> reachable = Reachable(graph);
  // By numbers first: a name is created once for each kind, not for each reference.
  std::map<ClassIndex, uint64_t> objects;
  std::map<std::tuple<ClassIndex, SlotKey, ClassIndex>, uint64_t> references;
  const Names names(model);
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (!reachable[id]) continue;
    ++objects[graph.ClassOf(id)];
    graph.ForEachReference(id, [&](uint64_t slot, ObjectId target) {
      ++references[{graph.ClassOf(id), names.Key(id, slot), graph.ClassOf(target)}];
    });
  }
  HeapContents contents;
  for (const auto& [type, count] : objects) {
    if (IsOwn(sample, names.Type(type))) contents.Add(names.Type(type), count);
  }
  for (const auto& [reference, count] : references) {
    const auto& [from, key, to] = reference;
    const HeapEdge edge = names.Edge(from, key, to);
    if (IsOwn(sample, edge)) contents.Add(edge, count);
  }
  for (const analyzer::HeapDependent& one : graph.dependents()) {
    if (one.key == analyzer::kNoObject || one.value == analyzer::kNoObject) continue;
    const HeapEdge edge{names.TypeOf(one.key), ".(dependent)", names.TypeOf(one.value)};
    if (reachable[one.key] && IsOwn(sample, edge)) contents.Add(edge, 1);
  }
  return contents;
}

uint64_t BigHeapNodes(const HeapContents& contents) {
  uint64_t nodes = 0;
  for (const char* type : {"Small", "Medium", "Wide", "Broad"}) {
    const auto found = contents.types.find(std::string("BigHeap.") + type);
    if (found != contents.types.end()) nodes += found->second;
  }
  return nodes;
}

std::map<std::pair<std::string, std::string>, uint64_t> HandlesOf(const HeapModel& model,
                                                                  std::string_view sample) {
  std::map<std::pair<std::string, std::string>, uint64_t> handles;
  const Names names(model);
  for (const analyzer::HeapRoot& root : model.graph.roots()) {
    const char* kind = root.kind == RootKind::kStrongHandle   ? "strong handle"
                       : root.kind == RootKind::kPinnedHandle ? "pinned handle"
                                                              : nullptr;
    if (kind == nullptr || root.object == analyzer::kNoObject) continue;
    const std::string& type = names.TypeOf(root.object);
    if (IsOwn(sample, type)) ++handles[{kind, type}];
  }
  return handles;
}

}  // namespace hindsight::live
