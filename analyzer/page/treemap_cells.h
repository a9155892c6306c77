// The folded dominator tree as cells to be drawn: the largest of them, nested, with areas that add
// up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

struct TreemapCell {
  static constexpr uint32_t kTop = UINT32_MAX;

  uint32_t parent = kTop;  // stands before it
  std::string edge;        // static Shop.Cache._items; of cells without parent only
  TypeId type = 0;
  bool repeats = false;   // objects hold their like again and again: all of them are here
  uint64_t objects = 0;   // of the type, here
  uint64_t retained = 0;  // by these, as FoldDominators counts
  // The area: shallow bytes of the objects here and in all that is below, each counted once. As
  // `retained`, but for what lies between objects that repeat.
  uint64_t bytes = 0;
  uint64_t own = 0;  // of `bytes`, that of the objects here
  ObjectId example = kNoObject;
  // What the cell of the same names, from the root on, had in the other heap. 0: it was not there.
  uint64_t objects_before = 0, retained_before = 0;
};

struct Treemap {
  uint64_t objects = 0, bytes = 0;  // alive
  uint64_t objects_before = 0, bytes_before = 0;
  std::vector<TreemapCell> cells;  // the largest first
  size_t left_out = 0;             // cells that are too small: their bytes are in their parents'
  // Beside LeakReport::suspects: the innermost cell that has the suspect's accumulation; kTop: none
  // has.
  std::vector<uint32_t> suspects;
};

struct TreemapLimits {
  size_t cells = 2000;
};

// `before`: an earlier snapshot or another run; may be null.
Treemap MakeTreemap(const HeapReports& heap, const HeapReports* before,
                    const TreemapLimits& limits = {});

}  // namespace hindsight::analyzer
