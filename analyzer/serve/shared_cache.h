// Caches the few newest of what was created once and is likely to be needed again.
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

// Thread-safe. A caller that needs what is being created waits for it; two are never created at the
// same time, so that memory is not needed twice. Results stay alive as long as someone uses them.
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
      // Make room first: a heap may take half of the memory.
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
  std::mutex mutex_;                           // protects entries_
  std::list<std::pair<Key, Shared>> entries_;  // the one used last comes first
};

}  // namespace hindsight::analyzer
