// An array of plain values whose memory comes directly from the system and is returned to it
// immediately, so that peak memory is what is in use; large ones use huge pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace hindsight::analyzer {

// Zeroed. Throws std::bad_alloc.
void* TakeMemory(size_t bytes);
void GiveMemory(void* memory, size_t bytes);
// Gives back the whole pages after the first `kept` bytes.
void ShrinkMemory(void* memory, size_t bytes, size_t kept);

// Throws std::out_of_range: a reader was about to write, or an analysis to read, outside of a
// column.
[[noreturn]] void RefuseOutOfColumn(size_t at, size_t size);

// For memory that was allocated elsewhere and has not been touched yet.
void AdviseLargePages(void* memory, size_t bytes);

// Initially zero. The size is fixed at construction; movable, not copyable. Its contents come from
// untrusted files, so indexes are checked in every build, except with begin() and data().
template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  explicit Column(size_t size) : size_(size) {
    if (__builtin_mul_overflow(size, sizeof(T), &taken_bytes_)) throw std::bad_alloc();
    if (size > 0) data_ = static_cast<T*>(TakeMemory(taken_bytes_));
  }
  Column(Column&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        taken_bytes_(std::exchange(other.taken_bytes_, 0)) {}
  Column& operator=(Column&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(taken_bytes_, other.taken_bytes_);
    return *this;
  }
  ~Column() { Free(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  uint64_t bytes() const { return size_ * sizeof(T); }
  T& operator[](size_t at) { return Check(at, 1), data_[at]; }
  const T& operator[](size_t at) const { return Check(at, 1), data_[at]; }
  void Put(size_t at, std::span<const T> values) {
    Check(at, values.size());
    std::copy(values.begin(), values.end(), data_ + at);
  }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  operator std::span<const T>() const { return {data_, size_}; }

  void Free() {
    if (data_ != nullptr) GiveMemory(data_, taken_bytes_);
    data_ = nullptr;
    size_ = taken_bytes_ = 0;
  }
  // Keeps the first `size` values.
  void Shrink(size_t size) {
    Check(0, size);
    if (size == 0) return Free();
    ShrinkMemory(data_, taken_bytes_, size * sizeof(T));
    size_ = size;
  }

 private:
  void Check(size_t at, size_t count) const {
    if (at > size_ || count > size_ - at) [[unlikely]]
      RefuseOutOfColumn(at, size_);
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t taken_bytes_ = 0;
};

}  // namespace hindsight::analyzer
