// Opens and makes files and folders by name in an open folder: never through a link, and never by a
// path that somebody could change on the way. On Windows only.
#pragma once

#include <cstdint>
#include <string>

#include "recorder/base/descriptor.h"

namespace hindsight::recorder {

// As the kernel has them (NtCreateFile).
struct OpenRequest {
  uint32_t access = 0;
  uint32_t share = 0;
  uint32_t disposition = 0;  // FILE_OPEN, FILE_CREATE
  uint32_t options = 0;
  void* security = nullptr;  // of what is made
  bool follow = false;       // what a link leads to, instead of the link
};

// None, and errno. `folder` -1: `name` is a path of the kernel's (\??\C:\). What is a link is
// opened itself.
Descriptor OpenIn(int folder, const std::string& name, const OpenRequest& request);

// Whether it is a link, or anything else that leads elsewhere.
bool LeadsElsewhere(int file);

}  // namespace hindsight::recorder
