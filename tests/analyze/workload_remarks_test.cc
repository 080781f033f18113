#include "analyze/check/workload_info.h"

#include <doctest/doctest.h>

#include <string>

#include "workload/program_builder.h"

namespace orrery::analyze {
namespace {

workload::Workload ranks_of(const workload::Activity& activity, std::size_t ranks) {
  workload::ProgramBuilder builder;
  builder.add(activity);
  workload::Workload workload;
  workload.programs.push_back(std::move(*std::move(builder).build()));
  workload.program_of_rank.assign(ranks, 0);
  return workload;
}

}  // namespace

TEST_CASE(
    "work without a duration is counted for every rank, though they share a program; work without operations is none") {
  workload::Activity work{
      .id = 1, .kind = workload::ActivityKind::compute, .flags = workload::activity::kHasOperations};
  Diagnostics diagnostics;
  remark_on_missing_durations(ranks_of(work, 3), diagnostics);
  REQUIRE(diagnostics.sorted().size() == 1);
  CHECK(std::string(diagnostics.sorted()[0].kind->code) == "S103");
  CHECK(diagnostics.sorted()[0].count == 3);
  CHECK(diagnostics.sorted()[0].example.starts_with("rank 0"));

  Diagnostics none;
  work.flags = 0;  // takes no time, and never said that it would
  remark_on_missing_durations(ranks_of(work, 3), none);
  work.flags = workload::activity::kHasOperations;
  work.duration_ps = 5;
  remark_on_missing_durations(ranks_of(work, 3), none);
  CHECK(none.empty());
}

TEST_CASE(
    "work of devices that says how long it took, but not what it did, is remarked upon where a roofline was asked "
    "for") {
  workload::Activity work{.id = 1, .kind = workload::ActivityKind::compute, .duration_ps = 5};
  Diagnostics diagnostics;
  remark_on_missing_operations(ranks_of(work, 3), diagnostics);
  REQUIRE(diagnostics.sorted().size() == 1);
  CHECK(std::string(diagnostics.sorted()[0].kind->code) == "S115");
  CHECK(diagnostics.sorted()[0].count == 3);

  Diagnostics none;
  for (const std::uint8_t flags :
       {workload::activity::kHasOperations, workload::activity::kHasBytes, workload::activity::kOnHost}) {
    work.flags = flags;
    remark_on_missing_operations(ranks_of(work, 3), none);
  }
  work.flags = 0;
  work.duration_ps = 0;  // nothing to keep
  remark_on_missing_operations(ranks_of(work, 3), none);
  CHECK(none.empty());
}

TEST_CASE("hints of a library name no flags") {
  workload::Activity work{
      .id = 1, .kind = workload::ActivityKind::compute, .flags = workload::activity::kHasOperations};
  workload::Activity urgent{
      .id = 1, .kind = workload::ActivityKind::collective, .flags = workload::activity::kHasBytes, .bytes = 8};
  urgent.priority = 2;
  urgent.excluded_dims = 1;
  Diagnostics diagnostics;
  remark_on_missing_durations(ranks_of(work, 1), diagnostics);
  remark_on_unused_attributes(ranks_of(urgent, 1), diagnostics);
  CHECK(diagnostics.sorted().size() == 3);
  for (const Diagnostic& remark : diagnostics.sorted())
    CHECK(std::string(remark.kind->hint).find("--") == std::string::npos);
}

}  // namespace orrery::analyze
