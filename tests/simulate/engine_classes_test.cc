// Jobs that speak of roles: executing one rank of each class gives the schedule of executing all, bit for bit; and so
// does writing the roles out.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "comm_cases.h"
#include "generate/pipeline_step.h"
#include "simulate/engine/engine.h"
#include "simulate/engine/program_plan.h"
#include "simulate/engine/rank_classes.h"
#include "small_job.h"
#include "workload/resolve_roles.h"

namespace orrery::simulate::testing {
namespace {

// Nodes of `inner` devices; their rails meet in leaf switches of two nodes, with half as much to the spines as the
// devices could send.
machine::Machine rails(std::uint32_t inner, std::uint32_t nodes, machine::Routing routing) {
  machine::Dimension outer = dimension(machine::Topology::leaf_spine, nodes, 2, 700);
  outer.leaf_spine.leaf_size = nodes % 2 == 0 ? 2 : nodes;
  outer.leaf_spine.spine_count = 2;
  outer.leaf_spine.oversubscription = 2;
  std::vector<machine::Dimension> dimensions;
  if (inner > 1) dimensions.push_back(switched(inner, 10, 100));
  dimensions.push_back(outer);
  machine::Machine machine = machine_of(std::move(dimensions));
  machine.routing = routing;
  return machine;
}

Result<Schedule> run(const workload::Workload& job, const machine::Machine& machine, bool use_symmetry,
                     std::string_view model = "fluid") {
  auto network = link_model(model, take(machine::Network::build(machine)));
  EngineOptions options;
  options.use_symmetry = use_symmetry;
  options.ranks_worth_folding = 2;
  return execute(job, *network, options);
}

generate::PipelineStep small_step(std::uint32_t tensor, std::uint32_t data, std::uint32_t pipeline) {
  generate::PipelineStep step;
  step.tensor_parallel = tensor;
  step.data_parallel = data;
  step.pipeline_parallel = pipeline;
  step.microbatches = 3;
  step.layers = 2 * pipeline;
  step.kernels_per_layer = 2;
  step.forward_ps = 40 * kPsPerUs;
  step.activation_bytes = 100'000;
  step.gradient_bytes = 1'000'000;
  return step;
}

RankClasses classes_of(const workload::Workload& job) {
  return find_rank_classes(take(plan_job(job, {})).matching.membership());
}

}  // namespace

TEST_CASE("a class per pipeline stage") {
  const workload::Workload job = take(generate::pipeline_step(small_step(4, 6, 3)));
  CHECK(job.programs.size() == 3);
  const JobPlan plan = take(plan_job(job, {}));
  const RankClasses classes = find_rank_classes(plan.matching.membership());
  REQUIRE(classes.size() == 3);
  for (const auto& members : classes.members) CHECK(members.size() == 24);
  CHECK(plan.matching.communicators().size() == 18 + 12 + 6);  // tensor, data, model
}

TEST_CASE("ranks of a class are told apart by whom they talk to") {
  // All ranks share a program and pass something on along a line of groups of three; rank 6 and those after it are in
  // another group.
  workload::Workload job = make_uniform_job(12, {all_reduce(8, {}, "row")});
  job.roles.push_back({job.strings.intern("row"), {{3, 1}}});
  CHECK(classes_of(job).size() == 1);
  job.programs.push_back(make_program(job.strings, {all_reduce(8, {}, "row"), compute(5)}));
  job.program_of_rank[4] = 1;
  const RankClasses classes = classes_of(job);
  CHECK(classes.size() == 3);  // rank 4; the two others of its row; everybody else
  CHECK(classes.class_of[3] == classes.class_of[5]);
  CHECK(classes.class_of[3] != classes.class_of[0]);
  CHECK(classes.class_of[11] == classes.class_of[0]);
}

TEST_CASE("one rank of each class is the same as all ranks, whatever the network does") {
  CHECK(rc::check([] {
    const auto some = [](std::uint32_t most) { return *rc::gen::inRange<std::uint32_t>(1, most + 1); };
    generate::PipelineStep step = small_step(some(4), some(4), some(4));
    step.microbatches = some(5);
    step.activation_bytes = *rc::gen::inRange<std::int64_t>(0, 200'000);
    step.gradient_bytes = *rc::gen::inRange<std::int64_t>(0, 3'000'000);
    const workload::Workload job = take(generate::pipeline_step(step));
    const std::uint32_t nodes = step.data_parallel * step.pipeline_parallel;
    if (nodes < 2) return;
    // With ECMP the routes of ranks that do the same differ: then all are executed after all.
    const auto routing =
        *rc::gen::element(machine::Routing::shortest, machine::Routing::ecmp, machine::Routing::adaptive);
    const auto model = *rc::gen::element<std::string>("fluid", "isolated");
    const machine::Machine machine = rails(step.tensor_parallel, nodes, routing);
    const auto folded = run(job, machine, true, model), all = run(job, machine, false, model);
    RC_ASSERT(folded.ok());
    RC_ASSERT(all.ok());
    RC_ASSERT(*folded == *all);
    const auto resolved = run(workload::resolve_roles(job), machine, true, model);
    RC_ASSERT(resolved.ok());
    RC_ASSERT(resolved->makespan_ps() > 0);
    if (routing != machine::Routing::ecmp)  // where a flow's number is no matter
      RC_ASSERT(std::equal(resolved->end_ps.begin(), resolved->end_ps.end(), all->end_ps.begin(), all->end_ps.end()));
  }));
}

TEST_CASE("ranks that the network tells apart are executed by class still") {
  // Leaf switches of six devices: of three groups of four the middle one reaches over two of them.
  workload::Workload job = make_uniform_job(12, {compute(10 * kPsPerUs), all_reduce(1 << 20, {0}, "row")});
  job.roles.push_back({job.strings.intern("row"), {{4, 1}}});
  machine::Dimension fabric = dimension(machine::Topology::leaf_spine, 12, 2, 700);
  fabric.leaf_spine = {.leaf_size = 6, .spine_count = 1, .oversubscription = 6};
  auto network = link_model("fluid", take(machine::Network::build(machine_of({fabric}))));
  EngineOptions options;
  options.detail = Detail::executed_ranks;
  const Schedule folded = take(execute(job, *network, options));
  CHECK(std::vector(folded.executed_ranks.begin(), folded.executed_ranks.end()) == std::vector<std::uint32_t>{0, 4});
  network->restart();
  options.use_symmetry = false;
  const Schedule every = take(execute(job, *network, options));
  REQUIRE(every.ranks.size() == 12);
  for (std::size_t rank = 0; rank < 12; ++rank) CHECK(folded.ranks[rank].finish_ps == every.ranks[rank].finish_ps);
  CHECK(every.ranks[4].finish_ps > every.ranks[0].finish_ps);
}

TEST_CASE("the schedule of the executed ranks alone") {
  const workload::Workload job = take(generate::pipeline_step(small_step(2, 4, 2)));
  const machine::Machine machine = rails(2, 8, machine::Routing::shortest);
  const Schedule all = take(run(job, machine, true));
  auto network = link_model("fluid", take(machine::Network::build(machine)));
  EngineOptions options;
  options.detail = Detail::executed_ranks;
  const Schedule folded = take(execute(job, *network, options));
  REQUIRE(folded.executed_ranks.size() == 2);
  CHECK(folded.executed_ranks[1] == 8);
  CHECK(folded.class_of_rank[15] == 1);
  CHECK(folded.activity_count() == job.programs[0].size() + job.programs[1].size());
  CHECK(folded.ranks.size() == 16);
  CHECK(folded.makespan_ps() == all.makespan_ps());
  std::size_t calls = 0;
  for (const CollectiveUse& use : folded.collectives) calls += use.instances;
  CHECK(calls == all.collectives.size());
}

// Ranks that behave alike: executing one of them gives the schedule of executing all, bit for bit.

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
