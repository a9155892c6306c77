#include "analyzer/exports/flame_tree.h"

#include <algorithm>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyzer/analyses/code_kinds.h"
#include "analyzer/analyses/path_tree.h"
#include "analyzer/base/file_name.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

std::string ClippedName(std::string_view name) {
  if (name.size() <= kMaxFlameName) return PrintableLines(name);
  const size_t half = kMaxFlameName / 2;
  return PrintableLines(name.substr(0, half)) + " … " +
         PrintableLines(name.substr(name.size() - half));
}

class Builder {
 public:
  void Add(const FlameSource& source, bool is_base) {
    const StackProfile& profile = *source.profile;
    std::vector<uint32_t> frames(profile.frames.size());
    for (size_t i = 1; i < frames.size(); ++i) {
      frames[i] = FrameOf(*source.model, profile.frames[i]);
    }
    std::vector<uint32_t> nodes(profile.nodes.size());
    for (size_t i = 1; i < nodes.size(); ++i) {
      nodes[i] = tree_.Child(nodes[profile.nodes[i].parent], frames[profile.nodes[i].frame]);
    }
    for (const ProfileRow& row : profile.rows) {
      FlameNode& node = whole_.nodes[nodes[row.node]];
      for (size_t k = 0; k < 2; ++k) (is_base ? node.base : node.self)[k] += row.values[k];
    }
  }

  FlameTree Prune(const FlameLimits& limits) {
    AddUp();
    // By node: its last child, and its next older sibling; 0: none.
    std::vector<uint32_t> last_child(whole_.nodes.size()), sibling(whole_.nodes.size());
    for (uint32_t i = 1; i < whole_.nodes.size(); ++i) {
      sibling[i] = std::exchange(last_child[whole_.nodes[i].parent], i);
    }
    FlameTree kept;
    std::vector<uint32_t> frames(whole_.frames.size());
    size_t name_bytes = 0;

    struct Open {
      double share;
      uint32_t node, parent;  // in the whole tree; among those kept
      bool operator<(const Open& other) const {
        return share != other.share ? share < other.share : node > other.node;
      }
    };
    std::priority_queue<Open> open;
    const auto expand = [&](uint32_t node, uint32_t place) {
      for (uint32_t child = last_child[node]; child != 0; child = sibling[child]) {
        const double share = Share(child);
        if (share > 0) open.push({share, child, place});
      }
    };
    kept.nodes[0].self = whole_.nodes[0].self;
    kept.nodes[0].base = whole_.nodes[0].base;
    expand(0, 0);
    // Each kept node adds at most one for the rest of its calls.
    while (!open.empty() && kept.nodes.size() < limits.nodes) {
      const Open next = open.top();
      const FlameNode& node = whole_.nodes[next.node];
      const FlameFrame& frame = whole_.frames[node.frame];
      if (frames[node.frame] == 0) {
        name_bytes += frame.name.size() + frame.module.size();
        if (name_bytes > limits.name_bytes) break;
        frames[node.frame] = static_cast<uint32_t>(kept.frames.size());
        kept.frames.push_back(frame);
      }
      open.pop();
      const auto place = static_cast<uint32_t>(kept.nodes.size());
      kept.nodes.push_back({next.parent, frames[node.frame], node.self, node.base});
      expand(next.node, place);
    }
    FoldRest(open, kept);
    return kept;
  }

 private:
  struct Sums {
    std::array<uint64_t, 2> self{}, base{};
  };

  template <typename Queue>
  void FoldRest(Queue& open, FlameTree& kept) {
    std::unordered_map<uint32_t, uint32_t> rests;  // keyed by the caller's place
    for (; !open.empty(); open.pop()) {
      const auto& next = open.top();
      const auto [rest, is_new] =
          rests.try_emplace(next.parent, static_cast<uint32_t>(kept.nodes.size()));
      if (is_new) kept.nodes.push_back({next.parent, 0, {}, {}});
      FlameNode& node = kept.nodes[rest->second];
      for (size_t k = 0; k < 2; ++k) {
        node.self[k] += totals_[next.node].self[k];
        node.base[k] += totals_[next.node].base[k];
      }
      ++kept.folded;
    }
  }

  uint32_t FrameOf(const Model& model, const ProfileFrame& frame) {
    const Dictionaries& dictionaries = model.dictionaries;
    const Module& module = dictionaries.module(dictionaries.method(frame.method).module);
    const std::string_view assembly = dictionaries.String(module.assembly);
    const std::string_view module_name =
        assembly.empty() ? FileName(dictionaries.String(module.path)) : assembly;
    FlameFrame made{ClippedName(frame.name), ClippedName(module_name), frame.kind};
    std::string key =
        made.name + '\n' + made.module + '\n' + std::to_string(static_cast<int>(made.kind));
    const auto [place, is_new] =
        frames_.try_emplace(std::move(key), static_cast<uint32_t>(whole_.frames.size()));
    if (is_new) whole_.frames.push_back(std::move(made));
    return place->second;
  }

  void AddUp() {
    totals_.resize(whole_.nodes.size());
    for (size_t i = whole_.nodes.size(); i-- > 0;) {
      const FlameNode& node = whole_.nodes[i];
      for (size_t k = 0; k < 2; ++k) {
        totals_[i].self[k] += node.self[k];
        totals_[i].base[k] += node.base[k];
        if (i == 0) continue;
        totals_[node.parent].self[k] += totals_[i].self[k];
        totals_[node.parent].base[k] += totals_[i].base[k];
      }
    }
  }

  // The node's share of its recording, for the measure in which it is largest.
  double Share(uint32_t node) const {
    double most = 0;
    const auto consider = [&most](uint64_t part, uint64_t whole) {
      if (whole > 0) most = std::max(most, static_cast<double>(part) / static_cast<double>(whole));
    };
    for (size_t k = 0; k < 2; ++k) {
      consider(totals_[node].self[k], totals_[0].self[k]);
      consider(totals_[node].base[k], totals_[0].base[k]);
    }
    return most;
  }

  FlameTree whole_;
  std::vector<Sums> totals_;
  std::unordered_map<std::string, uint32_t> frames_;
  PathTree<FlameNode> tree_{whole_.nodes};
};

}  // namespace

FlameTree BuildFlameTree(const FlameSource& now, const FlameSource& baseline,
                         const FlameLimits& limits) {
  Builder builder;
  builder.Add(now, false);
  if (baseline.profile != nullptr) builder.Add(baseline, true);
  return builder.Prune(limits);
}

}  // namespace hindsight::analyzer
