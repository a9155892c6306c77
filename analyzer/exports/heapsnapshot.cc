#include "analyzer/exports/heapsnapshot.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/exports/json_stream.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

// As V8 writes it; the numbers below are indexes into these lists.
constexpr std::string_view kMeta =
    R"({"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],)"
    R"("node_types":[["hidden","array","string","object","code","closure","regexp","number",)"
    R"("native","synthetic","concatenated string","sliced string","symbol","bigint",)"
    R"("object shape"],"string","number","number","number","number","number"],)"
    R"("edge_fields":["type","name_or_index","to_node"],)"
    R"("edge_types":[["context","element","property","internal","hidden","shortcut","weak"],)"
    R"("string_or_number","node"],)"
    R"("trace_function_info_fields":["function_id","name","script_name","script_id","line",)"
    R"("column"],"trace_node_fields":["id","function_info_index","count","size","children"],)"
    R"("sample_fields":["timestamp_us","last_assigned_id"],)"
    R"("location_fields":["object_index","script_id","line","column"]})";
constexpr uint64_t kNodeFields = 7;
enum NodeType : uint64_t { kString = 2, kObject = 3, kNative = 8, kSynthetic = 9 };
enum EdgeType : uint64_t { kElement = 1, kProperty = 2 };

constexpr ObjectId kNoNode = kNoObject;

class StringTable {
 public:
  uint64_t Of(const std::string& text) {
    const auto [place, is_new] = index_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(&place->first);
    return place->second;
  }
  const std::vector<const std::string*>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, uint64_t> index_;
  std::vector<const std::string*> texts_;
};

class Exporter {
 public:
  Exporter(const HeapModel& model, const SlotNames& names, const Dominators& dominators,
           const ByteSink& sink)
      : model_(model),
        graph_(model.graph),
        names_(names),
        dominators_(dominators),
        out_(sink),
        classes_(model.graph.classes().size()) {}

  HeapsnapshotTotals Write() {
    PlaceNodes();
    GatherRoots();
    GatherDependents();
    WriteHead();
    WriteNodes();
    WriteEdges();
    WriteStrings();
    totals_.written = out_.Finish();
    return totals_;
  }

 private:
  struct ClassNames {
    std::optional<uint64_t> type;
    std::map<uint32_t, uint64_t> slots;  // keyed by SlotKey::slot
    std::optional<uint32_t> text_field;
  };
  struct RootGroup {
    uint64_t name = 0;
    std::vector<ObjectId> objects;  // each once
  };

  void PlaceNodes() {
    node_.assign(graph_.size(), kNoNode);
    uint32_t next = 0;
    for (ObjectId id = 0; id < graph_.size(); ++id) {
      if (!dominators_.IsReachable(id)) continue;
      node_[id] = next++;
      totals_.bytes += graph_.Bytes(id);
      totals_.edges += graph_.References(id).size();
    }
    totals_.objects = next;
  }

  void GatherRoots() {
    strings_.Of("");
    std::map<std::pair<RootKind, MethodId>, std::vector<ObjectId>> groups;
    std::vector<ObjectId> holders;
    for (const HeapRoot& root : graph_.roots()) {
      if (root.kind == RootKind::kWeakHandle || root.object >= graph_.size()) continue;
      if (names_.HoldsStatics(root.object)) {
        holders.push_back(root.object);
      } else {
        groups[{root.kind, root.method}].push_back(root.object);
      }
    }
    if (!holders.empty()) Add("(static fields)", std::move(holders));
    for (auto& [key, objects] : groups) {
      const std::string name =
          RootName(model_, {.object = kNoObject, .kind = key.first, .method = key.second});
      Add("(" + name + ")", std::move(objects));
    }
    totals_.nodes = 1 + groups_.size() + totals_.objects;
    totals_.edges += groups_.size();
  }

  void Add(const std::string& name, std::vector<ObjectId> objects) {
    std::sort(objects.begin(), objects.end());
    objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
    totals_.edges += objects.size();
    groups_.push_back({strings_.Of(name), std::move(objects)});
  }

  void GatherDependents() {
    for (const HeapDependent& dependent : graph_.dependents()) {
      if (dependent.key >= graph_.size() || dependent.value >= graph_.size()) continue;
      if (node_[dependent.key] == kNoNode || node_[dependent.value] == kNoNode) continue;
      dependents_.emplace_back(dependent.key, dependent.value);
    }
    std::sort(dependents_.begin(), dependents_.end());
    totals_.edges += dependents_.size();
  }

  void WriteHead() {
    out_.Raw(R"({"snapshot":{"meta":)");
    out_.Raw(kMeta);
    out_.Raw(R"(,"node_count":)");
    out_.Number(totals_.nodes);
    out_.Raw(R"(,"edge_count":)");
    out_.Number(totals_.edges);
    out_.Raw(R"(,"trace_function_count":0},)");
    out_.Raw("\n");
  }

  void Node(NodeType type, uint64_t name, uint64_t size, uint64_t edges) {
    if (nodes_++ > 0) out_.Raw(",\n");
    const uint64_t id = nodes_ * 2 - 1;  // V8's objects have odd ids
    for (const uint64_t number : {static_cast<uint64_t>(type), name, id, size, edges}) {
      out_.Number(number);
      out_.Raw(",");
    }
    out_.Raw("0,0");
  }

