// Paths in the syntax of the system that the recorder runs on. Pure functions: any thread.
#pragma once

#include <string_view>

namespace hindsight::contract {

bool IsAbsolutePath(std::string_view path);
// The end of a message about a path that is not absolute.
extern const char kAbsoluteFolder[];

// The name of a program's file, without its folder and without an extension that only marks it as a
// program.
std::string_view ProgramName(std::string_view path);

}  // namespace hindsight::contract
