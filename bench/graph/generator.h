// Recordings of synthetic heaps of any size, in the real format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace hindsight::bench {

enum class HeapShape {
  kIrregular,  // 16 kinds of objects; references near, far and anywhere, a quarter of them null
  kRegular,    // an array of orders, each with a name and its lines
  kList,       // one list of all objects
};

std::optional<HeapShape> ParseHeapShape(const std::string& name);

// Writes a heap file of about `objects` objects, with three references each if irregular, to
// `folder`. Returns its size in bytes. Memory: a few segments.
uint64_t WriteHeap(HeapShape shape, uint64_t objects, const std::filesystem::path& folder);

}  // namespace hindsight::bench
