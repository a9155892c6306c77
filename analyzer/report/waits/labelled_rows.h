// Rows of `label  value` below a finding's heading, and stacks in them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/method_names.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// The width of a row's value.
size_t RowWidth(const TextStyle& style);

// Appends one line; an empty label continues the previous one. `value` is plain text, and is
// shortened.
void AppendRow(std::string& out, const TextStyle& style, std::string_view label,
               std::string_view value);

// One method per line, innermost first; if there are more than `frames` (0: no limit), the
// innermost ones, the innermost of yours, and the root.
void AppendStack(std::string& out, const TextStyle& style, std::string_view label,
                 const MethodNames& names, FrameKinds& kinds, std::span<const MethodId> path,
                 size_t frames);

}  // namespace hindsight::analyzer
