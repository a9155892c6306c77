#include "recorder/stack/eh_frame.h"

#include <algorithm>
#include <optional>

#include "recorder/stack/call_frame_program.h"
#include "recorder/stack/dwarf_reader.h"

namespace hindsight::recorder {
namespace {

// Functions are aligned; code never runs in the padding between them.
constexpr uint32_t kMaxPadding = 64;
constexpr uint32_t kExtendedLength = 0xffffffff;  // for 64-bit DWARF, which no compiler generates
                                                  // here

struct Function {
  uintptr_t start, end;
  uint32_t cie;  // position of its CIE
  std::span<const uint8_t> instructions;
};

// An entry of the section: the bytes after its length.
struct Entry {
  size_t place;  // position of its id
  std::span<const uint8_t> bytes;
};

class Section {
 public:
  explicit Section(const EhFrame& section) : section_(section) {}

  // Returns the entry at `place` and moves past it. Empty at the end.
  std::optional<Entry> Next(size_t& place) const {
    DwarfReader reader(section_.bytes.subspan(std::min(place, section_.bytes.size())), 0);
    const auto length = reader.Fixed<uint32_t>();
    if (!reader.ok() || length < 4 || length == kExtendedLength) return std::nullopt;
    const auto bytes = reader.Bytes(length);
    if (!reader.ok()) return std::nullopt;
    const Entry entry{place + 4, bytes};
    place += 4 + length;
    return entry;
  }

  bool ReadCie(size_t place, CallFrameRules& rules) const {
    const std::optional<Entry> entry = Next(place);
    if (!entry) return false;
    DwarfReader reader(entry->bytes, section_.address + entry->place);
    if (reader.Fixed<uint32_t>() != 0) return false;
    const auto version = reader.Fixed<uint8_t>();
    if (version != 1 && version != 3) return false;
    char augmentation[8] = {};
    for (size_t i = 0;; ++i) {
      const auto letter = reader.Fixed<char>();
      if (letter == 0) break;
      if (i == sizeof(augmentation) - 1) return false;
      augmentation[i] = letter;
    }
    rules.code_factor = reader.Uleb();
    rules.data_factor = reader.Sleb();
    if (version == 1) {
      reader.Fixed<uint8_t>();  // the return address' register
    } else {
      reader.Uleb();
    }
    if (augmentation[0] == 'z') {
      rules.has_augmentation_size = true;
      const uint64_t size = reader.Uleb();
      const size_t begin = reader.at();
      for (const char* letter = augmentation + 1; *letter != 0 && reader.ok(); ++letter) {
        if (*letter == 'R') {
          rules.pointer_encoding = reader.Fixed<uint8_t>();
        } else if (*letter == 'P') {
          const auto encoding = reader.Fixed<uint8_t>();
          reader.Value(encoding & 0x0f);  // the personality routine
        } else if (*letter == 'L') {
          reader.Fixed<uint8_t>();
        } else if (*letter == 'S') {
          rules.is_signal_frame = true;
        } else {
          break;  // its size allows skipping it
        }
      }
      if (reader.at() - begin > size) return false;
      reader.Bytes(size - (reader.at() - begin));
    } else if (augmentation[0] != 0) {
      return false;
    }
    rules.instructions = reader.Bytes(entry->bytes.size() - reader.at());
    return reader.ok();
  }

  std::optional<Function> ReadFunction(const Entry& entry, uint32_t cie,
                                       const CallFrameRules& rules) const {
    DwarfReader reader(entry.bytes, section_.address + entry.place);
    reader.Fixed<uint32_t>();  // offset of its CIE
    Function function;
    function.start = reader.Pointer(rules.pointer_encoding);
    function.end = function.start + reader.Value(rules.pointer_encoding & 0x0f);
    if (rules.has_augmentation_size) reader.Bytes(reader.Uleb());
    if (!reader.ok() || function.end <= function.start) return std::nullopt;
    function.cie = cie;
    function.instructions = reader.Bytes(entry.bytes.size() - reader.at());
    return function;
  }

 private:
  const EhFrame& section_;
};

// Caches the last CIE, because most entries refer to the same one.
class Rules {
 public:
  explicit Rules(const Section& section) : section_(section) {}

  const CallFrameRules* Of(uint32_t cie) {
    if (cie != last_) {
      current_ = {};
      ok_ = section_.ReadCie(cie, current_);
      last_ = cie;
    }
    return ok_ ? &current_ : nullptr;
  }

 private:
  const Section& section_;
  CallFrameRules current_;
  uint32_t last_ = ~0u;
  bool ok_ = false;
};

}  // namespace

size_t EhFrameSize(std::span<const uint8_t> bytes) {
  const EhFrame whole{bytes, 0};
  const Section section(whole);
  size_t place = 0;
  while (section.Next(place)) {
  }
  return place;
}

std::vector<UnwindRow> ReadEhFrame(const EhFrame& eh_frame, uintptr_t code_start,
                                   uintptr_t code_end, size_t max_rows) {
  const Section section(eh_frame);
  Rules rules(section);
  std::vector<Function> functions;
  size_t place = 0;
  while (const std::optional<Entry> entry = section.Next(place)) {
    uint32_t back = 0;
    std::memcpy(&back, entry->bytes.data(), sizeof(back));
    if (back == 0 || back > entry->place) continue;  // a CIE
    const auto cie = static_cast<uint32_t>(entry->place - back);
    const CallFrameRules* const of_cie = rules.Of(cie);
    if (of_cie == nullptr) continue;
    const std::optional<Function> function = section.ReadFunction(*entry, cie, *of_cie);
    if (function && function->start >= code_start && function->end <= code_end) {
      functions.push_back(*function);
    }
  }
  std::ranges::sort(functions, {}, &Function::start);

  std::vector<UnwindRow> rows;
  uintptr_t end = code_start;  // of the previous function
  for (const Function& function : functions) {
    if (function.start < end) continue;
    const CallFrameRules* const of_cie = rules.Of(function.cie);
    if (of_cie == nullptr) continue;
    if (function.start - end > kMaxPadding) {
      rows.push_back({static_cast<uint32_t>(end - code_start), {}});
    }
    RunCallFrameProgram(*of_cie, function.instructions,
                        static_cast<uint32_t>(function.start - code_start),
                        static_cast<uint32_t>(function.end - code_start), rows);
    end = function.end;
    if (rows.size() > max_rows) return {};
  }
  if (!rows.empty()) rows.push_back({static_cast<uint32_t>(end - code_start), {}});
  return rows;
}

}  // namespace hindsight::recorder
