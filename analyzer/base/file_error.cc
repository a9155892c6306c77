#include "analyzer/base/file_error.h"

#include <cstring>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {

Error CannotWrite(const std::string& file, int error) {
  return {"Cannot write " + Printable(file) + ": " + std::strerror(error) + "."};
}

}  // namespace hindsight::analyzer
