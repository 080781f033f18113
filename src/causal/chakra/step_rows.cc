#include "causal/chakra/step_rows.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "causal/chakra/stop.h"

namespace orrery::causal::chakra {
namespace {

using hta::RowIndex;
using hta::Rows;

constexpr std::string_view kStep = "ProfilerStep";

Column<std::uint8_t> find_device_rows(const Rows& rows) {
  const StringId event_sync = rows.trace->strings.find("Event Sync");
  const StringId context_sync = rows.trace->strings.find("Context Sync");
  Column<std::uint8_t> is_device(rows.size());
  for (RowIndex r = 0; r < rows.size(); ++r) {
    const StringId name = rows.name(r);
    is_device[r] = rows.stream[r] > 0 || name == event_sync || name == context_sync;
  }
  return is_device;
}

// The texts that the rows use as name or category.
Column<std::uint8_t> find_used_texts(const Rows& rows) {
  Column<std::uint8_t> is_used(rows.trace->strings.size(), 0);
  for (RowIndex r = 0; r < rows.size(); ++r) {
    is_used[rows.name(r)] = 1;
    is_used[rows.rank->categories[rows.rank->category[rows.event[r]]].text] = 1;
  }
  return is_used;
}

bool is_numbered_step(std::string_view text) {
  return text.size() > kStep.size() + 1 && text[kStep.size()] == '#' && text[kStep.size() + 1] >= '0' &&
         text[kStep.size() + 1] <= '9';
}

// One mark per text: it names a profiler step.
Result<Column<std::uint8_t>> find_steps(const Rows& rows, const Column<std::uint8_t>& is_used) {
  const Interner& strings = rows.trace->strings;
  Column<std::uint8_t> is_step(strings.size(), 0);
  for (StringId id = 0; id < is_used.size(); ++id) {
    if (is_used[id] == 0) continue;
    const std::string_view text = strings.text(id);
    const std::size_t at = text.find(kStep);
    if (at == std::string_view::npos) continue;
    if (at == 0 && !is_numbered_step(text))
      return stop(rows.rank->source.path,
                  "\"" + std::string(text) + "\" begins like the name of a profiler step but has no number");
    is_step[id] = 1;
  }
  return is_step;
}

Status drop_last_step(Rows& rows, const Column<std::uint8_t>& is_device, const Column<std::uint8_t>& is_step) {
  bool found = false;
  TimePs last = 0;
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_device[r] != 0 || is_step[rows.name(r)] == 0) continue;
    last = found ? std::max(last, rows.ts[r]) : rows.ts[r];
    found = true;
  }
  if (!found) return stop(rows.rank->source.path, "no profiler step is on the host");
  std::unordered_map<std::int64_t, std::uint32_t> hosts_of;  // by correlation
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_device[r] == 0 && rows.ts[r] < last) ++hosts_of[rows.correlation[r]];
  }
  std::unordered_map<std::int64_t, std::size_t> group_of;
  std::vector<std::vector<RowIndex>> groups;
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_device[r] == 0) continue;
    const auto hosts = hosts_of.find(rows.correlation[r]);
    if (hosts == hosts_of.end()) continue;
    if (hosts->second > 1) {
      return stop(rows.rank->source.path, "correlation " + std::to_string(rows.correlation[r]) +
                                              " of device work is that of " + std::to_string(hosts->second) +
                                              " host events, which repeats its rows");
    }
    const auto [at, is_new] = group_of.emplace(rows.correlation[r], groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(r);
  }
  for (const auto& group : groups) {
    for (const RowIndex r : group) rows.frame.push_back(r);
  }
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_device[r] == 0 && rows.ts[r] < last) rows.frame.push_back(r);
  }
  return {};
}

}  // namespace

Result<Rows> make_step_rows(const trace::Trace& trace, const trace::RankTrace& rank) {
  Result<Rows> rows = hta::load_rows(trace, rank);
  if (!rows) return rows;
  const Column<std::uint8_t> is_used = find_used_texts(*rows);
  const auto uses = [&](std::string_view text) {
    const StringId id = trace.strings.find(text);
    return id != Interner::kMissing && is_used[id] != 0;
  };
  if (!uses("cpu_op") && !uses("cuda_runtime"))
    return stop(rank.source.path, "there is neither a cpu_op nor a cuda_runtime event");
  const Result<Column<std::uint8_t>> is_step = find_steps(*rows, is_used);
  if (!is_step) return is_step.error();
  const Column<std::uint8_t> is_device = find_device_rows(*rows);
  hta::join_on_correlation(*rows, is_device);
  hta::align_to_first_start(*rows);
  if (std::count(is_step->begin(), is_step->end(), 1) > 1) {
    if (const Status dropped = drop_last_step(*rows, is_device, *is_step); !dropped) return dropped.error();
  } else {
    for (RowIndex r = 0; r < rows->size(); ++r) rows->frame.push_back(r);
  }
  hta::index_frame(*rows);
  return rows;
}

}  // namespace orrery::causal::chakra
