// The words of the command line.
#pragma once

#include <string>
#include <vector>

namespace hindsight::cli {

// Without the program, in UTF-8.
std::vector<std::string> Arguments(int argc, char** argv);

}  // namespace hindsight::cli
