// Opens and creates files and folders by name in an open folder: never through a link, and never by
// a path that could be changed in the meantime. Windows only.
#pragma once

#include <cstdint>
#include <string>

#include "recorder/base/descriptor.h"

namespace hindsight::recorder {

// The parameters of NtCreateFile.
struct OpenRequest {
  uint32_t access = 0;
  uint32_t share = 0;
  uint32_t disposition = 0;  // FILE_OPEN, FILE_CREATE
  uint32_t options = 0;
  void* security = nullptr;  // for what is created
  bool follow = false;       // open a link's target instead of the link
};

// On failure, none and an errno. With `folder` -1, `name` is an NT path (\??\C:\). A link itself is
// opened, unless `follow` is set.
Descriptor OpenIn(int folder, const std::string& name, const OpenRequest& request);

// Whether it is a link, or anything else that redirects elsewhere.
bool LeadsElsewhere(int file);

}  // namespace hindsight::recorder
