// From events to the rows of HTA's data frame.
#include "causal/hta/rows.h"

#include <doctest/doctest.h>

#include "causal/hta/job_rows.h"
#include "hta_text.h"

using namespace orrery;
using namespace orrery::causal::hta;
using namespace orrery::causal::hta::testing;

namespace {

// "name ts dur" of every row, in microseconds.
Lines row_lines(const Rows& rows) {
  Lines lines;
  for (RowIndex r = 0; r < rows.size(); ++r)
    lines.push_back(std::string(rows.name_text(r)) + " " + us_text(rows.ts[r]) + " " + us_text(rows.dur[r]));
  return lines;
}

Lines frame_lines(const Rows& rows) {
  Lines lines;
  for (const RowIndex r : rows.frame) lines.emplace_back(rows.name_text(r));
  return lines;
}

Rows rows_of(const SmallTrace& small, bool include_last_step = false) {
  Result<Rows> rows = make_rows(small.trace(), small.rank(), include_last_step);
  REQUIRE(rows.ok());
  return std::move(*rows);
}

}  // namespace

TEST_CASE("hta rows: whole microseconds are left alone, and aligned to the first row") {
  const SmallTrace small(R"(
      1  100  7   cpu_op  first
      1  105  0   cpu_op  empty
      1  110  -2  cpu_op  backwards
  )");
  CHECK(row_lines(rows_of(small)) == Lines{"first 0 7", "empty 5 0", "backwards 10 -2"});
}

TEST_CASE("hta rows: one fraction anywhere, and all starts are rounded up and all ends down") {
  const SmallTrace small(R"(
      1  100.5  7    cpu_op  first
      1  110    5    cpu_op  whole
      1  120.2  0.5  cpu_op  inside_a_microsecond
      1  130.7  0.3  cpu_op  up_to_the_next
  )");
  CHECK(row_lines(rows_of(small)) ==
        Lines{"first 0 6", "whole 9 5", "inside_a_microsecond 20 -1", "up_to_the_next 30 0"});
}

TEST_CASE("hta rows: an event without a time stamp makes all of them floating point") {
  const SmallTrace small(R"(
      1  -    1    cpu_op  lost
      1  100  7.9  cpu_op  first
      1  120  0.2  cpu_op  short
  )");
  CHECK(row_lines(rows_of(small)) == Lines{"first 0 7", "short 20 0"});
}

TEST_CASE("hta rows: without either, fractional durations stay") {
  const SmallTrace small(R"(
      1  100  7.9  cpu_op  first
      1  120  0.2  cpu_op  short
  )");
  CHECK(row_lines(rows_of(small)) == Lines{"first 0 7.9", "short 20 0.2"});
}

TEST_CASE("hta rows: Unix time stamps are rounded to what a double can hold before anything else") {
  const SmallTrace small(R"(
      1  1700000000000000.000  1      cpu_op  first
      1  1700000000000010.124  1      cpu_op  nearly_ten
      1  1700000000000020.126  1      cpu_op  more_than_twenty
      1  1700000000000030.000  0.999  cpu_op  sum_rounds_up
  )");
  // .124 is read as .0, and so not rounded up; 30 + 0.999 is 31 in doubles.
  CHECK(row_lines(rows_of(small)) ==
        Lines{"first 0 1", "nearly_ten 10 1", "more_than_twenty 21 0", "sum_rounds_up 30 1"});
}

TEST_CASE("hta rows: what has no duration or is a profiler's span is no row, whatever its phase") {
  const SmallTrace small(R"(
      1  0  -   cpu_op             instant
      1  0  10  Trace              "PyTorch Profiler"
      1  0  10  python_function    frame
      1  0  10  something_unheard  thing
  )");
  CHECK(row_lines(rows_of(small)) == Lines{"frame 0 10", "thing 0 10"});
  CHECK(rows_of(small).index[1] == 3);  // its position among all entries
  const SmallTrace nothing("1 0 - cpu_op instant");
  CHECK_FALSE(make_rows(nothing.trace(), nothing.rank(), false).ok());
}

