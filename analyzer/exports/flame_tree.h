// One or two profiles as a call tree small enough to display: the data of a flame graph.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/stack_profile.h"

namespace hindsight::analyzer {

struct FlameFrame {
  std::string name;
  std::string module;  // simple name of the assembly, file name of a library; may be empty
  FrameKind kind = FrameKind::kUnknown;
};

struct FlameNode {
  uint32_t parent = 0;             // always smaller than the node's own number
  uint32_t frame = 0;              // 0: the rest, calls too small to be shown one by one
  std::array<uint64_t, 2> self{};  // by StackProfile::measures
  std::array<uint64_t, 2> base{};  // of the baseline
};

struct FlameTree {
  std::vector<FlameFrame> frames{1};  // [0] is that of the rest
  std::vector<FlameNode> nodes{1};    // [0] is the root
  uint64_t folded = 0;                // nodes that are in the rest of their callers
};

struct FlameLimits {
  size_t nodes = 60'000;
  size_t name_bytes = 2u << 20;  // of all frames together
};
inline constexpr size_t kMaxFlameName = 600;  // bytes; longer ones lose their middle

struct FlameSource {
  const Model* model = nullptr;
  const StackProfile* profile = nullptr;  // of methods, not call sites
};

// `baseline.profile` may be null. Frames of the two are the same by name, module and kind. Nodes
// come by falling share of their recording (the larger of the two) until the limits are reached;
// those left out are added to the rest of their caller, so that all sums stay what they are.
FlameTree BuildFlameTree(const FlameSource& now, const FlameSource& baseline,
                         const FlameLimits& limits = {});

}  // namespace hindsight::analyzer
