// `hindsight paths` and `hindsight dominators`: trees.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/analyses/heap/folded_dominators.h"
#include "analyzer/analyses/heap/merged_paths.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// `target`: as given by the user.
std::string PathsText(const HeapModel& model, const MergedPaths& paths, std::string_view target,
                      const TextStyle& style);
std::string PathsJson(const HeapModel& model, const MergedPaths& paths, std::string_view target);
SharedShape PathsShape();

std::string DominatorsText(const HeapModel& model, const FoldedDominators& folded,
                           const TextStyle& style);
std::string DominatorsJson(const HeapModel& model, const FoldedDominators& folded);
SharedShape DominatorsShape();

}  // namespace hindsight::analyzer
