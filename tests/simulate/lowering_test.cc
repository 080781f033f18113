#include "simulate/collective/lowering.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "comm_cases.h"
#include "simulate/collective/schedules.h"

using namespace orrery::simulate;
using namespace orrery::simulate::testing;
using orrery::machine::kCollectiveAlgorithmNames;
using orrery::machine::Network;
using orrery::workload::Collective;

TEST_CASE("a ring is one phase whose weights say how many of its hops cross a link") {
  // Ranks 0, 2, 4 on a ring of 6: every hop crosses two links, and every link in that direction is crossed once.
  const Network network = network_of({ring(6, 1, 100)});
  const Ranks group = {4, 0, 2};
  const auto phases = lower(collective(Collective::all_reduce, 100, group), Algorithm::ring, network).value();
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].bytes ==
        doctest::Approx(2 * 2 / 3.0 * 100));  // not divisible by 3: fractions of a byte, not a rounded chunk
  CHECK(phases[0].steps == 4);
  CHECK(phases[0].alpha_ps == 4 * 2 * 100'000);
  REQUIRE(phases[0].shares.size() == 6);
  CHECK(std::is_sorted(phases[0].shares.begin(), phases[0].shares.end(),
                       [](auto& a, auto& b) { return a.link < b.link; }));
  for (const LinkShare& share : phases[0].shares) CHECK(share.weight == 1);
}

