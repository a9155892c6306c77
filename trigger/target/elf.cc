#include "trigger/target/elf.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace hindsight::trigger {
namespace {

constexpr uint16_t kMaxProgramHeaders = 256;
constexpr uint64_t kMaxDynamicBytes = 64u << 10;
constexpr size_t kMaxNameBytes = 256;

bool ReadAt(int fd, uint64_t offset, void* out, size_t size) {
  return pread(fd, out, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

std::string ReadName(int fd, uint64_t offset) {
  char text[kMaxNameBytes];
  const ssize_t size = pread(fd, text, sizeof text, static_cast<off_t>(offset));
  return size <= 0 ? std::string() : std::string(text, strnlen(text, static_cast<size_t>(size)));
}

// File offset of the loaded address `address`. Empty: not in any segment.
std::optional<uint64_t> FileOffset(const std::vector<Elf64_Phdr>& headers, uint64_t address) {
  for (const Elf64_Phdr& header : headers) {
    if (header.p_type == PT_LOAD && address >= header.p_vaddr &&
        address - header.p_vaddr < header.p_filesz) {
      return header.p_offset + (address - header.p_vaddr);
    }
  }
  return std::nullopt;
}

void ReadNeeded(int fd, const std::vector<Elf64_Phdr>& headers, const Elf64_Phdr& dynamic,
                ElfFacts& facts) {
  std::vector<Elf64_Dyn> entries(std::min(dynamic.p_filesz, kMaxDynamicBytes) / sizeof(Elf64_Dyn));
  if (!ReadAt(fd, dynamic.p_offset, entries.data(), entries.size() * sizeof(Elf64_Dyn))) return;
  const auto end = std::find_if(entries.begin(), entries.end(),
                                [](const Elf64_Dyn& entry) { return entry.d_tag == DT_NULL; });
  facts.has_static_tls = std::any_of(entries.begin(), end, [](const Elf64_Dyn& entry) {
    return entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_STATIC_TLS) != 0;
  });
  const auto strings = std::find_if(
      entries.begin(), end, [](const Elf64_Dyn& entry) { return entry.d_tag == DT_STRTAB; });
  if (strings == end) return;
  const std::optional<uint64_t> table = FileOffset(headers, strings->d_un.d_ptr);
  if (!table) return;
  for (auto entry = entries.begin(); entry != end; ++entry) {
    if (entry->d_tag == DT_NEEDED) facts.needed.push_back(ReadName(fd, *table + entry->d_un.d_val));
  }
}

// The end of `size` bytes at `offset`; impossible numbers give the largest value.
uint64_t EndOf(uint64_t offset, uint64_t size) {
  return offset > UINT64_MAX - size ? UINT64_MAX : offset + size;
}

void ReadExtent(int fd, const Elf64_Ehdr& header, const std::vector<Elf64_Phdr>& headers,
                ElfFacts& facts) {
  struct stat status = {};
  if (fstat(fd, &status) == 0) facts.file_bytes = static_cast<uint64_t>(status.st_size);
  for (const Elf64_Phdr& segment : headers) {
    if (segment.p_type != PT_LOAD) continue;
    facts.needed_bytes = std::max(facts.needed_bytes, EndOf(segment.p_offset, segment.p_filesz));
  }
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) return;
  const uint64_t table_bytes = uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  facts.needed_bytes = std::max(facts.needed_bytes, EndOf(header.e_shoff, table_bytes));
  // A copy that was allocated in full first has zeros at its end.
  Elf64_Shdr names = {};
  facts.has_end =
      facts.file_bytes >= facts.needed_bytes && header.e_shstrndx < header.e_shnum &&
      ReadAt(fd, header.e_shoff + header.e_shstrndx * sizeof names, &names, sizeof names) &&
      names.sh_type == SHT_STRTAB;
}

}  // namespace

bool ElfFacts::NeedsMusl() const {
  return std::any_of(needed.begin(), needed.end(), [](const std::string& name) {
    return name.starts_with("libc.musl") || name == "libc.so";
  });
}

bool ElfFacts::NeedsGlibc() const {
  const bool is_for_glibc = std::find(needed.begin(), needed.end(), "libc.so.6") != needed.end();
  return std::any_of(needed.begin(), needed.end(),
                     [](const std::string& name) { return name.starts_with("ld-linux"); }) ||
         (is_for_glibc && has_static_tls);
}

std::optional<ElfFacts> ReadElf(int fd) {
  // The identification and the machine are at the same offset in 32-bit and 64-bit files.
  Elf64_Ehdr header = {};
  constexpr size_t kCommonBytes = offsetof(Elf64_Ehdr, e_version);
  if (!ReadAt(fd, 0, &header, kCommonBytes) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return std::nullopt;
  }
  ElfFacts facts;
  facts.machine = header.e_machine;
  facts.is64 = header.e_ident[EI_CLASS] == ELFCLASS64;
  facts.shared = header.e_type == ET_DYN;
  if (!facts.is64) return facts;
  if (!ReadAt(fd, 0, &header, sizeof header) || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return std::nullopt;
  }
  std::vector<Elf64_Phdr> headers(std::min<uint16_t>(header.e_phnum, kMaxProgramHeaders));
  if (!ReadAt(fd, header.e_phoff, headers.data(), headers.size() * sizeof(Elf64_Phdr))) {
    return std::nullopt;
  }
  ReadExtent(fd, header, headers, facts);
  for (const Elf64_Phdr& segment : headers) {
    if (segment.p_type == PT_INTERP) facts.interpreter = ReadName(fd, segment.p_offset);
    if (segment.p_type == PT_DYNAMIC) ReadNeeded(fd, headers, segment, facts);
  }
  return facts;
}

std::string MachineName(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x64";
    case EM_386:
      return "x86";
    case EM_AARCH64:
      return "arm64";
    case EM_ARM:
      return "arm";
    case EM_S390:
      return "s390x";
    case EM_PPC64:
      return "ppc64le";
    case EM_RISCV:
      return "riscv64";
    default:
      return "machine " + std::to_string(machine);
  }
}

}  // namespace hindsight::trigger
