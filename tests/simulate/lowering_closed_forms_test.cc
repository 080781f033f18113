// What each algorithm costs alone, against what its literature says: S bytes over n ranks at B bytes per second with L
// per hop.
#include <doctest/doctest.h>

#include "comm_cases.h"

using namespace orrery::simulate::testing;
using orrery::kPsPerNs;
using orrery::TimePs;
using orrery::machine::Network;
using orrery::simulate::Algorithm;
using orrery::simulate::CommOptions;
using orrery::simulate::Price;
using orrery::workload::Collective;

namespace {

constexpr std::int64_t kBytes = 840'000;  // divisible by 2, 3, 4, 5, 6, 7, 8
constexpr TimePs kPsPerByte = 1000;       // at 1 GB/s

struct Time {
  double buffers;  ///< beta: so many times the buffer over one link
  TimePs hops;     ///< alpha: so many latencies
};

void check(const Network& network, std::uint32_t ranks, Collective kind, Algorithm algorithm, TimePs hop_ps,
           Time expected) {
  const Ranks group = first_ranks(ranks);
  CAPTURE(to_string(kind));
  CAPTURE(orrery::simulate::to_string(algorithm));
  CAPTURE(ranks);
  const Price price = price_alone(network, collective(kind, kBytes, group), algorithm);
  CHECK(static_cast<double>(price.beta_ps) == doctest::Approx(expected.buffers * kBytes * kPsPerByte).epsilon(1e-12));
  CHECK(price.alpha_ps == expected.hops * hop_ps);
  CHECK(price.total_ps == price.alpha_ps + price.beta_ps);
}

}  // namespace

TEST_CASE("ring algorithms on a ring") {
  for (const int n : {3, 4, 5, 8}) {
    const Network network = network_of({ring(n, 1, 500)});
    const double part = (n - 1.0) / n;
    const auto check_ring = [&](Collective kind, Algorithm algorithm, Time expected) {
      check(network, static_cast<std::uint32_t>(n), kind, algorithm, 500 * kPsPerNs, expected);
    };
    check_ring(Collective::all_reduce, Algorithm::ring, {2 * part, 2 * (n - 1)});
    check_ring(Collective::reduce_scatter, Algorithm::ring, {part, n - 1});
    check_ring(Collective::all_gather, Algorithm::ring, {part, n - 1});
    check_ring(Collective::all_to_all, Algorithm::ring, {(n - 1) / 2.0, n - 1});
    check_ring(Collective::broadcast, Algorithm::ring, {1, n - 1});
    check_ring(Collective::reduce, Algorithm::ring, {1, n - 1});
    check_ring(Collective::scatter, Algorithm::ring, {part, n - 1});
    check_ring(Collective::gather, Algorithm::ring, {part, n - 1});
    check_ring(Collective::barrier, Algorithm::ring, {0, n - 1});

    check_ring(Collective::all_reduce, Algorithm::bidirectional_ring, {part, 2 * (n - 1)});
    check_ring(Collective::reduce_scatter, Algorithm::bidirectional_ring, {part / 2, n - 1});
    check_ring(Collective::all_gather, Algorithm::bidirectional_ring, {part / 2, n - 1});
    const double distances = n % 2 == 0 ? n * n / 8.0 : (n * n - 1) / 8.0;  // per direction, in blocks
    check_ring(Collective::all_to_all, Algorithm::bidirectional_ring, {distances / n, n / 2});
    check_ring(Collective::broadcast, Algorithm::bidirectional_ring, {0.5, n - 1});
    check_ring(Collective::reduce, Algorithm::bidirectional_ring, {0.5, n - 1});
    check_ring(Collective::scatter, Algorithm::bidirectional_ring, {(n / 2) / static_cast<double>(n), n / 2});
    check_ring(Collective::gather, Algorithm::bidirectional_ring, {(n / 2) / static_cast<double>(n), n / 2});
  }
}

