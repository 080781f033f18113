// The order in which Python's list.sort leaves a list. HTA sorts the ends of calls by a comparison that is not
// transitive (what lasts no time lies inside what lasts longer, but of two that last, one ends before the other
// begins), so the answer depends on which pairs are compared: on the algorithm. This is Tim Peters's, as CPython 3.11
// has it: natural runs, filled up by binary insertion, merged in powersort's order with galloping.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace orrery::analyze::hta {

/// `less(a, b)`: a comes before b. Any answers are allowed. O(n log n).
template <typename T, typename Less>
class PythonSort {
 public:
  PythonSort(std::vector<T>& items, Less less) : a_(items), less_(std::move(less)) {}

  void sort() {
    std::size_t begin = 0, left = a_.size();
    if (left < 2) return;
    const std::size_t least = least_run(left);
    while (left > 0) {
      std::size_t length = natural_run(begin);
      if (length < least) {
        const std::size_t forced = std::min(left, least);
        insert_each(begin, begin + length, begin + forced);
        length = forced;
      }
      merge_deeper_than(length);
      runs_.push_back({begin, length, 0});
      begin += length;
      left -= length;
    }
    while (runs_.size() > 1) {
      std::size_t i = runs_.size() - 2;
      if (i > 0 && runs_[i - 1].length < runs_[i + 1].length) --i;
      merge_at(i);
    }
  }

 private:
  struct Run {
    std::size_t begin, length;
    int power;  // of the boundary behind it
  };
  static constexpr std::size_t kMinGallop = 7;

  /// 32 to 64, such that n is that times a power of two or a little less.
  static std::size_t least_run(std::size_t n) {
    std::size_t dropped = 0;
    for (; n >= 64; n >>= 1) dropped |= n & 1;
    return n + dropped;
  }

  /// Length of the run at `begin`: never falling, or strictly falling and then reversed.
  std::size_t natural_run(std::size_t begin) {
    const std::size_t left = a_.size() - begin;
    if (left == 1) return 1;
    const bool falls = less_(a_[begin + 1], a_[begin]);
    std::size_t length = 2;
    while (length < left && less_(a_[begin + length], a_[begin + length - 1]) == falls) ++length;
    if (falls) std::reverse(at(begin), at(begin + length));
    return length;
  }

