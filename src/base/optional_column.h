// A column that takes no memory while all its values are the default.
#pragma once

#include <span>
#include <utility>

#include "base/column.h"

namespace orrery {

template <typename T, T kDefault = T{}>
class OptionalColumn {
 public:
  OptionalColumn() = default;
  explicit OptionalColumn(Column<T> values) : values_(std::move(values)) {}

  T operator[](std::size_t i) const { return values_.empty() ? kDefault : values_[i]; }
  /// Empty when every value is the default.
  [[nodiscard]] std::span<const T> values() const { return values_; }
  [[nodiscard]] std::size_t memory_bytes() const { return values_.memory_bytes(); }

  /// While building: the column grows up to the last value that is not the default; complete() fills the rest.
  void set(std::size_t i, T value) {
    if (value == kDefault && i >= values_.size()) return;
    if (i >= values_.size()) values_.resize(i + 1, kDefault);
    values_[i] = value;
  }
  /// The same: `count` values from `first` on once more, from `at` on. Nothing at `at` or behind it was set.
  void repeat(std::size_t first, std::size_t count, std::size_t at) {
    if (values_.size() <= first) return;
    const std::size_t given = count < values_.size() - first ? count : values_.size() - first;
    values_.resize(at, kDefault);
    values_.resize_uninitialized(at + given);
    for (std::size_t i = 0; i < given; ++i) values_[at + i] = values_[first + i];
  }
  void complete(std::size_t size) {
    if (values_.empty()) return;
    values_.resize(size, kDefault);
    values_.shrink_to_fit();
  }
  /// Replaces every value that is not the default by f(value).
  template <typename F>
  void update(const F& f) {
    for (T& value : values_) {
      if (value != kDefault) value = f(value);
    }
  }
  /// Moves value i to place target[i]; nothing to do while there are none.
  void scatter(std::span<const std::uint32_t> target) {
    if (values_.empty()) return;
    Column<T> moved(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) moved[target[i]] = values_[i];
    values_ = std::move(moved);
  }

 private:
  Column<T> values_;
};

}  // namespace orrery
