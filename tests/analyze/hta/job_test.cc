// Stragglers and the difference of two traces; ranks as HTA numbers them.
#include <doctest/doctest.h>

#include "analyze/hta/stragglers.h"
#include "analyze/hta/trace_diff.h"
#include "causal/hta/step_numbers.h"
#include "job/read/hta_input.h"
#include "small_hta_job.h"

using namespace orrery;
using namespace orrery::analyze::hta;
using namespace orrery::analyze::hta::testing;
using causal::hta::Filter;

namespace {

// One step with a collective that starts at `start` and ends at 90.
std::string rank_with_collective(int start) {
  return "1 0 100 user_annotation ProfilerStep#1\n1 5 2 cuda_runtime cudaLaunchKernel correlation=1\ngpu0/7 " +
         std::to_string(start) + " " + std::to_string(90 - start) + " kernel ncclKernel_AllReduce correlation=1";
}

}  // namespace

TEST_CASE("hta stragglers: those who start the collective last") {
  const SmallHtaJob job({rank_with_collective(10), rank_with_collective(60), rank_with_collective(12)});
  const auto found = potential_stragglers(job.rows, 1);
  REQUIRE(found.ok());
  CHECK(*found == std::vector<std::int64_t>{1});
  CHECK(*potential_stragglers(job.rows, 2) == std::vector<std::int64_t>{1, 2});
  CHECK_FALSE(potential_stragglers(job.rows, 4).ok());
  CHECK(*potential_stragglers(job.rows, 1, {1, 8}) == std::vector<std::int64_t>{1});
  CHECK_FALSE(potential_stragglers(job.rows, 1, {8}).ok());
  CHECK_FALSE(potential_stragglers(SmallHtaJob({rank_with_collective(10)}).rows, 1).ok());
}

TEST_CASE("hta step numbers: the last step row in file order that the start lies in") {
  CHECK(causal::hta::step_number("ProfilerStep # 12 x") == 12);
  CHECK_FALSE(causal::hta::step_number("ProfilerStep#x").has_value());
  const SmallHtaJob job({R"(
      1       0   100  user_annotation  ProfilerStep#1
      1       50  100  user_annotation  ProfilerStep#2
      1       60  5    cpu_op           both
      1       20  5    cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/7  80  5    kernel           of_its_launch     correlation=1
      gpu0/0  80  5    kernel           stream_0          correlation=2
      1       150 5    cpu_op           after
  )"},
                        Filter::none);
  const auto steps = causal::hta::number_steps(job.rows.front().rows);
  CHECK(std::vector<std::int64_t>(steps.begin(), steps.end()) == std::vector<std::int64_t>{1, 2, 2, 1, 1, -1, -1});
}

TEST_CASE("hta diff: counts and times by name in the first step of each") {
  const SmallHtaJob control({"1 0 100 user_annotation ProfilerStep#1\n1 5 2 cpu_op a\n1 8 2 cpu_op b"}, Filter::none);
  const SmallHtaJob test(
      {"1 0 90 user_annotation ProfilerStep#4\n1 5 3 cpu_op a\n1 9 4 cpu_op a\n1 20 1 cpu_op c<int>()"}, Filter::none);
  const auto diff = diff_traces(control.rows, test.rows, {.short_names = true});
  REQUIRE(diff.ok());
  CHECK(diff->test.step == 4);
  CHECK(csv_lines(diff_sheet(*diff)) == Lines{"ProfilerStep#1,1,100,0,0,-1,-100,-", "a,1,2,2,7,1,5,+",
                                              "b,1,2,0,0,-1,-2,-", "ProfilerStep#4,0,0,1,90,1,90,+",
                                              "c,0,0,1,1,1,1,+"});
  CHECK(diff_traces(control.rows, test.rows, {.rows = DiffRows::gpu})->rows.empty());
  CHECK_FALSE(diff_traces(control.rows, test.rows, {.test_step = 1}).ok());
}

TEST_CASE("hta ranks: the number behind the first \"rank\": and a blank, anywhere in the text") {
  const orrery::testing::TempDir folder;
  const auto rank_of = [&](const std::string& text) { return *job::hta_rank_of(folder.write("trace.json", text)); };
  CHECK(rank_of(R"({"distributedInfo": {"rank": 3}, "traceEvents": [{"args": {"rank": 5}}]})") == 3);
  CHECK(rank_of(R"({"distributedInfo": {"rank":3}, "traceEvents": [{"args": {"rank":  5}}]})") == 5);
  CHECK(rank_of(R"({"rank": "3", "traceEvents": []})") == 0);
  CHECK(rank_of("{}") == 0);
}
