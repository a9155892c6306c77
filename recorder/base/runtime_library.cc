#include "recorder/base/runtime_library.h"

#include <dlfcn.h>
#include <link.h>

#include <string>
#include <string_view>

namespace hindsight::recorder {
namespace {

int FindLibrary(dl_phdr_info* info, size_t, void* out) {
  const std::string_view name = info->dlpi_name != nullptr ? info->dlpi_name : "";
  if (!name.ends_with("/libcoreclr.so")) return 0;
  *static_cast<std::string*>(out) = name;
  return 1;
}

}  // namespace

void* RuntimeSymbol(const char* name) {
  std::string path;
  dl_iterate_phdr(FindLibrary, &path);
  void* library = dlopen(path.empty() ? nullptr : path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* symbol = dlsym(library, name);
  dlclose(library);  // only decrements its count: the runtime stays
  return symbol;
}

}  // namespace hindsight::recorder
