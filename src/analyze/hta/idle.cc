#include "analyze/hta/idle.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "analyze/hta/statistics.h"
#include "causal/hta/name_set.h"

namespace orrery::analyze::hta {
namespace {

using causal::hta::kNoRow;
using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

constexpr std::array<const char*, 3> kReasons = {"host_wait", "kernel_wait", "other"};
enum Reason : std::uint8_t { host_wait, kernel_wait, other };

struct StreamRows {
  std::int64_t stream;
  std::vector<RowIndex> rows;
};

// In order of appearance, each by start.
std::vector<StreamRows> rows_by_stream(const RankRows& rank) {
  const Rows& rows = rank.rows;
  const causal::hta::NameSet is_work(
      rows.trace->strings, {"kernel", "Kernel", "gpu_memset", "Memset", "gpu_memcpy", "Memcpy", "mtia_ccp_events"});
  std::vector<StreamRows> streams;
  std::unordered_map<std::int64_t, std::size_t> place_of;
  for (const RowIndex r : rows.frame) {
    if (!rank.has_stream(r) || !is_work(rows.category(r))) continue;
    const auto [at, is_new] = place_of.try_emplace(rows.stream[r], streams.size());
    if (is_new) streams.push_back({rows.stream[r], {}});
    streams[at->second].rows.push_back(r);
  }
  for (StreamRows& stream : streams)
    std::stable_sort(stream.rows.begin(), stream.rows.end(),
                     [&](RowIndex a, RowIndex b) { return rows.ts[a] < rows.ts[b]; });
  return streams;
}

struct Gaps {
  // The first kernel has no gap before it, but HTA counts it under other, which is therefore always there.
  std::array<bool, 3> appears = {false, false, true};
  std::array<std::vector<double>, 3> us;
  std::array<TimePs, 3> sum{};
};

Gaps gaps_of(const Rows& rows, const std::vector<RowIndex>& kernels, double kernel_delay_us) {
  Gaps gaps;
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    const RowIndex r = kernels[i];
    const TimePs before = rows.end(kernels[i - 1]);
    const TimePs gap = rows.ts[r] - before;
    const RowIndex launch = rows.find(rows.partner[r]);
    // The host was late where the launch came after the stream had run dry; short gaps are what one kernel needs to
    // follow another.
    const Reason reason = launch != kNoRow && rows.ts[launch] > before ? host_wait
                          : to_us(gap) < kernel_delay_us               ? kernel_wait
                                                                       : other;
    gaps.appears[reason] = true;
    gaps.us[reason].push_back(to_us(gap));
    gaps.sum[reason] += gap;
  }
  return gaps;
}

}  // namespace

Result<IdleSheets> idle_sheets(causal::hta::RankChoice ranks, double kernel_delay_us) {
  using report::Type;
  using report::Unit;
  IdleSheets sheets{report::Sheet("idle"), report::Sheet("idle_intervals")};
  for (report::Sheet* sheet : {&sheets.times, &sheets.intervals}) {
    sheet->add({.name = "rank", .type = Type::integer, .title = "rank"})
        .add({.name = "stream", .type = Type::integer, .title = "stream"})
        .add({.name = "reason", .title = "reason"});
  }
  sheets.times.add({.name = "idle", .type = Type::real, .unit = Unit::us, .title = "idle µs"})
      .add({.name = "ratio", .type = Type::real, .title = "ratio", .decimals = 2});
  add_description_columns(sheets.intervals, Unit::us);
  for (const RankRows* const chosen : ranks) {
    const RankRows& rank = *chosen;
    const std::vector<StreamRows> streams = rows_by_stream(rank);
    if (streams.empty()) return Error{"a rank has no kernels, copies or sets"};
    for (const StreamRows& stream : streams) {
      Gaps gaps = gaps_of(rank.rows, stream.rows, kernel_delay_us);
      const TimePs total = gaps.sum[0] + gaps.sum[1] + gaps.sum[2];
      for (std::size_t reason = 0; reason < kReasons.size(); ++reason) {
        if (!gaps.appears[reason]) continue;
        const double idle_us = to_us(gaps.sum[reason]);
        sheets.times.add_row({rank.number, stream.stream, kReasons[reason], rounded(idle_us, 2),
                              rounded(divide(idle_us, to_us(total)), 2)});
        std::vector<report::Cell> cells = {rank.number, stream.stream, kReasons[reason]};
        add_cells(rounded(describe(std::move(gaps.us[reason])), 2), cells);
        sheets.intervals.add_row(cells);
      }
    }
  }
  return sheets;
}

}  // namespace orrery::analyze::hta
