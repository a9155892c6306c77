#include "trigger/target/pe_windows.h"

#include <windows.h>

#include <algorithm>
#include <cstring>

#include "analyzer/cli/wide_text_windows.h"
#include "trigger/target/handle_windows.h"

namespace hindsight::trigger {
namespace {

template <typename T>
bool ReadAt(HANDLE file, uint64_t at, T& out) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(at);
  place.OffsetHigh = static_cast<DWORD>(at >> 32);
  DWORD got = 0;
  return ReadFile(file, &out, sizeof(T), &got, &place) && got == sizeof(T);
}

}  // namespace

std::optional<PeFacts> ReadPe(const std::string& path, unsigned long& error) {
  const UniqueHandle file =
      Owned(CreateFileW(cli::Utf16(path).c_str(), GENERIC_READ,
                        FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                        OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
  error = file ? 0 : GetLastError();
  LARGE_INTEGER size{};
  IMAGE_DOS_HEADER dos{};
  struct {
    DWORD signature;
    IMAGE_FILE_HEADER header;
  } start{};
  if (!file || !GetFileSizeEx(file.get(), &size) || !ReadAt(file.get(), 0, dos) ||
      dos.e_magic != IMAGE_DOS_SIGNATURE || dos.e_lfanew < 0 ||
      !ReadAt(file.get(), static_cast<uint64_t>(dos.e_lfanew), start) ||
      start.signature != IMAGE_NT_SIGNATURE) {
    return std::nullopt;
  }
  PeFacts facts;
  facts.machine = start.header.Machine;
  facts.is_library = (start.header.Characteristics & IMAGE_FILE_DLL) != 0;
  facts.file_bytes = static_cast<uint64_t>(size.QuadPart);
  uint64_t at =
      static_cast<uint64_t>(dos.e_lfanew) + sizeof(start) + start.header.SizeOfOptionalHeader;
  for (int i = 0; i < start.header.NumberOfSections; ++i, at += sizeof(IMAGE_SECTION_HEADER)) {
    IMAGE_SECTION_HEADER section{};
    facts.needed_bytes = std::max<uint64_t>(facts.needed_bytes, at + sizeof(section));
    if (!ReadAt(file.get(), at, section)) break;
    facts.needed_bytes = std::max<uint64_t>(
        facts.needed_bytes, uint64_t{section.PointerToRawData} + section.SizeOfRawData);
  }
  return facts;
}

std::string PeMachineName(uint16_t machine) {
  switch (machine) {
    case IMAGE_FILE_MACHINE_I386:
      return "x86";
    case IMAGE_FILE_MACHINE_AMD64:
      return "x64";
    case IMAGE_FILE_MACHINE_ARM64:
      return "arm64";
    default:
      return "machine " + std::to_string(machine);
  }
}

}  // namespace hindsight::trigger
