// File errors of the system, as sentences.
#pragma once

#include <string>
#include <system_error>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// `error`: of errno.
Error CannotWrite(const std::string& file, int error);
Error CannotWrite(const std::string& file, const std::error_code& error);

// As errno has it: where the system counts its errors otherwise, the library's codes do, too.
int ErrnoOf(const std::error_code& error);
// The disk is full, or what one user may have of it.
bool IsForLackOfRoom(int error);

// Who may read what others keep to themselves.
extern const char kSuperuser[];

}  // namespace hindsight::analyzer
