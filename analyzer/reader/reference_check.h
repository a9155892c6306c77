// Checks that dictionary entries come before their first use in the same file.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "analyzer/reader/recording_reader.h"

namespace hindsight::analyzer {

// Memory: one bit per entry of the largest file, and its threads. Not thread-safe.
class ReferenceCheck {
 public:
  void Take(const PacketContext& context, const Packet& packet);

  // References to entries that were not defined before them in the file, although nothing before
  // them is lost: a fault of the recorder.
  uint64_t undefined() const { return undefined_; }

 private:
  enum Kind { kString, kModule, kType, kMethod, kFrame, kStack, kKinds };

  void Define(Kind kind, uint32_t id);
  void Use(Kind kind, uint32_t id);
  void UseThread(uint32_t id);
  template <typename Ids>
  void UseThreads(const Ids& ids);
  template <typename Ids>
  void UseAll(Kind kind, const Ids& ids);
  void TakeEntry(const Packet& packet);
  void TakeEvent(const Packet& packet);
  void TakePart(const RequestPart& part);

  uint32_t file_ordinal_ = 0;
  bool counts_ = true;
  std::array<std::vector<bool>, kKinds> defined_;
  std::unordered_set<uint32_t> threads_;
  uint64_t undefined_ = 0;
};

}  // namespace hindsight::analyzer
