// The factors of --sweep as points that any thread or process can solve (base/team/sweep.h).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/whatif/whatif.h"
#include "base/team/sweep.h"

namespace orrery::analyze {

/// The answer to one factor. Rows come back as they were; an Error: these are no bytes of a row.
std::string row_to_bytes(const SweepRow& row);
Result<std::vector<SweepRow>> rows_from_bytes(std::span<const std::string> answers);

/// Factors whose rows are found a few at a time, since the graph is read once for them (graph/solve_many.h). What it is
/// made of must outlive it.
class FactorSweep : public Sweep {
 public:
  /// Rows of some factors, in their order. Any thread.
  using RowsOf = std::function<Result<std::vector<SweepRow>>(const std::vector<double>& factors)>;
  FactorSweep(std::vector<double> factors, RowsOf rows_of)
      : factors_(std::move(factors)), rows_of_(std::move(rows_of)) {}

  [[nodiscard]] std::size_t size() const override { return factors_.size(); }
  [[nodiscard]] std::vector<Result<std::string>> solve(std::span<const std::size_t> points) const override;
  [[nodiscard]] std::size_t smallest_batch() const override;

 private:
  std::vector<double> factors_;
  RowsOf rows_of_;
};

/// See sweep().
FactorSweep whatif_sweep(const GraphEdits& edits, std::vector<double> factors);

}  // namespace orrery::analyze
