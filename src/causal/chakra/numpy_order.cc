#include "causal/chakra/numpy_order.h"

#include <bit>
#include <utility>
#include <vector>

namespace orrery::causal::chakra {
namespace {

constexpr std::ptrdiff_t kInsertionLimit = 16;

class Introsort {
 public:
  Introsort(std::span<const std::int64_t> keys, Column<std::uint32_t>& order)
      : keys_(keys.data()), order_(order.data()) {}

  void sort(std::ptrdiff_t count) {
    if (count < 2) return;
    put_off_.push_back({0, count - 1, 2 * (static_cast<int>(std::bit_width(static_cast<std::size_t>(count))) - 1)});
    while (!put_off_.empty()) {
      const Part part = put_off_.back();
      put_off_.pop_back();
      if (part.partitions_left < 0) heap_sort(part.first, part.last - part.first + 1);
      else quick_sort(part);
    }
  }

 private:
  struct Part {
    std::ptrdiff_t first, last;
    int partitions_left;
  };

  std::int64_t key(std::ptrdiff_t at) const { return keys_[order_[at]]; }

  void quick_sort(Part part) {
    while (part.last - part.first >= kInsertionLimit) {
      const std::ptrdiff_t pivot = partition(part.first, part.last);
      --part.partitions_left;
      if (pivot - part.first < part.last - pivot) {
        put_off_.push_back({pivot + 1, part.last, part.partitions_left});
        part.last = pivot - 1;
      } else {
        put_off_.push_back({part.first, pivot - 1, part.partitions_left});
        part.first = pivot + 1;
      }
    }
    insertion_sort(part.first, part.last);
  }

  // Returns where the pivot ended up.
  std::ptrdiff_t partition(std::ptrdiff_t first, std::ptrdiff_t last) {
    const std::ptrdiff_t middle = first + (last - first) / 2;
    if (key(middle) < key(first)) std::swap(order_[middle], order_[first]);
    if (key(last) < key(middle)) std::swap(order_[last], order_[middle]);
    if (key(middle) < key(first)) std::swap(order_[middle], order_[first]);
    const std::int64_t pivot = key(middle);
    std::ptrdiff_t up = first;
    std::ptrdiff_t down = last - 1;
    std::swap(order_[middle], order_[down]);
    for (;;) {
      do ++up;
      while (key(up) < pivot);
      do --down;
      while (pivot < key(down));
      if (up >= down) break;
      std::swap(order_[up], order_[down]);
    }
    std::swap(order_[up], order_[last - 1]);
    return up;
  }

  void insertion_sort(std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first + 1; i <= last; ++i) {
      const std::uint32_t item = order_[i];
      std::ptrdiff_t at = i;
      for (; at > first && keys_[item] < key(at - 1); --at) order_[at] = order_[at - 1];
      order_[at] = item;
    }
  }

  // Positions in the heap count from 1: that of the greatest key.
  void sift_down(std::uint32_t* heap, std::ptrdiff_t at, std::ptrdiff_t count, std::uint32_t item) {
    for (std::ptrdiff_t child = 2 * at; child <= count; child = 2 * at) {
      if (child < count && keys_[heap[child - 1]] < keys_[heap[child]]) ++child;
      if (!(keys_[item] < keys_[heap[child - 1]])) break;
      heap[at - 1] = heap[child - 1];
      at = child;
    }
    heap[at - 1] = item;
  }

  void heap_sort(std::ptrdiff_t first, std::ptrdiff_t count) {
    std::uint32_t* const heap = order_ + first;
    for (std::ptrdiff_t at = count / 2; at > 0; --at) sift_down(heap, at, count, heap[at - 1]);
    for (; count > 1; --count) {
      const std::uint32_t item = std::exchange(heap[count - 1], heap[0]);
      sift_down(heap, 1, count - 1, item);
    }
  }

  const std::int64_t* keys_;
  std::uint32_t* order_;
  std::vector<Part> put_off_;
};

}  // namespace

Column<std::uint32_t> numpy_order(std::span<const std::int64_t> keys) {
  Column<std::uint32_t> order(keys.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) order[i] = i;
  Introsort(keys, order).sort(static_cast<std::ptrdiff_t>(keys.size()));
  return order;
}

}  // namespace orrery::causal::chakra
