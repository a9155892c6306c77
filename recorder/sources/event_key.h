// Which event another one of the same thread belongs to: the start of a wait and its end, a throw
// and its outcome.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hindsight::recorder {

struct EventKey {
  uint32_t thread;
  uint64_t ordinal;  // among the thread's events of that source
  bool operator==(const EventKey&) const = default;
};

struct EventKeyHash {
  size_t operator()(const EventKey& key) const {
    return (key.ordinal * 0x9e3779b97f4a7c15u) ^ key.thread;
  }
};

}  // namespace hindsight::recorder
