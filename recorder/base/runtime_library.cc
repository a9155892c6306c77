#include "recorder/base/runtime_library.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace hindsight::recorder {
namespace {

struct Entry {
  const char* name;
  const void* function;
};

class Image {
 public:
  Image() : segments_(RuntimeSegments()) {}

  // The one entry of a table with this name; null: none, or several.
  void* Find(std::string_view name) const {
    const std::vector<const char*> places = PlacesOf(std::string(name) + '\0');
    void* found = nullptr;
    for (const RuntimeSegment& segment : segments_) {
      if (segment.is_code || segment.bytes < 3 * sizeof(Entry)) continue;
      const uint8_t* const last = segment.begin + segment.bytes - 2 * sizeof(Entry);
      // Not the first one, nor the last: neighbors prove that it is a table.
      for (const uint8_t* at = Aligned(segment.begin) + sizeof(Entry); at <= last;
           at += alignof(Entry)) {
        const Entry entry = Load(at);
        if (std::find(places.begin(), places.end(), entry.name) == places.end()) continue;
        if (!IsEntry(entry) || !IsEntry(Load(at - sizeof entry)) ||
            !IsEntry(Load(at + sizeof entry))) {
          continue;
        }
        if (found != nullptr) return nullptr;
        found = const_cast<void*>(entry.function);
      }
    }
    return found;
  }

 private:
  static const uint8_t* Aligned(const uint8_t* at) {
    return at + (0 - reinterpret_cast<uintptr_t>(at)) % alignof(Entry);
  }
  static Entry Load(const uint8_t* at) {
    Entry entry;
    memcpy(&entry, at, sizeof entry);
    return entry;
  }

  std::vector<const char*> PlacesOf(std::string_view text) const {
    std::vector<const char*> places;
    for (const RuntimeSegment& segment : segments_) {
      if (segment.is_code || segment.is_writable) continue;
      const std::string_view all(reinterpret_cast<const char*>(segment.begin), segment.bytes);
      for (size_t at = all.find(text); at != all.npos; at = all.find(text, at + 1)) {
        places.push_back(all.data() + at);
      }
    }
    return places;
  }

  bool IsEntry(const Entry& entry) const {
    return IsIn(entry.name, false) && IsIn(entry.function, true);
  }
  bool IsIn(const void* address, bool code) const {
    const auto* const at = static_cast<const uint8_t*>(address);
    return std::any_of(segments_.begin(), segments_.end(), [&](const RuntimeSegment& segment) {
      return segment.is_code == code && at >= segment.begin && at < segment.begin + segment.bytes;
    });
  }

  const std::vector<RuntimeSegment> segments_;
};

}  // namespace

void* RuntimeEntry(std::string_view name) { return Image().Find(name); }

std::vector<std::span<const uint32_t>> RuntimeData() {
  std::vector<std::span<const uint32_t>> data;
  for (const RuntimeSegment& segment : RuntimeSegments()) {
    if (!segment.is_writable) continue;
    data.emplace_back(reinterpret_cast<const uint32_t*>(segment.begin),
                      segment.bytes / sizeof(uint32_t));
  }
  return data;
}

}  // namespace hindsight::recorder
