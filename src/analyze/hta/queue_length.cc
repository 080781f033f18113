#include "analyze/hta/queue_length.h"

#include <algorithm>
#include <unordered_set>

#include "analyze/hta/launch_stats.h"
#include "analyze/hta/statistics.h"
#include "causal/hta/name_set.h"

// A launch adds one to the queue of the stream of its kernel, the kernel's start takes one off, in the order of time;
// the length is the running sum per stream. HTA's merge fails where launches and kernels do not pair up, and so does
// this.

namespace orrery::analyze::hta {
namespace {

using causal::hta::JobRows;
using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

}  // namespace

Result<QueueSeries> queue_series(const RankRows& rank) {
  const Rows& rows = rank.rows;
  const causal::hta::NameSet is_launch(
      rows.trace->strings,
      {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cuLaunchKernelEx", "cudaMemcpyAsync",
       "cudaMemsetAsync", "hipLaunchKernel", "hipExtModuleLaunchKernel", "hipMemsetAsync", "hipMemcpyAsync",
       "hipMemcpyWithStream", "runFunction - job_prep_and_submit_for_execution"});
  struct Change {
    TimePs time;
    int by;
    RowIndex row, device;
  };
  std::vector<Change> changes;
  std::unordered_set<std::int64_t> launched;
  const CorrelatedRows device(rank);
  std::size_t launches = 0, starts = 0;
  for (const RowIndex r : rows.frame) {
    if (!is_launch(rows.name(r)) || rows.partner[r] <= 0) continue;
    const auto kernels = device.of(rows.correlation[r]);
    for (const KeyedIndex& kernel : kernels) changes.push_back({rows.ts[r], 1, r, kernel.index});
    launches +=
        std::max<std::size_t>(kernels.size(), 1);  // one without kernels stays in HTA's table, and spoils the count
    launched.insert(rows.correlation[r]);
  }
  for (const RowIndex r : rows.frame) {
    if (!rank.has_stream(r) || !launched.contains(rows.correlation[r])) continue;
    changes.push_back({rows.ts[r], -1, r, r});
    ++starts;
  }
  if (launches != starts) return Error{"launches and kernels do not pair up"};
  // Stable: at equal times launches come before starts, as they were added.
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  QueueSeries series;
  for (const Change& change : changes) {
    std::vector<QueueSample>& samples = series[rows.stream[change.device]];
    samples.push_back(
        {change.time, (samples.empty() ? 0 : samples.back().length) + change.by, change.row, change.device});
  }
  return series;
}

Result<report::Sheet> queue_sheet(const JobRows& job) {
  report::Sheet sheet("queue");
  sheet.add({.name = "rank", .type = report::Type::integer, .title = "rank"})
      .add({.name = "stream", .type = report::Type::integer, .title = "stream"});
  add_description_columns(sheet, report::Unit::none);
  for (const RankRows& rank : job) {
    const Result<QueueSeries> series = queue_series(rank);
    if (!series) return series.error();
    for (const auto& [stream, samples] : *series) {
      std::vector<double> lengths;
      lengths.reserve(samples.size());
      for (const QueueSample& sample : samples) lengths.push_back(static_cast<double>(sample.length));
      std::vector<report::Cell> cells = {rank.number, stream};
      add_cells(describe(std::move(lengths)), cells);
      sheet.add_row(cells);
    }
  }
  if (sheet.rows() == 0) return Error{"no launches"};
  return sheet;
}

Result<report::Sheet> full_queue_sheet(const JobRows& job, std::int64_t limit) {
  using report::Type;
  report::Sheet sheet("full_queue");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "stream", .type = Type::integer, .title = "stream"})
      .add({.name = "blocked", .type = Type::time, .unit = report::Unit::us, .title = "blocked"})
      .add({.name = "share", .type = Type::real, .title = "share", .decimals = 4});
  for (const RankRows& rank : job) {
    const Result<QueueSeries> series = queue_series(rank);
    if (!series) return series.error();
    const auto is_full = [&](const QueueSample& sample) { return sample.length >= limit; };
    // Of several streams that were full HTA keeps the last.
    const auto full = std::find_if(series->rbegin(), series->rend(), [&](const auto& entry) {
      return std::any_of(entry.second.begin(), entry.second.end(), is_full);
    });
    if (full == series->rend()) continue;
    TimePs blocked = 0;
    for (std::size_t i = 0; i + 1 < full->second.size(); ++i) {
      if (is_full(full->second[i])) blocked += full->second[i + 1].time - full->second[i].time;
    }
    const Rows& rows = rank.rows;
    const auto by_start = [&](RowIndex a, RowIndex b) { return rows.ts[a] < rows.ts[b]; };
    const auto [first, last] = std::minmax_element(rows.frame.begin(), rows.frame.end(), by_start);
    sheet.add_row({rank.number, full->first, blocked, divide(to_us(blocked), to_us(rows.ts[*last] - rows.ts[*first]))});
  }
  return sheet;
}

}  // namespace orrery::analyze::hta
