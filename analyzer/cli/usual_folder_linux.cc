#include <unistd.h>

#include <cstdlib>

#include "analyzer/cli/usual_folder.h"
#include "recorder/contract/control.h"

namespace hindsight::cli {

std::string UsualFolder() {
  std::string block;
  if (const char* const tmp = std::getenv("TMPDIR"); tmp != nullptr) {
    block = std::string("TMPDIR=") + tmp + '\0';
  }
  return contract::DefaultOutput(contract::TemporaryFolder(block), getuid());
}

}  // namespace hindsight::cli
