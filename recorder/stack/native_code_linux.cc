#include "recorder/stack/native_code.h"

#include <elf.h>
#include <link.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "recorder/base/fnv_hash.h"
#include "recorder/stack/dwarf_reader.h"
#include "recorder/stack/eh_frame.h"

namespace hindsight::recorder {
namespace {

// The rows of a typical service's libraries take 2-4 MB.
constexpr size_t kMaxRowBytes = 8u << 20;
constexpr size_t kMaxEhFrameBytes = 32u << 20;
constexpr int kAwaitAttempts = 1000;
constexpr timespec kBetweenAttempts = {0, 1'000'000};

}  // namespace

// A library as the loader describes it. The memory that it points to may be read only under the
// loader's lock.
struct NativeCode::Loaded {
  uintptr_t start = 0, end = 0;  // of its code
  uintptr_t header = 0;          // .eh_frame_hdr; 0: none
  size_t header_size = 0;
  uintptr_t readable = 0, readable_end = 0;  // the segment that contains the header
  uint64_t identity = 0;

  explicit Loaded(const dl_phdr_info& info) {
    const std::span segments(info.dlpi_phdr, info.dlpi_phnum);
    for (const auto& segment : segments) {
      const uintptr_t from = info.dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
        start = start == 0 ? from : std::min(start, from);
        end = std::max(end, from + segment.p_memsz);
      } else if (segment.p_type == PT_GNU_EH_FRAME) {
        header = from;
        header_size = segment.p_memsz;
      }
    }
    for (const auto& segment : segments) {
      const uintptr_t from = info.dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_LOAD && header >= from && header - from < segment.p_memsz) {
        readable = from;
        readable_end = from + segment.p_memsz;
      }
    }
    if (readable_end == 0) header = 0;
    FnvHash hash;
    hash.AddBytes(segments.data(), segments.size_bytes());
    if (header != 0) {
      hash.AddBytes(reinterpret_cast<const void*>(header), std::min<size_t>(header_size, 256));
    }
    identity = hash.value();
  }

  // Its .eh_frame section, in place; empty if there is none.
  std::span<const uint8_t> EhFrameInPlace() const {
    if (header == 0 || readable_end - header < 8) return {};
    const auto* const at = reinterpret_cast<const uint8_t*>(header);
    // Version, three encodings, then the pointer to the section.
    DwarfReader reader({at + 4, readable_end - header - 4}, header + 4);
    const uintptr_t section = reader.Pointer(at[1]);
    if (at[0] != 1 || !reader.ok() || section < readable || section >= readable_end) {
      return {};
    }
    const std::span<const uint8_t> all(reinterpret_cast<const uint8_t*>(section),
                                       std::min(readable_end - section, kMaxEhFrameBytes));
    return all.first(EhFrameSize(all));
  }
};

bool NativeCode::Open(MemoryBudget& budget) {
  budget_ = &budget;
  tables_ = static_cast<Table*>(budget.Map(2 * sizeof(Table)));
  return tables_ != nullptr;
}

void NativeCode::Close(MemoryBudget& budget) {
  if (tables_ == nullptr) return;
  if (Table* const table = const_cast<Table*>(published_.exchange(nullptr))) {
    for (Module& module : std::span(table->modules, table->count)) FreeRows(module);
  }
  budget.Unmap(tables_, 2 * sizeof(Table));
  tables_ = nullptr;
}

const NativeCode::Module* NativeCode::ModuleOf(uintptr_t ip) const {
  const Table* const table = published_.load();
  if (table == nullptr) return nullptr;
  const std::span modules(table->modules, table->count);
  auto next = std::ranges::upper_bound(modules, ip, {}, &Module::start);
  if (next == modules.begin()) return nullptr;
  --next;
  return ip < next->end ? &*next : nullptr;
}

UnwindStep NativeCode::Find(uintptr_t ip) const {
  const Module* const module = ModuleOf(ip);
  if (module == nullptr) return {};
  const std::span rows(module->rows, module->row_count);
  const auto next = std::ranges::upper_bound(rows, static_cast<uint32_t>(ip - module->start), {},
                                             &UnwindRow::offset);
  return next == rows.begin() ? UnwindStep{} : std::prev(next)->step;
}

