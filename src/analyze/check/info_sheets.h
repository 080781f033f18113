// What is in a trace, as Sheets.
#pragma once

#include <span>
#include <vector>

#include "analyze/check/trace_info.h"
#include "report/sheet.h"
#include "trace/trace.h"

namespace orrery::analyze {

struct DescribedRank {
  const trace::RankTrace* rank = nullptr;  ///< where it is from; its events are not looked at
  RankInfo info;
};

/// Of these ranks, each row with its rank:
///   ranks        one row per rank: path, format, sizes, counts, span_us; what people read are lines
///   (report::to_lines), not a table devices      id, name, memory_bytes, multiprocessors categories   name, meaning,
///   events, time_us; by number of events steps        name, start_us, duration_us; by start annotations  name, count,
///   time_us; by time collectives  the same
std::vector<report::Sheet> info_sheets(std::span<const DescribedRank> ranks);

/// Their places in that list.
inline constexpr std::size_t kRanksOfInfo = 0, kCategoriesOfInfo = 2;

}  // namespace orrery::analyze
