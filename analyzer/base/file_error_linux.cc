#include <cerrno>

#include "analyzer/base/file_error.h"

namespace hindsight::analyzer {

const char kSuperuser[] = "root";

bool IsForLackOfRoom(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

}  // namespace hindsight::analyzer
