// Values by the numbers that rows of other tables refer to them by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace orrery {

/// Filled first, then finished, then asked: O(1) where numbers count up with few gaps, as keys of databases do, else
/// O(log n).
template <typename T>
class IdTable {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  void add(std::int64_t id, T value) { entries_.emplace_back(id, std::move(value)); }
  /// Of two values of one number the first counts.
  void finish() {
    const auto by_id = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(entries_.begin(), entries_.end(), by_id))
      std::stable_sort(entries_.begin(), entries_.end(), by_id);
    const auto is_same = [](const auto& a, const auto& b) { return a.first == b.first; };
    entries_.erase(std::unique(entries_.begin(), entries_.end(), is_same), entries_.end());
  }

  /// The place of a number, from 0 to size(); kNone if it is not there.
  [[nodiscard]] std::size_t place(std::int64_t id) const {
    if (entries_.empty() || id < entries_.front().first || id > entries_.back().first) return kNone;
    const auto guess = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(entries_.front().first);
    if (guess < entries_.size() && entries_[guess].first == id) return static_cast<std::size_t>(guess);
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), id,
                                     [](const auto& entry, std::int64_t wanted) { return entry.first < wanted; });
    return at != entries_.end() && at->first == id ? static_cast<std::size_t>(at - entries_.begin()) : kNone;
  }
  [[nodiscard]] const T* find(std::int64_t id) const {
    const std::size_t at = place(id);
    return at == kNone ? nullptr : &entries_[at].second;
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const T& operator[](std::size_t at) const { return entries_[at].second; }
  /// With their numbers, ascending.
  [[nodiscard]] const std::vector<std::pair<std::int64_t, T>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::int64_t, T>> entries_;
};

}  // namespace orrery
