#include "recorder/stream/ring.h"

#include <algorithm>

namespace hindsight::recorder {

void Ring::Reset(std::byte* memory, size_t capacity) {
  memory_ = memory;
  capacity_ = capacity;
  reserved_from_ = reserved_ = 0;
  head_.store(0, std::memory_order_relaxed);
  tail_.store(0, std::memory_order_relaxed);
}

void* Ring::ReserveUpTo(size_t least, size_t most, size_t& got) {
  const size_t head = head_.load(std::memory_order_relaxed);
  const size_t tail = tail_.load(std::memory_order_acquire);
  const size_t free = capacity_ - (head - tail);
  const size_t to_end = capacity_ - (head & (capacity_ - 1));
  const size_t here = std::min(free, to_end);
  const size_t beyond = free - here;  // from the start of the ring, after padding
  const size_t padding = here < most && beyond > here ? to_end : 0;
  got = std::min(most, padding != 0 ? beyond : here);
  if (got < least) return nullptr;
  if (padding != 0) {
    // Events are multiples of 8 bytes, so at least a size and a kind fit before the end. The
    // padding is smaller than half of the ring, so its size fits the field.
    auto* pad = reinterpret_cast<EventHeader*>(memory_ + (head & (capacity_ - 1)));
    pad->units = static_cast<uint16_t>(padding / 8);
    pad->kind = EventKind::kPadding;
  }
  reserved_from_ = head + padding;
  reserved_ = got;
  return memory_ + (reserved_from_ & (capacity_ - 1));
}

const EventHeader* Ring::Front() {
  const size_t head = head_.load(std::memory_order_acquire);
  size_t tail = tail_.load(std::memory_order_relaxed);
  while (tail != head) {
    auto* event = reinterpret_cast<const EventHeader*>(memory_ + (tail & (capacity_ - 1)));
    if (event->kind != EventKind::kPadding) return event;
    tail += event->size();
    tail_.store(tail, std::memory_order_release);
  }
  return nullptr;
}

void Ring::Pop() {
  const size_t tail = tail_.load(std::memory_order_relaxed);
  auto* event = reinterpret_cast<const EventHeader*>(memory_ + (tail & (capacity_ - 1)));
  tail_.store(tail + event->size(), std::memory_order_release);
}

}  // namespace hindsight::recorder
