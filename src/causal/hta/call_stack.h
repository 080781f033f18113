// The call stacks of threads, as HTA walks them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/radix_sort.h"
#include "causal/hta/rows.h"
#include "trace/content_order.h"

namespace orrery::causal::hta {

/// The given rows by (process, thread), in Python's order of these: numbers before texts. Rows of a thread keep their
/// order. `thread_of` may count a thread as another.
std::vector<std::vector<RowIndex>> rows_by_thread(const Rows& rows, std::span<const RowIndex> clipped,
                                                  const std::function<trace::LaneKey(trace::LaneKey)>& thread_of);

/// Calls enter(row, parent) and leave(row, parent) in the order of time. At equal times ends come before starts, and of
/// starts the longer first, then the one listed first. An end takes the top of the stack, whoever that is; hence only
/// the times of the ends matter. `parent` is the row below on the stack, kNoRow if there is none. `end_of(row)` is when
/// it ends.
template <typename EndOf, typename Enter, typename Leave>
void walk_call_stack(const Rows& rows, std::span<const RowIndex> thread, EndOf&& end_of, Enter&& enter, Leave&& leave) {
  Column<KeyedIndex> starts, ends;
  for (const RowIndex r : thread) {
    starts.push_back({radix_key(rows.ts[r]), r});
    ends.push_back({radix_key(end_of(r)), r});
  }
  radix_sort(starts);
  // Few start together: sorting those alone is less than sorting all by length first.
  trace::sort_each_run(
      starts, [](const KeyedIndex& a, const KeyedIndex& b) { return a.key == b.key; },
      [&](const KeyedIndex& a, const KeyedIndex& b) { return rows.dur[a.index] > rows.dur[b.index]; });
  radix_sort(ends);
  std::vector<RowIndex> stack;
  const auto parent = [&] { return stack.empty() ? kNoRow : stack.back(); };
  const auto pop = [&] {
    if (stack.empty()) return;
    const RowIndex r = stack.back();
    stack.pop_back();
    leave(r, parent());
  };
  std::size_t next_end = 0;
  for (const KeyedIndex& start : starts) {
    for (; next_end < ends.size() && ends[next_end].key <= start.key; ++next_end) pop();
    enter(start.index, parent());
    stack.push_back(start.index);
  }
  while (!stack.empty()) pop();
}

}  // namespace orrery::causal::hta
