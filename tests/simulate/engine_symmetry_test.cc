// Ranks that behave alike: executing one of them gives the schedule of executing all, bit for bit.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "simulate/engine/engine.h"
#include "small_job.h"

namespace orrery::simulate::testing {
namespace {

Result<Schedule> run(const workload::Workload& job, bool use_symmetry) {
  FixedNetwork network(1000, 2);
  EngineOptions options;
  options.use_symmetry = use_symmetry;
  options.compute_slots = 2;
  return execute(job, network, options);
}

// 100 steps of compute and a collective that overlaps with the next step's compute.
std::vector<Node> training_steps(std::uint32_t steps) {
  std::vector<Node> nodes;
  for (std::uint32_t step = 0; step < steps; ++step) {
    nodes.push_back(compute(5'000 + 100 * (step % 7), step == 0 ? After{} : After{2 * step - 2}));
    nodes.push_back(all_reduce(1'000, {2 * step}));
  }
  return nodes;
}

}  // namespace

TEST_CASE("one rank for all is the same as all ranks") {
  CHECK(rc::check([] {
    std::vector<Node> nodes;
    const auto count = *rc::gen::inRange<std::uint32_t>(1, 40);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto draw = [](TimePs from, TimePs to) { return *rc::gen::inRange<TimePs>(from, to); };
      Node node =
          draw(0, 3) == 0 ? all_reduce(draw(0, 500), {}, draw(0, 2) == 0 ? "everybody" : "") : compute(draw(0, 2'000));
      if (draw(0, 8) == 0) node.flags |= workload::activity::kOnHost;
      for (std::uint32_t before = 0; before < i; ++before) {
        if (draw(0, 5) == 0) node.after.push_back(before);
      }
      nodes.push_back(node);
    }
    const auto ranks = *rc::gen::inRange<std::uint32_t>(2, 9);
    workload::Workload job = make_uniform_job(ranks, nodes);
    std::vector<std::uint32_t> backwards(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) backwards[r] = ranks - 1 - r;
    job.groups.push_back({job.strings.intern("everybody"), backwards});
    const auto one = run(job, true), all = run(job, false);
    RC_ASSERT(one.ok());
    RC_ASSERT(all.ok());
    RC_ASSERT(*one == *all);
    RC_ASSERT(one->activity_count() == std::size_t{ranks} * count);
  }));
}

TEST_CASE("16,384 ranks of 100 computes and 100 collectives are one rank and its copies") {
  const workload::Workload job = make_uniform_job(16'384, training_steps(100));
  const auto one = run(job, true), all = run(job, false);
  REQUIRE(one.ok());
  REQUIRE(all.ok());
  CHECK(*one == *all);
}

}  // namespace orrery::simulate::testing
