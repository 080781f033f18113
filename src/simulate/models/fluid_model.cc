#include "simulate/models/fluid_model.h"

#include <algorithm>
#include <cmath>

#include "simulate/models/solver_capacity.h"

namespace orrery::simulate {

namespace {

std::vector<double> capacities(const machine::Network& network) {
  std::vector<double> bytes_per_second;
  bytes_per_second.reserve(network.links().size());
  for (const machine::Link& link : network.links()) bytes_per_second.push_back(solver_capacity(link));
  return bytes_per_second;
}

}  // namespace

FluidModel::FluidModel(std::shared_ptr<Lowering> lowering) : PhasedModel(std::move(lowering)) {
  flows_.emplace(capacities(this->lowering()->network()));
  const machine::Network& network = this->lowering()->network();
  if (network.routing() == machine::Routing::adaptive) traffic_.resize(network.links().size());
}

Result<std::vector<Price>> FluidModel::estimate(std::span<const CommOp> ops) {
  FluidModel fresh(lowering());
  return run_together(fresh, ops);
}

void FluidModel::restart() {
  PhasedModel::restart();
  flows_.emplace(capacities(lowering()->network()));
  lone_.reset();
  lone_uses_.clear();
  traffic_.assign(traffic_.size(), 0);
}

void FluidModel::begin_flow(Slot slot, TimePs now) {
  const PlanPhase& phase = running(slot).current();
  if (!lone_ && flows_->flow_count() == 0) {
    lone_ = LoneFlow{slot, now, now + phase_beta_ps(phase, running(slot).bytes)};
    return;
  }
  if (lone_) end_lone(now);
  enter_network(slot, running(slot).bytes * phase.bytes_per_byte, now);
}

void FluidModel::enter_network(Slot slot, double bytes, TimePs now) {
  const FluidNetwork::FlowId flow = flows_->add(bytes, running(slot).current().shares, now);
  if (slot_of_flow_.size() <= flow) slot_of_flow_.resize(std::size_t{flow} + 1);
  slot_of_flow_[flow] = slot;
}

/// The lone flow is alone no longer: what it has not moved yet goes on in the network.
void FluidModel::end_lone(TimePs now) {
  const LoneFlow lone = *lone_;
  leave_alone(now);
  const PlanPhase& phase = running(lone.slot).current();
  const double bytes = running(lone.slot).bytes * phase.bytes_per_byte;
  const double left = 1 - static_cast<double>(now - lone.start_ps) / static_cast<double>(lone.end_ps - lone.start_ps);
  enter_network(lone.slot, bytes * left, now);
}

/// Counts what the lone flow moved until `now`; it is not alone, or not there, from now on.
void FluidModel::leave_alone(TimePs now) {
  const PlanPhase& phase = running(lone_->slot).current();
  const TimePs length = lone_->end_ps - lone_->start_ps, passed = now - lone_->start_ps;
  const double part = length == 0 ? 1 : static_cast<double>(passed) / static_cast<double>(length);
  const double bytes = running(lone_->slot).bytes * phase.bytes_per_byte * part;
  lone_uses_.resize(lowering()->network().links().size());
  for (const LinkShare& share : phase.shares) {
    lone_uses_[share.link].bytes += share.weight * bytes;
    lone_uses_[share.link].busy_ps += passed;
  }
  lone_.reset();
}

void FluidModel::end_flows(TimePs now) {
  if (lone_) {
    if (lone_->end_ps > now) return;
    const Slot slot = lone_->slot;
    leave_alone(now);
    return flow_ended(slot, now, running(slot).current().bottleneck);
  }
  finished_.clear();
  flows_->advance(now, finished_);
  for (const FluidNetwork::FlowId flow : finished_) flow_ended(slot_of_flow_[flow], now, flows_->bottleneck(flow));
}

void FluidModel::count_traffic(const Running& op, double sign) {
  if (traffic_.empty()) return;
  for (const PlanPhase& phase : op.plan->phases) {
    for (const LinkShare& share : phase.shares) traffic_[share.link] += sign * share.weight;
  }
}

std::span<const LinkUse> FluidModel::link_uses() const {
  uses_.resize(lowering()->network().links().size());
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const LinkTotals totals = flows_->totals(static_cast<machine::LinkId>(i));
    const LoneUse lone = i < lone_uses_.size() ? lone_uses_[i] : LoneUse{};
    const std::uint32_t alone = lone.busy_ps > 0 ? 1 : 0;
    uses_[i] = {.bytes = static_cast<std::uint64_t>(std::llround(totals.bytes + lone.bytes)),
                .busy_ps = totals.busy_ps + lone.busy_ps,
                .peak_sharing = std::max(totals.peak_flows, alone)};
  }
  if (!lone_) return uses_;
  const PlanPhase& phase = running(lone_->slot).current();
  const TimePs passed = now() - lone_->start_ps;
  const double part = static_cast<double>(passed) / static_cast<double>(std::max<TimePs>(1, lone_->end_ps - lone_->start_ps));
  for (const LinkShare& share : phase.shares) {
    LinkUse& use = uses_[share.link];
    use.bytes += static_cast<std::uint64_t>(std::llround(share.weight * running(lone_->slot).bytes * phase.bytes_per_byte * part));
    use.busy_ps += passed;
    use.peak_sharing = std::max<std::uint32_t>(use.peak_sharing, 1);
  }
  return uses_;
}

}  // namespace orrery::simulate
