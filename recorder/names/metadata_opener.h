// Opens the metadata of a module.
//
// GetModuleMetaData has a price for the application: the runtime replaces its read-only form of the
// module's metadata by one that can be edited (dotnet/runtime, src/coreclr/vm/peassembly.cpp,
// ConvertMDInternalToReadWrite), for the life of the process. From then on, every class that is
// loaded and every method that is compiled takes longer. So the metadata is opened a second time,
// in the module's image, by the runtime's own reader, which its library exports for debuggers.
// What is opened shares nothing with the runtime's form.
//
// Any thread. Costs some microseconds; allocates.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/clr/info.h"
#include "recorder/clr/metadata.h"
#include "recorder/names/com_ref.h"
#include "recorder/names/mapped_image.h"

namespace hindsight::recorder {

// Where the metadata is in the image at `base`: laid out as in its file (`is_flat`), or with its
// sections at their addresses. Nothing in the image is trusted, but the result is only valid as
// long as the image is mapped. Empty: it has none, or is not an image.
std::span<const uint8_t> FindMetadata(const ReadMemory& read, uintptr_t base, bool is_flat);

class MetadataOpener {
 public:
  using Metadata = ComRef<clr::IMetaDataImport2>;

  // Takes the loader's lock, see base/runtime_library.h.
  explicit MetadataOpener(clr::ICorProfilerInfo10* info);
  // `get_dispenser`: null if the runtime does not export it, as in a single-file application.
  MetadataOpener(clr::ICorProfilerInfo10* info, clr::GetDispenser* get_dispenser);

  // The module must stay loaded until the result is released. Invalid: the module has no metadata
  // (resources; a module still being loaded).
  Metadata Open(clr::ModuleID module) const;
  // As above, from the image alone: without what was added at run time. Also invalid if the module
  // has no image.
  Metadata OpenImage(clr::ModuleID module) const;
  // The runtime's own form, at the price above: with what was added at run time.
  Metadata OpenEditable(clr::ModuleID module) const;

 private:
  clr::ICorProfilerInfo10* info_;
  ComRef<clr::IMetaDataDispenser> dispenser_;
};

}  // namespace hindsight::recorder