TEST_CASE("the order of a group does not matter, its root does") {
  const Network network = network_of({ring(5, 1, 100)});
  const Ranks ascending = {0, 1, 3}, mixed = {3, 0, 1};
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct, Algorithm::double_binary_tree}) {
    CHECK(price_alone(network, collective(Collective::all_reduce, 999, ascending), algorithm) ==
          price_alone(network, collective(Collective::all_reduce, 999, mixed), algorithm));
    CHECK(price_alone(network, collective(Collective::broadcast, 999, ascending, 2), algorithm) ==
          price_alone(network, collective(Collective::broadcast, 999, mixed, 0), algorithm));
  }
  const auto chain = [&](std::uint32_t root) {
    return price_alone(network, collective(Collective::broadcast, 999, ascending, root), Algorithm::ring);
  };
  CHECK(chain(0).alpha_ps == 3 * 100'000);  // 0 -> 1 -> 3
  CHECK(chain(1).alpha_ps == 4 * 100'000);  // 1 -> 3 -> (4) -> 0
}

TEST_CASE("what moves nothing is done at once") {
  const Network network = network_of({switched(4, 1, 100)});
  const CommOptions options{.launch_overhead_ps = 5, .message_overhead_ps = 3};
  const Ranks all = first_ranks(4), one = {2}, self = {3, 3};
  for (std::size_t kind = 0; kind < orrery::workload::kCollectives; ++kind) {
    for (std::size_t algorithm = 0; algorithm < kCollectiveAlgorithmNames.size(); ++algorithm) {
      const auto op = collective(static_cast<Collective>(kind), 1000, one);
      CHECK(price_alone(network, op, static_cast<Algorithm>(algorithm), options) == Price{});
    }
  }
  CHECK(price_alone(network, collective(Collective::all_reduce, 0, all), Algorithm::ring, options) == Price{});
  CHECK(price_alone(network, message(1000, self), Algorithm::automatic, options) == Price{});
  CHECK(price_alone(network, collective(Collective::barrier, 0, all), Algorithm::automatic, options).total_ps > 0);
  CHECK(price_alone(network, collective(Collective::barrier, 1 << 30, all), Algorithm::ring, options).beta_ps == 0);
}

TEST_CASE("operations that cannot be are errors that say why") {
  const Network network = network_of({switched(4, 1), switched(3, 1)});
  const auto error = [&](const Ranks& ranks, Algorithm algorithm = Algorithm::ring,
                         Collective kind = Collective::all_reduce, std::int64_t bytes = 64, std::uint32_t root = 0) {
    return lowering_error(network, collective(kind, bytes, ranks, root), algorithm);
  };
  CHECK(error({}) == "the group of a collective has no ranks");
  CHECK(error({0, 12}) == "rank 12 is in a group, but the machine has 12 devices");
  CHECK(error({12}) == "rank 12 is in a group, but the machine has 12 devices");
  CHECK(error({1, 2, 1}) == "rank 1 is named twice in a group of 3 ranks");
  CHECK(error({0, 1}, Algorithm::ring, Collective::all_reduce, -1) == "an operation of -1 bytes");
  CHECK(error({0, 1}, Algorithm::ring, Collective::broadcast, 64, 2) ==
        "the root of a broadcast is number 2 of 2 ranks");
  CHECK(error({0, 1}, Algorithm::ring, Collective::all_reduce, 64, 2).empty());  // has no root
  CHECK(error({0, 1, 2}, Algorithm::halving_doubling) ==
        "halving_doubling needs a power of two, and the group has 3 ranks (choose ring, double_binary_tree or auto)");
  CHECK(error({0, 1}, Algorithm::double_binary_tree, Collective::all_to_all) ==
        "all_to_all cannot be done by double_binary_tree");
  CHECK(error({0, 1, 4}, Algorithm::hierarchical)
            .starts_with("the group of 3 ranks does not fill the machine's dimensions evenly: 2 ranks in "
                         "one place, 1 in another"));

  const Ranks outside = {0, 12}, three = {0, 1, 2};
  CHECK(lowering_error(network, message(1, outside), Algorithm::automatic) ==
        "a message goes from rank 0 to rank 12, but the machine has 12 devices");
  CHECK(lowering_error(network, message(1, three), Algorithm::automatic) ==
        "a message has a source and a target, not 3 ranks");
  CHECK(lowering_error(network, message(-5, outside), Algorithm::automatic) == "an operation of -5 bytes");
}

TEST_CASE("direct among too many ranks is refused, and automatic does without") {
  const Network network = network_of({switched(5000, 1, 100)});
  const Ranks group = first_ranks(5000);
  CHECK(lowering_error(network, collective(Collective::all_to_all, 1 << 20, group), Algorithm::direct)
            .starts_with("direct over 5,000 ranks would be 24,995,000 messages; on this machine it is done for up to "
                         "4,096 ranks"));
  CHECK(lowering_error(network, collective(Collective::all_to_all, 1 << 20, group), Algorithm::automatic).empty());
  CHECK(lowering_error(network, collective(Collective::scatter, 1 << 20, group), Algorithm::direct).empty());
}

TEST_CASE("automatic takes latency into account for small sizes and bandwidth for large ones") {
  const Network network = network_of({ring(16, 1, 1000)});
  Lowering lowering(network, {.message_overhead_ps = 1'000'000});
  const Ranks group = first_ranks(16);
  const auto chosen = [&](Collective kind, std::int64_t bytes) {
    return lowering.plan(collective(kind, bytes, group)).value()->algorithm;
  };
  CHECK(chosen(Collective::all_reduce, 8) == Algorithm::double_binary_tree);
  CHECK(chosen(Collective::all_reduce, 1 << 30) == Algorithm::bidirectional_ring);
  CHECK(chosen(Collective::barrier, 0) == Algorithm::ring);
  CHECK(chosen(Collective::broadcast, 1 << 30) == Algorithm::bidirectional_ring);
}

TEST_CASE(
    "automatic takes what NCCL has: rings and trees across nodes, one step inside, direct for what goes point to "
    "point") {
  // Eight in a node, and 300 nodes: beyond any number of pairs that would be looked at, and no power of two.
  const Network network = network_of({switched(8, 450, 300), switched(300, 50, 1350)});
  Lowering lowering(network, {});
  Ranks inside = first_ranks(8), across(300);
  for (std::uint32_t node = 0; node < 300; ++node) across[node] = node * 8 + 3;
  const auto chosen = [&](Collective kind, std::int64_t bytes, const Ranks& group) {
    return lowering.plan(collective(kind, bytes, group)).value()->algorithm;
  };
  for (const Collective kind : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter})
    CHECK(chosen(kind, 1 << 20, inside) == Algorithm::direct);
  for (const std::uint32_t nodes : {16u, 128u, 255u, 256u, 257u, 300u}) {
    const Ranks group(across.begin(), across.begin() + nodes);
    for (const Collective kind : {Collective::all_gather, Collective::reduce_scatter})
      for (const std::int64_t bytes : {1 << 10, 1 << 30})
        CHECK(chosen(kind, bytes, group) == Algorithm::double_binary_tree);
    CHECK(chosen(Collective::all_reduce, 1 << 10, group) == Algorithm::double_binary_tree);
    CHECK(chosen(Collective::all_reduce, std::int64_t{1} << 40, group) == Algorithm::ring);
    CHECK(chosen(Collective::all_to_all, 1 << 20, group) == Algorithm::direct);
  }
}

