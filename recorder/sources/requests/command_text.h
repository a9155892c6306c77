// The text of a database command without what changes from one to the next: literals, parameters
// and their number, comments, blanks.
//
// Drain thread. No text makes it fail; what it does not understand it keeps as it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hindsight::recorder {

// `SELECT name FROM things WHERE id = ?`. Equal commands in a row are one, and so are equal members
// of a list. Quoted names are kept.
std::u16string NormalizeCommand(std::u16string_view text);

// What a normalized command does, in capitals: SELECT, INSERT, ... of its first statement that is
// more than a setting; empty if it begins with no word.
std::string VerbOf(std::u16string_view normalized);

// Of a text as it is.
uint64_t HashOfText(std::u16string_view text);

// `SELECT 1f2e3d4c`: the verb, and 32 bits of the hash.
std::string NameOfCommand(std::u16string_view normalized);

}  // namespace hindsight::recorder
