#include "analyze/whatif/whatif.h"

#include <doctest/doctest.h>

#include "causal/step_path_text.h"
#include "report/sheet_csv.h"
#include "report/sheet_text.h"

namespace orrery::analyze {
namespace {

// The host launches one kernel: 10 us, then 90 us of the device.
constexpr const char* kStep = R"(
    1       0    10   cuda_runtime     cudaLaunchKernel       correlation=1
    gpu0/7  10   90   kernel           gemm                   correlation=1
)";

GraphEdits edits(const causal::testing::SmallStep& small, const std::string& text) {
  return {small.job, {parse_edit(text)}};
}

std::int64_t sum(const report::Sheet& sheet, std::string_view column) {
  std::int64_t total = 0;
  for (std::size_t row = 0; row < sheet.rows(); ++row) total += sheet.integer(sheet.find(column), row);
  return total;
}

}  // namespace

TEST_CASE("kinds of time before and after add up to the steps, and the changes to the difference") {
  const causal::testing::SmallStep small(kStep);
  const WhatIf result = what_if(edits(small, "kernel * 0.5"), 10);
  const report::Sheet bounds = changed_bounds_sheet(result);
  CHECK(sum(bounds, "before") == result.before.length);
  CHECK(sum(bounds, "after") == result.after.length);
  CHECK(sum(bounds, "change") == result.after.length - result.before.length);
  for (std::size_t row = 0; row < bounds.rows(); ++row)  // kinds that have no time on either path are not listed
    CHECK(bounds.integer(bounds.find("before"), row) + bounds.integer(bounds.find("after"), row) > 0);
  const std::string text = to_text(bounds, {.total = "step"});
  CHECK(text.find("kernels") != std::string::npos);
  CHECK(text.find("\nstep ") != std::string::npos);
}

TEST_CASE("an edit that selects nothing is listed with nothing, and stands out") {
  const causal::testing::SmallStep small(kStep);
  const report::Sheet sheet = edits_sheet(edits(small, "kernel:nothing * 0.5"));
  CHECK(report::to_csv(sheet) == "edit,edges,unpriced\nkernel:nothing * 0.5,0,\n");
  CHECK(sheet.tone(0) == report::Tone::warning);
}

TEST_CASE("moves have a name, or their kind in brackets, and programs see that there is none") {
  const causal::testing::SmallStep small(kStep);
  const WhatIf result = what_if(edits(small, "kernel * 0.5"), 10);
  const report::Sheet moves = moves_sheet(small.job, result);
  REQUIRE(moves.rows() > 0);
  CHECK(moves.text(moves.find("label"), 0) == "gemm");
  CHECK(moves.text(moves.find("name"), 0) == "gemm");
  CHECK(moves.integer(moves.find("change"), 0) == -45 * kPsPerUs);
}

TEST_CASE("a sweep is told against the unedited step") {
  const causal::testing::SmallStep small(kStep);
  const GraphEdits scaled = edits(small, "kernel * 1");
  const WhatIf result = what_if(scaled, 10);
  const std::vector<SweepRow> points = sweep(scaled, {0.5, 1});
  const report::Sheet sheet = sweep_sheet(result.before.length, points);
  CHECK(sheet.number(sheet.find("change"), 0) == doctest::Approx(-45));
  CHECK(sheet.number(sheet.find("change"), 1) == 0);
}

}  // namespace orrery::analyze
