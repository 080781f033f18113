#include "causal/chakra/host_match.h"

#include <algorithm>
#include <vector>

#include "causal/chakra/device_trace.h"
#include "causal/chakra/diagnostics.h"

namespace orrery::causal::chakra {
namespace {

std::int64_t number_of(const KeyedIndex& entry) {
  return static_cast<std::int64_t>(entry.key ^ std::uint64_t{1} << 63);
}

}  // namespace

void NumberIndex::seal() {
  if (entries_.empty()) return;
  const auto [least, greatest] = std::minmax_element(
      entries_.begin(), entries_.end(), [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; });
  const std::uint64_t range = greatest->key - least->key;
  // A table of the range is faster, if it is not much larger than the entries are.
  if (range > 16 * entries_.size() + 1024) return radix_sort(entries_);
  base_ = number_of(*least);
  table_.assign(range + 1, kMissing);
  for (const KeyedIndex& entry : entries_) table_[entry.key - radix_key(base_)] = entry.index;
  entries_ = {};
}

std::uint32_t NumberIndex::find(std::int64_t number) const {
  if (!table_.empty()) {
    const std::uint64_t at = radix_key(number) - radix_key(base_);
    return at < table_.size() ? table_[at] : kMissing;
  }
  const KeyedIndex* const after =
      std::upper_bound(entries_.begin(), entries_.end(), radix_key(number),
                       [](std::uint64_t key, const KeyedIndex& entry) { return key < entry.key; });
  // Of two entries with one number the last counts, as in a Python dictionary.
  return after == entries_.begin() || (after - 1)->key != radix_key(number) ? kMissing : (after - 1)->index;
}

namespace {

constexpr std::uint64_t kRootId = 1;
constexpr std::uint32_t kNone = HostMatch::kNone;

void index_rows(const trace::HostTrace& host, HostMatch& match) {
  Column<KeyedIndex> order;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    order.push_back({host.id[row], row});
    match.row_of_id.add(static_cast<std::int64_t>(host.id[row]), row);
  }
  radix_sort(order);
  for (const KeyedIndex& item : order) match.by_id.push_back(item.index);
  match.row_of_id.seal();
}

// One mark per row: following parents leads to row 1. Each row is passed once; cycles lead nowhere.
Column<std::uint8_t> find_reachable(const trace::HostTrace& host, const HostMatch& match) {
  enum : std::uint8_t { unknown, on_the_way, unreachable, reachable };
  Column<std::uint8_t> state(host.size(), unknown);
  state[match.row_of_id.find(kRootId)] = reachable;
  std::vector<std::uint32_t> way;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    std::uint32_t at = row;
    way.clear();
    while (at != NumberIndex::kMissing && state[at] == unknown) {
      state[at] = on_the_way;
      way.push_back(at);
      at = match.row_of_id.find(static_cast<std::int64_t>(host.parent[at]));
    }
    const std::uint8_t outcome = at != NumberIndex::kMissing && state[at] == reachable ? reachable : unreachable;
    for (const std::uint32_t passed : way) state[passed] = outcome;
  }
  for (std::uint8_t& s : state) s = s == reachable ? 1 : 0;
  return state;
}

// "[pytorch|profiler|execution_trace|thread]": rows for processes and threads, which no profiler knows.
bool is_of_recorder(std::string_view name) { return name.starts_with("[pytorch|profiler|"); }

NumberIndex index_operators(const HostOps& ops) {
  NumberIndex index;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (ops.record_function[i] != trace::kNoNumber) index.add(ops.record_function[i], i);
  }
  index.seal();
  return index;
}

}  // namespace

Result<HostMatch> match_host_rows(const trace::HostTrace& host, const Interner& strings, const HostOps& ops,
                                  const Column<std::int64_t>& dependencies, Diagnostics& diagnostics) {
  HostMatch match;
  index_rows(host, match);
  if (match.row_of_id.find(kRootId) == NumberIndex::kMissing)
    return stop(host.path, "there is no row with id 1, from which all are called");
  const Column<std::uint8_t> is_reachable = find_reachable(host, match);
  const NumberIndex op_of_record_function = index_operators(ops);
  match.op.assign(host.size(), kNone);
  match.dependency_row.assign(host.size(), kNone);
  match.row_of_op.assign(ops.size(), kNone);
  for (const std::uint32_t row : match.by_id) {
    if (host.record_function[row] == trace::kNoNumber) {
      if (host.is_flat()) continue;
      Error error = stop(host.path, "a row has no rf_id");
      error.offset = host.object[row].begin;
      return error;
    }
    if (is_reachable[row] == 0) continue;
    const std::uint32_t op = op_of_record_function.find(host.record_function[row]);
    if (op == NumberIndex::kMissing) {
      if (!is_of_recorder(strings.text(host.name[row])))
        diagnostics.add(kUnmeasuredRow, [&] { return host.path + ": row " + std::to_string(host.id[row]); });
      continue;
    }
    match.op[row] = op;
    match.row_of_op[op] = row;
    if (dependencies[op] != 0)
      // The row of another operator is known only if it came before.
      match.dependency_row[row] = match.row_of_op[op_of_record_function.find(dependencies[op])];
  }
  return match;
}

}  // namespace orrery::causal::chakra
