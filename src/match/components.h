// Strongly connected components: what lies on cycles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace orrery::match {

/// Tarjan's algorithm without recursion. `edge(vertex, i)` is the i-th successor of a vertex, kNoVertex after the last one. Calls
/// `found(members)` for every component of two or more vertices. Vertices that cannot be reached from where it is started are not looked at.
/// O(vertices + edges) in all.
template <typename Edge, typename Found>
class ComponentSearch {
 public:
  static constexpr std::uint32_t kNoVertex = ~std::uint32_t{0};

  ComponentSearch(std::uint32_t vertices, Edge edge, Found found)
      : edge_(std::move(edge)), found_(std::move(found)), order_(vertices, 0), lowest_(vertices, 0) {}

  void from(std::uint32_t root) {
    if (order_[root] != 0) return;
    enter(root);
    while (!calls_.empty()) {
      const std::uint32_t vertex = calls_.back().vertex;
      const std::uint32_t to = edge_(vertex, calls_.back().next++);
      if (to != kNoVertex) {
        if (order_[to] == 0) enter(to);
        else if (order_[to] != kDone) lowest_[vertex] = std::min(lowest_[vertex], order_[to]);
        continue;
      }
      calls_.pop_back();
      if (!calls_.empty()) lowest_[calls_.back().vertex] = std::min(lowest_[calls_.back().vertex], lowest_[vertex]);
      if (lowest_[vertex] == order_[vertex]) close(vertex);
    }
  }

 private:
  static constexpr std::uint32_t kDone = ~std::uint32_t{0};
  struct Call {
    std::uint32_t vertex;
    std::uint32_t next;
  };

  void enter(std::uint32_t vertex) {
    order_[vertex] = lowest_[vertex] = ++entered_;
    open_.push_back(vertex);
    calls_.push_back({vertex, 0});
  }
  void close(std::uint32_t vertex) {
    members_.clear();
    do {
      members_.push_back(open_.back());
      order_[open_.back()] = kDone;
      open_.pop_back();
    } while (members_.back() != vertex);
    if (members_.size() > 1) found_(members_);
  }

  Edge edge_;
  Found found_;
  std::vector<std::uint32_t> order_, lowest_;  // order_: 0 not entered yet, kDone in a component already
  std::vector<std::uint32_t> open_, members_;
  std::vector<Call> calls_;
  std::uint32_t entered_ = 0;
};

}  // namespace orrery::match
