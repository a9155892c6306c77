// The folded dominator tree as cells to be drawn: the largest ones, nested, with areas that add up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

struct TreemapCell {
  static constexpr uint32_t kTop = UINT32_MAX;

  uint32_t parent = kTop;  // precedes it
  std::string edge;        // static Shop.Cache._items; only for cells without a parent
  TypeId type = 0;
  bool repeats = false;   // objects repeatedly contain their own type: all are here
  uint64_t objects = 0;   // of the type, here
  uint64_t retained = 0;  // by these, as counted by FoldDominators
  // The area: shallow bytes of the objects here and in everything below, each counted once. Like
  // `retained`, except for what is between repeated objects.
  uint64_t bytes = 0;
  uint64_t own = 0;  // part of `bytes`: the objects here
  ObjectId example = kNoObject;
  // What the cell with the same names, from the root on, had in the other heap. 0: it was not
  // there.
  uint64_t objects_before = 0, retained_before = 0;
};

struct Treemap {
  uint64_t objects = 0, bytes = 0;  // alive
  uint64_t objects_before = 0, bytes_before = 0;
  std::vector<TreemapCell> cells;  // largest first
  size_t left_out = 0;  // cells that are too small: their bytes are included in their parents'
  // Parallel to LeakReport::suspects: the innermost cell that contains the suspect's accumulation;
  // kTop: none.
  std::vector<uint32_t> suspects;
};

struct TreemapLimits {
  size_t cells = 2000;
};

// `before`: an earlier snapshot or another run; may be null.
Treemap MakeTreemap(const HeapReports& heap, const HeapReports* before,
                    const TreemapLimits& limits = {});

}  // namespace hindsight::analyzer
