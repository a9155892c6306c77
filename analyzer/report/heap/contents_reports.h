// `hindsight collections`, `strings` and `generations`: three views of what the heap is made of.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/heap/collections.h"
#include "analyzer/analyses/heap/generations.h"
#include "analyzer/analyses/heap/strings.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// Texts show at most `top` rows per table; JSON shows all.
std::string CollectionsText(const HeapModel& model, const CollectionReport& report, size_t top,
                            const TextStyle& style);
std::string CollectionsJson(const HeapModel& model, const CollectionReport& report);
SharedShape CollectionsShape();

std::string StringsText(const HeapModel& model, const StringReport& report, const TextStyle& style);
std::string StringsJson(const HeapModel& model, const StringReport& report);
SharedShape StringsShape();

std::string GenerationsText(const HeapModel& model, const GenerationReport& report, size_t top,
                            const TextStyle& style);
std::string GenerationsJson(const HeapModel& model, const GenerationReport& report);
SharedShape GenerationsShape();

}  // namespace hindsight::analyzer
