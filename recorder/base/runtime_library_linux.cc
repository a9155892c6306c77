#include "recorder/base/runtime_library.h"

#include <dlfcn.h>
#include <link.h>

#include <string>
#include <string_view>

namespace hindsight::recorder {
namespace {

std::string_view NameOf(const dl_phdr_info& info) {
  return info.dlpi_name != nullptr ? info.dlpi_name : "";
}

bool IsRuntime(const dl_phdr_info& info) { return NameOf(info).ends_with("/libcoreclr.so"); }

int FindLibrary(dl_phdr_info* info, size_t, void* out) {
  if (!IsRuntime(*info)) return 0;
  *static_cast<std::string*>(out) = NameOf(*info);
  return 1;
}

struct Images {
  std::vector<RuntimeSegment> runtime;
  std::vector<RuntimeSegment> program;
};

int CollectSegments(dl_phdr_info* info, size_t, void* out) {
  auto& images = *static_cast<Images*>(out);
  const bool runtime = IsRuntime(*info);
  if (!runtime && !NameOf(*info).empty()) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const auto* begin = reinterpret_cast<const uint8_t*>(info->dlpi_addr + header.p_vaddr);
    (runtime ? images.runtime : images.program)
        .push_back(
            {begin, header.p_memsz, (header.p_flags & PF_W) != 0, (header.p_flags & PF_X) != 0});
  }
  return 0;
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

// Ensured by the linker (-z nodelete).
void StayMapped() {}

std::vector<RuntimeSegment> RuntimeSegments() {
  Images images;
  dl_iterate_phdr(CollectSegments, &images);
  return images.runtime.empty() ? images.program : images.runtime;
}

}  // namespace hindsight::recorder
