#include "recorder/stream/ring.h"

namespace hindsight::recorder {

void Ring::Reset(std::byte* memory, size_t capacity) {
  memory_ = memory;
  capacity_ = capacity;
  reserved_to_ = 0;
  head_.store(0, std::memory_order_relaxed);
  tail_.store(0, std::memory_order_relaxed);
}

void* Ring::Reserve(size_t size) {
  const size_t head = head_.load(std::memory_order_relaxed);
  const size_t tail = tail_.load(std::memory_order_acquire);
  const size_t at = head & (capacity_ - 1);
  const size_t to_end = capacity_ - at;
  const size_t padding = size <= to_end ? 0 : to_end;
  if (head + padding + size - tail > capacity_) return nullptr;
  if (padding != 0) {
    // Events are multiples of 8 bytes, so at least a size and a kind fit before the end. The
    // padding is smaller than the event that did not fit, so its size fits the field.
    auto* pad = reinterpret_cast<EventHeader*>(memory_ + at);
    pad->units = static_cast<uint16_t>(padding / 8);
    pad->kind = EventKind::kPadding;
  }
  reserved_to_ = head + padding + size;
  return memory_ + ((head + padding) & (capacity_ - 1));
}

void Ring::Commit() { head_.store(reserved_to_, std::memory_order_release); }

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