TEST_CASE("two directions do not help two ranks: both lead to the same neighbour") {
  const Network network = network_of({ring(2, 1, 500)});
  for (const Collective kind :
       {Collective::all_reduce, Collective::all_gather, Collective::all_to_all, Collective::broadcast}) {
    const Ranks group = first_ranks(2);
    CHECK(price_alone(network, collective(kind, kBytes, group), Algorithm::ring) ==
          price_alone(network, collective(kind, kBytes, group), Algorithm::bidirectional_ring));
  }
}

TEST_CASE("direct algorithms over a switch are bound by the ports") {
  for (const int n : {2, 3, 7}) {
    const Network network = network_of({switched(n, 1, 250)});
    const double part = (n - 1.0) / n;
    const auto check_direct = [&](Collective kind, Time expected) {
      check(network, static_cast<std::uint32_t>(n), kind, Algorithm::direct, 2 * 250 * kPsPerNs, expected);
    };
    check_direct(Collective::all_reduce, {2 * part, 2});
    check_direct(Collective::reduce_scatter, {part, 1});
    check_direct(Collective::all_gather, {part, 1});
    check_direct(Collective::all_to_all, {part, 1});
    check_direct(Collective::broadcast, {n - 1.0, 1});
    check_direct(Collective::reduce, {n - 1.0, 1});
    check_direct(Collective::scatter, {part, 1});
    check_direct(Collective::gather, {part, 1});
    check_direct(Collective::barrier, {0, 1});
  }
}

TEST_CASE("direct algorithms use every link of a full mesh") {
  const Network network = network_of({fully_connected(6, 1, 300)});
  check(network, 6, Collective::all_reduce, Algorithm::direct, 300 * kPsPerNs, {2 / 6.0, 2});
  check(network, 6, Collective::all_to_all, Algorithm::direct, 300 * kPsPerNs, {1 / 6.0, 1});
  check(network, 6, Collective::broadcast, Algorithm::direct, 300 * kPsPerNs, {1, 1});
}

TEST_CASE("direct all-to-all on a ring takes the short way: n^2/8 blocks per link and direction") {
  check(network_of({ring(5, 1, 100)}), 5, Collective::all_to_all, Algorithm::direct, 100 * kPsPerNs, {3 / 5.0, 2});
  check(network_of({ring(7, 1, 100)}), 7, Collective::all_to_all, Algorithm::direct, 100 * kPsPerNs, {6 / 7.0, 3});
}

TEST_CASE("halving and doubling over a switch") {
  for (const int log_n : {1, 2, 3}) {
    const int n = 1 << log_n;
    const Network network = network_of({switched(n, 1, 250)});
    const double part = (n - 1.0) / n;
    const auto check_exchange = [&](Collective kind, Time expected) {
      check(network, static_cast<std::uint32_t>(n), kind, Algorithm::halving_doubling, 500 * kPsPerNs, expected);
    };
    check_exchange(Collective::all_reduce, {2 * part, 2 * log_n});
    check_exchange(Collective::reduce_scatter, {part, log_n});
    check_exchange(Collective::all_gather, {part, log_n});
    check_exchange(Collective::all_to_all, {log_n / 2.0, log_n});
    check_exchange(Collective::broadcast, {2 * part, 2 * log_n});
    check_exchange(Collective::reduce, {2 * part, 2 * log_n});
    check_exchange(Collective::scatter, {part, log_n});
    check_exchange(Collective::gather, {part, log_n});
    check_exchange(Collective::barrier, {0, log_n});
  }
}

TEST_CASE("the double binary tree over a switch moves about what a ring does in logarithmic time") {
  const Network network = network_of({switched(8, 1, 250)});
  // A node with two children in one tree is a leaf of the other: it takes in two halves going up and, as a leaf and an
  // inner node, two going down. Up and down 3 edges below the root's one child.
  check(network, 8, Collective::all_reduce, Algorithm::double_binary_tree, 500 * kPsPerNs, {2, 6});
  check(network, 8, Collective::barrier, Algorithm::double_binary_tree, 500 * kPsPerNs, {0, 6});
  // Two trees over the seven others, with the root above both.
  check(network, 8, Collective::broadcast, Algorithm::double_binary_tree, 500 * kPsPerNs, {1, 4});
  check(network, 8, Collective::reduce, Algorithm::double_binary_tree, 500 * kPsPerNs, {1, 4});
}

