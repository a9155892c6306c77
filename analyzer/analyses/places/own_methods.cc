#include "analyzer/analyses/places/own_methods.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

namespace hindsight::analyzer {
namespace {

class OwnCodeBuilder {
 public:
  OwnCodeBuilder(const CallPaths& paths, Places& places, const OwnCodeRules& rules)
      : paths_(paths),
        rules_(rules),
        owners_(OwnersOf(paths, places)),
        method_of_(paths.frames.size()) {}

  OwnCode Build() {
    FindMethods();
    AddSelves();
    AddTotals();
    for (OwnMethod& method : methods_) {
      const auto index = static_cast<uint32_t>(&method - methods_.data());
      const double most = std::max(passed_[index].amount, most_called_[index]);
      method.passes_on = method.self.amount < rules_.own_part * method.total.amount &&
                         most >= rules_.passed_part * method.total.amount;
    }
    std::erase_if(methods_, [](const OwnMethod& method) { return method.total.samples == 0; });
    std::stable_sort(methods_.begin(), methods_.end(),
                     [](const auto& a, const auto& b) { return a.total.amount > b.total.amount; });
    return {inside_, std::move(methods_), std::move(owners_)};
  }

 private:
  // Index into methods_ of the method that owns the node; UINT32_MAX: none.
  uint32_t OwnerOf(uint32_t node) const {
    const uint32_t owner = owners_[node];
    return owner == 0 ? UINT32_MAX : method_of_[paths_.nodes[owner].frame];
  }

  void FindMethods() {
    std::unordered_map<std::string_view, uint32_t> by_name;
    std::fill(method_of_.begin(), method_of_.end(), UINT32_MAX);
    for (uint32_t i = 1; i < paths_.nodes.size(); ++i) {
      if (owners_[i] != i) continue;
      const FrameId frame = paths_.nodes[i].frame;
      const auto [at, is_new] =
          by_name.try_emplace(paths_.frames[frame].name, static_cast<uint32_t>(methods_.size()));
      if (is_new) methods_.emplace_back().frame = frame;
      method_of_[frame] = at->second;
    }
    passed_.resize(methods_.size());
    most_called_.resize(methods_.size());
  }

  void AddSelves() {
    std::unordered_map<uint64_t, double> called;
    for (uint32_t i = 1; i < paths_.nodes.size(); ++i) {
      const PathNode& node = paths_.nodes[i];
      const uint32_t method = OwnerOf(i);
      const uint32_t caller = OwnerOf(node.parent);
      if (method != UINT32_MAX) {
        methods_[method].self += node.self;
        inside_ += node.self;
      } else if (caller != UINT32_MAX) {
        passed_[caller] += node.total;  // a pipeline begins
      }
      if (owners_[i] != i || caller == UINT32_MAX || caller == method) continue;
      double& amount = called[uint64_t{caller} << 32 | method];
      amount += node.total.amount;
      most_called_[caller] = std::max(most_called_[caller], amount);
    }
  }

  // Each sample counts once per method, however often the method is on its path.
  void AddTotals() {
    const PathChildren children(paths_);
    std::vector<uint32_t> on_path(methods_.size());
    struct Open {
      uint32_t node;
      size_t next;  // the child to visit next
    };
    std::vector<Open> open = {{0, 0}};
    uint32_t depth = 0;  // nodes of yours among `open`
    const auto own = [this](uint32_t node) { return node != 0 && owners_[node] == node; };
    while (!open.empty()) {
      Open& top = open.back();
      const std::span<const uint32_t> below = children.Of(top.node);
      if (top.next == below.size()) {
        if (own(top.node)) {
          --on_path[OwnerOf(top.node)];
          --depth;
        }
        open.pop_back();
        continue;
      }
      const uint32_t child = below[top.next++];
      if (own(child)) {
        OwnMethod& method = methods_[OwnerOf(child)];
        if (on_path[OwnerOf(child)]++ == 0) method.total += paths_.nodes[child].total;
        if (depth++ == 0) method.begins += paths_.nodes[child].total;
        method.depth = std::max(method.depth, depth);
      }
      open.push_back({child, 0});
    }
  }

