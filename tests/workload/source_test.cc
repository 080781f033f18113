#include "workload/source.h"

#include <doctest/doctest.h>

#include "workload/program_builder.h"

using namespace orrery;
using namespace orrery::workload;

namespace {

Workload two_ranks() {
  Workload job;
  ProgramBuilder builder;
  builder.add({.id = 3, .kind = ActivityKind::compute, .duration_ps = 5});
  builder.add({.id = 7, .kind = ActivityKind::collective, .flags = activity::kHasBytes, .bytes = 8});
  builder.depend(3, Dependency::data);
  job.programs.push_back(std::move(*std::move(builder).build()));
  job.program_of_rank.assign(2, 0);
  return job;
}

}  // namespace

TEST_CASE("a workload in memory is a source of one window per program") {
  const Workload job = two_ranks();
  auto source = WholeWorkload::of(job);
  REQUIRE(source.ok());
  CHECK(source->program_count() == 1);
  CHECK(source->structure(0).length->activities == 2);
  CHECK(source->structure(0).length->collectives == std::vector<std::uint64_t>{1});
  for (int round = 0; round < 2; ++round) {
    const auto window = source->next_window(0);
    REQUIRE(window.ok());
    REQUIRE(window->has_value());
    CHECK((*window)->program.get() == &job.programs[0]);
    CHECK(!source->next_window(0)->has_value());
    source->restart();
  }
}

TEST_CASE("collecting a source gives the workload it stands for") {
  const Workload job = two_ranks();
  auto source = WholeWorkload::of(job);
  REQUIRE(source.ok());
  const auto collected = collect(*source);
  REQUIRE(collected.ok());
  CHECK(collected->rank_count() == 2);
  CHECK(collected->programs[0].ids[1] == 7);
  CHECK(collected->programs[0].dependencies.edge_count() == 1);
  CHECK(collected->program(1).bytes[1] == 8);
}

TEST_CASE("a part of a program that speaks to others than was announced is refused") {
  const Workload job = two_ranks();
  const auto lines = lines_of(job, job.programs[0], ProgramStructure{});
  REQUIRE(!lines.ok());
  CHECK(lines.error().message.find("node 7 is in group") == 0);
}
