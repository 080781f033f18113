#include "simulate/models/fluid_model.h"

#include <cmath>

namespace orrery::simulate {

namespace {

std::vector<double> capacities(const machine::Network& network) {
  std::vector<double> bytes_per_second;
  bytes_per_second.reserve(network.links().size());
  for (const machine::Link& link : network.links()) bytes_per_second.push_back(link.bytes_per_second);
  return bytes_per_second;
}

}  // namespace

FluidModel::FluidModel(std::shared_ptr<Lowering> lowering)
    : PhasedModel(std::move(lowering)), flows_(capacities(this->lowering()->network())) {}

Result<std::vector<Price>> FluidModel::estimate(std::span<const CommOp> ops) {
  FluidModel fresh(lowering());
  return run_together(fresh, ops);
}

void FluidModel::begin_flow(Slot slot, TimePs now) {
  const PlanPhase& phase = running(slot).current();
  const FluidNetwork::FlowId flow = flows_.add(running(slot).bytes * phase.bytes_per_byte, phase.shares, now);
  if (slot_of_flow_.size() <= flow) slot_of_flow_.resize(std::size_t{flow} + 1);
  slot_of_flow_[flow] = slot;
}

void FluidModel::end_flows(TimePs now) {
  finished_.clear();
  flows_.advance(now, finished_);
  for (const FluidNetwork::FlowId flow : finished_) flow_ended(slot_of_flow_[flow], now, flows_.bottleneck(flow));
}

std::span<const LinkUse> FluidModel::link_uses() const {
  uses_.resize(lowering()->network().links().size());
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const LinkTotals totals = flows_.totals(static_cast<machine::LinkId>(i));
    uses_[i] = {
        .bytes = static_cast<std::uint64_t>(std::llround(totals.bytes)), .busy_ps = totals.busy_ps, .peak_sharing = totals.peak_flows};
  }
  return uses_;
}

}  // namespace orrery::simulate
