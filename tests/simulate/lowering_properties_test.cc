#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "comm_cases.h"

using namespace orrery::simulate;
using namespace orrery::simulate::testing;
using orrery::machine::kCollectiveAlgorithmNames;
using orrery::machine::Network;
using orrery::workload::Collective;

namespace {

/// Bytes that arrive at each rank. On a full mesh nobody forwards for others.
std::vector<double> bytes_in(const Network& full_mesh, const CommOp& op, Algorithm algorithm) {
  std::vector<double> bytes(full_mesh.device_count());
  const auto phases = lower(op, algorithm, full_mesh);
  for (const Phase& phase : phases.value()) {
    for (const LinkShare& share : phase.shares) bytes[full_mesh.links()[share.link].to] += share.weight * phase.bytes;
  }
  return bytes;
}

/// What every rank but the root has to take in, whatever the algorithm, in buffers.
double least_per_rank(Collective kind, double n) {
  switch (kind) {
    case Collective::all_reduce:
    case Collective::broadcast: return 1;
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::all_to_all: return (n - 1) / n;
    case Collective::scatter: return 1 / n;
    default: return 0;
  }
}

bool applies(const Network& network, const CommOp& op, Algorithm algorithm) {
  return lowering_error(network, op, algorithm).empty();
}

/// Any but those that choose another by the size.
rc::Gen<Algorithm> any_algorithm() {
  return rc::gen::suchThat(rc::gen::map(rc::gen::inRange<int>(0, static_cast<int>(kCollectiveAlgorithmNames.size())),
                                        [](int a) { return static_cast<Algorithm>(a); }),
                           [](Algorithm a) { return a != Algorithm::automatic && a != Algorithm::mpi; });
}
rc::Gen<Collective> any_collective() {
  return rc::gen::map(rc::gen::inRange<int>(0, static_cast<int>(orrery::workload::kCollectives)),
                      [](int k) { return static_cast<Collective>(k); });
}

}  // namespace

TEST_CASE("no rank gets less than it needs, and the optimal algorithms move exactly that") {
  CHECK(rc::check([] {
    const auto n = *rc::gen::inRange<std::uint32_t>(2, 20);
    const Network network = network_of({fully_connected(n, 1)});
    const Ranks group = first_ranks(n);
    const CommOp op = collective(*any_collective(), 1'000'000, group, *rc::gen::inRange<std::uint32_t>(0, n));
    const Algorithm algorithm = *any_algorithm();
    RC_PRE(applies(network, op, algorithm));

    const double size = bytes_moved(op), ranks = n;
    const std::vector<double> in = bytes_in(network, op, algorithm);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      if (is_rooted(op.collective) && rank == op.root) continue;
      RC_ASSERT(in[rank] >= least_per_rank(op.collective, ranks) * size * (1 - 1e-9));
    }
    double total = 0;
    for (const double bytes : in) total += bytes;
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-6 * (1 + std::abs(b)); };
    // All of them are optimal but recursive doubling, which for the sake of fewer rounds sends the whole buffer in
    // each; ranks beyond a power of two hand theirs to another and get the result.
    const double paired = std::bit_floor(n);
    const double doubling = paired * std::log2(paired) + 2 * (ranks - paired);
    if (op.collective == Collective::all_reduce)
      RC_ASSERT(near(total, (algorithm == Algorithm::recursive_doubling ? doubling : 2 * (ranks - 1)) * size));
    if (op.collective == Collective::reduce_scatter || op.collective == Collective::all_gather)
      RC_ASSERT(near(total, (ranks - 1) * size));
    if (op.collective == Collective::reduce) RC_ASSERT(total >= (ranks - 1) * size * (1 - 1e-9));
    if (op.collective == Collective::gather) RC_ASSERT(in[op.root] >= (ranks - 1) / ranks * size * (1 - 1e-9));
  }));
}

TEST_CASE("a ring all-reduce brings every rank 2(n-1)/n of the buffer") {
  for (std::uint32_t n = 2; n < 12; ++n) {
    const Network network = network_of({fully_connected(n, 1)});
    const Ranks group = first_ranks(n);
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::bidirectional_ring, Algorithm::direct}) {
      for (const double bytes : bytes_in(network, collective(Collective::all_reduce, 1000, group), algorithm)) {
        CHECK(bytes == doctest::Approx(2.0 * (n - 1) / n * 1000));
      }
    }
  }
}

TEST_CASE("behind a switch it does not matter which ranks are in a group") {
  CHECK(rc::check([] {
    const Network network = network_of({switched(24, 2, 300)});
    Ranks ranks = first_ranks(24);
    const auto n = *rc::gen::inRange<std::size_t>(2, 17);
    const std::uint32_t root = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(n));
    const auto drawn = *rc::gen::unique<Ranks>(n, rc::gen::inRange<std::uint32_t>(0, 24));
    ranks.resize(n);
    const auto kind = *any_collective();
    const auto algorithm = *any_algorithm();
    const CommOp op = collective(kind, 12'345, ranks, root), elsewhere = collective(kind, 12'345, drawn, root);
    RC_PRE(applies(network, op, algorithm));
    Price a = price_alone(network, op, algorithm), b = price_alone(network, elsewhere, algorithm);
    a.bottleneck = b.bottleneck = 0;  // has another name
    RC_ASSERT(a == b);
  }));
}

TEST_CASE("turning a group round a ring does not change what it costs") {
  CHECK(rc::check([] {
    const Network network = network_of({ring(9, 2, 300)});  // odd: the short way round is never a tie
    const auto n = *rc::gen::inRange<std::size_t>(2, 10);
    const auto ranks = *rc::gen::unique<Ranks>(n, rc::gen::inRange<std::uint32_t>(0, 9));
    const auto turn = *rc::gen::inRange<std::uint32_t>(1, 9);
    Ranks turned = ranks;
    for (std::uint32_t& rank : turned) rank = (rank + turn) % 9;
    const auto kind = *any_collective();
    const auto root = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(n));
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::bidirectional_ring, Algorithm::direct}) {
      Price a = price_alone(network, collective(kind, 54'321, ranks, root), algorithm);
      Price b = price_alone(network, collective(kind, 54'321, turned, root), algorithm);
      a.bottleneck = b.bottleneck = 0;
      RC_ASSERT(a == b);
    }
  }));
}

TEST_CASE("more bytes never take less time, and no link that is not used is listed") {
  CHECK(rc::check([] {
    const Network network = network_of({ring(4, 3, 100), switched(4, 1, 700)});
    const auto n = *rc::gen::inRange<std::size_t>(2, 17);
    const auto ranks = *rc::gen::unique<Ranks>(n, rc::gen::inRange<std::uint32_t>(0, 16));
    const auto kind = *any_collective();
    const auto algorithm = *any_algorithm();
    const auto bytes = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
    RC_PRE(applies(network, collective(kind, bytes, ranks), algorithm));
    const Price less = price_alone(network, collective(kind, bytes, ranks), algorithm);
    const Price more = price_alone(network, collective(kind, 3 * bytes, ranks), algorithm);
    RC_ASSERT(less.alpha_ps == more.alpha_ps);
    RC_ASSERT(std::abs(static_cast<double>(3 * less.beta_ps - more.beta_ps)) <= 3 * 32);  // rounded up phase by phase
    const auto phases = lower(collective(kind, bytes, ranks), algorithm, network);
    for (const Phase& phase : phases.value()) {
      RC_ASSERT(!phase.shares.empty());
      for (const LinkShare& share : phase.shares) RC_ASSERT(share.weight > 0);
    }
  }));
}
