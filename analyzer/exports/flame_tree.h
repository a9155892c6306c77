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
  uint32_t parent = 0;  // always smaller than the node's own number
  uint32_t frame = 0;   // 0: the rest, which are calls too small to be shown individually
  std::array<uint64_t, 2> self{};  // parallel to StackProfile::measures
  std::array<uint64_t, 2> base{};  // of the baseline
};

struct FlameTree {
  std::vector<FlameFrame> frames{1};  // [0] is the frame of the rest
  std::vector<FlameNode> nodes{1};    // [0] is the root
  uint64_t folded = 0;                // nodes that were added to the rest of their callers
};

struct FlameLimits {
  size_t nodes = 60'000;
  size_t name_bytes = 2u << 20;  // for all frames together
};
inline constexpr size_t kMaxFlameName = 600;  // bytes; longer ones are shortened in the middle

struct FlameSource {
  const Model* model = nullptr;
  const StackProfile* profile = nullptr;  // with methods, not call sites
};

// `baseline.profile` may be null. Frames of both are matched by name, module and kind. Nodes are
// added by decreasing share of their recording (the larger of the two) until a limit is reached;
// the others are added to the rest of their caller, so that all sums stay the same.
FlameTree BuildFlameTree(const FlameSource& now, const FlameSource& baseline,
                         const FlameLimits& limits = {});

}  // namespace hindsight::analyzer
