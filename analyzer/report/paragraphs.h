// The building blocks of text reports: sentences, numbered findings, sections.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "analyzer/model/model.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// Append... functions append to `out`.

// The lines of `text`, indented by four; colors end at the end of each line.
void AppendSentence(std::string& out, const TextStyle& style, Tone tone, std::string_view text);

// A blank line, then "#1  title" with `right` at the right margin; `title` is shortened to make
// room.
void AppendFindingTitle(std::string& out, const TextStyle& style, size_t rank,
                        std::string_view title, std::string_view right, Tone tone);

// A blank line, the title, a blank line.
void AppendSection(std::string& out, const TextStyle& style, std::string_view title);

// LossSentences as notes, after a blank line; nothing if nothing was lost.
void AppendLosses(std::string& out, const TextStyle& style, const Model& model);

// A bar of `share` (0..1; more counts as 1) of `columns`, in eighths of a column; a share above
// zero is always visible.
std::string Bar(const TextStyle& style, double share, size_t columns);

// The number of rows to show out of `rows`; a `top` of 0 means all.
size_t ShownRows(size_t rows, size_t top);
// "  and 3 more places", if some were left out.
void AppendMore(std::string& out, size_t rows, size_t shown, std::string_view noun);

}  // namespace hindsight::analyzer
