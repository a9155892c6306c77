// What the page of a flame graph reads: a FlameTree as JSON. exports/flame/tree.js has its form.
#pragma once

#include <string>
#include <vector>

#include "analyzer/exports/byte_sink.h"
#include "analyzer/exports/export_facts.h"
#include "analyzer/exports/flame_tree.h"

namespace hindsight::analyzer {

// `tree` is of these profiles; `baseline` may be null. False: the sink has failed.
bool WriteFlameData(const FlameTree& tree, const StackProfile& now, const StackProfile* baseline,
                    const ExportFacts& about, const std::vector<std::string>& facts,
                    const ByteSink& sink);

}  // namespace hindsight::analyzer