TEST_CASE("trees from and to every rank move what a ring does, in logarithmic time for any number of ranks") {
  for (const int n : {2, 3, 6, 7, 8}) {
    const Network network = network_of({switched(n, 1, 250)});
    const TimePs steps = n == 2 ? 1 : n <= 4 ? 2 : 3;
    for (const Collective kind : {Collective::all_gather, Collective::reduce_scatter})
      check(network, static_cast<std::uint32_t>(n), kind, Algorithm::double_binary_tree, 500 * kPsPerNs,
            {(n - 1.0) / n, steps});
  }
}

TEST_CASE("hierarchical over two levels: only the reduced part crosses the slow one") {
  // Four ranks per node at 4 GB/s, three nodes at 1 GB/s per rank.
  const Network network = network_of({switched(4, 4, 100), switched(3, 1, 900)});
  const auto price = [&](Collective kind, std::uint32_t root = 0) {
    const Ranks group = first_ranks(12);
    return price_alone(network, collective(kind, kBytes, group, root), Algorithm::hierarchical);
  };
  const auto beta = [&](Collective kind) { return static_cast<double>(price(kind).beta_ps) / (kBytes * kPsPerByte); };
  const double inner = 3 / 4.0 / 4, outer = 2 / 3.0 / 4;  // of one reduce-scatter or all-gather, in buffers at 1 GB/s
  CHECK(beta(Collective::all_reduce) == doctest::Approx(2 * inner + 2 * outer));
  CHECK(beta(Collective::reduce_scatter) == doctest::Approx(inner + outer));
  CHECK(beta(Collective::all_gather) == doctest::Approx(inner + outer));
  CHECK(beta(Collective::all_to_all) == doctest::Approx(3 / 4.0 / 4 + 2 / 3.0));
  CHECK(beta(Collective::broadcast) == doctest::Approx(1 + 1 / 4.0));
  CHECK(price(Collective::reduce, 7).beta_ps == price(Collective::broadcast, 7).beta_ps);

  // Among equally fast ways along a level the one with the least latency is taken: direct in a node, across nodes
  // trees, but a ring for all_reduce.
  const TimePs inner_hop = 200 * kPsPerNs, outer_hop = 1800 * kPsPerNs;
  CHECK(price(Collective::all_reduce).alpha_ps == 2 * inner_hop + 4 * outer_hop);
  CHECK(price(Collective::all_gather).alpha_ps == inner_hop + 2 * outer_hop);
  CHECK(price(Collective::all_to_all).alpha_ps == inner_hop + outer_hop);
}

TEST_CASE("hierarchical over a torus goes dimension by dimension, both ways round") {
  const Network network = network_of({ring(4, 1), ring(4, 1), ring(4, 1)});
  const Ranks group = first_ranks(64);
  const Price price = price_alone(network, collective(Collective::all_reduce, kBytes, group), Algorithm::hierarchical);
  const double buffers = 2 * (3 / 4.0 / 2) * (1 + 1 / 4.0 + 1 / 16.0);
  CHECK(static_cast<double>(price.beta_ps) == doctest::Approx(buffers * kBytes * kPsPerByte));
}

TEST_CASE("a ring over nodes meets slow hops as often as there are") {
  // Two nodes of four: the ring has six fast hops and two that cross both networks.
  const Network network = network_of({switched(4, 4, 100), switched(2, 1, 900)});
  const Ranks group = first_ranks(8);
  const Price price = price_alone(network, collective(Collective::all_gather, kBytes, group), Algorithm::ring);
  // 3 -> 4 and 7 -> 0: across the nodes, and inside one of them. The unluckiest chunk passes both and five of the
  // others.
  CHECK(price.alpha_ps == (5 * 200 + 2 * (200 + 1800)) * kPsPerNs);
}