  /// [begin, sorted) is in order; puts those up to `end` in their places one by one.
  void insert_each(std::size_t begin, std::size_t sorted, std::size_t end) {
    for (; sorted < end; ++sorted) {
      std::size_t low = begin, high = sorted;
      while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (less_(a_[sorted], a_[middle])) high = middle;
        else low = middle + 1;
      }
      std::rotate(at(low), at(sorted), at(sorted + 1));
    }
  }

  /// Before a run of this length is added: merges those whose boundary lies deeper in the tree than the new one.
  void merge_deeper_than(std::size_t length) {
    if (runs_.empty()) return;
    const int power = power_of(runs_.back().begin, runs_.back().length, length);
    while (runs_.size() > 1 && runs_[runs_.size() - 2].power > power) merge_at(runs_.size() - 2);
    runs_.back().power = power;
  }
  [[nodiscard]] int power_of(std::size_t begin, std::size_t first_length, std::size_t second_length) const {
    const std::size_t n = a_.size();
    // Twice the middles of the two runs, as fractions of n: the first binary digit in which they differ.
    std::size_t x = 2 * begin + first_length, y = x + first_length + second_length;
    for (int power = 1;; ++power) {
      if (x >= n) x -= n, y -= n;
      else if (y >= n) return power;
      x <<= 1, y <<= 1;
    }
  }

  /// Where `key` goes in the `n` items at `a`, before equal ones, looking outwards from `hint`.
  template <typename Iterator>
  std::size_t gallop_left(const T& key, Iterator a, std::size_t n, std::size_t hint) {
    return gallop(n, hint, [&](std::size_t i) { return less_(a[i], key); });
  }
  /// The same, behind equal ones.
  template <typename Iterator>
  std::size_t gallop_right(const T& key, Iterator a, std::size_t n, std::size_t hint) {
    return gallop(n, hint, [&](std::size_t i) { return !less_(key, a[i]); });
  }
  /// The first place whose item is not before the key.
  template <typename IsBefore>
  static std::size_t gallop(std::size_t n, std::size_t hint, IsBefore&& is_before) {
    std::size_t last = 0, offset = 1, low = 0, high = 0;
    if (is_before(hint)) {
      const std::size_t most = n - hint;
      while (offset < most && is_before(hint + offset)) last = std::exchange(offset, 2 * offset + 1);
      low = hint + last + 1;
      high = hint + std::min(offset, most);
    } else {
      const std::size_t most = hint + 1;
      while (offset < most && !is_before(hint - offset)) last = std::exchange(offset, 2 * offset + 1);
      low = hint + 1 - std::min(offset, most);
      high = hint - last;
    }
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (is_before(middle)) low = middle + 1;
      else high = middle;
    }
    return high;
  }

  /// Runs i and i + 1 become one.
  void merge_at(std::size_t i) {
    std::size_t begin = runs_[i].begin, first = runs_[i].length;
    const std::size_t middle = runs_[i + 1].begin;
    std::size_t second = runs_[i + 1].length;
    runs_[i].length = first + second;
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    const std::size_t in_place = gallop_right(a_[middle], at(begin), first, 0);
    begin += in_place;
    first -= in_place;
    if (first == 0) return;
    second = gallop_left(a_[begin + first - 1], at(middle), second, second - 1);
    if (second == 0) return;
    if (first <= second) merge_upwards(begin, first, middle, second);
    else merge_downwards(begin, first, middle, second);
  }

  /// The first part, copied aside, and the second, in place, from the front.
  void merge_upwards(std::size_t begin, std::size_t first, std::size_t middle, std::size_t second) {
    const std::vector<T> copy(at(begin), at(begin + first));
    std::size_t x = 0, y = middle, out = begin;
    const std::size_t y_end = middle + second;
    const auto take_x = [&] { a_[out++] = copy[x++]; };
    const auto take_y = [&] { a_[out++] = a_[y++]; };
    const auto left_x = [&] { return first - x; };
    const auto left_y = [&] { return y_end - y; };
    const auto finish = [&] {  // with one item left of the first part it goes last, unasked
      if (left_x() == 1) {
        while (left_y() > 0) take_y();
      }
      while (left_x() > 0) take_x();
    };
    take_y();
    if (left_y() == 0 || left_x() == 1) return finish();
    std::size_t min_gallop = min_gallop_;
    for (;;) {
      std::size_t x_wins = 0, y_wins = 0;
      while (x_wins < min_gallop && y_wins < min_gallop) {
        if (less_(a_[y], copy[x])) {
          take_y();
          ++y_wins, x_wins = 0;
          if (left_y() == 0) return finish();
        } else {
          take_x();
          ++x_wins, y_wins = 0;
          if (left_x() == 1) return finish();
        }
      }
      ++min_gallop;
      do {
        if (min_gallop > 1) --min_gallop;
        min_gallop_ = min_gallop;
        x_wins = gallop_right(a_[y], copy.begin() + static_cast<std::ptrdiff_t>(x), left_x(), 0);
        for (std::size_t k = 0; k < x_wins; ++k) take_x();
        if (x_wins > 0 && left_x() <= 1) return finish();
        take_y();
        if (left_y() == 0) return finish();
        y_wins = gallop_left(copy[x], at(y), left_y(), 0);
        for (std::size_t k = 0; k < y_wins; ++k) take_y();
        if (y_wins > 0 && left_y() == 0) return finish();
        take_x();
        if (left_x() == 1) return finish();
      } while (x_wins >= kMinGallop || y_wins >= kMinGallop);
      min_gallop_ = ++min_gallop;
    }
  }

  /// The second part, copied aside, and the first, in place, from the back.
  void merge_downwards(std::size_t begin, std::size_t first, std::size_t middle, std::size_t second) {
    const std::vector<T> copy(at(middle), at(middle + second));
    std::size_t x = first, y = second, out = middle + second;  // of the first part x items are left, of the second y
    const auto take_x = [&] { a_[--out] = a_[begin + --x]; };
    const auto take_y = [&] { a_[--out] = copy[--y]; };
    const auto finish = [&] {  // with one item left of the second part it goes first, unasked
      for (std::size_t left = y == 1 ? x : 0; left > 0; --left) take_x();
      for (std::size_t left = y; left > 0; --left) take_y();
    };
    take_x();
    if (x == 0 || y == 1) return finish();
    std::size_t min_gallop = min_gallop_;
    for (;;) {
      std::size_t x_wins = 0, y_wins = 0;
      while (x_wins < min_gallop && y_wins < min_gallop) {
        if (less_(copy[y - 1], a_[begin + x - 1])) {
          take_x();
          ++x_wins, y_wins = 0;
          if (x == 0) return finish();
        } else {
          take_y();
          ++y_wins, x_wins = 0;
          if (y == 1) return finish();
        }
      }
      ++min_gallop;
      do {
        if (min_gallop > 1) --min_gallop;
        min_gallop_ = min_gallop;
        x_wins = x - gallop_right(copy[y - 1], at(begin), x, x - 1);
        for (std::size_t k = 0; k < x_wins; ++k) take_x();
        if (x_wins > 0 && x == 0) return finish();
        take_y();
        if (y == 1) return finish();
        y_wins = y - gallop_left(a_[begin + x - 1], copy.begin(), y, y - 1);
        for (std::size_t k = 0; k < y_wins; ++k) take_y();
        if (y_wins > 0 && y <= 1) return finish();
        take_x();
        if (x == 0) return finish();
      } while (x_wins >= kMinGallop || y_wins >= kMinGallop);
      min_gallop_ = ++min_gallop;
    }
  }

  auto at(std::size_t i) { return a_.begin() + static_cast<std::ptrdiff_t>(i); }

  std::vector<T>& a_;
  Less less_;
  std::vector<Run> runs_;
  std::size_t min_gallop_ = kMinGallop;
};

template <typename T, typename Less>
void python_sort(std::vector<T>& items, Less less) {
  PythonSort<T, Less>(items, std::move(less)).sort();
}

}  // namespace orrery::analyze::hta
