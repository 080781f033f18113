// Rows of a host trace and events of a profiler trace: what makes them the same.
#include "causal/host/host_match.h"

#include <doctest/doctest.h>

#include "small_link.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;
using orrery::testing::count_of;

namespace {

Coverage coverage_of(const SmallLink& link) {
  REQUIRE_MESSAGE(link.linked.has_value(), link.error);
  return link.linked->coverage;
}

// The name of the event that a row was found to be.
std::string event_of(const SmallLink& link, std::uint32_t row) {
  const HostMatch match = match_host(link.trace.ranks.front(), *link.host, link.trace.strings);
  const trace::EventIndex event = match.event_of_row[row];
  return event == kNoEvent ? "none" : std::to_string(link.trace.ranks.front().ordinal[event]);
}

}  // namespace

TEST_CASE("first by record-function id") {
  const SmallLink link(R"(
      1  0   10  cpu_op  aten::mm   "Record function id"=8
      1  20  10  cpu_op  aten::mm   "Record function id"=7
  )",
                       {{2, 1, 7, "aten::mm"}, {3, 1, 8, "aten::mm"}});
  CHECK(coverage_of(link).by_record_function == 2);
  CHECK(coverage_of(link).host_rows == 2);  // the process row does not count
  CHECK(event_of(link, 1) == "1");
  CHECK(event_of(link, 2) == "0");
}

TEST_CASE("a number alone proves nothing: the names must be the same") {
  const SmallLink link(R"(
      1  0   10  cpu_op  aten::mm   "Record function id"=7
      1  20  10  cpu_op  aten::add  "Record function id"=8
  )",
                       {{2, 1, 7, "aten::mm"}, {3, 1, 8, "aten::relu"}});
  CHECK(coverage_of(link).by_record_function == 1);
  CHECK(coverage_of(link).by_name_and_order == 0);
  CHECK(count_of(link.diagnostics, "L223") == 1);
}

TEST_CASE("then by External id, for events without a record-function id") {
  const SmallLink link(R"(
      1  0   10  cpu_op  aten::mm   "External id"=7
      1  20  10  cpu_op  aten::mm   "External id"=6
  )",
                       {{2, 1, 6, "aten::mm"}, {3, 1, 7, "aten::mm"}});
  CHECK(coverage_of(link).by_external_id == 2);
  CHECK(event_of(link, 1) == "1");
}

TEST_CASE("then by name and order within the thread") {
  const SmallLink link(R"(
      5  0   10  cpu_op  aten::mm
      5  20  10  cpu_op  aten::add
      5  40  10  cpu_op  aten::mm
      9  0   10  cpu_op  aten::mm
      9  20  10  cpu_op  MmBackward
  )",
                       {{2, 1, -1, "aten::mm", "[]", "[]", "", 1},
                        {3, 1, -1, "aten::mm", "[]", "[]", "", 1},
                        {4, 1, -1, "aten::add", "[]", "[]", "", 1},
                        {5, 1, -1, "MmBackward", "[]", "[]", "", 2}});
  CHECK(coverage_of(link).by_name_and_order == 4);
  CHECK(event_of(link, 1) == "0");
  CHECK(event_of(link, 2) == "2");
  CHECK(event_of(link, 4) == "4");
}

TEST_CASE("traces of different runs are refused, with the numbers") {
  const SmallLink link(R"(
      1  0   10  cpu_op  aten::mm   "Record function id"=1
      1  20  10  cpu_op  aten::add  "Record function id"=2
  )",
                       {{2, 1, 1, "aten::conv2d"}, {3, 1, 2, "aten::relu"}, {4, 1, 3, "aten::sum"}});
  CHECK_FALSE(link.linked.has_value());
  CHECK(link.error.find("of another run: 0 of its 3 operators (0.0 %)") != std::string::npos);
}

TEST_CASE("the threshold is the caller's") {
  LinkOptions options;
  options.least_coverage_percent = 0;
  const SmallLink link("1 0 10 cpu_op aten::mm \"Record function id\"=1\n", {{2, 1, 1, "aten::conv2d"}}, options);
  CHECK(link.linked.has_value());
}

TEST_CASE("a host trace of another process is remarked on") {
  const SmallLink same("1 0 10 cpu_op aten::mm \"Record function id\"=1\n", {{2, 1, 1, "aten::mm"}});
  CHECK(count_of(same.diagnostics, "L224") == 0);
  CHECK(is_operator_row("aten::mm"));
  CHECK_FALSE(is_operator_row("[pytorch|profiler|execution_trace|thread]"));
  CHECK_FALSE(is_operator_row("## process_group:init ##"));
}

TEST_CASE("a kernel without a launch call belongs to the operator with its External id") {
  const SmallLink link(R"(
      1       0   10  cpu_op  aten::mm  "External id"=4
      gpu0/7  20  10  kernel  gemm      "External id"=4
      gpu0/7  40  10  kernel  stray     "External id"=5
  )");
  CHECK(coverage_of(link).device_works == 2);
  CHECK(coverage_of(link).attributed == 1);
}

TEST_CASE("a call outside of operators belongs to the annotation around it, profiler steps excepted") {
  const SmallLink link(R"(
      1       0   100  user_annotation  ProfilerStep#1
      1       10  50   user_annotation  "Optimizer step"
      1       20  5    cuda_runtime     hipLaunchKernel  correlation=1
      1       70  5    cuda_runtime     hipLaunchKernel  correlation=2
      gpu0/7  30  10   kernel           adam             correlation=1
      gpu0/7  80  10   kernel           other            correlation=2
  )");
  CHECK(coverage_of(link).device_works == 2);
  CHECK(coverage_of(link).attributed == 1);
}