  void WriteNodes() {
    out_.Raw("\"nodes\":[");
    Node(kSynthetic, strings_.Of("(root)"), 0, groups_.size());
    // Not synthetic, because the tools compute distances from nodes that are not.
    for (const RootGroup& group : groups_) Node(kNative, group.name, 0, group.objects.size());
    auto dependent = dependents_.begin();
    for (ObjectId id = 0; id < graph_.size(); ++id) {
      if (node_[id] == kNoNode) continue;
      uint64_t edges = graph_.References(id).size();
      for (; dependent != dependents_.end() && dependent->first == id; ++dependent) ++edges;
      const HeapClass& type = graph_.classes()[graph_.ClassOf(id)];
      uint64_t size = graph_.Bytes(id);
      if (size > UINT32_MAX) {
        size = UINT32_MAX;
        ++totals_.clipped;
      }
      Node(type.kind == HeapClass::Kind::kString ? kString : kObject, NameOf(id, type), size,
           edges);
    }
    out_.Raw("],\n");
  }

  uint64_t NameOf(ObjectId id, const HeapClass& type) {
    ClassNames& names = classes_[graph_.ClassOf(id)];
    if (!names.type) {
      names.type = strings_.Of(TypeDisplayName(model_.dictionaries, type.type));
      for (uint32_t i = 0; i < type.value_fields.size(); ++i) {
        if (type.kind == HeapClass::Kind::kString &&
            type.value_fields[i].kind == ValueField::Kind::kText) {
          names.text_field = i;
        }
      }
    }
    if (names.text_field) {
      if (const auto text = graph_.Text(id, *names.text_field)) {
        return strings_.Of(std::string(*text));
      }
    }
    return *names.type;
  }

  void Edge(EdgeType type, uint64_t name, uint64_t node) {
    if (edges_++ > 0) out_.Raw(",\n");
    out_.Number(type);
    out_.Raw(",");
    out_.Number(name);
    out_.Raw(",");
    out_.Number(node * kNodeFields);
  }

  uint64_t NodeOf(ObjectId id) const { return 1 + groups_.size() + node_[id]; }

  void WriteEdges() {
    out_.Raw("\"edges\":[");
    for (size_t i = 0; i < groups_.size(); ++i) Edge(kProperty, groups_[i].name, 1 + i);
    for (const RootGroup& group : groups_) {
      uint64_t number = 0;
      for (const ObjectId id : group.objects) Edge(kElement, number++, NodeOf(id));
    }
    auto dependent = dependents_.begin();
    const uint64_t dependent_name = strings_.Of("(dependent)");
    for (ObjectId id = 0; id < graph_.size(); ++id) {
      if (node_[id] == kNoNode) continue;
      WriteReferences(id);
      for (; dependent != dependents_.end() && dependent->first == id; ++dependent) {
        Edge(kProperty, dependent_name, NodeOf(dependent->second));
      }
    }
    out_.Raw("],\n");
  }

  void WriteReferences(ObjectId id) {
    const ClassIndex index = graph_.ClassOf(id);
    const HeapClass& type = graph_.classes()[index];
    const bool is_holder = names_.HoldsStatics(id);
    const bool is_array = type.kind == HeapClass::Kind::kArray && type.slot_offsets.size() <= 1 &&
                          (type.slot_names.empty() || type.slot_names[0] == 0);
    graph_.ForEachReference(id, [&](uint64_t slot, ObjectId target) {
      const HeapStaticField* field = is_holder ? names_.Static(id, slot) : nullptr;
      if (field == nullptr && is_array) {
        Edge(kElement, std::min<uint64_t>(slot, UINT32_MAX), NodeOf(target));
        return;
      }
      const SlotKey key = names_.Key(id, slot);
      if (key.kind == SlotKey::Kind::kStatic) {
        Edge(kProperty, strings_.Of(names_.Name(key)), NodeOf(target));
        return;
      }
      const auto [known, is_new] = classes_[index].slots.try_emplace(key.slot, 0);
      if (is_new) {
        std::string name = names_.Name(key);
        if (name.starts_with('.')) name.erase(0, 1);
        known->second = strings_.Of(name);
      }
      Edge(kProperty, known->second, NodeOf(target));
    });
  }

  void WriteStrings() {
    out_.Raw(R"("trace_function_infos":[],"trace_tree":[],"samples":[],"locations":[],)");
    out_.Raw("\n\"strings\":[");
    bool is_first = true;
    for (const std::string* text : strings_.texts()) {
      if (!is_first) out_.Raw(",\n");
      is_first = false;
      out_.Text(*text);
    }
    out_.Raw("]}\n");
  }

  const HeapModel& model_;
  const HeapGraph& graph_;
  const SlotNames& names_;
  const Dominators& dominators_;
  JsonStream out_;
  StringTable strings_;
  std::vector<ClassNames> classes_;
  std::vector<uint32_t> node_;  // indexed by object: its number in the file
  std::vector<RootGroup> groups_;
  std::vector<std::pair<ObjectId, ObjectId>> dependents_;  // key, value; ordered by key
  uint64_t nodes_ = 0, edges_ = 0;
  HeapsnapshotTotals totals_;
};

}  // namespace

HeapsnapshotTotals WriteHeapsnapshot(const HeapModel& model, const SlotNames& names,
                                     const Dominators& dominators, const ByteSink& sink) {
  return Exporter(model, names, dominators, sink).Write();
}

}  // namespace hindsight::analyzer
