// The system's file errors, as sentences.
#pragma once

#include <string>
#include <system_error>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// `error`: an errno.
Error CannotWrite(const std::string& file, int error);
Error CannotWrite(const std::string& file, const std::error_code& error);

// As errno; where the system's error numbers differ, so do the library's codes.
int ErrnoOf(const std::error_code& error);
// The disk is full, or the user's quota is.
bool IsForLackOfRoom(int error);

// The user who may read everyone's files.
extern const char kSuperuser[];

}  // namespace hindsight::analyzer
