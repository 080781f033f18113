// Blame as Sheets.
#include "analyze/blame/blame_sheets.h"

#include <doctest/doctest.h>

#include "analyze/small_job.h"
#include "report/sheet_csv.h"

using namespace orrery;
using namespace orrery::analyze;
using analyze::testing::SmallJob;
using causal::EdgeKind;

namespace {

/// Rank 2 is late for every sum, by a kernel and by unnamed time before it.
causal::CausalGraph late_rank(std::uint32_t steps, TimePs uncertainty = 0) {
  SmallJob small(3, {0, 0, 4 * kPsPerUs});
  for (std::uint32_t k = 0; k < steps; ++k) {
    for (std::uint32_t r = 0; r < 3; ++r) {
      small.step(r);
      small.work(r, "f", 10 * kPsPerUs);
      if (r == 2) small.work(r, "slow", 6 * kPsPerUs, EdgeKind::kernel);
      small.communicate(r, "sum " + std::to_string(k), {.transfer = 2 * kPsPerUs, .uncertainty = uncertainty});
    }
  }
  return small.make();
}

Blame blame_of(const causal::CausalGraph& job) {
  Diagnostics diagnostics;
  return find_blame(job, diagnostics);
}

}  // namespace

TEST_CASE("what programs read about who waited for whom") {
  const causal::CausalGraph job = late_rank(2);
  const Blame blame = blame_of(job);
  // The first sum: 4 of beginning later and 6 of slow; the second: 6 of slow.
  CHECK(report::to_csv(blame_pairs_sheet(job, blame)) ==
        "waiter,culprit,direct_us,root_us\n"
        "0,2,16,16\n"
        "1,2,16,16\n");
  CHECK(report::to_csv(causes_sheet(job, blame)) ==
        "rank,kind,name,blame_us\n"
        "2,kernel,slow,24\n"
        "2,before,(before the window),8\n");
  CHECK(report::to_csv(blamed_operations_sheet(job, blame)) ==
        "what,group,name,state,count,wait_us\n"
        "all_reduce,world,gloo:all_reduce,late_arrival,4,32\n");
  CHECK(report::to_csv(blamed_steps_sheet(job, blame)) ==
        "step,wait_us,worst\n"
        "ProfilerStep#0,20,2\n"
        "ProfilerStep#1,12,2\n");
  const report::Sheet cells = blame_cells_sheet(job, blame);
  REQUIRE(cells.rows() == 6);  // rank 2 waits for nobody, and made others wait
  CHECK(cells.text(cells.find("step"), 3) == "ProfilerStep#1");
  CHECK(cells.integer(cells.find("wait"), 0) == 10 * kPsPerUs);
  CHECK(cells.integer(cells.find("waited_for"), 0) == 2);
  CHECK(cells.integer(cells.find("wait"), 2) == 0);
  CHECK(cells.is_null(cells.find("waited_for"), 2));
  CHECK(cells.integer(cells.find("caused_root"), 2) == 20 * kPsPerUs);
  CHECK(cells.integer(cells.find("caused_event"), 2) == cells.integer(cells.find("waited_for_event"), 0));
  CHECK(report::to_csv(slowdown_sheet(blame)) ==
        "measured_us,ideal_us,S,communication,all\n"
        "40,40,1,1,1\n");
}

TEST_CASE("a rank's row: span = without waiting + waiting") {
  const causal::CausalGraph job = late_rank(2);
  CHECK(report::to_csv(blamed_ranks_sheet(job, blame_of(job))) ==
        "rank,span_us,without_waiting_us,wait_us,caused_direct_us,caused_root_us,pattern,worst_in_steps,p,p_late,p_"
        "exceptions,slowdown,"
        "gain_if_typical_us\n"
        "0,40,24,16,0,0,none,0,1,1,1,1,0\n"
        "1,40,24,16,0,0,none,0,1,1,1,1,0\n"
        "2,40,40,0,32,32,undecided,2,0.3333333333333333,0.3333333333333333,1,1,0\n");
}

TEST_CASE("what nobody is blamed for has no culprit") {
  const causal::CausalGraph job = late_rank(1, 5 * kPsPerUs);
  const Blame blame = blame_of(job);
  CHECK(report::to_csv(blame_pairs_sheet(job, blame)) ==
        "waiter,culprit,direct_us,root_us\n"
        "0,,10,10\n"
        "1,,10,10\n");
  CHECK(causes_sheet(job, blame).rows() == 0);
  const report::Sheet matrix = blame_matrix_sheet(job, blame);
  CHECK(matrix.columns().back().title == "unresolved");
  CHECK(matrix.integer(matrix.columns().size() - 1, 0) == 10 * kPsPerUs);
}

TEST_CASE("the matrix has a row per rank that waits and a column per rank that caused it") {
  const causal::CausalGraph job = late_rank(1);
  const report::Sheet matrix = blame_matrix_sheet(job, blame_of(job));
  CHECK(matrix.rows() == 3);
  CHECK(matrix.columns().size() == 4);
  CHECK(matrix.integer(3, 0) == 10 * kPsPerUs);
  CHECK(matrix.is_null(1, 0));
  CHECK(matrix.is_null(3, 2));
}
