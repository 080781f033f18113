#include "analyze/whatif/whatif_sweep.h"

#include <algorithm>
#include <optional>

#include "base/packed.h"
#include "base/parallel.h"
#include "graph/solve_many.h"

namespace orrery::analyze {

std::string row_to_bytes(const SweepRow& row) {
  return PackedWriter().real(row.factor).integer(row.length).text(row.verdict).take();
}

Result<std::vector<SweepRow>> rows_from_bytes(std::span<const std::string> answers) {
  std::vector<SweepRow> rows;
  for (const std::string& answer : answers) {
    PackedReader reader(answer);
    SweepRow& row = rows.emplace_back();
    row.factor = reader.real();
    row.length = reader.integer();
    row.verdict = reader.text();
    if (!reader.ok() || !reader.at_end())
      return Error{"a point of the sweep cannot be read", {}, Error::kNoOffset, "remove the checkpoint"};
  }
  return rows;
}

std::size_t FactorSweep::smallest_batch() const { return graph::kSolvedAtOnce; }

std::vector<Result<std::string>> FactorSweep::solve(std::span<const std::size_t> points) const {
  const std::size_t groups = (points.size() + graph::kSolvedAtOnce - 1) / graph::kSolvedAtOnce;
  std::vector<std::optional<Result<std::vector<SweepRow>>>> solved(groups);
  parallel_for(groups, [&](std::size_t g) {
    std::vector<double> factors;
    for (std::size_t i = g * graph::kSolvedAtOnce; i < std::min(points.size(), (g + 1) * graph::kSolvedAtOnce); ++i)
      factors.push_back(factors_[points[i]]);
    solved[g] = rows_of_(factors);
  });
  std::vector<Result<std::string>> answers;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Result<std::vector<SweepRow>>& rows = *solved[i / graph::kSolvedAtOnce];
    if (rows) answers.emplace_back(row_to_bytes((*rows)[i % graph::kSolvedAtOnce]));
    else answers.emplace_back(rows.error());
  }
  return answers;
}

FactorSweep whatif_sweep(const GraphEdits& edits, std::vector<double> factors) {
  return {std::move(factors),
          [&edits](const std::vector<double>& some) -> Result<std::vector<SweepRow>> { return sweep(edits, some); }};
}

}  // namespace orrery::analyze
