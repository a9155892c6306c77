#include "recorder/stream/ring.h"

#include <algorithm>

namespace hindsight::recorder {

void Ring::Reset(std::byte* memory, size_t capacity) {
  memory_ = memory;
  capacity_ = capacity;
  reserved_from_ = reserved_ = front_bytes_ = 0;
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
    const size_t place = tail & (capacity_ - 1);
    const auto* event = reinterpret_cast<const EventHeader*>(memory_ + place);
    const size_t size = event->size();
    const bool is_padding = event->kind == EventKind::kPadding;
    if (size < (is_padding ? kLeastPadding : sizeof(EventHeader)) || size > head - tail ||
        size > capacity_ - place) {
      tail_.store(head, std::memory_order_release);
      ++broken_;
      return nullptr;
    }
    if (!is_padding) {
      front_bytes_ = size;
      return event;
    }
    tail += size;
    tail_.store(tail, std::memory_order_release);
  }
  return nullptr;
}

void Ring::Pop() {
  tail_.store(tail_.load(std::memory_order_relaxed) + front_bytes_, std::memory_order_release);
  front_bytes_ = 0;
}

}  // namespace hindsight::recorder
