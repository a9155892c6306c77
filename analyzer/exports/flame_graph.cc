#include "analyzer/exports/flame_graph.h"

#include <string_view>

#include "analyzer/exports/flame_data.h"
#include "analyzer/exports/flame_page.h"
#include "analyzer/exports/html_document.h"

namespace hindsight::analyzer {

FlameGraphTotals WriteFlameGraph(const FlameSource& now, const FlameSource& baseline,
                                 const ExportFacts& about, const std::vector<std::string>& facts,
                                 const ByteSink& sink, const FlameLimits& limits) {
  const FlameTree tree = BuildFlameTree(now, baseline, limits);
  FlameGraphTotals totals{tree.nodes.size(), tree.folded, false};
  const ByteSink data = [&sink](std::string_view bytes) { return WriteWithoutTags(bytes, sink); };
  HtmlDocument document(kFlamePage, sink);
  totals.written = document.UpTo("{{style}}") && sink(kFlameStyle) && document.UpTo("{{data}}") &&
                   WriteFlameData(tree, *now.profile, baseline.profile, about, facts, data) &&
                   document.UpTo("{{script}}") && sink(kFlameScript) && document.Finish();
  return totals;
}

}  // namespace hindsight::analyzer
