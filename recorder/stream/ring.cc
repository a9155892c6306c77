#include "recorder/stream/ring.h"

#include <algorithm>
#include <new>

namespace hindsight::recorder {

void Ring::Reset(std::byte* memory, size_t capacity) {
  for (Block* block = read_; block != nullptr;) {
    Block* const next = block->next.load(std::memory_order_relaxed);
    if (block != &first_) GiveBack(block);
    block = next;
  }
  first_.memory = memory;
  first_.capacity = capacity;
  first_.next.store(nullptr, std::memory_order_relaxed);
  first_.head.store(0, std::memory_order_relaxed);
  first_.tail.store(0, std::memory_order_relaxed);
  write_ = read_ = &first_;
  first_left_.store(false, std::memory_order_relaxed);
  reserved_from_ = reserved_ = front_bytes_ = 0;
  broken_ = 0;
}

void* Ring::ReserveUpTo(size_t least, size_t most, size_t& got) {
  const size_t capacity = write_->capacity;
  const size_t head = write_->head.load(std::memory_order_relaxed);
  const size_t tail = write_->tail.load(std::memory_order_acquire);
  const size_t free = capacity - (head - tail);
  const size_t to_end = capacity - (head & (capacity - 1));
  const size_t here = std::min(free, to_end);
  const size_t beyond = free - here;  // from the start of the ring, after padding
  const size_t padding = here < most && beyond > here ? to_end : 0;
  got = std::min(most, padding != 0 ? beyond : here);
  if (got < least) return nullptr;
  if (padding != 0) {
    // Events are multiples of 8 bytes, so at least a size and a kind fit before the end. The
    // padding is smaller than an event, so its size fits the field.
    auto* pad = reinterpret_cast<EventHeader*>(write_->memory + (head & (capacity - 1)));
    pad->units = static_cast<uint16_t>(padding / 8);
    pad->kind = EventKind::kPadding;
  }
  reserved_from_ = head + padding;
  reserved_ = got;
  return write_->memory + (reserved_from_ & (capacity - 1));
}

bool Ring::Grow(MemoryBudget& budget, size_t capacity) {
  auto* memory = static_cast<std::byte*>(budget.Map(kBlockBytes + capacity));
  if (memory == nullptr) return false;
  Block* const block = new (memory) Block;
  block->memory = memory + kBlockBytes;
  block->capacity = capacity;
  block->budget = &budget;
  write_->next.store(block, std::memory_order_release);
  write_ = block;
  return true;
}

void Ring::Shrink() {
  const bool possible =
      has_grown() && first_left_.load(std::memory_order_acquire) &&
      write_->tail.load(std::memory_order_acquire) == write_->head.load(std::memory_order_relaxed);
  if (!possible) return;
  first_.next.store(nullptr, std::memory_order_relaxed);
  first_left_.store(false, std::memory_order_relaxed);
  Block* const last = write_;
  write_ = &first_;
  last->next.store(&first_, std::memory_order_release);  // from here on, the consumer frees it
}

void Ring::GiveBack(Block* block) { block->budget->Unmap(block, kBlockBytes + block->capacity); }

const EventHeader* Ring::FrontOf(Block& block) {
  const size_t head = block.head.load(std::memory_order_acquire);
  size_t tail = block.tail.load(std::memory_order_relaxed);
  while (tail != head) {
    const size_t place = tail & (block.capacity - 1);
    const auto* event = reinterpret_cast<const EventHeader*>(block.memory + place);
    const size_t size = event->size();
    const bool is_padding = event->kind == EventKind::kPadding;
    if (size < (is_padding ? kLeastPadding : sizeof(EventHeader)) || size > head - tail ||
        size > block.capacity - place) {
      block.tail.store(head, std::memory_order_release);
      ++broken_;
      return nullptr;
    }
    if (!is_padding) {
      front_bytes_ = size;
      return event;
    }
    tail += size;
    block.tail.store(tail, std::memory_order_release);
  }
  return nullptr;
}

const EventHeader* Ring::Front() {
  for (;;) {
    Block& block = *read_;
    // Before the head: a consumer that sees that the producer has moved on also sees its last event
    // here.
    Block* const next = block.next.load(std::memory_order_acquire);
    if (const EventHeader* const event = FrontOf(block)) return event;
    if (next == nullptr) return nullptr;
    read_ = next;
    if (&block == &first_) {
      first_left_.store(true, std::memory_order_release);
    } else {
      GiveBack(&block);
    }
  }
}

void Ring::Pop() {
  std::atomic<size_t>& tail = read_->tail;
  tail.store(tail.load(std::memory_order_relaxed) + front_bytes_, std::memory_order_release);
  front_bytes_ = 0;
}

}  // namespace hindsight::recorder
