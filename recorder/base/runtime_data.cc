#include "recorder/base/runtime_data.h"

#include <link.h>

#include <string_view>

namespace hindsight::recorder {
namespace {

struct Segments {
  std::vector<std::span<const uint32_t>> runtime;
  std::vector<std::span<const uint32_t>> program;
};

int Collect(dl_phdr_info* info, size_t, void* out) {
  auto& segments = *static_cast<Segments*>(out);
  const std::string_view name = info->dlpi_name != nullptr ? info->dlpi_name : "";
  const bool runtime = name.ends_with("/libcoreclr.so");
  if (!runtime && !name.empty()) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    const auto* begin = reinterpret_cast<const uint32_t*>(info->dlpi_addr + header.p_vaddr);
    (runtime ? segments.runtime : segments.program).emplace_back(begin, header.p_memsz / 4);
  }
  return 0;
}

}  // namespace

std::vector<std::span<const uint32_t>> RuntimeData() {
  Segments segments;
  dl_iterate_phdr(Collect, &segments);
  return segments.runtime.empty() ? segments.program : segments.runtime;
}

}  // namespace hindsight::recorder