// glibc counts loads and unloads; with an older loader that does not, it is checked every time.
bool NativeCode::IsUpToDate() {
  std::pair<uint64_t, uint64_t> counted = {0, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t size, void* out) {
        if (size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs)) {
          *static_cast<std::pair<uint64_t, uint64_t>*>(out) = {info->dlpi_adds, info->dlpi_subs};
        }
        return 1;
      },
      &counted);
  const bool same = counted.first != 0 && counted == std::pair(loads_, unloads_);
  loads_ = counted.first;
  unloads_ = counted.second;
  return same;
}

// True: no walk uses what is not published any more: the spare table, and rows that are in no other
// table.
bool NativeCode::AwaitWalks() const {
  for (int attempt = 0; attempt < kAwaitAttempts; ++attempt) {
    if (walks_.none()) return true;
    nanosleep(&kBetweenAttempts, nullptr);
  }
  return false;
}

bool NativeCode::Refresh() {
  if (tables_ == nullptr || !AwaitWalks() || IsUpToDate()) return false;
  std::vector<Loaded> loaded;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        Loaded one(*info);
        auto& all = *static_cast<std::vector<Loaded>*>(out);
        if (one.end > one.start && all.size() < kMaxModules) all.push_back(one);
        return 0;
      },
      &loaded);
  std::ranges::sort(loaded, {}, &Loaded::start);

  auto* const old = const_cast<Table*>(published_.load());
  Table* const table = old == tables_ ? tables_ + 1 : tables_;
  const std::span old_modules(old != nullptr ? old->modules : nullptr,
                              old != nullptr ? old->count : 0);
  std::vector<bool> kept(old_modules.size());
  table->count = 0;
  for (const Loaded& one : loaded) {
    Module& module = table->modules[table->count++];
    module = {one.start, one.end, one.identity, nullptr, 0};
    const auto same = std::ranges::lower_bound(old_modules, one.start, {}, &Module::start);
    if (same != old_modules.end() && same->start == one.start && same->identity == one.identity) {
      module = *same;
      kept[static_cast<size_t>(same - old_modules.begin())] = true;
    } else {
      ReadRows(one, module);
    }
  }
  published_.store(table);
  // A walk that takes a second is in a stopped process; its rows then remain mapped for good.
  const bool all_kept = std::ranges::find(kept, false) == kept.end();
  if (all_kept || !AwaitWalks()) return !all_kept;
  for (size_t i = 0; i < old_modules.size(); ++i) {
    if (!kept[i]) FreeRows(old_modules[i]);
  }
  return true;
}

void NativeCode::ReadRows(const Loaded& loaded, Module& module) {
  struct Copy {
    const Loaded& wanted;
    std::vector<uint8_t> bytes;
    uintptr_t address;
  } copy{loaded, {}, 0};
  // One library per hold of the loader's lock, and only to copy: the application's threads may need
  // the lock.
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        auto& to = *static_cast<Copy*>(out);
        const Loaded one(*info);
        if (one.start != to.wanted.start || one.identity != to.wanted.identity) return 0;
        const std::span<const uint8_t> section = one.EhFrameInPlace();
        to.bytes.assign(section.begin(), section.end());
        to.address = reinterpret_cast<uintptr_t>(section.data());
        return 1;
      },
      &copy);
  if (copy.bytes.empty()) return;
  const std::vector<UnwindRow> rows =
      ReadEhFrame({copy.bytes, copy.address}, module.start, module.end,
                  (kMaxRowBytes - row_bytes_) / sizeof(UnwindRow));
  if (rows.empty()) return;
  const size_t bytes = rows.size() * sizeof(UnwindRow);
  module.rows = static_cast<UnwindRow*>(budget_->Map(bytes));
  if (module.rows == nullptr) return;
  std::memcpy(module.rows, rows.data(), bytes);
  module.row_count = static_cast<uint32_t>(rows.size());
  row_bytes_ += bytes;
}

void NativeCode::FreeRows(Module& module) {
  if (module.rows == nullptr) return;
  const size_t bytes = module.row_count * sizeof(UnwindRow);
  budget_->Unmap(module.rows, bytes);
  row_bytes_ -= bytes;
  module.rows = nullptr;
}

}  // namespace hindsight::recorder
