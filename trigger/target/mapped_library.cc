#include "trigger/target/mapped_library.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>

#include "trigger/target/proc_linux.h"
#include "trigger/target/walk.h"

namespace hindsight::trigger {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint16_t kMaxProgramHeaders = 64;
constexpr uint64_t kMaxDynamicBytes = 64u << 10;
constexpr uint64_t kMaxTableBytes = 4u << 20;  // of larger ones, only the beginning is examined
constexpr char kCutShort[] =
    "was truncated while the process has it mapped, so running it would crash the process";
constexpr char kOverwritten[] =
    "was overwritten while the process has it mapped: old and new pages are mixed, and running it "
    "could crash the process";

template <typename T>
bool ReadMemory(int memory, uint64_t address, std::span<T> out) {
  return pread(memory, out.data(), out.size_bytes(), static_cast<off_t>(address)) ==
         static_cast<ssize_t>(out.size_bytes());
}

// Up to its NUL, or the maximum length of a path.
std::string ReadText(int memory, uint64_t address) {
  char text[PATH_MAX];
  size_t size = 0;
  // Page by page: the next one may not be mapped.
  while (size < sizeof text) {
    const size_t step = std::min(sizeof text - size, kPage - (address + size) % kPage);
    if (!ReadMemory(memory, address + size, std::span(text + size, step))) return {};
    const size_t end = strnlen(text + size, step);
    size += end;
    if (end < step) return {text, size};
  }
  return {};
}

uint64_t TakeHex(std::string_view& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (!text.empty()) text.remove_prefix(1);
  return value;
}

// "begin-end perms offset dev inode   path". Inaccessible gaps between segments are not parts.
bool ParseLine(std::string_view line, MappedLibrary& library, MappedLibrary::Part& part) {
  const size_t slash = line.find('/');
  if (slash == std::string_view::npos) return false;
  std::string_view path = line.substr(slash);
  constexpr std::string_view kDeleted = " (deleted)";
  library.deleted = path.ends_with(kDeleted);
  if (library.deleted) path.remove_suffix(kDeleted.size());
  library.path = path;
  part.begin = TakeHex(line);
  part.end = TakeHex(line);
  if (line.starts_with("---")) return false;
  line.remove_prefix(std::min<size_t>(line.find(' ') + 1, line.size()));
  part.file_offset = TakeHex(line);
  const uint64_t major = TakeHex(line);
  library.device = makedev(major, TakeHex(line));
  std::from_chars(line.data(), line.data() + line.size(), library.inode);
  return part.end > part.begin;
}

// Each part that was loaded is within segments of the headers: usually one, or several where one
// continues in file and memory where the other ends. The rest of the file may be mapped elsewhere:
// a single-file application contains its assemblies.
bool PartsFit(const MappedLibrary& library, uint64_t base, const std::vector<Elf64_Phdr>& headers) {
  uint64_t image_end = base;
  for (const Elf64_Phdr& header : headers) {
    if (header.p_type != PT_LOAD) continue;
    image_end = std::max(image_end, base + header.p_vaddr + header.p_memsz);
  }
  return std::all_of(library.parts.begin(), library.parts.end(), [&](const auto& part) {
    if (part.begin < base || part.begin >= image_end) return true;
    const uint64_t end = part.file_offset + (part.end - part.begin);
    uint64_t covered = part.file_offset;
    // Headers of loaded segments are in the order of their addresses.
    for (const Elf64_Phdr& header : headers) {
      const uint64_t first = header.p_offset / kPage * kPage;
      const uint64_t last = (header.p_offset + header.p_filesz + kPage - 1) / kPage * kPage;
      if (header.p_type == PT_LOAD && covered >= first && covered < last) covered = last;
    }
    return covered >= end;
  });
}

// Data that was relocated to the library's own addresses, in memory that is not written afterwards,
// must match the relocations now in the file. Libraries without such memory always fit.
bool RelocationsFit(int memory, uint64_t base, const std::vector<Elf64_Phdr>& headers,
                    bool exactly) {
  const auto find = [&](uint32_t type) {
    return std::find_if(headers.begin(), headers.end(),
                        [type](const Elf64_Phdr& header) { return header.p_type == type; });
  };
  const auto dynamic = find(PT_DYNAMIC);
  const auto fixed = find(PT_GNU_RELRO);
  if (dynamic == headers.end() || fixed == headers.end()) return true;
  if (dynamic->p_memsz > kMaxDynamicBytes) return false;

  std::vector<Elf64_Dyn> entries(dynamic->p_memsz / sizeof(Elf64_Dyn));
  if (!ReadMemory(memory, base + dynamic->p_vaddr, std::span(entries))) return false;
  uint64_t table = 0;
  uint64_t bytes = 0;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_RELA) table = entry.d_un.d_ptr;
    if (entry.d_tag == DT_RELASZ) bytes = entry.d_un.d_val;
  }
  if (table == 0 || bytes == 0) return true;
  if (table < base) table += base;  // glibc stores the address there, musl does not
  std::vector<Elf64_Rela> relocations(std::min(bytes, kMaxTableBytes) / sizeof(Elf64_Rela));
  if (!ReadMemory(memory, table, std::span(relocations))) return false;

  // The last page is shared with writable data.
  const uint64_t fixed_bytes = std::min(fixed->p_memsz, kMaxTableBytes);
  const uint64_t fixed_end = (fixed->p_vaddr + fixed_bytes) / kPage * kPage;
  if (fixed_end <= fixed->p_vaddr) return true;
  std::vector<uint8_t> values(fixed_end - fixed->p_vaddr);
  if (!ReadMemory(memory, base + fixed->p_vaddr, std::span(values))) return false;
  size_t fitting = 0;
  size_t others = 0;
  for (const Elf64_Rela& relocation : relocations) {
    const uint64_t type = ELF64_R_TYPE(relocation.r_info);
    if (type != R_X86_64_RELATIVE && type != R_AARCH64_RELATIVE) continue;
    if (relocation.r_offset < fixed->p_vaddr || relocation.r_offset > fixed_end - 8) continue;
    uint64_t value = 0;
    std::copy_n(values.begin() + static_cast<ptrdiff_t>(relocation.r_offset - fixed->p_vaddr),
                sizeof value, reinterpret_cast<uint8_t*>(&value));
    ++(value == base + static_cast<uint64_t>(relocation.r_addend) ? fitting : others);
  }
  return exactly ? others == 0 : others <= fitting;
}

