// Closed forms against the lowering that knows every link, and against ASTRA-sim's congestion-unaware backend.
#include "simulate/pricing/analytical.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

#include "comm_cases.h"
#include "simulate/pricing/embedded_astra.h"

using namespace orrery;
using namespace orrery::simulate;
using namespace orrery::simulate::testing;
using workload::Collective;

namespace {

/// What sums of rounded phases may differ by.
constexpr double kRelative = 1e-9;
constexpr TimePs kRounding = 64;  // ps

bool close(TimePs a, TimePs b) {
  return std::abs(a - b) <= kRounding + static_cast<TimePs>(kRelative * static_cast<double>(std::max(a, b)));
}

CommOptions by(Algorithm algorithm, TimePs overhead_ps = 0) {
  CommOptions options;
  options.algorithms.fill(algorithm);
  options.message_overhead_ps = overhead_ps;
  return options;
}

/// Both prices; the closed form's total is -1 where there is none.
struct Both {
  TimePs closed = -1, links = -1;
};

Both both(const machine::Machine& machine, const CommOp& op, const CommOptions& options) {
  Both prices;
  if (const auto price = analytical_price(op, machine, options)) prices.closed = price->total_ps;
  Lowering lowering(take(machine::Network::build(machine)), options);
  if (const auto plan = lowering.plan(op)) prices.links = isolated_price(**plan, bytes_moved(op)).total_ps;
  return prices;
}

}  // namespace

TEST_CASE("in one dimension a closed form is what the links say, for every algorithm that has one") {
  std::size_t compared = 0;
  for (const std::uint32_t n : {2, 3, 4, 6, 8, 16}) {
    for (const auto& dimension : {ring(n, 50, 500), switched(n, 25, 700), fully_connected(n, 10, 300)}) {
      const machine::Machine machine = machine_of({dimension});
      const Ranks all = first_ranks(n);
      for (const Algorithm algorithm : {Algorithm::ring, Algorithm::bidirectional_ring, Algorithm::direct,
                                        Algorithm::halving_doubling, Algorithm::double_binary_tree}) {
        for (std::size_t kind = 0; kind < workload::kCollectives; ++kind) {
          const CommOp op = collective(static_cast<Collective>(kind), 3'000'000, all);
          // Trees down from a parent cost one overhead per child: exact only without.
          const TimePs overhead = algorithm == Algorithm::double_binary_tree ? 0 : 2'000;
          const Both prices = both(machine, op, by(algorithm, overhead));
          if (prices.closed < 0 || !can_do(algorithm, op.collective)) continue;
          CAPTURE(n);
          CAPTURE(machine::kTopologyNames[static_cast<std::size_t>(dimension.topology)]);
          CAPTURE(orrery::simulate::to_string(algorithm));
          CAPTURE(workload::to_string(op.collective));
          CHECK(close(prices.closed, prices.links));
          ++compared;
        }
      }
    }
  }
  CHECK(compared > 400);
}

