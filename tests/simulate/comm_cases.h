// Small networks and operations for the tests of lowering and of the network models.
#pragma once

#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulate/collective/lowering.h"
#include "simulate/models/link_models.h"
#include "simulate/models/snapshot.h"

namespace orrery::simulate::testing {

/// The value as such: what value() returns would not outlive the Result.
template <typename T>
T take(Result<T> result) {
  return std::move(result.value());
}

/// The models for networks of links.
inline constexpr std::array<std::string_view, 3> kLinkModelNames = {"fluid", "isolated", "snapshot"};

/// It keeps its prices.
inline std::unique_ptr<PhasedModel> link_model(std::string_view name, machine::Network network,
                                               const CommOptions& options = {}) {
  auto lowering = std::make_shared<Lowering>(std::move(network), options);
  std::unique_ptr<PhasedModel> model;
  if (name == "isolated") model = std::make_unique<IsolatedModel>(std::move(lowering));
  else if (name == "snapshot") model = std::make_unique<SnapshotModel>(std::move(lowering));
  else model = std::make_unique<FluidModel>(std::move(lowering));
  model->keep_prices(true);
  return model;
}

/// 1 GB/s moves a byte in 1000 ps.
inline machine::Dimension dimension(machine::Topology topology, std::int64_t size, double gb_per_s,
                                    double latency_ns = 0) {
  machine::Dimension dimension;
  dimension.name = "d";
  dimension.topology = topology;
  dimension.size = size;
  dimension.bandwidth_gb_per_s = gb_per_s;
  dimension.latency_ns = latency_ns;
  return dimension;
}
inline machine::Dimension ring(std::int64_t size, double gb_per_s, double latency_ns = 0) {
  return dimension(machine::Topology::ring, size, gb_per_s, latency_ns);
}
/// The latency is that of a port: a message crosses two.
inline machine::Dimension switched(std::int64_t size, double gb_per_s, double latency_ns = 0) {
  return dimension(machine::Topology::switched, size, gb_per_s, latency_ns);
}
inline machine::Dimension fully_connected(std::int64_t size, double gb_per_s, double latency_ns = 0) {
  return dimension(machine::Topology::fully_connected, size, gb_per_s, latency_ns);
}

inline machine::Machine machine_of(std::vector<machine::Dimension> dimensions) {
  machine::Machine machine;
  machine.name = "test";
  machine.devices.name = "chip";
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    dimensions[i].name = "d" + std::to_string(i);
    machine.devices.count *= dimensions[i].size;
  }
  machine.network = std::move(dimensions);
  return machine;
}

inline machine::Network network_of(std::vector<machine::Dimension> dimensions) {
  return take(machine::Network::build(machine_of(std::move(dimensions))));
}

using Ranks = std::vector<std::uint32_t>;

inline Ranks first_ranks(std::uint32_t count) {
  Ranks ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// `ranks` must outlive the operation.
inline CommOp collective(workload::Collective collective, std::int64_t bytes, const Ranks& ranks,
                         std::uint32_t root = 0) {
  return {.kind = CommOp::Kind::collective, .collective = collective, .bytes = bytes, .ranks = ranks, .root = root};
}
inline CommOp message(std::int64_t bytes, const Ranks& source_and_target) {
  return {.bytes = bytes, .ranks = source_and_target};
}

/// The price of `op` alone, by the algorithm named.
inline Price price_alone(const machine::Network& network, const CommOp& op, Algorithm algorithm,
                         const CommOptions& options = {}) {
  Lowering lowering(network, options);
  return isolated_price(*lowering.plan(op, algorithm).value(), bytes_moved(op));
}

/// The Error that lowering ends in; empty if it does not.
inline std::string lowering_error(const machine::Network& network, const CommOp& op, Algorithm algorithm) {
  const auto phases = lower(op, algorithm, network);
  return phases.ok() ? std::string() : phases.error().to_string();
}

struct Start {
  CommOp op;
  TimePs when;
};

/// Starts operations 0, 1, … at their times (ascending), like an engine, and returns when each has ended; nothing if
/// one cannot be.
inline std::vector<TimePs> end_times(NetworkModel& model, const std::vector<Start>& starts) {
  std::vector<TimePs> ends(starts.size());
  std::vector<OpId> finished;
  const auto advance_to = [&](TimePs now) {
    finished.clear();
    model.advance(now, finished);
    for (const OpId id : finished) ends[id] = now;
  };
  for (OpId id = 0; id < starts.size(); ++id) {
    while (model.next_event() < starts[id].when) advance_to(model.next_event());
    if (model.next_event() > starts[id].when) advance_to(starts[id].when);
    if (!model.start(id, starts[id].op, starts[id].when)) return {};
  }
  while (model.next_event() != kNever) advance_to(model.next_event());
  return ends;
}

}  // namespace orrery::simulate::testing