TEST_CASE("hta rows: calls and device work find each other, the last partner wins") {
  const SmallTrace small(R"(
      1       0   5  cpu_op        aten::mm
      1       0   5  cuda_runtime  cudaGraphLaunch   correlation=7
      gpu0/7  10  5  kernel        first             correlation=7
      gpu0/7  20  5  kernel        second            correlation=7
      1       30  5  cuda_runtime  cudaLaunchKernel  correlation=8
      gpu0/7  40  5  kernel        unlaunched        correlation=9
  )");
  const Rows rows = rows_of(small);
  CHECK(rows.partner[0] == -1);  // no correlation
  CHECK(rows.partner[1] == 3);   // only one kernel of a graph
  CHECK(rows.partner[2] == 1);
  CHECK(rows.partner[3] == 1);
  CHECK(rows.partner[4] == 0);  // a correlation without partner
  CHECK(rows.partner[5] == 0);
}

TEST_CASE("hta rows: a partner at the very front of the file looks like none") {
  const SmallTrace small(R"(
      gpu0/7  10  5  kernel        gemm              correlation=7
      1       0   5  cuda_runtime  cudaLaunchKernel  correlation=7
      1       6   5  cuda_runtime  cudaLaunchKernel  correlation=8
  )");
  const Rows rows = rows_of(small);
  CHECK(rows.partner[1] == 0);
  CHECK(rows.partner[2] == 0);
  CHECK(rows.partner[0] == 1);
}

TEST_CASE("hta rows: Event Sync and Context Sync are device rows without a stream") {
  const SmallTrace small(R"(
      1        0  5  cpu_op        aten::mm
      1        0  5  cuda_runtime  cudaDeviceSynchronize  correlation=7
      gpu0/-1  1  3  cuda_sync     "Context Sync"         correlation=7
  )");
  CHECK(rows_of(small).partner[1] == 2);
  CHECK(rows_of(small).partner[2] == 1);
}

TEST_CASE("hta rows: the last profiler step and everything after its start is dropped") {
  const char* const lines = R"(
      1       0    100  user_annotation  ProfilerStep#1
      1       10   5    cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/7  220  5    kernel           kept              correlation=1
      1       100  100  user_annotation  ProfilerStep#2
      1       110  5    cuda_runtime     cudaLaunchKernel  correlation=2
      gpu0/7  130  5    kernel           dropped           correlation=2
      1       300  5    cpu_op           after
  )";
  const SmallTrace small(lines);
  CHECK(frame_lines(rows_of(small)) == Lines{"kept", "ProfilerStep#1", "cudaLaunchKernel"});  // device rows come first
  // Starts since the first row are compared with an end on the file's clock, which keeps everything unless that began
  // near 0.
  CHECK(frame_lines(rows_of(small, true)) ==
        Lines{"kept", "dropped", "ProfilerStep#1", "cudaLaunchKernel", "ProfilerStep#2", "cudaLaunchKernel"});
  const SmallTrace later(R"(
      1       1000  100  user_annotation  ProfilerStep#1
      1       1100  100  user_annotation  ProfilerStep#2
      1       1300  5    cpu_op           after
  )");
  CHECK(frame_lines(rows_of(later, true)) == Lines{"ProfilerStep#1", "ProfilerStep#2", "after"});
  const SmallTrace one_step(R"(
      1  0    100  user_annotation  ProfilerStep#1
      1  200  5    cpu_op           after
  )");
  CHECK(frame_lines(rows_of(one_step)) == Lines{"ProfilerStep#1", "after"});
}

TEST_CASE("hta rows: a device row stays as often as there are calls with its correlation") {
  const SmallTrace small(R"(
      1       0    100  user_annotation  ProfilerStep#1
      1       10   5    cuda_runtime     cudaLaunchKernel  correlation=1
      1       20   5    cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/7  30   5    kernel           twice             correlation=1
      1       100  100  user_annotation  ProfilerStep#2
  )");
  CHECK(frame_lines(rows_of(small)) ==
        Lines{"twice", "twice", "ProfilerStep#1", "cudaLaunchKernel", "cudaLaunchKernel"});
  CHECK(rows_of(small).partner[3] == 2);
}
