// The most frequent keys of a stream, in bounded memory (the "space saving" algorithm).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hindsight::analyzer {

// Exact up to `kCapacity` distinct keys. Beyond that, a new key replaces the rarest one and
// inherits its count as `error`: the true count lies in [count - error, count], and every key more
// frequent than total / kCapacity is present.
template <typename Key, size_t kCapacity>
class BoundedCounter {
 public:
  struct Entry {
    Key key{};
    uint64_t count = 0;
    uint64_t error = 0;

    uint64_t at_least() const { return count - error; }
  };

  // The entry's index, and whether this call added the key.
  struct Added {
    size_t index;
    bool is_new;
  };
  Added Add(const Key& key, uint64_t count = 1) {
    total_ += count;
    if (last_ < entries_.size() && entries_[last_].key == key) {
      entries_[last_].count += count;
      return {last_, false};
    }
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].key == key) {
        entries_[i].count += count;
        last_ = i;
        return {i, false};
      }
    }
    if (entries_.size() < kCapacity) {
      entries_.push_back({key, count, 0});
      last_ = entries_.size() - 1;
      return {last_, true};
    }
    const auto rarest =
        std::min_element(entries_.begin(), entries_.end(),
                         [](const Entry& a, const Entry& b) { return a.count < b.count; });
    *rarest = {key, rarest->count + count, rarest->count};
    last_ = static_cast<size_t>(rarest - entries_.begin());
    exact_ = false;
    return {last_, true};
  }

  // Adds an entry of another counter; `from_exact`: whether that counter is exact.
  Added AddEntry(const Entry& entry, bool from_exact) {
    const Added added = Add(entry.key, entry.count);
    entries_[added.index].error += entry.error;
    exact_ = exact_ && from_exact;
    return added;
  }

  void Merge(const BoundedCounter& other) {
    for (const Entry& entry : other.entries_) AddEntry(entry, other.exact_);
  }

  const std::vector<Entry>& entries() const { return entries_; }  // in order of arrival
  bool exact() const { return exact_; }
  uint64_t total() const { return total_; }  // of all keys, exact

 private:
  std::vector<Entry> entries_;
  size_t last_ = 0;
  uint64_t total_ = 0;
  bool exact_ = true;
};

}  // namespace hindsight::analyzer
