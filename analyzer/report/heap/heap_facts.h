// What a recording says of a snapshot as a whole, in a line, in words and in JSON.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/model/heap_types.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

// As JSON has them.
std::string_view TriggerKey(HeapFacts::Trigger trigger);
std::string_view MethodKey(HeapFacts::Method method);
std::string_view RootsKey(HeapFacts::RootsMethod method);
std::string_view ResultKey(HeapFacts::Result result);

// Behind "the snapshot": "was stopped at its time limit".
std::string_view ResultClause(HeapFacts::Result result);

// 10,000,000 objects, 712 MiB, pause 18 ms (fork), complete
std::string HeapFactsLine(const HeapFacts& facts);

// {"snapshot", "unix_ns", "trigger", "method", "roots", "result", "result_reason", "certified",
//  "pause", "lost_segments", ...}
Json JsonHeapFacts(const HeapFacts& facts);

}  // namespace hindsight::analyzer
