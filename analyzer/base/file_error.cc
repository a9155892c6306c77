#include "analyzer/base/file_error.h"

#include <cstring>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {

Error CannotWrite(const std::string& file, int error) {
  return {"Cannot write " + Printable(file) + ": " + std::strerror(error) + "."};
}

Error CannotWrite(const std::string& file, const std::error_code& error) {
  return CannotWrite(file, ErrnoOf(error));
}

int ErrnoOf(const std::error_code& error) { return error.default_error_condition().value(); }

}  // namespace hindsight::analyzer
