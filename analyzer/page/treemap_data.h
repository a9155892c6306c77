// The data of the page's treemap of the heap, which drawings/treemap.js draws.
//
// {
//   "snapshot": number of it, "title": text,
//   "objects", "bytes": alive; "objectsBefore", "bytesBefore": null without an earlier heap
//   "texts": [..], referred to by number below:
//   "cells": columns, a parent before its children:
//     {"parent": [-1: none], "edge": [text or -1], "type": [text: full name], "brief": [text],
//      "objects", "retained", "bytes", "own": see TreemapCell, "repeats": [0 or 1],
//      "path": [[texts: from the root to one of its objects]], "example": [its address],
//      "objectsBefore", "retainedBefore": null without an earlier heap}
//   "leftOut": number of cells that were too small
//   "suspects": [{"cell": number or -1, "title", "confidence", "type", "count", "retained",
//     "share", "path": [texts], "advice", "command"}]
// }
#pragma once

#include "analyzer/page/treemap_cells.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

// Null: there is no heap, or nothing alive in it. `before` may be null. Bounded: cells by `limits`,
// names by PageText.
Json TreemapData(const Reports& now, const Reports* before, const TreemapLimits& limits = {});

}  // namespace hindsight::analyzer
