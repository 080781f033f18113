#include "analyze/hta/operator_delays.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <tuple>

#include "analyze/hta/kernel_sequences.h"
#include "analyze/hta/statistics.h"
#include "base/radix_sort.h"

// Launches are put under the last operator that covers them, whichever thread it is on, as HTA does; a tree of latest
// ends finds it. Calls with the same operator and kernels make a group, and the figures are those of groups.

namespace orrery::analyze::hta {
namespace {

using causal::hta::kNoRow;
using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

// cuda.*LaunchKernel|cuLaunchKernel|runFunction, at the start; the dot does not match the end of a line.
bool is_operator_launch(std::string_view name) {
  if (name.starts_with("cuLaunchKernel") || name.starts_with("runFunction")) return true;
  return name.starts_with("cuda") && name.substr(0, name.find('\n')).find("LaunchKernel", 4) != std::string_view::npos;
}

/// The operators of all threads by start, of equal starts the last row first; finds the last one that covers a row. A
/// tree of the latest ends makes that logarithmic, as a trace may have many launches outside every operator.
class OperatorsByStart {
 public:
  explicit OperatorsByStart(const Rows& rows) : rows_(rows) {
    Column<KeyedIndex> order;
    for (const RowIndex r : rows.frame) {
      if (rows.name_text(r).starts_with("aten::")) order.push_back({radix_key(rows.ts[r]), r});
    }
    // Reversed before a stable sort: of equal starts the last row comes first.
    std::reverse(order.begin(), order.end());
    radix_sort(order);
    for (const KeyedIndex& item : order) operators_.push_back(item.index);
    leaves_ = std::bit_ceil(operators_.size() + 1);  // one more, for the search to begin behind the last
    latest_end_.assign(2 * leaves_, std::numeric_limits<TimePs>::min());
    for (std::size_t i = 0; i < operators_.size(); ++i) latest_end_[leaves_ + i] = rows.end(operators_[i]);
    for (std::size_t node = leaves_ - 1; node > 0; --node)
      latest_end_[node] = std::max(latest_end_[2 * node], latest_end_[2 * node + 1]);
  }

  /// Of those that start no later than `row` and end no earlier, the one with the latest start; kNoRow if there is
  /// none.
  [[nodiscard]] RowIndex covering(RowIndex row) const {
    const auto after = std::upper_bound(operators_.begin(), operators_.end(), rows_.ts[row],
                                        [&](TimePs start, RowIndex r) { return start < rows_.ts[r]; });
    const TimePs end = rows_.end(row);
    // Up from behind the last candidate, to the first left neighbour that holds one that ends late enough; then down,
    // right before left.
    std::size_t node = leaves_ + static_cast<std::size_t>(after - operators_.begin());
    for (;; node /= 2) {
      if (std::has_single_bit(node)) return kNoRow;  // at the left edge of the tree
      if ((node & 1) == 1 && latest_end_[node - 1] >= end) break;
    }
    for (--node; node < leaves_;) node = latest_end_[2 * node + 1] >= end ? 2 * node + 1 : 2 * node;
    return operators_[node - leaves_];
  }