  const CallPaths& paths_;
  const OwnCodeRules& rules_;
  std::vector<uint32_t> owners_;
  std::vector<uint32_t> method_of_;  // indexed by frame
  std::vector<OwnMethod> methods_;
  std::vector<PathWeight> passed_;   // indexed by method: down a pipeline
  std::vector<double> most_called_;  // indexed by method: in the one that it calls most
  PathWeight inside_;
};

// Nodes of code generated at run time that calls a method of yours: what a server compiles for each
// route and middleware in order to call it. Other generated code, such as a regular expression or a
// query, does its caller's work.
std::vector<bool> DispatchesOf(const CallPaths& paths, Places& places) {
  std::vector<bool> dispatches(paths.nodes.size());
  for (const PathNode& node : paths.nodes) {
    const MethodId method = paths.frames[node.frame].method;
    const MethodId caller = paths.frames[paths.nodes[node.parent].frame].method;
    if (method != 0 && caller != 0 && places.kinds().IsYours(method) && places.IsDynamic(caller)) {
      dispatches[node.parent] = true;
    }
  }
  return dispatches;
}

}  // namespace

std::vector<uint32_t> OwnersOf(const CallPaths& paths, Places& places) {
  std::vector<uint32_t> owners(paths.nodes.size());
  const std::vector<bool> dispatches = DispatchesOf(paths, places);
  for (uint32_t i = 1; i < paths.nodes.size(); ++i) {
    const PathFrame& frame = paths.frames[paths.nodes[i].frame];
    const uint32_t above = owners[paths.nodes[i].parent];
    const bool is_method = frame.kind == PathFrame::Kind::kMethod && frame.method != 0;
    if (is_method && places.kinds().IsYours(frame.method)) {
      owners[i] = i;
    } else if (frame.name == kCompilingFrame) {
      owners[i] = 0;  // it is done for whoever happens to be there
    } else if (above != 0 && is_method && (dispatches[i] || places.IsPipeline(frame.method))) {
      owners[i] = 0;
    } else {
      owners[i] = above;
    }
  }
  return owners;
}

OwnCode OwnCodeOf(const CallPaths& paths, Places& places, const OwnCodeRules& rules) {
  return OwnCodeBuilder(paths, places, rules).Build();
}

OthersMethod DeepestCallee(const CallPaths& paths, const OwnCode& code, FrameId own,
                           double amount) {
  struct Sum {
    PathWeight total;
    uint32_t depth = 0;      // the most
    uint32_t last_leaf = 0;  // the last one added: a frame counts once per path
  };
  std::map<FrameId, Sum> sums;
  for (uint32_t leaf = 1; leaf < paths.nodes.size(); ++leaf) {
    const uint32_t owner = code.owners[leaf];
    if (owner == 0 || paths.nodes[owner].frame != own) continue;
    uint32_t depth = 0;
    for (uint32_t node = leaf; node != owner; node = paths.nodes[node].parent) ++depth;
    for (uint32_t node = leaf; node != owner; node = paths.nodes[node].parent, --depth) {
      const FrameId frame = paths.nodes[node].frame;
      if (paths.frames[frame].kind != PathFrame::Kind::kMethod) continue;
      Sum& sum = sums[frame];
      sum.depth = std::max(sum.depth, depth);
      if (sum.last_leaf != leaf) sum.total += paths.nodes[leaf].self;
      sum.last_leaf = leaf;
    }
  }
  OthersMethod deepest;
  uint32_t depth = 0;
  for (const auto& [frame, sum] : sums) {
    if (sum.total.amount < amount || sum.depth <= depth) continue;
    depth = sum.depth;
    deepest = {frame, sum.total};
  }
  return deepest;
}

}  // namespace hindsight::analyzer
