#include "analyzer/exports/flame_data.h"

#include <functional>
#include <string_view>
#include <unordered_map>

#include "analyzer/exports/json_stream.h"

namespace hindsight::analyzer {
namespace {

std::string_view MeasureTitle(ProfileSignal signal, size_t measure) {
  switch (signal) {
    case ProfileSignal::kCpu:
      return measure == 0 ? "CPU time" : "samples";
    case ProfileSignal::kAllocations:
      return measure == 0 ? "bytes allocated" : "objects allocated";
    case ProfileSignal::kExceptions:
      return "exceptions";
    case ProfileSignal::kLocks:
      return measure == 0 ? "time waited" : "waits";
    case ProfileSignal::kWall:
      return "wall-clock time";
  }
  return "";
}

class DataWriter {
 public:
  DataWriter(const FlameTree& tree, const StackProfile& now, const StackProfile* baseline,
             const ByteSink& sink)
      : tree_(tree), now_(now), baseline_(baseline), out_(sink) {}

  bool Write(const ExportFacts& about, const std::vector<std::string>& facts) {
    out_.Raw("{\"title\":");
    out_.Text(about.title);
    out_.Raw(",\"creator\":");
    out_.Text(about.creator);
    out_.Raw(",\n\"facts\":");
    List(facts.size(), [&](size_t i) { out_.Text(facts[i]); });
    out_.Raw(",\n\"measures\":");
    List(now_.measures.size(), [&](size_t i) {
      out_.Raw("{\"name\":");
      out_.Text(MeasureTitle(now_.signal, i));
      out_.Raw(",\"unit\":");
      out_.Text(UnitName(now_.measures[i].unit));
      out_.Raw("}");
    });
    Totals("totals", &now_);
    Totals("baseTotals", baseline_);
    Frames();
    Nodes();
    out_.Raw("}\n");
    return out_.Finish();
  }

 private:
  void List(size_t count, const std::function<void(size_t)>& item) {
    out_.Raw("[");
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) out_.Raw(",");
      item(i);
    }
    out_.Raw("]");
  }

  void Totals(std::string_view name, const StackProfile* profile) {
    out_.Raw(",\n\"");
    out_.Raw(name);
    out_.Raw("\":");
    if (profile == nullptr) return out_.Raw("null");
    List(now_.measures.size(), [&](size_t i) { out_.Number(profile->totals[i]); });
  }

  void Frames() {
    out_.Raw(",\n\"kinds\":");
    List(kFrameKindCount + 1, [&](size_t i) {
      out_.Text(i == kFrameKindCount ? "small calls" : FrameKindName(static_cast<FrameKind>(i)));
    });
    std::unordered_map<std::string_view, uint32_t> module_index;
    std::vector<std::string_view> modules;
    std::vector<uint32_t> module_of;
    for (const FlameFrame& frame : tree_.frames) {
      const auto [place, is_new] =
          module_index.try_emplace(frame.module, static_cast<uint32_t>(modules.size()));
      if (is_new) modules.push_back(frame.module);
      module_of.push_back(place->second);
    }
    out_.Raw(",\n\"modules\":");
    List(modules.size(), [&](size_t i) { out_.Text(modules[i]); });
    out_.Raw(",\n\"frames\":{\"name\":");
    List(tree_.frames.size(), [&](size_t i) {
      out_.Text(i == 0 ? std::string_view("(smaller calls)") : tree_.frames[i].name);
    });
    out_.Raw(",\n\"module\":");
    List(tree_.frames.size(), [&](size_t i) { out_.Number(module_of[i]); });
    out_.Raw(",\n\"kind\":");
    List(tree_.frames.size(), [&](size_t i) {
      out_.Number(i == 0 ? kFrameKindCount : static_cast<size_t>(tree_.frames[i].kind));
    });
    out_.Raw("}");
  }

  void Nodes() {
    const std::vector<FlameNode>& nodes = tree_.nodes;
    out_.Raw(",\n\"nodes\":{\"parent\":");
    List(nodes.size(), [&](size_t i) { out_.Number(nodes[i].parent); });
    out_.Raw(",\n\"frame\":");
    List(nodes.size(), [&](size_t i) { out_.Number(nodes[i].frame); });
    out_.Raw(",\n\"self\":");
    List(now_.measures.size(),
         [&](size_t k) { List(nodes.size(), [&](size_t i) { out_.Number(nodes[i].self[k]); }); });
    out_.Raw(",\n\"base\":");
    if (baseline_ == nullptr) {
      out_.Raw("null");
    } else {
      List(now_.measures.size(),
           [&](size_t k) { List(nodes.size(), [&](size_t i) { out_.Number(nodes[i].base[k]); }); });
    }
    out_.Raw("}");
  }

  const FlameTree& tree_;
  const StackProfile& now_;
  const StackProfile* baseline_;
  JsonStream out_;
};

}  // namespace

bool WriteFlameData(const FlameTree& tree, const StackProfile& now, const StackProfile* baseline,
                    const ExportFacts& about, const std::vector<std::string>& facts,
                    const ByteSink& sink) {
  return DataWriter(tree, now, baseline, sink).Write(about, facts);
}

}  // namespace hindsight::analyzer
