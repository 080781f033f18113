#include "simulate/models/measured_collectives.h"

#include <doctest/doctest.h>

#include <array>
#include <numeric>

#include "machine/topology/network.h"
#include "simulate/collective/lowering.h"
#include "simulate/models/link_models.h"

using namespace orrery;
using namespace orrery::simulate;

namespace {

/// Four nodes of eight.
machine::Machine pod() {
  machine::Machine machine;
  machine.name = "pod";
  machine.devices.name = "device";
  machine.devices.count = 32;
  machine.network = {{.name = "node", .topology = machine::Topology::switched, .size = 8, .bandwidth_gb_per_s = 400},
                     {.name = "rails", .topology = machine::Topology::rails, .size = 4, .bandwidth_gb_per_s = 50}};
  return machine;
}

MeasuredDevice hundred_us() {
  return {.us = [](const machine::CollectiveCall& call) -> std::optional<double> {
            if (call.op == machine::NodeCollective::all_to_all) return std::nullopt;
            return 100.0 * static_cast<double>(call.ranks);
          },
          .scale_up_devices = 8,
          .basis = "test"};
}

std::vector<std::uint32_t> ranks_from(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> ranks(count);
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

CommOp summed_by(std::span<const std::uint32_t> ranks) {
  return {.kind = CommOp::Kind::collective, .bytes = 1 << 20, .ranks = ranks};
}

std::unique_ptr<NetworkModel> links_of(const machine::Machine& machine) {
  auto network = machine::Network::build(machine);
  REQUIRE_MESSAGE(network.ok(), (network ? "" : network.error().to_string()));
  return std::make_unique<FluidModel>(
      std::make_shared<Lowering>(std::move(*network), comm_options(machine.communication)));
}

}  // namespace

TEST_CASE("collectives inside a node were measured; what leaves it, and what nobody measured, is not") {
  const MeasuredPrices prices(hundred_us(), pod());
  const auto inside = ranks_from(8, 4), across = ranks_from(6, 4);
  CHECK(prices.price_ps(summed_by(inside)) == 400 * kPsPerUs);
  CHECK_FALSE(prices.price_ps(summed_by(across)));
  CommOp op = summed_by(inside);
  op.collective = workload::Collective::all_to_all;
  CHECK_FALSE(prices.price_ps(op));
  op.collective = workload::Collective::barrier;
  CHECK_FALSE(prices.price_ps(op));
  op = summed_by(inside);
  op.algorithm = machine::CollectiveAlgorithm::ring;
  CHECK_FALSE(prices.price_ps(op));
  op = summed_by(inside);
  op.kind = CommOp::Kind::message;
  CHECK_FALSE(prices.price_ps(op));
  // The innermost dimension is larger than what the device's fast links connect: no node.
  MeasuredDevice few = hundred_us();
  few.scale_up_devices = 4;
  CHECK_FALSE(MeasuredPrices(few, pod()).price_ps(summed_by(inside)));
}

TEST_CASE("measured collectives run beside the links, whose operations take what they would without them") {
  const machine::Machine machine = pod();
  const auto inside = ranks_from(0, 8), across = ranks_from(0, 16);
  const auto alone = links_of(machine)->estimate(summed_by(across));
  REQUIRE(alone);
  MeasuredModel model(MeasuredPrices(hundred_us(), machine), links_of(machine));
  model.restart();
  CHECK(model.is_measured(summed_by(inside)));
  CHECK_FALSE(model.is_measured(summed_by(across)));
  REQUIRE(model.start(7, summed_by(inside), 0));
  REQUIRE(model.start(3, summed_by(across), 0));
  std::vector<std::pair<TimePs, OpId>> ends;
  while (model.next_event() != kNever) {
    const TimePs now = model.next_event();
    std::vector<OpId> finished;
    model.advance(now, finished);
    for (const OpId id : finished) ends.emplace_back(now, id);
  }
  REQUIRE(ends.size() == 2);
  for (const auto& [when, id] : ends) CHECK(when == (id == 7 ? 800 * kPsPerUs : alone->total_ps));
  const std::array ops = {summed_by(across), summed_by(inside)};
  const auto prices = model.estimate(ops);
  REQUIRE(prices);
  CHECK((*prices)[0].total_ps == alone->total_ps);
  CHECK((*prices)[1].total_ps == 800 * kPsPerUs);
}
