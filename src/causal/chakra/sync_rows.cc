#include "causal/chakra/sync_rows.h"

#include <algorithm>
#include <unordered_map>

namespace orrery::causal::chakra {
namespace {

struct Waits {
  std::uint64_t key;  // an id, old or new
  std::vector<std::uint64_t> work_rows;
};

// By key, in order of first appearance.
std::vector<Waits> collect_waits(const Renumbering& rows) {
  std::vector<Waits> waits;
  std::unordered_map<std::uint64_t, std::size_t> place_of;
  const auto less = [](const SyncTarget& target, std::uint32_t work) { return target.work < work; };
  for (std::size_t i = 0; i < rows.source.size(); ++i) {
    if (rows.work[i] == ~std::uint32_t{0}) continue;
    auto at = std::lower_bound(rows.targets.begin(), rows.targets.end(), rows.work[i], less);
    for (; at != rows.targets.end() && at->work == rows.work[i]; ++at) {
      const std::uint32_t row = rows.match.row_of_op[at->op];
      if (row == HostMatch::kNone || rows.host.id[row] == 0) continue;  // the original takes id 0 for none
      const bool is_renumbered = rows.host.id[row] <= rows.host.id[rows.source[i]];
      const std::uint64_t key = is_renumbered ? rows.new_id[row] : rows.host.id[row];
      const auto [place, is_new] = place_of.emplace(key, waits.size());
      if (is_new) waits.push_back({key, {}});
      std::vector<std::uint64_t>& work_rows = waits[place->second].work_rows;
      if (work_rows.empty() || work_rows.back() != i) work_rows.push_back(i);
    }
  }
  return waits;
}

// Old ids that no row has get a new one when the first row that names such a parent is reached: by the row that does.
std::unordered_map<std::uint64_t, std::size_t> first_uses_of_missing_parents(const Renumbering& rows) {
  std::unordered_map<std::uint64_t, std::size_t> first_use;
  if (rows.host.is_flat()) return first_use;
  for (std::size_t i = 0; i < rows.source.size(); ++i) {
    const std::uint64_t parent = rows.host.parent[rows.source[i]];
    if (rows.match.row_of_id.find(static_cast<std::int64_t>(parent)) == NumberIndex::kMissing) first_use.emplace(parent, i);
  }
  return first_use;
}

}  // namespace

SyncRows assign_syncs(const Renumbering& rows) {
  SyncRows result;
  const std::vector<Waits> waits = collect_waits(rows);
  if (waits.empty()) return result;
  const auto first_use = first_uses_of_missing_parents(rows);
  std::unordered_map<std::uint64_t, std::size_t> waits_of_row;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    std::uint64_t row = waits[i].key;
    if (const std::uint32_t old = rows.match.row_of_id.find(static_cast<std::int64_t>(row)); old != NumberIndex::kMissing) {
      row = rows.new_id[old];
    } else if (const auto use = first_use.find(row); use != first_use.end() && use->second < row) {
      continue;  // by then it stands for a number beyond all rows
    }
    if (row < rows.source.size()) waits_of_row[row] = i;  // the last one stays
  }
  for (std::uint32_t row = 0; row < rows.source.size(); ++row) {
    const auto at = waits_of_row.find(row);
    if (at == waits_of_row.end()) continue;
    const std::vector<std::uint64_t>& work_rows = waits[at->second].work_rows;
    result.rows.push_back({row, static_cast<std::uint32_t>(result.ids.size()), static_cast<std::uint32_t>(work_rows.size())});
    result.ids.insert(result.ids.end(), work_rows.begin(), work_rows.end());
  }
  return result;
}

}  // namespace orrery::causal::chakra
