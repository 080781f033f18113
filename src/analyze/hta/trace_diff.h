// compare_traces and ops_diff: which names occur how often, and for how long, in a step of two traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

enum class DiffRows : std::uint8_t { all, cpu, gpu };

struct DiffOptions {
  DiffRows rows = DiffRows::all;
  std::optional<std::int64_t> control_step = {}, test_step = {};  ///< nothing: the smallest
  bool short_names = false;
};

struct DiffSide {
  std::int64_t rank = 0;
  std::int64_t step = 0;
};

struct DiffRow {
  std::string name;
  std::int64_t control_count = 0, test_count = 0;
  TimePs control = 0, test = 0;
};

struct TraceDiff {
  DiffSide control, test;
  std::vector<DiffRow> rows;  ///< control's names ascending, then those of test alone
};

/// Of the lowest rank of each job, read whole (Filter::none). Fails if a side has no step, or not the one asked for.
Result<TraceDiff> diff_traces(const causal::hta::JobRows& control, const causal::hta::JobRows& test,
                              const DiffOptions& options);

report::Sheet diff_sheet(const TraceDiff& diff);

}  // namespace orrery::analyze::hta
