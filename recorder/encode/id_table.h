// From keys to ids, in one array: a lookup touches one or two cache lines. The drain thread looks
// up every frame of every stack, which with a table of linked entries was a quarter of its work.
//
// Linear probing, at most two thirds full. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hindsight::recorder {

// `Key` is an unsigned integer, or its member `bits()` returns one that differs for different keys.
template <typename Key>
class IdTable {
 public:
  // 0: it has none.
  uint32_t Find(const Key& key) const {
    if (entries_.empty()) return 0;
    const uint32_t id = entries_[PlaceOf(key)].id;
    return id == kErased ? 0 : id;
  }

  // `id` is neither 0 nor UINT32_MAX.
  void Set(const Key& key, uint32_t id) {
    if (3 * (used_ + 1) > 2 * entries_.size()) Grow();
    Entry& entry = entries_[PlaceOf(key)];
    if (entry.id == kFree) ++used_;
    if (entry.id == kFree || entry.id == kErased) ++size_;
    entry = {key, id};
  }

  // Its place remains in use until the table grows: keys behind it are found by way of it.
  void Erase(const Key& key) {
    if (Find(key) == 0) return;
    entries_[PlaceOf(key)].id = kErased;
    --size_;
  }

  // Frees the memory, too.
  void Clear() {
    entries_ = std::vector<Entry>();
    size_ = used_ = 0;
  }

  size_t size() const { return size_; }
  uint64_t memory_bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  static constexpr size_t kSmallest = 64;
  static constexpr uint32_t kFree = 0, kErased = UINT32_MAX;

  struct Entry {
    Key key{};
    uint32_t id = kFree;
  };

  static uint64_t BitsOf(const Key& key) {
    if constexpr (requires { key.bits(); }) {
      return key.bits();
    } else {
      return key;
    }
  }

  // That of the key, or the free one where it belongs.
  size_t PlaceOf(const Key& key) const {
    const size_t mask = entries_.size() - 1;
    uint64_t hash = BitsOf(key) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;  // the upper half is the better one
    size_t place = hash & mask;
    while (entries_[place].id != kFree && !(entries_[place].key == key)) place = (place + 1) & mask;
    return place;
  }

  // To half full at most, without the erased ones.
  void Grow() {
    size_t capacity = kSmallest;
    while (capacity < 2 * (size_ + 1)) capacity *= 2;
    const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(capacity));
    for (const Entry& entry : old) {
      if (entry.id != kFree && entry.id != kErased) entries_[PlaceOf(entry.key)] = entry;
    }
    used_ = size_;
  }

  std::vector<Entry> entries_;  // as many as a power of two
  size_t size_ = 0;
  size_t used_ = 0;  // with erased ones
};

}  // namespace hindsight::recorder
