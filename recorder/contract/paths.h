// How paths are written where the recorder runs. Pure functions: any thread.
#pragma once

#include <string_view>

namespace hindsight::contract {

bool IsAbsolutePath(std::string_view path);
// What is said of one that is not.
extern const char kAbsoluteFolder[];

// The name of a program's file, without its folder and without what only marks it as a program.
std::string_view ProgramName(std::string_view path);

}  // namespace hindsight::contract
