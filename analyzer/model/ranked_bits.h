// A bit vector with rank: counts the ones before a position, as the index of a sparse column.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "analyzer/base/column.h"

namespace hindsight::analyzer {

class RankedBits {
 public:
  RankedBits() = default;
  explicit RankedBits(size_t size) : size_(size), words_((size + 63) / 64) {}

  size_t size() const { return size_; }
  uint64_t count() const { return count_; }
  bool Get(size_t at) const { return words_[at / 64] >> (at % 64) & 1; }
  // Several threads may set bits if no two of them write to the same 64-bit word.
  void Set(size_t at) { words_[at / 64] |= uint64_t{1} << (at % 64); }

  // After the last Set, before the first Rank.
  void Finish() {
    ranks_ = Column<uint64_t>(words_.size() / kWords + 1);
    count_ = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      if (i % kWords == 0) ranks_[i / kWords] = count_;
      count_ += std::popcount(words_[i]);
    }
    if (words_.size() % kWords == 0) ranks_[words_.size() / kWords] = count_;
  }
  // The number of ones before `at`, which is at most size().
  uint64_t Rank(size_t at) const {
    const size_t word = at / 64;
    uint64_t rank = ranks_[word / kWords];
    for (size_t i = word / kWords * kWords; i < word; ++i) rank += std::popcount(words_[i]);
    if (at % 64 != 0) rank += std::popcount(words_[word] & ((uint64_t{1} << (at % 64)) - 1));
    return rank;
  }
  uint64_t bytes() const { return words_.bytes() + ranks_.bytes(); }

 private:
  static constexpr size_t kWords = 8;  // a cache line
  size_t size_ = 0;
  uint64_t count_ = 0;
  Column<uint64_t> words_;
  Column<uint64_t> ranks_;
};

}  // namespace hindsight::analyzer