TEST_CASE("no price jumps where a group grows by a rank") {
  const Network network = network_of({switched(2, 450, 300), switched(260, 50, 1350)});
  Lowering lowering(network, {});
  for (const Collective kind :
       {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all}) {
    CAPTURE(to_string(kind));
    double before = 0;
    for (std::uint32_t nodes = 60; nodes <= 260; ++nodes) {
      Ranks group(nodes);
      for (std::uint32_t node = 0; node < nodes; ++node) group[node] = node * 2;
      const CommOp op = collective(kind, 64 << 20, group);
      const auto total = static_cast<double>(isolated_price(*lowering.plan(op).value(), bytes_moved(op)).total_ps);
      CAPTURE(nodes);
      if (before > 0) CHECK(std::abs(total / before - 1) < 0.01);
      before = total;
    }
  }
}

TEST_CASE("what a collective sends and gets at a port has the weight of one message there") {
  const Network network = network_of({switched(8, 450), switched(64, 50)});
  const auto ports = [&](Collective kind, Algorithm algorithm, const Ranks& group, double bytes) {
    const auto phases = take(lower(collective(kind, 1 << 20, group), algorithm, network));
    for (const Phase& phase : phases) {
      double most = 0;
      for (const LinkShare& share : phase.shares)
        if (network.dimension_of_link(share.link) == 1) most = std::max(most, share.weight);
      CHECK(most == doctest::Approx(1));
    }
    if (bytes > 0) CHECK(phases[0].bytes == doctest::Approx(bytes * (1 << 20)));
  };
  Ranks across(64);
  for (std::uint32_t node = 0; node < 64; ++node) across[node] = node * 8;
  ports(Collective::all_gather, Algorithm::direct, across, 63 / 64.0);
  ports(Collective::all_to_all, Algorithm::direct, across, 63 / 64.0);
  ports(Collective::all_gather, Algorithm::double_binary_tree, across, 63 / 64.0);
  ports(Collective::all_gather, Algorithm::ring, across, 63 / 64.0);
  ports(Collective::all_reduce, Algorithm::bidirectional_ring, across, 2 * 63 / 64.0);
  ports(Collective::broadcast, Algorithm::direct, across, 63);
  // Eight rings, each of which leaves the nodes through another port; inside, seven of them pass by each rank.
  ports(Collective::all_gather, Algorithm::ring, first_ranks(512), 511 / 512.0 / 8);
}

