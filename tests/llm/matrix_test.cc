#include <doctest/doctest.h>

#include "llm/shipped.h"
#include "llm/steps/matrix_plan.h"
#include "machine/device/kernel_gemm.h"

using namespace orrery;
using namespace orrery::llm;
using workload::ActivityKind;

namespace {

MatrixPlan square(MatrixLayout layout) {
  return {.m = 8192, .n = 4096, .k = 2048, .layout = layout, .rows = 2, .columns = 4, .panels = 4};
}

workload::Workload made(const MatrixPlan& plan) {
  REQUIRE_FALSE(find_matrix_violation(plan).has_value());
  auto workload = matrix_workload(plan, shipped_device("h100"));
  REQUIRE(workload.ok());
  return std::move(*workload);
}

std::int64_t bytes_along(const workload::Workload& workload, std::string_view axis) {
  const workload::Program& program = workload.programs[0];
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program.kinds[i] == ActivityKind::collective && workload.strings.text(program.group_names[i]) == axis)
      sum += program.bytes[i];
  }
  return sum;
}

std::string broken_field(const MatrixPlan& plan) {
  const auto found = find_matrix_violation(plan);
  return found ? found->field : "";
}

}  // namespace

TEST_CASE("rows and columns: every device gathers what it lacks of A and of B, however many panels there are") {
  MatrixPlan plan = square(MatrixLayout::row_column);
  for (const double panels : {1.0, 4.0}) {
    plan.panels = panels;
    const workload::Workload workload = made(plan);
    CHECK(workload.rank_count() == 8);
    CHECK(workload.programs.size() == 1);
    CHECK(workload.programs[0].size() == 3 * static_cast<std::size_t>(panels));
    // What one rank puts in: its own share.
    CHECK(bytes_along(workload, "row") == 2 * 8192 / 2 * 2048 / 4);
    CHECK(bytes_along(workload, "column") == 2 * 4096 / 4 * 2048 / 2);
  }
}

TEST_CASE("k parallel: every device adds its part of C to those of its row") {
  MatrixPlan plan = square(MatrixLayout::k_parallel);
  const workload::Workload workload = made(plan);
  CHECK(workload.programs[0].size() == 2 * 4);
  CHECK(bytes_along(workload, "row") == 2 * 8192 / 2 * 4096);
  CHECK(bytes_along(workload, "column") == 0);
  for (std::size_t i = 0; i < workload.programs[0].size(); ++i) {
    if (workload.programs[0].kinds[i] == ActivityKind::collective)
      CHECK(workload.programs[0].collectives[i] == workload::Collective::reduce_scatter);
  }
  plan.columns = 1;  // nobody to add up with
  CHECK(made(plan).programs[0].size() == 4);
}

TEST_CASE("one device multiplies, and says nothing") {
  const MatrixPlan plan{.m = 4096, .n = 4096, .k = 4096, .layout = MatrixLayout::row_column};
  const workload::Workload workload = made(plan);
  REQUIRE(workload.programs[0].size() == 1);
  const machine::Device& device = shipped_device("h100");
  CHECK(static_cast<double>(workload.programs[0].duration_ps(0)) * 1e-12 ==
        doctest::Approx(machine::gemm_seconds(device, {.m = 4096, .n = 4096, .k = 4096}, machine::in_stream(device))));
}

TEST_CASE("parts that do not divide are named") {
  MatrixPlan plan = square(MatrixLayout::row_column);
  CHECK(broken_field(plan) == "");
  plan.rows = 3;
  CHECK(broken_field(plan) == "gemm.rows");
  plan = square(MatrixLayout::row_column);
  plan.columns = 3;
  CHECK(broken_field(plan) == "gemm.columns");
  plan = square(MatrixLayout::k_parallel);
  plan.panels = 3;
  CHECK(broken_field(plan) == "gemm.panels");
  plan = square(MatrixLayout::row_column);
  plan.sum = MatrixSum::everywhere;
  CHECK(broken_field(plan) == "gemm.sum");
}
