// Wraps text to a given width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hindsight::analyzer {

// Columns that `text` takes: its code points. For texts without escape sequences.
size_t TextColumns(std::string_view text);

std::string PadLeft(std::string_view text, size_t columns);
std::string PadRight(std::string_view text, size_t columns);

// The words of `text` in lines of at most `columns`, all but the first indented by `indent` blanks.
std::string Wrap(std::string_view text, size_t columns, size_t indent);

}  // namespace hindsight::analyzer
