// HTA's step filter: the last profiler step is incomplete, so it and everything after its start is dropped.
#pragma once

#include <set>
#include <string>

#include "causal/hta/rows.h"

namespace orrery::causal::hta {

using StepNames = std::set<std::string, std::less<>>;

/// Adds the rows' names and categories that are called like a step: "ProfilerStep#7". With fewer than two of them, over all ranks of a job,
/// nothing is filtered.
void add_step_names(const Rows& rows, StepNames& names);

enum class LastStep : std::uint8_t { drop, keep };

/// Sets the frame to all rows in file order.
void keep_all(Rows& rows);

/// Sets the frame to the device rows of kept host rows, one per host row of the same correlation, then the kept host rows. A rank without host
/// rows keeps all. `job_first_start_ps` is the earliest first start of the job's ranks: with LastStep::keep, HTA compares starts since then with
/// an end on the file's own clock, which keeps everything unless that clock began near 0.
void keep_whole_steps(Rows& rows, const Column<std::uint8_t>& is_device, LastStep last_step, Int128 job_first_start_ps);

}  // namespace orrery::causal::hta
