#include "analyze/hta/launch_stats.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "causal/hta/name_set.h"

namespace orrery::analyze::hta {
namespace {

using causal::hta::JobRows;
using causal::hta::NameSet;
using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

// Correlations and not rows: every row of the host with such a correlation is taken, whatever it is called.
std::unordered_set<std::int64_t> launch_correlations(const Rows& rows, bool with_memory) {
  const NameSet is_launch(rows.trace->strings, {"cudaLaunchKernel", "cudaLaunchKernelExC",
                                                "runFunction - job_prep_and_submit_for_execution"});
  const NameSet is_memory(rows.trace->strings, {"cudaMemcpyAsync", "cudaMemsetAsync"});
  std::unordered_set<std::int64_t> correlations;
  for (const RowIndex r : rows.frame) {
    if (is_launch(rows.name(r)) || (with_memory && is_memory(rows.name(r)))) correlations.insert(rows.correlation[r]);
  }
  return correlations;
}

LaunchTimes times_of(const std::vector<TimePs>& times) {
  std::vector<double> us;
  us.reserve(times.size());
  for (const TimePs time : times) us.push_back(to_us(time));
  return {describe(std::move(us)), std::accumulate(times.begin(), times.end(), TimePs{0})};
}

LaunchStats stats_of(const RankRows& rank, const LaunchOptions& options) {
  LaunchStats stats{.rank = rank.number};
  std::vector<TimePs> cpu, gpu, delay;
  for (const LaunchPair& pair : launch_pairs(rank, options.with_memory)) {
    cpu.push_back(rank.rows.dur[pair.call]);
    gpu.push_back(rank.rows.dur[pair.device]);
    delay.push_back(pair.delay);
    const bool is_long = to_us(cpu.back()) > options.runtime_cutoff_us;
    stats.runtime_outliers += is_long ? 1 : 0;
    // Kernels shorter than their call are told only where the call itself is not an outlier.
    stats.short_kernels += !is_long && gpu.back() < cpu.back() ? 1 : 0;
    stats.delay_outliers += to_us(delay.back()) > options.delay_cutoff_us ? 1 : 0;
  }
  stats.cpu = times_of(cpu);
  stats.gpu = times_of(gpu);
  stats.delay = times_of(delay);
  return stats;
}

}  // namespace

std::vector<LaunchPair> launch_pairs(const RankRows& rank, bool with_memory) {
  const Rows& rows = rank.rows;
  const auto wanted = launch_correlations(rows, with_memory);
  const CorrelatedRows device(rank);
  std::vector<LaunchPair> pairs;
  for (const RowIndex r : rows.frame) {
    if (rank.has_stream(r) || !wanted.contains(rows.correlation[r])) continue;
    for (const KeyedIndex& kernel : device.of(rows.correlation[r]))
      // Clocks of host and device may differ by more than the delay: a start before the call's end counts as none.
      pairs.push_back({r, kernel.index, std::max<TimePs>(0, rows.ts[kernel.index] - rows.end(r))});
  }
  return pairs;
}

std::vector<LaunchStats> launch_stats(const JobRows& job, const LaunchOptions& options) {
  std::vector<LaunchStats> stats;
  for (const RankRows& rank : job) stats.push_back(stats_of(rank, options));
  return stats;
}

report::Sheet launches_sheet(const std::vector<LaunchStats>& stats) {
  using report::Type;
  report::Sheet sheet("launches");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"}).add({.name = "time", .title = "time"});
  add_description_columns(sheet, report::Unit::us);
  sheet.add({.name = "sum", .type = Type::time, .unit = report::Unit::us, .title = "sum"});
  for (const char* part : {"short_kernels", "runtime_outliers", "delay_outliers"})
    sheet.add({.name = part, .type = Type::integer});
  for (const LaunchStats& rank : stats) {
    const std::pair<const char*, const LaunchTimes*> parts[] = {
        {"cpu", &rank.cpu}, {"gpu", &rank.gpu}, {"delay", &rank.delay}};
    for (const auto& [name, times] : parts) {
      std::vector<report::Cell> cells = {rank.rank, name};
      add_cells(times->us, cells);
      cells.insert(cells.end(), {times->sum, rank.short_kernels, rank.runtime_outliers, rank.delay_outliers});
      sheet.add_row(cells);
    }
  }
  return sheet;
}

}  // namespace orrery::analyze::hta
