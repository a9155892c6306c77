// A flame graph as one HTML file that needs nothing else: no network, no server.
//
// The page (exports/flame/) and the data are apart: the page reads a JSON object out of an element
// of the document, which has no `<` in it, whatever names a recording brings.
#pragma once

#include <string>
#include <vector>

#include "analyzer/exports/byte_sink.h"
#include "analyzer/exports/export_facts.h"
#include "analyzer/exports/flame_tree.h"

namespace hindsight::analyzer {

struct FlameGraphTotals {
  size_t nodes = 0;
  uint64_t folded = 0;  // see FlameTree
  bool written = false;
};

// `facts`: short texts below the title. `baseline.profile` may be null; else it has the same
// signal.
FlameGraphTotals WriteFlameGraph(const FlameSource& now, const FlameSource& baseline,
                                 const ExportFacts& about, const std::vector<std::string>& facts,
                                 const ByteSink& sink, const FlameLimits& limits = {});

}  // namespace hindsight::analyzer
