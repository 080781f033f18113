// The ranks of a job as HTA holds them: rows per rank, on one step filter and one first start.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "causal/hta/rows.h"

namespace orrery::causal::hta {

/// A rank that was read. Trace and rank must outlive the rows made of them.
struct RankInput {
  std::int64_t number = 0;  ///< what HTA takes the rank to be
  const trace::Trace* trace = nullptr;
  const trace::RankTrace* rank = nullptr;
};

struct RankRows {
  std::int64_t number = 0;
  Rows rows = {};
  Column<std::uint8_t> is_device = {};  ///< HTA's GPU rows (find_gpu_rows)
  TimePs job_offset = 0;                ///< its first start, after that of the whole job

  /// HTA's device rows, those of its time tables: with a stream, whatever their category.
  [[nodiscard]] bool has_stream(RowIndex r) const { return rows.stream[r] != -1; }
};

/// In ascending order of rank numbers.
using JobRows = std::vector<RankRows>;
/// Some of them, for answers about ranks that were chosen.
using RankChoice = std::span<const RankRows* const>;
std::vector<const RankRows*> all_ranks(const JobRows& job);

enum class Filter : std::uint8_t {
  whole_steps,     ///< HTA's default: without the last step
  with_last_step,  ///< include_last_profiler_step
  none,            ///< as HTA's trace diff reads
};

/// Of inputs with one number the last counts; ranks without any row are dropped, and an Error if none is left. Ranks
/// are made side by side.
Result<JobRows> make_job_rows(std::span<const RankInput> inputs, Filter filter);

/// One rank alone. Fails only when no event qualifies as a row.
Result<Rows> make_rows(const trace::Trace& trace, const trace::RankTrace& rank, bool include_last_step);

/// Whether it is the name or category of any row of any rank, also of rows that the filter dropped: HTA's symbol table.
bool has_symbol(const JobRows& job, std::string_view text);

}  // namespace orrery::causal::hta
