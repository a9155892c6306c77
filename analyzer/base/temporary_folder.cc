#include <cerrno>
#include <filesystem>
#include <system_error>

#include "analyzer/base/file_error.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/private_file.h"
#include "analyzer/base/tool.h"

namespace hindsight::analyzer {

Result<TemporaryFolder> TemporaryFolder::Create(const std::string& place, const std::string& name) {
  std::string path = (PathOf(place) / PathOf(name)).string();
  if (!CreatePrivateFolderLike(path)) return CannotWrite(path, errno);
  return TemporaryFolder(path);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(PathOf(path_), ignored);
}

}  // namespace hindsight::analyzer
