// A matrix product C = A B that many devices share, with the communication inside it.
//
// Devices make a grid of rows x columns. Two ways to divide the work:
//
// - row_column: device (i, j) computes block (i, j) of C, of m/rows x n/columns. Of the rows of A that it needs it has
//   1/columns, of the columns of B 1/rows: the rest is gathered along its row and its column of the grid, in `panels`
//   parts of k, the next while one is multiplied (van de Geijn and Watts, SUMMA, 1997, with gathers in place of
//   broadcasts: the same bytes).
// - k_parallel: device (i, j) has block (i, j) of A, of m/rows x k/columns, and the rows of B that belong to it. What
// the
//   devices of a row make of it is added up: reduced and scattered, or reduced for all, in `panels` parts of n, one
//   while the next is multiplied.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "machine/device/device.h"
#include "machine/yaml/violation.h"
#include "workload/workload.h"

namespace orrery::llm {

enum class MatrixLayout : std::uint8_t { row_column, k_parallel };
inline constexpr std::array<std::string_view, 2> kMatrixLayoutNames = {"row_column", "k_parallel"};

/// What is left of a sum over devices.
enum class MatrixSum : std::uint8_t { scattered, everywhere };
inline constexpr std::array<std::string_view, 2> kMatrixSumNames = {"reduce_scatter", "all_reduce"};

/// Axes of the grid, as the lanes of activities after that of computing.
inline constexpr std::array<std::string_view, 2> kMatrixAxisNames = {"row", "column"};

struct MatrixPlan {
  double m = 0, n = 0, k = 0;
  double batch = 1;
  machine::DataType precision = machine::DataType::bf16;
  MatrixLayout layout = MatrixLayout::row_column;
  double rows = 1, columns = 1;
  double panels = 1;
  MatrixSum sum = MatrixSum::scattered;  ///< of k_parallel
  double sum_bytes = 2;                  ///< of an element of partial sums, as it is sent

  [[nodiscard]] double devices() const { return rows * columns; }
  [[nodiscard]] double flop() const { return 2 * m * n * k * batch; }
};

/// The first rule that the plan breaks, with the field as a configuration calls it.
std::optional<machine::Violation> find_matrix_violation(const MatrixPlan& plan);

/// All devices run one program. `plan` must have no violation.
Result<workload::Workload> matrix_workload(const MatrixPlan& plan, const machine::Device& device);

/// Bytes of operands and results on one device, with what is gathered.
double matrix_bytes(const MatrixPlan& plan);

}  // namespace orrery::llm
