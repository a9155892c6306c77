// Addresses <-> ids. Ids are dense in ascending order of address.
//
// A chunk is 64 KiB of addresses. A chunk with many objects is a bitmap whose words hold 48 bits
// and the number of ones before them, so that a lookup touches one of its cache lines; a chunk with
// few objects is a sorted list. Memory: 1-2 bytes per object of usual size, at most 30.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hindsight::analyzer {

class ObjectIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Addresses must be ascending multiples of 8. Otherwise, or if the index is full, returns false
  // and adds nothing.
  bool Add(uint64_t address);
  void Finish();  // after the last Add

  uint32_t size() const { return size_; }
  uint64_t Address(uint32_t id) const;

  // The object that begins at `address`, or kNone. `hint` is initially 0, then whatever earlier
  // calls left.
  uint32_t Find(uint64_t address, size_t& hint) const {
    const uint64_t number = address / kChunkBytes;
    if (hint >= runs_.size() || number - runs_[hint].number >= runs_[hint].chunks) {
      if (address % 8 != 0 || !FindRun(number, hint)) return kNone;
    }
    const Chunk& chunk = chunks_[runs_[hint].first + (number - runs_[hint].number)];
    const auto unit = static_cast<uint32_t>(address % kChunkBytes) / 8;
    if (chunk.place >= kListed || address % 8 != 0) return FindInList(chunk, unit, address);
    const uint64_t word = words_[size_t{chunk.place} * kWords + unit / kBits];
    const uint32_t bit = unit % kBits;
    if ((word >> bit & 1) == 0) return kNone;
    return chunk.first_id + static_cast<uint32_t>(word >> kBits) +
           CountOnes(word & ((uint64_t{1} << bit) - 1));
  }
  // A hint that Find will be called for this address. Works only if `hint` is already right.
  void Prefetch(uint64_t address, size_t hint) const {
    const uint64_t number = address / kChunkBytes;
    if (hint >= runs_.size() || number - runs_[hint].number >= runs_[hint].chunks) return;
    const Chunk& chunk = chunks_[runs_[hint].first + (number - runs_[hint].number)];
    if (chunk.place >= kListed) return;
    const auto unit = static_cast<uint32_t>(address % kChunkBytes) / 8;
    __builtin_prefetch(&words_[size_t{chunk.place} * kWords + unit / kBits]);
  }
  // The last object that begins at or before `address`; kNone if there is none.
  uint32_t FindAtOrBefore(uint64_t address) const;

  uint64_t bytes() const;

 private:
  static constexpr uint64_t kChunkBytes = 64u << 10;
  static constexpr uint32_t kUnits = kChunkBytes / 8;
  static constexpr uint32_t kBits = 48;
  static constexpr uint32_t kWords = (kUnits + kBits - 1) / kBits;
  static constexpr uint32_t kListed = 1u << 31;  // in Chunk::place: an index into list_
  static constexpr size_t kMinBitmapObjects = 128;
  static constexpr uint64_t kMaxFilledGap = 4;           // chunks without objects inside a run
  static constexpr size_t kMaxChunks = size_t{1} << 26;  // 4 TiB of addresses with objects

  struct Chunk {
    uint32_t first_id = 0;
    uint32_t place = kListed;
  };
  struct Run {            // of chunks without a gap
    uint64_t number = 0;  // address / kChunkBytes of the first
    uint64_t chunks = 0;
    size_t first = 0;  // index into chunks_
  };

  // At most 48 bits. Without the processor's own instruction, which not all processors have.
  static uint32_t CountOnes(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return static_cast<uint32_t>(bits * 0x0101010101010101 >> 56);
  }
  uint32_t EndId(size_t chunk) const {
    return chunk + 1 < chunks_.size() ? chunks_[chunk + 1].first_id : size_;
  }
  bool FindRun(uint64_t number, size_t& hint) const;
  uint32_t FindInList(const Chunk& chunk, uint32_t unit, uint64_t address) const;
  void FinishChunk();

  uint32_t size_ = 0;
  uint64_t last_ = 0;
  std::vector<Run> runs_;
  std::vector<Chunk> chunks_;
  std::vector<uint64_t> words_;
  std::vector<uint16_t> list_;
  std::vector<uint16_t> open_;  // units of the chunk that Add fills
};

}  // namespace hindsight::analyzer
