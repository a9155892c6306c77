#include <cerrno>

#include "analyzer/base/file_error.h"

namespace hindsight::analyzer {

const char kSuperuser[] = "an administrator";

bool IsForLackOfRoom(int error) { return error == ENOSPC || error == EFBIG; }

}  // namespace hindsight::analyzer