 private:
  const Rows& rows_;
  std::vector<RowIndex> operators_;
  std::size_t leaves_ = 1;
  std::vector<TimePs> latest_end_;
};

struct OperatorCall {
  std::string operator_name;
  std::vector<std::string> kernels;
  TimePs launch_delay = 0;  // of the first launch
  TimePs runtime_delay = 0;
};

/// The operators that launched something, in order of their first launch: by thread, name and start, which ranks may
/// have in common.
class CallList {
 public:
  Status add(const RankRows& rank) {
    const Rows& rows = rank.rows;
    const OperatorsByStart operators(rows);
    std::map<std::int64_t, std::vector<RowIndex>> kernels_of;  // by HTA's index of the launch
    for (const RowIndex r : rows.frame) {
      if (rank.has_stream(r) && rows.partner[r] >= 0) kernels_of[rows.partner[r]].push_back(r);
    }
    for (const RowIndex r : rows.frame) {
      if (!is_operator_launch(rows.name_text(r))) continue;
      const RowIndex op = operators.covering(r);
      if (op == kNoRow) continue;
      const auto kernels = kernels_of.find(rows.index[r]);
      // A delay is that of one kernel.
      if (kernels == kernels_of.end() || kernels->second.size() != 1)
        return Error{"a launch below an operator without exactly one kernel"};
      const RowIndex kernel = kernels->second.front();
      const trace::LaneKey thread = rows.lane(op).thread;
      const auto [at, is_new] =
          place_of_.try_emplace(Key{thread.number, std::string(rows.trace->strings.text(thread.text)),
                                    std::string(rows.name_text(op)), rows.ts[op] + rank.job_offset},
                                calls_.size());
      if (is_new)
        calls_.push_back({std::string(rows.name_text(op)), {}, rows.ts[r] - rows.ts[op], rows.ts[kernel] - rows.ts[r]});
      calls_[at->second].kernels.emplace_back(rows.name_text(kernel));
    }
    return {};
  }

  [[nodiscard]] const std::vector<OperatorCall>& calls() const { return calls_; }

 private:
  using Key = std::tuple<std::int64_t, std::string, std::string, TimePs>;
  std::map<Key, std::size_t> place_of_;
  std::vector<OperatorCall> calls_;
};

std::vector<OperatorDelay> delays_of(std::int64_t rank, const std::vector<OperatorCall>& calls) {
  struct Group {
    const OperatorCall* first = nullptr;
    std::vector<double> launch, runtime;
  };
  std::map<std::pair<std::string, std::string>, Group> groups;
  for (const OperatorCall& call : calls) {
    Group& group = groups[{call.operator_name, joined(call.kernels)}];
    // The first call of a group names its kernels.
    if (group.first == nullptr) group.first = &call;
    group.launch.push_back(to_us(call.launch_delay));
    group.runtime.push_back(to_us(call.runtime_delay));
  }
  std::vector<OperatorDelay> delays;
  delays.reserve(groups.size());
  for (const auto& [key, group] : groups) {
    delays.push_back({rank, key.first, group.first->kernels, group.launch.size(), rounded(mean(group.launch), 3),
                      rounded(mean(group.runtime), 3)});
  }
  std::stable_sort(delays.begin(), delays.end(),
                   [](const OperatorDelay& a, const OperatorDelay& b) { return a.count > b.count; });
  return delays;
}

}  // namespace

Result<std::vector<OperatorDelay>> operator_delays(causal::hta::RankChoice ranks) {
  std::vector<OperatorDelay> delays;
  CallList list;
  for (const RankRows* const rank : ranks) {
    // The list goes on from rank to rank, as HTA's does: rows of a later rank include those of the earlier ones.
    if (const Status added = list.add(*rank); !added) return added.error();
    if (list.calls().empty()) return Error{"no launch below an aten operator"};
    std::vector<OperatorDelay> so_far = delays_of(rank->number, list.calls());
    std::move(so_far.begin(), so_far.end(), std::back_inserter(delays));
  }
  return delays;
}

report::Sheet operators_sheet(const std::vector<OperatorDelay>& delays) {
  using report::Type;
  using report::Unit;
  report::Sheet sheet("operators");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "operator", .title = "operator"})
      .add({.name = "count", .type = Type::integer, .title = "count"})
      .add({.name = "launch_delay", .type = Type::real, .unit = Unit::us, .title = "launch delay µs"})
      .add({.name = "runtime_delay", .type = Type::real, .unit = Unit::us, .title = "runtime delay µs"})
      .add({.name = "kernels", .title = "kernels"});
  for (const OperatorDelay& delay : delays) {
    sheet.add_row({delay.rank, delay.operator_name, delay.count, delay.launch_delay_us, delay.runtime_delay_us,
                   joined(delay.kernels)});
  }
  return sheet;
}

}  // namespace orrery::analyze::hta
