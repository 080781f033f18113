#include "job/write/astra_export.h"

#include <doctest/doctest.h>

#include "workload/program_builder.h"

namespace orrery::job {

TEST_CASE("for ASTRA-sim: nothing on the host, copies as computation, no metadata, groups by number") {
  using workload::ActivityKind;
  using workload::Collective;
  namespace activity = workload::activity;
  workload::Workload job;
  const StringId pair = job.strings.intern("tensor"), single = job.strings.intern("alone");
  job.groups = {{pair, {0, 1}}, {single, {0}}};
  workload::ProgramBuilder builder;
  const std::uint8_t on_host = activity::kOnHost | activity::kHasBytes;
  builder.add({.id = 1, .kind = ActivityKind::collective, .flags = on_host, .bytes = 8, .group_name = pair});
  builder.add({.id = 2, .kind = ActivityKind::memory_load, .flags = activity::kHasBytes, .duration_ps = 5, .bytes = 8});
  builder.add({.id = 3, .kind = ActivityKind::metadata});
  builder.add({.id = 4,
               .kind = ActivityKind::collective,
               .flags = on_host,
               .duration_ps = 7,
               .collective = Collective::gather});
  builder.add({.id = 5, .kind = ActivityKind::collective, .flags = on_host, .bytes = 8, .group_name = single});
  builder.add({.id = 6, .kind = ActivityKind::compute, .flags = activity::kOnHost, .duration_ps = 9});
  Result<workload::Program> built = std::move(builder).build();
  REQUIRE(built.ok());
  job.programs.push_back(std::move(*built));
  job.program_of_rank.push_back(0);
  job.program_of_rank.push_back(0);
  Diagnostics diagnostics;
  job = workload_for_astra(std::move(job), diagnostics);
  const workload::Program& program = job.programs[0];
  CHECK(program.kinds[0] == ActivityKind::collective);
  CHECK(program.flags[0] == activity::kHasBytes);
  CHECK(job.strings.text(program.group_names[0]) == "1");
  CHECK(job.strings.text(job.groups[1].name) == "2");
  CHECK(program.kinds[1] == ActivityKind::compute);
  CHECK(program.flags[1] == 0);
  CHECK(program.duration_ps(1) == 5);
  CHECK(program.kinds[2] == ActivityKind::none);
  CHECK(program.kinds[3] == ActivityKind::compute);
  CHECK(program.duration_ps(3) == 7);
  CHECK(program.kinds[4] == ActivityKind::compute);
  CHECK_FALSE(program.has(5, activity::kOnHost));
  CHECK(program.duration_ps(5) == 9);
  REQUIRE(diagnostics.sorted().size() == 1);
  CHECK(diagnostics.sorted()[0].count == 2);
}

}  // namespace orrery::job
