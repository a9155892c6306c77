// A flame graph as one HTML file that needs nothing else: no network, no server.
//
// The page (exports/flame/) and the data are separate: the page reads a JSON object from an element
// of the document, which contains no `<`, whatever names a recording has.
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

// `facts`: short texts below the title. `baseline.profile` may be null; otherwise it has the same
// signal.
FlameGraphTotals WriteFlameGraph(const FlameSource& now, const FlameSource& baseline,
                                 const ExportFacts& about, const std::vector<std::string>& facts,
                                 const ByteSink& sink, const FlameLimits& limits = {});

}  // namespace hindsight::analyzer