TEST_CASE("rings over several nodes use every port of a node") {
  // Four ranks per node, each with a port of its own to the other nodes: four rings with a quarter of the bytes each.
  const Network network = network_of({switched(4, 8), switched(3, 1)});
  const Ranks all = first_ranks(12), one_per_node = {1, 5, 9}, uneven = {0, 1, 4};
  const auto buffers = [&](Collective kind, const Ranks& group) {
    return static_cast<double>(price_alone(network, collective(kind, kBytes, group), Algorithm::ring).beta_ps) /
           (kBytes * kPsPerByte);
  };
  CHECK(buffers(Collective::all_reduce, all) == doctest::Approx(2 * 11 / 12.0 / 4));
  CHECK(buffers(Collective::broadcast, all) == doctest::Approx(1 / 4.0));
  CHECK(buffers(Collective::all_reduce, one_per_node) == doctest::Approx(2 * 2 / 3.0));
  CHECK(buffers(Collective::all_reduce, uneven) == doctest::Approx(2 * 2 / 3.0));
}

TEST_CASE("trees over several nodes hang chains inside them, and use every port of a node") {
  // Two nodes of four: each of the four channels has two trees of one edge between the nodes, and chains of three hops.
  const Network network = network_of({switched(4, 8, 100), switched(2, 1, 900)});
  const Ranks all = first_ranks(8);
  const Price price =
      price_alone(network, collective(Collective::all_reduce, kBytes, all), Algorithm::double_binary_tree);
  // Up in one tree and down in the other, half of a quarter each.
  CHECK(static_cast<double>(price.beta_ps) == doctest::Approx(kBytes * kPsPerByte / 4.0));
  CHECK(price.alpha_ps == 2 * (3 * 200 + 1800) * kPsPerNs);
}

TEST_CASE("overheads are paid per message that a rank issues, launches per collective") {
  const Network network = network_of({switched(8, 1)});
  const CommOptions options{.launch_overhead_ps = 1'000'000, .message_overhead_ps = 1'000};
  const auto alpha = [&](Collective kind, Algorithm algorithm) {
    const Ranks group = first_ranks(8);
    return price_alone(network, collective(kind, kBytes, group), algorithm, options).alpha_ps - 1'000'000;
  };
  CHECK(alpha(Collective::all_reduce, Algorithm::ring) == 14 * 1'000);
  CHECK(alpha(Collective::all_reduce, Algorithm::direct) == 2 * 7 * 1'000);
  CHECK(alpha(Collective::all_reduce, Algorithm::halving_doubling) == 6 * 1'000);
  CHECK(alpha(Collective::all_reduce, Algorithm::double_binary_tree) ==
        (3 + 1 + 2 * 2) * 1'000);  // a root's one child, then two each
  CHECK(alpha(Collective::broadcast, Algorithm::direct) == 7 * 1'000);
}

TEST_CASE("messages are eager up to the threshold, and ask first above it") {
  const Network network = network_of({switched(4, 1, 250)});
  CommOptions options{.launch_overhead_ps = 7, .message_overhead_ps = 1'000};
  const Ranks pair = {2, 1};
  const auto price = [&](std::int64_t bytes) {
    return price_alone(network, message(bytes, pair), Algorithm::automatic, options);
  };
  CHECK(price(5000) == Price{.total_ps = 501'000 + 5'000'000,
                             .alpha_ps = 501'000,
                             .beta_ps = 5'000'000,
                             .bottleneck = price(1).bottleneck});
  options.rendezvous_above_bytes = 5000;
  CHECK(price(5000).alpha_ps == 501'000);
  CHECK(price(5001).alpha_ps == 3 * 501'000);
  CHECK(price(5001).beta_ps == 5'001'000);
  CHECK(price(0).total_ps == 501'000);
}
