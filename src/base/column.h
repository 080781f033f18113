// A growable array for plain values: what every column of a Trace or Graph is made of.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace orrery {

/// Makes a block of memory of `old_bytes` (none: null, 0) one of `new_bytes` (0: freed), keeping what fits, and returns
/// where it lies now. Large blocks are mappings of their own: growing one moves page tables instead of bytes, and huge
/// pages are asked for, since touching fresh memory page by page costs as much as writing to it. Throws std::bad_alloc.
void* resize_block(void* block, std::size_t old_bytes, std::size_t new_bytes);

/// Contiguous storage for trivially copyable values. Grows with resize_block and never touches memory before it is
/// written: a reserved tail costs address space only. Move-only.
template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(alignof(T) <= alignof(std::max_align_t), "small blocks come from malloc");

 public:
  Column() = default;
  explicit Column(std::size_t size) { resize_uninitialized(size); }
  Column(std::size_t size, T value) { assign(size, value); }
  Column(Column&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Column& operator=(Column&& other) noexcept {
    if (this != &other) {
      reallocate(0);
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, 0);
    }
    return *this;
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  ~Column() { reallocate(0); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return assert(i < size_), data_[i]; }
  const T& operator[](std::size_t i) const { return assert(i < size_), data_[i]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  void push_back(T value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }
  void pop_back() { assert(size_ > 0), --size_; }
  void clear() { size_ = 0; }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  /// The new elements are left as they are in memory: write each before reading it.
  void resize_uninitialized(std::size_t size) {
    if (size > capacity_) grow(size);
    size_ = size;
  }
  void resize(std::size_t size, T value = T{}) {
    const std::size_t old = size_;
    resize_uninitialized(size);
    for (std::size_t i = old; i < size; ++i) data_[i] = value;
  }
  void assign(std::size_t size, T value) {
    clear();
    resize(size, value);
  }
  void append(std::span<const T> values) {
    if (values.empty()) return;
    const std::size_t old = size_;
    resize_uninitialized(old + values.size());
    std::memcpy(static_cast<void*>(data_ + old), values.data(), values.size_bytes());
  }
  void shrink_to_fit() {
    if (capacity_ > size_) reallocate(size_);
  }
  [[nodiscard]] std::size_t memory_bytes() const { return capacity_ * sizeof(T); }

 private:
  void grow(std::size_t needed) { reallocate(needed > 2 * capacity_ ? (needed < 16 ? 16 : needed) : 2 * capacity_); }
  void reallocate(std::size_t capacity) {
    if (capacity > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_alloc();
    data_ = static_cast<T*>(resize_block(static_cast<void*>(data_), capacity_ * sizeof(T), capacity * sizeof(T)));
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Moves value i to place[i]; `place` is a permutation.
template <typename T>
void scatter(Column<T>& values, std::span<const std::uint32_t> place) {
  Column<T> moved(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) moved[place[i]] = values[i];
  values = std::move(moved);
}

}  // namespace orrery
