#include "analyzer/commands/command.h"

#include <iostream>

namespace hindsight::analyzer {

ExitCode Fail(const Error& error) {
  std::cout.flush();
  std::cerr << "hindsight: " << error.sentence << "\n";
  return error.exit_code;
}

}  // namespace hindsight::analyzer
