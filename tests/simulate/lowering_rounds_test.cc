// The algorithms of MPI libraries: how many rounds, how much in each, and which is chosen when.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "comm_cases.h"
#include "simulate/collective/algorithm.h"

using namespace orrery;
using namespace orrery::simulate;
using namespace orrery::simulate::testing;
using workload::Collective;

namespace {

constexpr double kBandwidth = 1e9;
constexpr TimePs kLatency = 2 * 100 * kPsPerNs;  // two ports of a switch
constexpr TimePs kOverhead = 7;

TimePs beta(double bytes) { return static_cast<TimePs>(std::llround(bytes / kBandwidth * 1e12)); }

Price alone(Collective kind, std::size_t ranks, std::int64_t bytes, Algorithm algorithm) {
  const Ranks group = first_ranks(static_cast<std::uint32_t>(ranks));
  const auto network = network_of({switched(static_cast<std::int64_t>(ranks), 1, 100)});
  return price_alone(network, collective(kind, bytes, group), algorithm, {.message_overhead_ps = kOverhead});
}

TimePs rounds(std::size_t count) { return static_cast<TimePs>(count) * (kLatency + kOverhead); }

}  // namespace

TEST_CASE("a binomial tree has a level for each doubling, whatever the number of ranks") {
  for (const std::size_t n : {2u, 3u, 5u, 8u, 13u}) {
    CAPTURE(n);
    const auto levels = static_cast<std::size_t>(std::bit_width(n - 1));
    for (const Collective kind : {Collective::broadcast, Collective::reduce}) {
      const Price price = alone(kind, n, 1'000'000, Algorithm::binomial_tree);
      CHECK(price.alpha_ps == rounds(levels));
      CHECK(price.beta_ps == static_cast<TimePs>(levels) * beta(1e6));
    }
    CHECK(alone(Collective::all_reduce, n, 1'000'000, Algorithm::binomial_tree).beta_ps ==
          2 * static_cast<TimePs>(levels) * beta(1e6));
  }
}

TEST_CASE("a binomial scatter sends every block once through the port of the root") {
  for (const std::size_t n : {2u, 5u, 8u, 12u}) {
    CAPTURE(n);
    for (const Collective kind : {Collective::scatter, Collective::gather}) {
      const Price price = alone(kind, n, 1'200'000, Algorithm::binomial_tree);
      CHECK(std::abs(static_cast<double>(price.beta_ps) -
                     1.2e6 * static_cast<double>(n - 1) / static_cast<double>(n) / kBandwidth * 1e12) <= 16);
    }
  }
}

TEST_CASE("recursive doubling sends all of it in each round, and folds in what is beyond a power of two") {
  CHECK(alone(Collective::all_reduce, 8, 1000, Algorithm::recursive_doubling).alpha_ps == rounds(3));
  CHECK(alone(Collective::all_reduce, 8, 1000, Algorithm::recursive_doubling).beta_ps == 3 * beta(1000));
  CHECK(alone(Collective::all_reduce, 11, 1000, Algorithm::recursive_doubling).alpha_ps == rounds(5));
  CHECK(alone(Collective::all_reduce, 11, 1000, Algorithm::recursive_doubling).beta_ps == 5 * beta(1000));
}

TEST_CASE("Bruck's rounds bring every block to everybody") {
  for (const std::size_t n : {2u, 3u, 7u, 8u, 12u}) {
    CAPTURE(n);
    const auto count = static_cast<std::size_t>(std::bit_width(n - 1));
    const Price gathered = alone(Collective::all_gather, n, 840'000, Algorithm::bruck);
    CHECK(gathered.alpha_ps == rounds(count));
    CHECK(std::abs(static_cast<double>(gathered.beta_ps) -
                   840e3 * static_cast<double>(n - 1) / static_cast<double>(n) * 1e3) <= 8);
    CHECK(alone(Collective::barrier, n, 0, Algorithm::bruck).total_ps == rounds(count));
  }
  // Of eight blocks, four have each bit: three rounds with half of the buffer.
  CHECK(alone(Collective::all_to_all, 8, 8000, Algorithm::bruck).beta_ps == 3 * beta(4000));
}

TEST_CASE("pairwise exchange moves what direct does, and waits for each partner in turn") {
  const Price direct = alone(Collective::all_to_all, 6, 60'000, Algorithm::direct),
              pairs = alone(Collective::all_to_all, 6, 60'000, Algorithm::pairwise);
  CHECK(pairs.beta_ps == direct.beta_ps);
  CHECK(pairs.alpha_ps == rounds(5));
}

TEST_CASE("MPI libraries choose by size and number of ranks") {
  CHECK(mpi_choice(Collective::all_reduce, 64, 2048) == Algorithm::recursive_doubling);
  CHECK(mpi_choice(Collective::all_reduce, 64, 2049) == Algorithm::halving_doubling);
  CHECK(mpi_choice(Collective::all_reduce, 60, 2049) == Algorithm::ring);
  CHECK(mpi_choice(Collective::broadcast, 64, 12'287) == Algorithm::binomial_tree);
  CHECK(mpi_choice(Collective::broadcast, 4, 1e9) == Algorithm::binomial_tree);
  CHECK(mpi_choice(Collective::broadcast, 64, 12'288) == Algorithm::halving_doubling);
  CHECK(mpi_choice(Collective::all_gather, 60, 81'919) == Algorithm::bruck);
  CHECK(mpi_choice(Collective::all_gather, 60, 81'920) == Algorithm::ring);
  CHECK(mpi_choice(Collective::all_to_all, 10, 2'560) == Algorithm::bruck);
  CHECK(mpi_choice(Collective::all_to_all, 10, 2'570) == Algorithm::direct);
  CHECK(mpi_choice(Collective::all_to_all, 10, 400'000) == Algorithm::pairwise);
  CHECK(mpi_choice(Collective::barrier, 10, 0) == Algorithm::bruck);
  // What is chosen is what is priced.
  CHECK(alone(Collective::all_reduce, 8, 1000, Algorithm::mpi) ==
        alone(Collective::all_reduce, 8, 1000, Algorithm::recursive_doubling));
  CHECK(alone(Collective::all_reduce, 8, 1'000'000, Algorithm::mpi) ==
        alone(Collective::all_reduce, 8, 1'000'000, Algorithm::halving_doubling));
}