TEST_CASE("automatic is never dearer than any algorithm that it looks at, and breaks ties in their order") {
  const std::vector<Network> networks = {network_of({ring(12, 1, 500)}), network_of({switched(8, 1, 300)}),
                                         network_of({fully_connected(4, 8, 100), switched(3, 1, 900)})};
  for (const Network& network : networks) {
    const Ranks group = first_ranks(network.device_count());
    for (const std::int64_t bytes : {1, 10'000, 100'000'000}) {
      for (std::size_t k = 0; k < orrery::workload::kCollectives; ++k) {
        const CommOp op = collective(static_cast<Collective>(k), bytes, group);
        CAPTURE(to_string(op.collective));
        CAPTURE(bytes);
        const auto automatic = price_alone(network, op, Algorithm::automatic).total_ps;
        Algorithm first = Algorithm::automatic;
        for (std::size_t a = 1; a <= static_cast<std::size_t>(Algorithm::hierarchical); ++a) {
          const auto algorithm = static_cast<Algorithm>(a);
          const bool inside =
              network.outermost_dimension(0, network.device_count() - 1) == 0 && is_inside_node(0, network.topology(0));
          if (!is_automatic(algorithm, op.collective, inside) || !lowering_error(network, op, algorithm).empty())
            continue;
          const auto price = price_alone(network, op, algorithm).total_ps;
          CHECK(automatic <= price);
          if (price == automatic && first == Algorithm::automatic) first = algorithm;
        }
        CHECK(Lowering(network, {}).plan(op).value()->algorithm == first);
      }
    }
  }
}

TEST_CASE("plans are made once per group and serve every size") {
  const Network network = network_of({switched(8, 1, 300)});
  Lowering lowering(network, {.algorithms = {Algorithm::ring}});
  const Ranks group = {0, 1, 2, 3}, reversed = {3, 2, 1, 0}, other = {0, 1, 2, 4};
  const auto plan = [&](std::int64_t bytes, const Ranks& ranks, Collective kind = Collective::all_reduce) {
    return lowering.plan(collective(kind, bytes, ranks)).value();
  };
  CHECK(plan(10, group) == plan(1'000'000, group));
  CHECK(plan(10, group) == plan(10, reversed));
  CHECK(plan(10, group) != plan(10, other));
  CHECK(plan(10, group)->algorithm == Algorithm::ring);
  CHECK(plan(10, group, Collective::all_gather) != plan(10, group));
}

TEST_CASE("a machine says what communication costs and how it is done") {
  orrery::machine::Communication communication{.collective_algorithm = Algorithm::double_binary_tree,
                                               .launch_overhead_us = 5.5,
                                               .message_overhead_us = 0.001,
                                               .rendezvous_threshold_bytes = 4096};
  const CommOptions options = comm_options(communication);
  CHECK(options.launch_overhead_ps == 5'500'000);
  CHECK(options.message_overhead_ps == 1'000);
  CHECK(options.rendezvous_above_bytes == 4096);
  CHECK(options.algorithm(Collective::all_reduce) == Algorithm::double_binary_tree);
  CHECK(options.algorithm(Collective::all_to_all) == Algorithm::automatic);  // trees cannot do it
}

TEST_CASE("within one dimension, hierarchical is the fastest of the others") {
  const Network network = network_of({ring(6, 1, 100), switched(4, 1, 100)});
  const Ranks row = {6, 7, 8, 9, 10, 11}, column = {1, 7, 13, 19};
  CHECK(price_alone(network, collective(Collective::all_reduce, 6000, row), Algorithm::hierarchical) ==
        price_alone(network, collective(Collective::all_reduce, 6000, row), Algorithm::bidirectional_ring));
  CHECK(price_alone(network, collective(Collective::all_reduce, 6000, column), Algorithm::hierarchical) ==
        price_alone(network, collective(Collective::all_reduce, 6000, column), Algorithm::ring));
  CHECK(price_alone(network, collective(Collective::all_gather, 6000, column), Algorithm::hierarchical) ==
        price_alone(network, collective(Collective::all_gather, 6000, column), Algorithm::double_binary_tree));
}

TEST_CASE("adaptive routing spreads the transfers of a collective over equal ways") {
  // Two leaves of four and two spines with a cable each: a permutation across the leaves can use both spines alike.
  orrery::machine::Machine machine = machine_of({dimension(orrery::machine::Topology::leaf_spine, 8, 1, 100)});
  machine.network[0].leaf_spine = {.leaf_size = 4, .spine_count = 2, .oversubscription = 2};
  machine.routing = orrery::machine::Routing::adaptive;
  const Network network = take(Network::build(machine));
  const Ranks group = first_ranks(8);
  const auto phases = take(lower(collective(Collective::all_to_all, 8000, group), Algorithm::direct, network));
  double least = 1e9, most = 0;
  for (const LinkShare& share : phases[0].shares) {
    const auto link = network.links()[share.link];
    if (std::min(link.from, link.to) < 8) continue;  // a device's port
    least = std::min(least, share.weight * phases[0].bytes);
    most = std::max(most, share.weight * phases[0].bytes);
  }
  CHECK(least == doctest::Approx(8 * 1000));  // 16 pairs each way
  CHECK(most == doctest::Approx(8 * 1000));
}

TEST_CASE("two trees span the nodes, are shallow, and share the work") {
  for (std::uint32_t nodes = 1; nodes <= 130; ++nodes) {
    const TwoTrees trees = two_trees(nodes);
    std::uint32_t deepest_allowed = 1;
    while ((1U << (deepest_allowed - 1)) < nodes) ++deepest_allowed;  // ceil(log2) + 1
    std::vector<int> inner_in(nodes);
    for (const auto* parents : {&trees.first, &trees.second}) {
      std::vector<int> children(nodes);
      std::uint32_t roots = 0;
      for (std::uint32_t node = 0; node < nodes; ++node) {
        std::uint32_t depth = 0, at = node;
        while ((*parents)[at] != at && depth <= nodes) at = (*parents)[at], ++depth;
        REQUIRE(depth <= deepest_allowed);
        roots += (*parents)[node] == node;
        if ((*parents)[node] != node) ++children[(*parents)[node]];
      }
      CHECK(roots == 1);
      CHECK(*std::max_element(children.begin(), children.end()) <= 2);
      for (std::uint32_t node = 0; node < nodes; ++node) inner_in[node] += children[node] > 0;
    }
    CHECK(std::count(inner_in.begin(), inner_in.end(), 2) <= nodes % 2);
  }
}

TEST_CASE("what was planned last is only taken for the same operation") {
  const Network network = network_of({ring(5, 1, 100)});
  Lowering lowering(network, {});
  const Ranks ascending = {0, 1, 3}, mixed = {3, 0, 1}, others = {0, 1, 2};
  const auto price = [&](const CommOp& op, Algorithm algorithm) { return (*lowering.plan(op, algorithm))->alpha_ps(); };
  // Each twice, so that the second comes from what is remembered; all have one flow.
  for (int round = 0; round < 2; ++round) {
    CHECK(price(collective(Collective::broadcast, 999, ascending, 0), Algorithm::ring) == 3 * 100'000);
    CHECK(price(collective(Collective::broadcast, 999, mixed, 2), Algorithm::ring) ==
          4 * 100'000);  // its root is rank 1
    CHECK(price(collective(Collective::broadcast, 999, ascending, 2), Algorithm::ring) ==
          price(collective(Collective::broadcast, 999, mixed, 0), Algorithm::ring));
    CHECK(price(collective(Collective::broadcast, 999, others, 0), Algorithm::ring) == 2 * 100'000);
    for (const Ranks& pair : {Ranks{0, 1}, Ranks{1, 0}, Ranks{0, 2}}) {
      CommOp op;
      op.bytes = 10;
      op.ranks = pair;
      CHECK((*lowering.plan(op))->alpha_ps() == (pair[1] == 2 ? 2 : 1) * 100'000);
    }
  }
}
