#include "analyze/hta/trace_diff.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/path/hta_summary.h"
#include "causal/hta/step_numbers.h"

namespace orrery::analyze::hta {
namespace {

using causal::hta::JobRows;
using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

struct NameCount {
  std::int64_t count = 0;
  TimePs sum = 0;
};
using NameCounts = std::map<std::string, NameCount>;

// Of names and categories of any rank.
std::set<std::int64_t> steps_of(const JobRows& job) {
  std::set<std::int64_t> steps;
  for (const RankRows& rank : job) {
    for (RowIndex r = 0; r < rank.rows.size(); ++r) {
      for (const std::string_view text : {rank.rows.name_text(r), rank.rows.category_text(r)}) {
        if (const auto number = causal::hta::step_number(text)) steps.insert(*number);
      }
    }
  }
  return steps;
}

Result<DiffSide> choose_side(const JobRows& job, std::optional<std::int64_t> wanted) {
  const std::string& file = job.front().rows.rank->source.path;
  const std::set<std::int64_t> steps = steps_of(job);
  if (steps.empty())
    return Error{"no event is called like a profiler step", file, Error::kNoOffset, "record with a profiler schedule"};
  // As HTA's default: the first step that there is.
  if (!wanted) return DiffSide{job.front().number, *steps.begin()};
  if (steps.contains(*wanted)) return DiffSide{job.front().number, *wanted};
  std::string known;
  for (const std::int64_t step : steps) known += (known.empty() ? "" : ", ") + std::to_string(step);
  return Error{"there is no step " + std::to_string(*wanted), file, Error::kNoOffset, "steps: " + known};
}

NameCounts count_names(const RankRows& rank, std::int64_t step, const DiffOptions& options) {
  const Rows& rows = rank.rows;
  const Column<std::int64_t> steps = causal::hta::number_steps(rows);
  std::map<StringId, NameCount> by_id;
  for (const RowIndex r : rows.frame) {
    if (steps[r] != step) continue;
    if (options.rows != DiffRows::all && (options.rows == DiffRows::gpu) != rank.has_stream(r)) continue;
    NameCount& count = by_id[rows.name(r)];
    ++count.count;
    count.sum += rows.dur[r];
  }
  NameCounts counts;
  // Names are shortened after they were added up, since each is shortened once then.
  for (const auto& [id, count] : by_id) {
    const std::string_view name = rows.trace->strings.text(id);
    NameCount& sum = counts[options.short_names ? shorten_name(name) : std::string(name)];
    sum.count += count.count;
    sum.sum += count.sum;
  }
  return counts;
}

}  // namespace

Result<TraceDiff> diff_traces(const JobRows& control, const JobRows& test, const DiffOptions& options) {
  const Result<DiffSide> control_side = choose_side(control, options.control_step);
  if (!control_side) return control_side.error();
  const Result<DiffSide> test_side = choose_side(test, options.test_step);
  if (!test_side) return test_side.error();
  // Of each trace the first rank, as choose_side() tells it.
  const NameCounts before = count_names(control.front(), control_side->step, options);
  const NameCounts after = count_names(test.front(), test_side->step, options);
  TraceDiff diff{*control_side, *test_side, {}};
  for (const auto& [name, count] : before) {
    const auto at = after.find(name);
    const NameCount other = at == after.end() ? NameCount{} : at->second;
    diff.rows.push_back({name, count.count, other.count, count.sum, other.sum});
  }
  // Names that are new come last.
  for (const auto& [name, count] : after) {
    if (!before.contains(name)) diff.rows.push_back({name, 0, count.count, 0, count.sum});
  }
  return diff;
}

report::Sheet diff_sheet(const TraceDiff& diff) {
  using report::Type;
  using report::Unit;
  report::Sheet sheet("rows");
  sheet.add({.name = "name", .title = "name"})
      .add({.name = "control_count", .type = Type::integer, .title = "control"})
      .add({.name = "control", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "test_count", .type = Type::integer, .title = "test"})
      .add({.name = "test", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "diff_count", .type = Type::integer, .title = "change"})
      .add({.name = "diff", .type = Type::time, .unit = Unit::us, .title = "time", .is_change = true})
      .add({.name = "change"});
  for (const DiffRow& row : diff.rows) {
    const char* const change = row.test_count > row.control_count   ? "+"
                               : row.test_count < row.control_count ? "-"
                                                                    : "=";
    sheet.add_row({row.name, row.control_count, row.control, row.test_count, row.test,
                   row.test_count - row.control_count, row.test - row.control, change});
  }
  return sheet;
}

}  // namespace orrery::analyze::hta