// For a file that still has its name: whether it ends before a mapped page.
bool IsTooShort(const Process& process, const MappedLibrary& library) {
  if (library.deleted) return false;
  const Walk walk = WalkFrom(process.root.get(), library.path);
  if (!walk.target || walk.steps.back().info.st_ino != library.inode) return false;
  const auto size = static_cast<uint64_t>(walk.steps.back().info.st_size);
  return std::any_of(library.parts.begin(), library.parts.end(), [size](const auto& part) {
    return part.file_offset + (part.end - part.begin) > (size + kPage - 1) / kPage * kPage;
  });
}

}  // namespace

std::vector<MappedLibrary> FindMapped(const Process& process, const std::string& name) {
  std::vector<MappedLibrary> found;
  std::string maps;
  if (!ReadProcFile("/proc/" + std::to_string(process.pid) + "/maps", maps)) return found;
  std::string_view lines = maps;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    MappedLibrary library;
    MappedLibrary::Part part;
    if (line.find(name) == std::string_view::npos || !ParseLine(line, library, part)) continue;
    const std::string_view its_name(library.path);
    if (!name.empty() && its_name.substr(its_name.rfind('/') + 1) != name) continue;
    const auto same = std::find_if(found.begin(), found.end(), [&](const MappedLibrary& other) {
      return other.path == library.path && other.inode == library.inode;
    });
    MappedLibrary& mapped = same != found.end() ? *same : found.emplace_back(std::move(library));
    mapped.parts.push_back(part);
  }
  return found;
}

