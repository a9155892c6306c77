#include "recorder/names/native_names.h"

#include <windows.h>

#include <algorithm>
#include <array>
#include <vector>

#include "recorder/base/own_memory.h"
#include "recorder/base/wide_text_windows.h"
#include "recorder/names/mapped_image.h"

namespace hindsight::recorder {
namespace {

// Assemblies are images, too, with managed code if they were compiled ahead. Where several were
// compiled into one, that has no directory which shows it, but exports the header of such code.
bool IsNative(const MappedImage& image) {
  return image.Find(MappedImage::DirectoryIndex::kClr).rva == 0 &&
         image.FindExport(0, UINT32_MAX).name != "RTR_HEADER";
}

std::vector<uint8_t> IdentityOf(const MappedImage& image) {
  const std::array<uint32_t, 2> identity = image.identity();
  const auto* const bytes = reinterpret_cast<const uint8_t*>(identity.data());
  return {bytes, bytes + sizeof identity};
}

NativeModule ModuleOf(const MappedImage& image) {
  std::array<wchar_t, 4096> path;
  const DWORD units = GetModuleFileNameW(reinterpret_cast<HMODULE>(image.base()), path.data(),
                                         static_cast<DWORD>(path.size() - 1));
  path[units] = L'\0';
  NativeModule module;
  module.path = Utf8(path.data());
  module.base = image.base();
  module.headers = IdentityOf(image);
  if (!IsNative(image)) return module;
  module.start = image.base();
  module.end = image.base() + image.bytes();
  return module;
}

// Where the library at the address begins; 0: there is none.
uintptr_t BaseOf(uintptr_t address) {
  MEMORY_BASIC_INFORMATION region;
  const bool is_image =
      VirtualQuery(reinterpret_cast<void*>(address), &region, sizeof region) != 0 &&
      region.Type == MEM_IMAGE;
  return is_image ? reinterpret_cast<uintptr_t>(region.AllocationBase) : 0;
}

}  // namespace

size_t NativeNames::Find(uintptr_t base) const {
  const auto is_there = [&](const NativeModule& module) { return module.base == base; };
  return static_cast<size_t>(std::ranges::find_if(modules_, is_there) - modules_.begin());
}

// Asked once for each address that is new to a recording, so little of it is kept.
bool NativeNames::Describe(uintptr_t address, NativeFunction& out) {
  out = {};
  const ReadMemory read = ReadOwn;
  MappedImage image(read, BaseOf(address));
  if (image.base() == 0 || !image.Open()) return false;
  out.module = Find(image.base());
  if (out.module != modules_.size() && modules_[out.module].headers != IdentityOf(image)) {
    modules_[out.module].base = 0;  // it was unloaded; its index remains
    ++changes_;
    out.module = modules_.size();
  }
  if (out.module == kMaxModules) {
    modules_.clear();
    ++changes_;
    out.module = 0;
  }
  if (out.module == modules_.size()) modules_.push_back(ModuleOf(image));
  const NativeModule& module = modules_[out.module];
  if (module.end == 0) return false;
  const auto rva = static_cast<uint32_t>(address - module.base);
  MappedImage::Function function;
  if (!image.FindFunction(rva, function)) function = {0, image.bytes(), 0};
  const MappedImage::Export name = image.FindExport(function.start, rva);
  out.name = name.name;
  // Without unwind information, names alone tell functions apart.
  out.rva = function.unwind == 0 && !out.name.empty() ? name.rva : function.start;
  out.start = module.base + out.rva;
  return true;
}

uint64_t NativeNames::memory_bytes() const { return 0; }

}  // namespace hindsight::recorder
