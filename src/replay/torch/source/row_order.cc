#include "replay/torch/source/row_order.h"

#include <algorithm>
#include <map>

#include "base/radix_sort.h"
#include "causal/host/coverage.h"
#include "causal/host/host_match.h"
#include "match/communication.h"

// Ids count begins. Ends follow from times where there are any; else from the order of the file, since the recorder
// writes a row when it ends; else from calls: a row ends when the last that it called has ended, and ranges when their
// thread goes on elsewhere.

namespace orrery::replay::torch {
namespace {

using causal::kNoRow;

class RowOrdering {
 public:
  RowOrdering(const trace::HostTrace& host, const Interner& strings, const std::vector<double>& end_times)
      : host_(host), strings_(strings), end_times_(end_times) {
    for (std::uint32_t row = 0; row < host.size(); ++row) by_id_.push_back({host.id[row], row});
    radix_sort(by_id_);
  }

  RowOrder run() {
    find_parents();
    order_.begin.assign(host_.size(), 0);
    order_.end.assign(host_.size(), 0);
    order_.visits.reserve(2 * host_.size());
    std::vector<std::uint32_t> ends = order_of_ends();
    correct_parents(ends);
    if (ends.empty()) walk_by_calls();
    else walk_by_ends(ends);
    return std::move(order_);
  }

 private:
  void find_parents() {
    order_.parent.assign(host_.size(), kNoRow);
    for (std::uint32_t row = 0; row < host_.size(); ++row) {
      const std::uint64_t id = host_.parent[row];
      const auto* const at = std::lower_bound(by_id_.begin(), by_id_.end(), id,
                                              [](const KeyedIndex& item, std::uint64_t key) { return item.key < key; });
      // A caller begins before what it calls: a larger id is a damaged file's, and would make circles.
      if (at != by_id_.end() && at->key == id && id < host_.id[row]) order_.parent[row] = at->index;
    }
  }

  // Of the process, or a thread. Not by its place: callers may be missing, where an exception went through them.
  [[nodiscard]] bool is_thread_row(std::uint32_t row) const {
    return !causal::is_operator_row(strings_.text(host_.name[row]));
  }

  // Rows of operators in the order in which they ended; none: not known. Rows that stand for the process and its
  // threads are written whenever the recorder likes.
  [[nodiscard]] std::vector<std::uint32_t> order_of_ends() const {
    std::vector<std::uint32_t> ends;
    std::size_t callers_after = 0, callers_before = 0;
    for (std::uint32_t row = 0; row < host_.size(); ++row) {
      if (is_thread_row(row)) continue;
      ends.push_back(row);
      if (order_.parent[row] != kNoRow && !is_thread_row(order_.parent[row]))
        ++(order_.parent[row] > row ? callers_after : callers_before);
    }
    if (!end_times_.empty()) {
      // What ends at once ends from the inside out.
      std::stable_sort(ends.begin(), ends.end(), [&](std::uint32_t a, std::uint32_t b) {
        return end_times_[a] != end_times_[b] ? end_times_[a] < end_times_[b] : host_.id[a] > host_.id[b];
      });
      return ends;
    }
    // Callers before what they call: somebody has sorted the rows.
    if (callers_before > callers_after) ends.clear();  // written by id
    return ends;
  }

  void correct_parents(const std::vector<std::uint32_t>& ends) {
    std::vector<std::uint32_t> place(ends.empty() ? 0 : host_.size(), kNoRow);  // threads end last
    for (std::uint32_t i = 0; i < ends.size(); ++i) place[ends[i]] = i;
    const auto cannot_call = [&](std::uint32_t caller, std::uint32_t row) {
      return match::is_host_communication(strings_.text(host_.name[caller])) ||
             (!place.empty() && place[caller] < place[row]);
    };
    // Callers first, so that those of callers are right.
    for (const KeyedIndex& item : by_id_) {
      std::uint32_t& parent = order_.parent[item.index];
      while (parent != kNoRow && cannot_call(parent, item.index)) parent = order_.parent[parent];
    }
  }

  void visit(std::uint32_t row, bool is_end) {
    (is_end ? order_.end : order_.begin)[row] = static_cast<std::uint32_t>(order_.visits.size());
    order_.visits.push_back({row, is_end});
  }

  // What has begun and is next has ended; what is further back ended later.
  void walk_by_ends(const std::vector<std::uint32_t>& ends) {
    std::vector<std::uint8_t> has_begun(host_.size(), 0), has_ended(host_.size(), 0);
    auto next = ends.begin();
    for (const KeyedIndex& item : by_id_) {
      visit(item.index, false);
      has_begun[item.index] = 1;
      for (; next != ends.end() && has_begun[*next] != 0; ++next) visit(*next, true), has_ended[*next] = 1;
    }
    for (auto item = by_id_.end(); item != by_id_.begin();) {
      if (has_ended[(--item)->index] == 0) visit(item->index, true);
    }
  }

  void walk_by_calls() {
    unfinished_.assign(host_.size(), 0);
    for (const std::uint32_t parent : order_.parent) {
      if (parent != kNoRow) ++unfinished_[parent];
    }
    for (const KeyedIndex& item : by_id_) {
      end_ranges(host_.thread[item.index]);
      visit(item.index, false);
      if (unfinished_[item.index] == 0) finish(item.index);
    }
    while (!open_ranges_.empty()) end_ranges(open_ranges_.begin()->first);
  }

  // A row that has called the last that it calls, and so perhaps its caller.
  void finish(std::uint32_t row) {
    for (; row != kNoRow; row = order_.parent[row]) {
      constexpr std::int64_t kUserScope = 7;
      // A range goes on until its thread does something else: others may work for it in the meantime.
      if (host_.scope[row] == kUserScope && !is_thread_row(row)) return open_ranges_[host_.thread[row]].push_back(row);
      visit(row, true);
      if (order_.parent[row] == kNoRow || --unfinished_[order_.parent[row]] > 0) return;
    }
  }

  void end_ranges(std::int64_t thread) {
    // A range around ends with those in it, if the thread goes on elsewhere.
    for (auto open = open_ranges_.find(thread); open != open_ranges_.end(); open = open_ranges_.find(thread)) {
      const std::vector<std::uint32_t> rows = std::move(open->second);
      open_ranges_.erase(open);
      for (const std::uint32_t row : rows) {
        visit(row, true);
        if (order_.parent[row] != kNoRow && --unfinished_[order_.parent[row]] == 0) finish(order_.parent[row]);
      }
    }
  }

  const trace::HostTrace& host_;
  const Interner& strings_;
  const std::vector<double>& end_times_;
  Column<KeyedIndex> by_id_;
  std::vector<std::uint32_t> unfinished_;                           // per row: what it calls and has not ended
  std::map<std::int64_t, std::vector<std::uint32_t>> open_ranges_;  // by thread
  RowOrder order_;
};

}  // namespace

RowOrder order_rows(const trace::HostTrace& host, const Interner& strings, const std::vector<double>& end_times) {
  return RowOrdering(host, strings, end_times).run();
}

}  // namespace orrery::replay::torch
