#include "causal/hta/step_filter.h"

#include <algorithm>
#include <unordered_map>

namespace orrery::causal::hta {
namespace {

bool is_step_name(std::string_view text) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  return text.size() > kPrefix.size() && text.substr(0, kPrefix.size()) == kPrefix && text[kPrefix.size()] >= '0' &&
         text[kPrefix.size()] <= '9';
}

/// What the host rows say about where the last step begins and all steps end. Without step rows on the host, HTA takes all host rows for that.
struct HostSteps {
  bool any_host = false;
  TimePs last_start = 0;
  TimePs latest_end = 0;
};

HostSteps find_host_steps(const Rows& rows, const Column<std::uint8_t>& is_device) {
  HostSteps steps, all;
  bool any_step = false;
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_device[r] != 0) continue;
    all.last_start = all.any_host ? std::min(all.last_start, rows.ts[r]) : rows.ts[r];
    all.latest_end = all.any_host ? std::max(all.latest_end, rows.end(r)) : rows.end(r);
    all.any_host = true;
    if (!is_step_name(rows.name_text(r))) continue;
    steps.last_start = any_step ? std::max(steps.last_start, rows.ts[r]) : rows.ts[r];
    steps.latest_end = any_step ? std::max(steps.latest_end, rows.end(r)) : rows.end(r);
    any_step = steps.any_host = true;
  }
  return any_step ? steps : all;
}

}  // namespace

void add_step_names(const Rows& rows, StepNames& names) {
  const Interner& strings = rows.trace->strings;
  Column<std::uint8_t> is_seen(strings.size(), 0);
  for (RowIndex r = 0; r < rows.size(); ++r) {
    for (const StringId id : {rows.name(r), rows.category(r)}) {
      if (is_seen[id] != 0) continue;
      is_seen[id] = 1;
      if (is_step_name(strings.text(id))) names.emplace(strings.text(id));
    }
  }
}

void keep_all(Rows& rows) {
  rows.frame.clear();
  for (RowIndex r = 0; r < rows.size(); ++r) rows.frame.push_back(r);
}

void keep_whole_steps(Rows& rows, const Column<std::uint8_t>& is_device, LastStep last_step, Int128 job_first_start_ps) {
  const HostSteps steps = find_host_steps(rows, is_device);
  if (!steps.any_host) return keep_all(rows);
  const auto is_kept_host = [&](RowIndex r) {
    if (is_device[r] != 0) return false;
    if (last_step == LastStep::drop) return rows.ts[r] < steps.last_start;
    // A start since the job's first against an end that was never shifted: both on the rank's clock, less the job's first start.
    return static_cast<Int128>(rows.ts[r]) - job_first_start_ps <= steps.latest_end;
  };
  std::unordered_map<std::int64_t, std::uint32_t> hosts_of;
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_kept_host(r)) ++hosts_of[rows.correlation[r]];
  }
  rows.frame.clear();
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_device[r] == 0) continue;
    const auto at = hosts_of.find(rows.correlation[r]);
    const std::uint32_t copies = at == hosts_of.end() ? 0 : at->second;
    for (std::uint32_t copy = 0; copy < copies; ++copy) rows.frame.push_back(r);
  }
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_kept_host(r)) rows.frame.push_back(r);
  }
}

}  // namespace orrery::causal::hta
