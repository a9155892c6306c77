// The data of a flame graph's page: a FlameTree as JSON, in the form that exports/flame/tree.js
// describes.
#pragma once

#include <string>
#include <vector>

#include "analyzer/exports/byte_sink.h"
#include "analyzer/exports/export_facts.h"
#include "analyzer/exports/flame_tree.h"

namespace hindsight::analyzer {

// `tree` was built from these profiles; `baseline` may be null. False: the sink failed.
bool WriteFlameData(const FlameTree& tree, const StackProfile& now, const StackProfile* baseline,
                    const ExportFacts& about, const std::vector<std::string>& facts,
                    const ByteSink& sink);

}  // namespace hindsight::analyzer