// Found as debuggers do: the program's DT_DEBUG points to the list.
std::vector<LoadedLibrary> FindLoaded(const Process& process) {
  const std::string folder = "/proc/" + std::to_string(process.pid);
  const UniqueFd memory(open((folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  std::string auxiliary;
  if (!memory || !ReadProcFile(folder + "/auxv", auxiliary)) return {};
  uint64_t headers_at = 0;
  uint64_t header_count = 0;
  for (size_t at = 0; at + 16 <= auxiliary.size(); at += 16) {
    uint64_t pair[2];
    std::memcpy(pair, auxiliary.data() + at, sizeof pair);
    if (pair[0] == AT_PHDR) headers_at = pair[1];
    if (pair[0] == AT_PHNUM) header_count = pair[1];
  }
  std::vector<Elf64_Phdr> headers(std::min<uint64_t>(header_count, kMaxProgramHeaders));
  if (headers.empty() || !ReadMemory(memory.get(), headers_at, std::span(headers))) return {};
  uint64_t bias = 0;
  const Elf64_Phdr* dynamic = nullptr;
  for (const Elf64_Phdr& header : headers) {
    if (header.p_type == PT_PHDR) bias = headers_at - header.p_vaddr;
    if (header.p_type == PT_DYNAMIC) dynamic = &header;
  }
  if (dynamic == nullptr || dynamic->p_memsz > kMaxDynamicBytes) return {};
  std::vector<Elf64_Dyn> entries(dynamic->p_memsz / sizeof(Elf64_Dyn));
  if (!ReadMemory(memory.get(), bias + dynamic->p_vaddr, std::span(entries))) return {};
  const auto debug = std::find_if(entries.begin(), entries.end(),
                                  [](const Elf64_Dyn& entry) { return entry.d_tag == DT_DEBUG; });
  r_debug list = {};
  if (debug == entries.end() || !ReadMemory(memory.get(), debug->d_un.d_ptr, std::span(&list, 1))) {
    return {};
  }
  constexpr int kMaxLoaded = 16384;  // the list may change, or be invalid, while it is read
  std::vector<LoadedLibrary> found;
  auto next = reinterpret_cast<uint64_t>(list.r_map);
  for (int i = 0; i < kMaxLoaded && next != 0; ++i) {
    link_map loaded = {};
    if (!ReadMemory(memory.get(), next, std::span(&loaded, 1))) break;
    found.push_back({ReadText(memory.get(), reinterpret_cast<uint64_t>(loaded.l_name)),
                     reinterpret_cast<uint64_t>(loaded.l_ld)});
    next = reinterpret_cast<uint64_t>(loaded.l_next);
  }
  return found;
}

std::string DamageOf(const Process& process, const MappedLibrary& library, bool exactly) {
  const auto first = std::ranges::find(library.parts, 0u, &MappedLibrary::Part::file_offset);
  if (first == library.parts.end()) return {};
  if (IsTooShort(process, library)) return kCutShort;
  const std::string path = "/proc/" + std::to_string(process.pid) + "/mem";
  const UniqueFd memory(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!memory) return {};
  const uint64_t base = first->begin;
  Elf64_Ehdr header = {};
  // A page beyond the end of its file cannot be read.
  if (!ReadMemory(memory.get(), base, std::span(&header, 1))) return kCutShort;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMaxProgramHeaders) {
    return kOverwritten;
  }
  std::vector<Elf64_Phdr> headers(header.e_phnum);
  if (!ReadMemory(memory.get(), base + header.e_phoff, std::span(headers))) return kCutShort;
  const bool fits =
      PartsFit(library, base, headers) && RelocationsFit(memory.get(), base, headers, exactly);
  return fits ? std::string() : kOverwritten;
}

}  // namespace hindsight::trigger
