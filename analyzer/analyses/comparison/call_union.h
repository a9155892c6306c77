// The call paths of two recordings as one tree, aligned by names.
//
// Paths are as they were on the threads' stacks: what started an async method that resumes after an
// await is inferred from other data, and may differ between recordings of the same program.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/comparison/changes.h"
#include "analyzer/analyses/comparison/nearby_calls.h"
#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/path_tree.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

class CallUnion {
 public:
  static constexpr size_t kMostCells = size_t{1} << 17;

  struct Sample {
    CallId call = 0;
    std::string_view type = {};  // of an allocation; must outlive this
    size_t slice = 0;
    PathWeight weight = {};
  };

  // Calls are compared by methods of yours: what a method of yours calls in others' code counts as
  // its own, since tiers and inlining change that from run to run. If a path has no method of
  // yours, the innermost method represents it. What the runtime does for itself at the start, or
  // depending on the machine, is left out.
  //
  // `samples` of the two recordings; beyond kMostCells, new paths are only counted in the whole.
  CallUnion(const Model& before, const std::vector<Sample>& before_samples, const Model& after,
            const std::vector<Sample>& after_samples);

  // Fills cells, rows and surroundings, which refers to this. Includes types if samples have any.
  // Rows of others' code get a `least` relative to the larger whole, if there is any code of yours.
  void Fill(SignalChanges& changes, const ComparisonRules& rules);

  // The work of the JIT, which is in no cell, because it is the warm-up of a process.
  const ChangeCell& compiling() const { return compiling_; }

  // The path of a cell, outermost first, up to `subject` if it is on the path.
  std::vector<std::string> PathTo(uint32_t cell, const std::string& subject) const;
  const std::string& TypeOf(uint32_t cell) const { return types_[cells_[cell].type]; }
  // The innermost frame.
  const std::string& PlaceOf(uint32_t cell) const {
    return frames_[nodes_[cells_[cell].node].frame].name;
  }

 private:
  struct Frame {
    std::string name;
    FrameKind kind = FrameKind::kUnknown;
    bool is_yours = false;
  };
  struct Node {
    uint32_t parent = 0;
    uint32_t frame = 0;
    uint32_t depth = 0;
  };
  struct Cell {
    uint32_t node = 0;
    uint32_t type = 0;
  };

  // Returns the node here for each node of `paths`. Fills the nodes of `nearby`.
  std::vector<uint32_t> AddPaths(const CallPaths& paths, const std::vector<uint32_t>& frame_ids,
                                 const Model& model, NearbyCalls::Paths& nearby);
  uint32_t Below(uint32_t parent, uint32_t frame);
  void AddSamples(const std::vector<Sample>& samples, const CallPaths& paths,
                  const std::vector<uint32_t>& nodes, const std::vector<uint32_t>& frame_ids,
                  Amounts ChangeCell::*amounts, NearbyCalls::Paths& nearby);
  uint32_t CellOf(uint32_t node, std::string_view type);
  // By frame, for recordings of one build: whether it is only in one of them because the other one
  // has it inlined. `totals` by frame.
  std::vector<bool> InlinedInOne(const SignalChanges& changes, const std::vector<ChangeRow>& totals,
                                 const ComparisonRules& rules) const;
  int PreferenceOf(uint32_t frame) const;
  std::vector<uint32_t> Surroundings(uint32_t subject, int reach) const;
  // What the method calls, directly or indirectly, outside of the method.
  std::vector<uint32_t> Elsewhere(uint32_t subject) const;
  // Cells of what the method calls, through `one_sided` frames only.
  std::vector<uint32_t> OneSidedCallees(uint32_t subject, const std::vector<bool>& one_sided) const;
  // Of the change in these cells: see SignalChanges::in_native.
  double InNative(const SignalChanges& changes, const std::vector<uint32_t>& cells) const;
  // By frame: whether it is a method of yours that `subject` calls.
  std::vector<bool> CalleesOf(uint32_t subject) const;

  std::vector<Frame> frames_;  // [0]: the root
  std::vector<Node> nodes_{1};
  PathTree<Node> tree_{nodes_};
  std::vector<std::string> types_{""};
  std::unordered_map<std::string, uint32_t> type_index_;
  std::vector<Cell> cells_{1};  // [0]: everything without a cell of its own
  std::unordered_map<uint64_t, uint32_t> cell_index_;
  std::vector<ChangeCell> amounts_{1};
  ChangeCell compiling_;
  std::vector<uint32_t> frame_depths_;  // indexed by frame: the smallest
  std::unordered_map<std::string, uint32_t> frame_of_;
  std::optional<NearbyCalls> nearby_;
  // What native functions do themselves: by their frames, then by cell. Only totals.
  std::map<uint32_t, std::map<uint32_t, ChangeCell>> natives_;
};

}  // namespace hindsight::analyzer
