// Reduces the text of a database command to what executions have in common: without literals,
// parameters and their number, comments and blanks.
//
// Drain thread. Never fails; what it does not understand is kept unchanged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hindsight::recorder {

// `SELECT name FROM things WHERE id = ?`. Equal commands in a row are merged into one, and so are
// equal members of a list. Quoted names are kept.
std::u16string NormalizeCommand(std::u16string_view text);

// The verb of a normalized command, in capitals: SELECT, INSERT, ... of its first statement that
// does more than change a setting; empty if it does not begin with a word.
std::string VerbOf(std::u16string_view normalized);

// The hash of a text, without normalizing it.
uint64_t HashOfText(std::u16string_view text);

// `SELECT 1f2e3d4c`: the verb, and 32 bits of the hash.
std::string NameOfCommand(std::u16string_view normalized);

}  // namespace hindsight::recorder
