// Operations that load the network alike, started as one.
#include <doctest/doctest.h>

#include "comm_cases.h"
#include "generate/pipeline_step.h"
#include "simulate/engine/engine.h"
#include "simulate/models/folded_links.h"

namespace orrery::simulate::testing {
namespace {

// Nodes of four devices, whose rails meet in leaf switches of two nodes.
machine::Network four_rails(std::uint32_t nodes) {
  machine::Dimension fabric = dimension(machine::Topology::leaf_spine, nodes, 2, 700);
  fabric.leaf_spine = {.leaf_size = 2, .spine_count = 2, .oversubscription = 2};
  return network_of({switched(4, 10, 100), fabric});
}

std::vector<Ranks> rings_of_rails(std::uint32_t nodes) {
  std::vector<Ranks> rings(4);
  for (std::uint32_t rank = 0; rank < 4 * nodes; ++rank) rings[rank % 4].push_back(rank);
  return rings;
}

CommOp all_reduce_over(const Ranks& ranks, std::uint64_t flow) {
  CommOp op;
  op.kind = CommOp::Kind::collective;
  op.bytes = 1 << 20;
  op.ranks = ranks;
  op.flow = flow;
  return op;
}

double weight_of(const PlanPhase& phase) {
  double sum = 0;
  for (const LinkShare& share : phase.shares) sum += share.weight;
  return sum;
}

}  // namespace

TEST_CASE("one ring stands for those of all rails, once links are told apart") {
  Lowering lowering(four_rails(8), {.algorithms = {Algorithm::ring}});
  const std::vector<Ranks> rings = rings_of_rails(8);
  const std::vector<AlikeOp> others{{rings[1], 1}, {rings[2], 2}, {rings[3], 3}};
  CommOp op = all_reduce_over(rings[0], 0);
  op.alike = others;
  FoldedLinks folded(lowering);
  folded.forget_classes();
  int rounds = 0;
  Lowering::SharedPlan plan;
  for (bool is_over = false; !is_over; ++rounds) {
    REQUIRE(rounds < 8);
    folded.restart();
    folded.fold();
    plan = take(folded.plan(op));
    is_over = !folded.found_unlike();
    if (!is_over) CHECK(folded.refine_classes());
  }
  // Links within nodes, which no ring takes, may be as fast as others: only a start tells them apart.
  CHECK(rounds <= 2);
  const Lowering::SharedPlan own = take(lowering.plan(all_reduce_over(rings[0], 0)));
  REQUIRE(plan->phases.size() == 1);
  CHECK(plan->phases[0].shares.size() < own->phases[0].shares.size() / 4);
  CHECK(plan->phases[0].route != own->phases[0].route);
  // Every link that stands for others carries what each of these does.
  double carried = 0;
  for (machine::LinkId link = 0; link < lowering.network().links().size(); ++link) {
    for (const LinkShare& share : plan->phases[0].shares)
      carried += share.link == folded.representative(link) ? share.weight : 0;
  }
  CHECK(carried == 4 * weight_of(own->phases[0]));
}

TEST_CASE("a ring of the neighbours of another node is not like one of a rail") {
  Lowering lowering(four_rails(8), {.algorithms = {Algorithm::ring}});
  const std::vector<Ranks> rings = rings_of_rails(8);
  const Ranks near{0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<AlikeOp> others{{near, 1}};
  CommOp op = all_reduce_over(rings[0], 0);
  op.alike = others;
  FoldedLinks folded(lowering);
  folded.forget_classes();
  folded.fold();
  CHECK(take(folded.plan(op)) == take(lowering.plan(all_reduce_over(rings[0], 0))));
  CHECK(folded.found_unlike());
  // Two operations in two classes: nothing is gained by that.
  CHECK_FALSE(folded.refine_classes());
  CHECK(folded.class_of(op) != folded.class_of(all_reduce_over(near, 1)));
}

TEST_CASE("what is told apart from its neighbours one by one is not worth it") {
  // Messages along a ring, each over two links, but for the last two ranks: whoever is farther from these is unlike.
  constexpr std::uint32_t kRanks = 100;
  Lowering lowering(network_of({ring(kRanks, 10)}), {});
  std::vector<Ranks> ends;
  for (std::uint32_t rank = 0; rank + 2 < kRanks; ++rank) ends.push_back({rank, rank + 2});
  std::vector<AlikeOp> others;
  for (std::size_t i = 1; i < ends.size(); ++i) others.push_back({ends[i], 0});
  CommOp op;
  op.bytes = 1000;
  op.ranks = ends[0];
  op.alike = others;
  FoldedLinks folded(lowering);
  folded.forget_classes();
  folded.fold();
  CHECK(folded.plan(op).ok());
  CHECK(folded.found_unlike());
  CHECK_FALSE(folded.refine_classes());
}

TEST_CASE("operations started as one end as if each were started") {
  generate::PipelineStep step;
  step.tensor_parallel = 4;
  step.data_parallel = 8;
  step.pipeline_parallel = 4;
  step.microbatches = 4;
  step.layers = 4;
  step.kernels_per_layer = 2;
  step.forward_ps = 40 * kPsPerUs;
  step.activation_bytes = 300'000;
  step.gradient_bytes = 5'000'000;
  const workload::Workload job = take(generate::pipeline_step(step));
  FluidModel network(std::make_shared<Lowering>(four_rails(32), CommOptions{}));
  EngineOptions options;
  const Schedule folded = take(execute(job, network, options));
  REQUIRE(network.folding()->class_of(all_reduce_over({}, 0)) == network.folding()->class_of(all_reduce_over({}, 1)));
  network.restart();
  options.ranks_worth_folding = 0;
  CHECK(folded == take(execute(job, network, options)));
}

}  // namespace orrery::simulate::testing
