#include "recorder/names/metadata_opener.h"

#include <utility>

#include "recorder/base/own_memory.h"
#include "recorder/base/runtime_library.h"

namespace hindsight::recorder {
namespace {

constexpr uint32_t kSignature = 0x424a5342;  // BSJB: II.24.2.1

struct ClrHeader {  // II.25.3.3, as far as needed
  uint32_t bytes;
  uint16_t major_version, minor_version;
  MappedImage::Directory metadata;
};
static_assert(sizeof(ClrHeader) == 16);

}  // namespace

std::span<const uint8_t> FindMetadata(const ReadMemory& read, uintptr_t base, bool is_flat) {
  MappedImage image(read, base, is_flat);
  if (base == 0 || !image.Open()) return {};
  const uint32_t header_at = image.PlaceOf(image.Find(MappedImage::DirectoryIndex::kClr).rva);
  ClrHeader header;
  if (header_at == 0 || !image.Read(header_at, header)) return {};
  const auto [rva, bytes] = header.metadata;
  const uint32_t begin = image.PlaceOf(rva);
  uint32_t signature = 0;
  if (begin == 0 || bytes <= sizeof(signature) || rva + bytes < rva) return {};
  // It ends where it should if all of it is in one section.
  const uint32_t last = image.PlaceOf(rva + bytes - 1);
  uint8_t last_byte = 0;
  if (uint64_t{last} != uint64_t{begin} + bytes - 1 || !image.Read(begin, signature) ||
      signature != kSignature || !image.Read(last, last_byte)) {
    return {};
  }
  return {reinterpret_cast<const uint8_t*>(base) + begin, bytes};
}

MetadataOpener::MetadataOpener(clr::ICorProfilerInfo10* info)
    : MetadataOpener(info,
                     reinterpret_cast<clr::GetDispenser*>(RuntimeSymbol(clr::kGetDispenserName))) {}

MetadataOpener::MetadataOpener(clr::ICorProfilerInfo10* info, clr::GetDispenser* get_dispenser)
    : info_(info) {
  if (get_dispenser == nullptr) return;
  void* dispenser = nullptr;
  if (clr::Succeeded(
          get_dispenser(clr::kMetaDataDispenserClass, clr::IMetaDataDispenser::kIid, &dispenser))) {
    *dispenser_.Receive() = static_cast<clr::IMetaDataDispenser*>(dispenser);
  }
}

MetadataOpener::Metadata MetadataOpener::Open(clr::ModuleID module) const {
  Metadata metadata = OpenImage(module);
  return metadata ? std::move(metadata) : OpenEditable(module);
}

MetadataOpener::Metadata MetadataOpener::OpenImage(clr::ModuleID module) const {
  const uint8_t* base = nullptr;
  uint32_t length = 0, flags = 0;
  clr::AssemblyID assembly = 0;
  if (!dispenser_ ||
      clr::Failed(info_->GetModuleInfo2(module, &base, 0, &length, nullptr, &assembly, &flags)) ||
      (flags & clr::kModuleDynamic) != 0) {
    return {};
  }
  const ReadMemory read = ReadOwn;
  const auto address = reinterpret_cast<uintptr_t>(base);
  const bool is_flat = (flags & clr::kModuleFlat) != 0;
  std::span<const uint8_t> bytes = FindMetadata(read, address, is_flat);
  if (bytes.empty()) bytes = FindMetadata(read, address, !is_flat);
  ComRef<clr::IUnknown> opened;
  if (bytes.empty() || clr::Failed(dispenser_->OpenScopeOnMemory(
                           bytes.data(), static_cast<uint32_t>(bytes.size()), clr::kOpenReadOnly,
                           clr::IMetaDataImport2::kIid, opened.Receive()))) {
    return {};
  }
  return Metadata::From(opened.get());
}

MetadataOpener::Metadata MetadataOpener::OpenEditable(clr::ModuleID module) const {
  ComRef<clr::IUnknown> opened;
  // S_FALSE, without an object, for resource modules.
  if (clr::Failed(info_->GetModuleMetaData(module, clr::kOpenForRead, clr::IMetaDataImport2::kIid,
                                           opened.Receive()))) {
    return {};
  }
  return Metadata::From(opened.get());
}

}  // namespace hindsight::recorder
