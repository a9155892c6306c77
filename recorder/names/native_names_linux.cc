#include "recorder/names/native_names.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "recorder/base/own_memory.h"
#include "recorder/names/elf_file.h"

namespace hindsight::recorder {
namespace {

constexpr size_t kMaxPathBytes = 4096;
constexpr size_t kMaxBuildIdBytes = 64;

// From the notes of a loaded segment; under the loader's lock.
std::vector<uint8_t> BuildId(std::span<const uint8_t> notes) {
  constexpr char kGnu[] = "GNU";
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof(note));
    const size_t name = (size_t{note.n_namesz} + 3) & ~size_t{3};
    const size_t size = name + ((size_t{note.n_descsz} + 3) & ~size_t{3});
    notes = notes.subspan(sizeof(note));
    if (size > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(kGnu) &&
        std::memcmp(notes.data(), kGnu, sizeof(kGnu)) == 0 && note.n_descsz <= kMaxBuildIdBytes) {
      const auto id = notes.subspan(name, note.n_descsz);
      return {id.begin(), id.end()};
    }
    notes = notes.subspan(size);
  }
  return {};
}

NativeModule ModuleOf(const dl_phdr_info& info) {
  NativeModule module;
  module.path = info.dlpi_name;
  module.base = info.dlpi_addr;
  const auto* const headers = reinterpret_cast<const uint8_t*>(info.dlpi_phdr);
  module.headers.assign(headers, headers + info.dlpi_phnum * sizeof(Elf64_Phdr));
  for (const Elf64_Phdr& segment : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
    const uintptr_t from = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
      module.start = module.start == 0 ? from : std::min(module.start, from);
      module.end = std::max(module.end, from + segment.p_memsz);
    } else if (segment.p_type == PT_NOTE && module.build_id.empty()) {
      module.build_id = BuildId({reinterpret_cast<const uint8_t*>(from), segment.p_memsz});
    }
  }
  return module;
}

bool IsSame(const NativeModule& a, const NativeModule& b) {
  return a.base == b.base && a.start == b.start && a.end == b.end && a.path == b.path &&
         a.build_id == b.build_id;
}

bool HasSegments(const ElfFile& file, const NativeModule& module) {
  return file.valid() && file.segments().size() * sizeof(Elf64_Phdr) == module.headers.size() &&
         std::memcmp(file.segments().data(), module.headers.data(), module.headers.size()) == 0;
}

// `out.same` is empty if the file gives no answer.
bool FindFunction(const NativeModule& module, const ReadFile& read, uint64_t address,
                  ElfFile::Function& out) {
  const ElfFile file(read);
  // It may have been replaced by another file in an update.
  return HasSegments(file, module) && file.FindFunction(address, out);
}

bool FindFunction(const NativeModule& module, uint64_t address, ElfFile::Function& out) {
  constexpr char kVdso[] = "[vdso]";
  if (module.path == kVdso) {
    const OwnMemory memory;
    return FindFunction(
        module,
        [&](uint64_t offset, void* to, size_t size) {
          return memory.Read(module.base + offset, to, size);
        },
        address, out);
  }
  const int file = open(module.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  const bool found = FindFunction(
      module,
      [&](uint64_t offset, void* to, size_t size) {
        return pread(file, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
      },
      address, out);
  close(file);
  return found;
}

}  // namespace

size_t NativeNames::Find(uintptr_t address) const {
  const auto holds = [&](const NativeModule& module) {
    return address >= module.start && address < module.end;
  };
  return static_cast<size_t>(std::ranges::find_if(modules_, holds) - modules_.begin());
}

// The loader reports an empty path for the program itself, and a name that is not a path for the
// kernel's library.
void NativeNames::Add(NativeModule module) {
  if (module.path.empty()) {
    std::string path(kMaxPathBytes, '\0');
    const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
    path.resize(size > 0 ? static_cast<size_t>(size) : 0);
    module.path = std::move(path);
  } else if (module.path.find('/') == std::string::npos) {
    module.path = "[vdso]";
  }
  if (std::ranges::any_of(modules_,
                          [&](const NativeModule& known) { return IsSame(known, module); })) {
    return;
  }
  for (NativeModule& known : modules_) {
    if (known.start >= module.end || module.start >= known.end) continue;
    known.start = known.end = 0;  // its address range is taken over; its index remains
    ++changes_;
  }
  modules_.push_back(std::move(module));
}

void NativeNames::Refresh() {
  struct Seen {
    uint64_t loads = 0, unloads = 0;
    bool is_new = false;
    std::vector<NativeModule> modules;
  } seen{loads_, unloads_, false, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        auto& to = *static_cast<Seen*>(out);
        if (to.modules.empty() && !to.is_new) {
          to.is_new =
              info->dlpi_adds == 0 || info->dlpi_adds != to.loads || info->dlpi_subs != to.unloads;
          to.loads = info->dlpi_adds;
          to.unloads = info->dlpi_subs;
          if (!to.is_new) return 1;
        }
        to.modules.push_back(ModuleOf(*info));
        return to.modules.size() < kMaxModules ? 0 : 1;
      },
      &seen);
  loads_ = seen.loads;
  unloads_ = seen.unloads;
  if (!seen.is_new) return;
  if (modules_.size() + seen.modules.size() > 2 * kMaxModules) {
    modules_.clear();
    ++changes_;
  }
  for (NativeModule& module : seen.modules) {
    if (module.end > module.start) Add(std::move(module));
  }
}

NativeNames::Known NativeNames::Look(const NativeModule& module, uintptr_t address) {
  const auto next = known_.upper_bound(address);
  if (next != known_.begin()) {
    const Known& known = std::prev(next)->second;
    if (address < known.to) return known;
  }
  ++reads_;
  ElfFile::Function function;
  function.same = {0, 0};
  const bool found = FindFunction(module, address - module.base, function) &&
                     function.start + module.base >= module.start &&
                     function.start + module.base <= address;
  Known known{0, module.start, {}};
  if (found) known = {0, function.start + module.base, std::move(function.name)};
  if (!function.same.Has(address - module.base)) return known;  // the file cannot be read
  const auto clamped = [&](uint64_t place) {
    const uint64_t end = module.end - module.base;
    return module.base + std::clamp<uint64_t>(place, module.start - module.base, end);
  };
  known.to = clamped(function.same.to);
  if (known_.size() >= kMaxKnown) {
    known_.clear();
    name_bytes_ = 0;
  }
  name_bytes_ += known.name.capacity();
  known_.insert_or_assign(clamped(function.same.from), known);
  return known;
}

bool NativeNames::Describe(uintptr_t address, NativeFunction& out) {
  out = {};
  const uint64_t changes = changes_;
  Refresh();
  if (changes != changes_) {
    known_.clear();
    name_bytes_ = 0;
  }
  out.module = Find(address);
  if (out.module == modules_.size()) return false;
  const NativeModule& module = modules_[out.module];
  Known known = Look(module, address);
  out.start = known.start;
  out.rva = out.start - module.base;
  out.name = std::move(known.name);
  return true;
}

uint64_t NativeNames::memory_bytes() const {
  constexpr size_t kNode = 4 * sizeof(void*);
  return known_.size() * (sizeof(decltype(known_)::value_type) + kNode) + name_bytes_;
}

}  // namespace hindsight::recorder
