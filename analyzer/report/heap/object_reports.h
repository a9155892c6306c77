// `hindsight retained` and `hindsight object`: individual objects.
#pragma once

#include <string>

#include "analyzer/analyses/heap/largest.h"
#include "analyzer/analyses/heap/object_details.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

std::string RetainedText(const HeapModel& model, const LargestObjects& largest,
                         const TextStyle& style);
std::string RetainedJson(const HeapModel& model, const LargestObjects& largest);
SharedShape RetainedShape();

std::string ObjectText(const HeapModel& model, const Dominators& dominators,
                       const ObjectDetails& details, const TextStyle& style);
std::string ObjectJson(const HeapModel& model, const Dominators& dominators,
                       const ObjectDetails& details);
SharedShape SingleObjectShape();

}  // namespace hindsight::analyzer
