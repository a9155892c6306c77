#include "analyzer/model/object_index.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

bool ObjectIndex::Add(uint64_t address) {
  if (address % 8 != 0 || (size_ > 0 && address <= last_) || size_ >= kMaxHeapObjects) return false;
  const uint64_t number = address / kChunkBytes;
  if (size_ == 0 || number != last_ / kChunkBytes) {
    FinishChunk();
    if (list_.size() >= kListed || words_.size() / kWords >= kListed ||
        chunks_.size() > kMaxChunks) {
      return false;
    }
    if (!runs_.empty() && number - (runs_.back().number + runs_.back().chunks) < kMaxFilledGap) {
      Run& run = runs_.back();
      chunks_.resize(run.first + (number - run.number), {size_, kListed});
      run.chunks = number - run.number + 1;
    } else {
      runs_.push_back({number, 1, chunks_.size()});
    }
    chunks_.push_back({size_, kListed});
  }
  open_.push_back(static_cast<uint16_t>(address % kChunkBytes / 8));
  last_ = address;
  ++size_;
  return true;
}

void ObjectIndex::FinishChunk() {
  if (open_.empty()) return;
  Chunk& chunk = chunks_.back();
  if (open_.size() < kMinBitmapObjects) {
    chunk.place = kListed | static_cast<uint32_t>(list_.size());
    list_.insert(list_.end(), open_.begin(), open_.end());
  } else {
    chunk.place = static_cast<uint32_t>(words_.size() / kWords);
    words_.resize(words_.size() + kWords);
    uint64_t* const words = words_.data() + words_.size() - kWords;
    for (const uint16_t unit : open_) words[unit / kBits] |= uint64_t{1} << (unit % kBits);
    uint64_t before = 0;
    for (uint32_t i = 0; i < kWords; ++i) {
      const auto ones = static_cast<uint64_t>(std::popcount(words[i]));
      words[i] |= before << kBits;
      before += ones;
    }
  }
  open_.clear();
}

void ObjectIndex::Finish() {
  FinishChunk();
  open_.shrink_to_fit();
  runs_.shrink_to_fit();
  chunks_.shrink_to_fit();
  words_.shrink_to_fit();
  list_.shrink_to_fit();
}

bool ObjectIndex::FindRun(uint64_t number, size_t& hint) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), number,
                       [](uint64_t wanted, const Run& run) { return wanted < run.number; });
  if (after == runs_.begin()) return false;
  const Run& run = *std::prev(after);
  if (number - run.number >= run.chunks) return false;
  hint = static_cast<size_t>(&run - runs_.data());
  return true;
}

uint32_t ObjectIndex::FindInList(const Chunk& chunk, uint32_t unit, uint64_t address) const {
  if (address % 8 != 0) return kNone;
  const uint32_t end = EndId(static_cast<size_t>(&chunk - chunks_.data()));
  const auto begin = list_.begin() + (chunk.place & ~kListed);
  const auto stop = begin + (end - chunk.first_id);
  const auto found = std::lower_bound(begin, stop, unit);
  if (found == stop || *found != unit) return kNone;
  return chunk.first_id + static_cast<uint32_t>(found - begin);
}

uint32_t ObjectIndex::FindAtOrBefore(uint64_t address) const {
  const uint64_t number = address / kChunkBytes;
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), number,
                       [](uint64_t wanted, const Run& run) { return wanted < run.number; });
  if (after == runs_.begin()) return kNone;
  const Run& run = *std::prev(after);
  uint32_t before = 0;  // objects that begin at or before the address
  if (number - run.number >= run.chunks) {
    before = EndId(run.first + run.chunks - 1);
  } else {
    const size_t at = run.first + (number - run.number);
    const Chunk& chunk = chunks_[at];
    const auto unit = static_cast<uint32_t>(address % kChunkBytes) / 8;
    before = chunk.first_id;
    if (chunk.place >= kListed) {
      const auto begin = list_.begin() + (chunk.place & ~kListed);
      const auto stop = begin + (EndId(at) - chunk.first_id);
      before += static_cast<uint32_t>(std::upper_bound(begin, stop, unit) - begin);
    } else {
      const uint64_t word = words_[size_t{chunk.place} * kWords + unit / kBits];
      before += static_cast<uint32_t>(word >> kBits) +
                CountOnes(word & ((uint64_t{2} << (unit % kBits)) - 1));
    }
  }
  return before == 0 ? kNone : before - 1;
}

uint64_t ObjectIndex::Address(uint32_t id) const {
  const auto after =
      std::upper_bound(chunks_.begin(), chunks_.end(), id,
                       [](uint32_t wanted, const Chunk& chunk) { return wanted < chunk.first_id; });
  const Chunk& chunk = *std::prev(after);
  const auto at = static_cast<size_t>(&chunk - chunks_.data());
  const auto run =
      std::prev(std::upper_bound(runs_.begin(), runs_.end(), at,
                                 [](size_t wanted, const Run& r) { return wanted < r.first; }));
  uint32_t nth = id - chunk.first_id;
  uint64_t unit = 0;
  if (chunk.place >= kListed) {
    unit = list_[(chunk.place & ~kListed) + nth];
  } else {
    const auto words = words_.begin() + static_cast<ptrdiff_t>(size_t{chunk.place} * kWords);
    const auto word =
        std::prev(std::upper_bound(words, words + kWords, nth, [](uint32_t wanted, uint64_t w) {
          return wanted < w >> kBits;
        }));
    nth -= static_cast<uint32_t>(*word >> kBits);
    uint64_t bits = *word & ((uint64_t{1} << kBits) - 1);
    for (; nth > 0; --nth) bits &= bits - 1;
    unit =
        static_cast<uint64_t>(word - words) * kBits + static_cast<uint64_t>(std::countr_zero(bits));
  }
  return (run->number + (at - run->first)) * kChunkBytes + unit * 8;
}

uint64_t ObjectIndex::bytes() const {
  return runs_.capacity() * sizeof(Run) + chunks_.capacity() * sizeof(Chunk) +
         words_.capacity() * sizeof(uint64_t) + list_.capacity() * sizeof(uint16_t);
}

}  // namespace hindsight::analyzer
