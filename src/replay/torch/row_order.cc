#include "replay/torch/row_order.h"

#include <algorithm>

#include "base/radix_sort.h"
#include "link/coverage.h"

namespace orrery::replay::torch {
namespace {

using link::kNoRow;

class RowOrdering {
 public:
  explicit RowOrdering(const trace::HostTrace& host) : host_(host) {
    for (std::uint32_t row = 0; row < host.size(); ++row) by_id_.push_back({host.id[row], row});
    radix_sort(by_id_);
  }

  RowOrder run() {
    find_parents();
    order_.begin.assign(host_.size(), 0);
    order_.end.assign(host_.size(), 0);
    order_.visits.reserve(2 * host_.size());
    if (is_written_at_ends()) walk_by_file();
    else walk_by_calls();
    return std::move(order_);
  }

 private:
  void find_parents() {
    order_.parent.assign(host_.size(), kNoRow);
    for (std::uint32_t row = 0; row < host_.size(); ++row) {
      const std::uint64_t id = host_.parent[row];
      const auto* const at =
          std::lower_bound(by_id_.begin(), by_id_.end(), id, [](const KeyedIndex& item, std::uint64_t key) { return item.key < key; });
      // A caller begins before what it calls: a larger id is a damaged file's, and would make circles.
      if (at != by_id_.end() && at->key == id && id < host_.id[row]) order_.parent[row] = at->index;
    }
  }

  [[nodiscard]] bool is_thread_row(std::uint32_t row) const {
    return order_.parent[row] == kNoRow || order_.parent[order_.parent[row]] == kNoRow;
  }

  // Rows that stand for the process and its threads are written whenever the recorder likes.
  [[nodiscard]] bool is_written_at_ends() const {
    bool has_calls = false;
    for (std::uint32_t row = 0; row < host_.size(); ++row) {
      if (is_thread_row(row) || is_thread_row(order_.parent[row])) continue;
      has_calls = true;
      if (order_.parent[row] < row) return false;
    }
    return has_calls;
  }

  void visit(std::uint32_t row, bool is_end) {
    (is_end ? order_.end : order_.begin)[row] = static_cast<std::uint32_t>(order_.visits.size());
    order_.visits.push_back({row, is_end});
  }

  // What has begun and is next in the file has ended; what is further back in the file ended later.
  void walk_by_file() {
    std::vector<std::uint8_t> has_begun(host_.size(), 0);
    std::vector<std::uint32_t> ends;
    for (std::uint32_t row = 0; row < host_.size(); ++row) {
      if (!is_thread_row(row)) ends.push_back(row);
    }
    auto next = ends.begin();
    for (const KeyedIndex& item : by_id_) {
      visit(item.index, false);
      has_begun[item.index] = 1;
      for (; next != ends.end() && has_begun[*next] != 0; ++next) visit(*next, true);
    }
    for (auto item = by_id_.end(); item != by_id_.begin();) {
      if (is_thread_row((--item)->index)) visit(item->index, true);
    }
  }

  void walk_by_calls() {
    std::vector<std::uint32_t> unfinished(host_.size(), 0);
    for (const std::uint32_t parent : order_.parent) {
      if (parent != kNoRow) ++unfinished[parent];
    }
    for (const KeyedIndex& item : by_id_) {
      visit(item.index, false);
      if (unfinished[item.index] > 0) continue;
      std::uint32_t row = item.index;
      visit(row, true);
      while ((row = order_.parent[row]) != kNoRow && --unfinished[row] == 0) visit(row, true);
    }
  }

  const trace::HostTrace& host_;
  Column<KeyedIndex> by_id_;
  RowOrder order_;
};

}  // namespace

RowOrder order_rows(const trace::HostTrace& host) { return RowOrdering(host).run(); }

}  // namespace orrery::replay::torch
