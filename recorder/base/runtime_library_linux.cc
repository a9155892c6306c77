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

struct Segments {
  std::vector<std::span<const uint32_t>> runtime;
  std::vector<std::span<const uint32_t>> program;
};

int CollectWritable(dl_phdr_info* info, size_t, void* out) {
  auto& segments = *static_cast<Segments*>(out);
  const bool runtime = IsRuntime(*info);
  if (!runtime && !NameOf(*info).empty()) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    const auto* begin = reinterpret_cast<const uint32_t*>(info->dlpi_addr + header.p_vaddr);
    (runtime ? segments.runtime : segments.program).emplace_back(begin, header.p_memsz / 4);
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

std::vector<std::span<const uint32_t>> RuntimeData() {
  Segments segments;
  dl_iterate_phdr(CollectWritable, &segments);
  return segments.runtime.empty() ? segments.program : segments.runtime;
}

}  // namespace hindsight::recorder
