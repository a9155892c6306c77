#include "analyzer/cli/arguments.h"

namespace hindsight::cli {

std::vector<std::string> Arguments(int argc, char** argv) {
  return {argv + (argc > 0 ? 1 : 0), argv + argc};
}

}  // namespace hindsight::cli
