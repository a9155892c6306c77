// What was made once and is likely to be asked for again: the newest few.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// Any thread. Who asks for what is being made waits for it; two are never made at a time, so that
// memory is not needed twice. What was made stays alive while somebody uses it.
template <typename Key, typename Value>
class SharedCache {
 public:
  using Shared = std::shared_ptr<const Value>;
  using Make = std::function<Result<std::unique_ptr<Value>>()>;

  explicit SharedCache(size_t most) : most_(most) {}

  Result<Shared> Get(const Key& key, const Make& make) {
    if (Shared known = Find(key)) return known;
    const std::lock_guard one_at_a_time(making_);
    if (Shared known = Find(key)) return known;
    {
      // Room first: a heap may be as large as half of the memory.
      const std::lock_guard lock(mutex_);
      while (entries_.size() >= most_) entries_.pop_back();
    }
    Result<std::unique_ptr<Value>> made = make();
    if (!made) return made.error();
    Shared value = std::move(*made);
    const std::lock_guard lock(mutex_);
    entries_.emplace_front(key, value);
    return value;
  }

 private:
  Shared Find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&key](const auto& entry) { return entry.first == key; });
    if (found == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found);
    return found->second;
  }

  const size_t most_;
  std::mutex making_;
  std::mutex mutex_;                           // for entries_
  std::list<std::pair<Key, Shared>> entries_;  // the one used last first
};

}  // namespace hindsight::analyzer