TEST_CASE("over several dimensions it is what hierarchical says") {
  CHECK(rc::check("closed form equals the links", [] {
    const auto size = [] { return static_cast<std::int64_t>(*rc::gen::element(2, 4, 8)); };
    const auto any = [&](std::int64_t n, double gb) {
      switch (*rc::gen::inRange(0, 3)) {
        case 0: return ring(n, gb, 500);
        case 1: return switched(n, gb, 300);
        default: return fully_connected(n, gb, 200);
      }
    };
    const machine::Machine machine = machine_of({any(size(), 400), any(size(), 50)});
    const auto kind = *rc::gen::element(Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                        Collective::all_to_all, Collective::barrier);
    const Ranks all = first_ranks(static_cast<std::uint32_t>(machine.devices.count));
    const Both prices =
        both(machine, collective(kind, *rc::gen::inRange(1, 1 << 28), all), by(Algorithm::hierarchical, 1'000));
    RC_ASSERT(prices.closed >= 0);
    RC_ASSERT(close(prices.closed, prices.links));
  }));
}

TEST_CASE("a message takes its way once, three times with a rendezvous") {
  const machine::Machine machine = machine_of({switched(4, 100, 300), ring(6, 10, 1'000)});
  const Ranks ends = {1, 4 * 5 + 2};  // another port, and one step back round the ring
  CommOptions options = by(Algorithm::automatic, 5'000);
  CHECK(both(machine, message(1'000'000, ends), options).closed ==
        both(machine, message(1'000'000, ends), options).links);
  options.rendezvous_above_bytes = 4096;
  CHECK(both(machine, message(1'000'000, ends), options).closed ==
        both(machine, message(1'000'000, ends), options).links);
  CHECK(analytical_price(message(1'000'000, ends), machine, options)->alpha_ps ==
        3 * (2 * 300'000 + 1'000'000 + 5'000));
}

TEST_CASE("what is done at once costs nothing, and what has no closed form says so") {
  const machine::Machine machine = machine_of({switched(8, 100, 300)});
  const Ranks one = {3}, two = {3, 3}, all = first_ranks(8);
  CHECK(analytical_price(collective(Collective::all_reduce, 1 << 20, one), machine, {})->total_ps == 0);
  CHECK(analytical_price(collective(Collective::all_reduce, 0, all), machine, {})->total_ps == 0);
  CHECK(analytical_price(message(100, two), machine, {})->total_ps == 0);
  CHECK(analytical_price(collective(Collective::barrier, 0, all), machine, {})->total_ps > 0);

  const std::vector<std::int64_t> parts(64, 10);
  CommOp unequal = collective(Collective::all_to_all, 80, all);
  unequal.parts = parts;
  CHECK(analytical_price(unequal, machine, {}).error().message == "there is no closed form for parts of unequal size");
  machine::Machine mesh = machine_of({dimension(machine::Topology::mesh, 4, 10)});
  mesh.network[0].shape = {2, 2};
  const Ranks four = first_ranks(4);
  CHECK(
      analytical_price(collective(Collective::all_reduce, 8, four), mesh, {}).error().message.find("which is a mesh") !=
      std::string::npos);
  const machine::Machine grid = machine_of({switched(2, 10), switched(2, 10)});
  const Ranks corner = {0, 1, 2};
  CHECK(analytical_price(collective(Collective::all_reduce, 8, corner), grid, {}).error().message.find("evenly") !=
        std::string::npos);
}

// Truncated nanoseconds per message, and the endpoint delay of the first; reductions are too fast to count.
TEST_CASE("ASTRA-sim without congestion says what closed forms say, but for its rounding") {
  for (const std::uint32_t n : {2, 4, 8}) {
    for (const auto& dimension : {ring(n, 50, 500), switched(n, 25, 700), fully_connected(n, 10, 300)}) {
      for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct}) {
        machine::Machine machine = machine_of({dimension});
        machine.communication.collective_algorithm = algorithm;
        machine.communication.message_overhead_us = 0.01;
        const auto model = EmbeddedAstra::open(machine, AstraBackend::unaware);
        REQUIRE(model.ok());
        const Ranks all = first_ranks(n);
        for (const Collective kind : {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
          const CommOp op = collective(kind, 8 << 20, all);
          // Messages there never meet: what direct sends through one port it sends at once.
          if (algorithm == Algorithm::direct && dimension.topology != machine::Topology::fully_connected) continue;
          const auto closed = analytical_price(op, machine, comm_options(machine.communication));
          REQUIRE(closed.ok());
          const TimePs astra = model->ask(std::span(&op, 1)).value()[0];
          const TimePs allowed = (4 * n + 1) * (kPsPerNs + 10 * kPsPerNs);
          CAPTURE(n);
          CAPTURE(workload::to_string(kind));
          CHECK(std::abs(astra - closed->total_ps) <= allowed);
        }
      }
    }
  }
}
