#include "simulate/models/link_models.h"

#include <algorithm>
#include <cmath>

// Two models over the same phases. Isolated: a flow takes what its plan says, and links only count who is on them.
// Fluid: flows share links max-min fairly in a FluidNetwork, which says when each ends.

namespace orrery::simulate {

IsolatedModel::IsolatedModel(std::shared_ptr<Lowering> lowering)
    : PhasedModel(std::move(lowering)), traffic_(this->lowering()->network().links().size()) {}

Result<std::vector<Price>> IsolatedModel::estimate(std::span<const CommOp> ops) {
  std::vector<Price> prices;
  for (const CommOp& op : ops) {
    const auto price = estimate(op);
    if (!price) return price.error();
    prices.push_back(*price);
  }
  return prices;
}

void IsolatedModel::reset(LinkRecorder* recorder) {
  PhasedModel::reset(recorder);
  recorder_ = recorder;
  traffic_.assign(traffic_.size(), {});
}

void IsolatedModel::begin_flow(Slot slot, TimePs now) {
  for (const LinkShare& share : running(slot).current().shares) {
    Traffic& link = traffic_[share.link];
    // A link is busy from the first flow on it to the last, however many there are in between.
    if (link.active++ == 0) link.busy_since = now;
    link.peak = std::max(link.peak, link.active);
  }
  set_timer(slot, now + flow_ps(running(slot)));
}

void IsolatedModel::timed_flow_ended(Slot slot, TimePs now) {
  const Running& op = running(slot);
  const double bytes = op.bytes * op.current().bytes_per_byte;
  for (const LinkShare& share : op.current().shares) {
    Traffic& link = traffic_[share.link];
    link.bytes.add(share.weight * bytes);
    if (--link.active == 0) link.busy_ps += now - link.busy_since;
    if (recorder_ != nullptr) recorder_->add(share.link, op.flow_start_ps, now, share.weight * bytes);
  }
  flow_ended(slot, now, op.current().bottleneck);
}

void IsolatedModel::count_links(std::vector<LinkCount>& counts) const {
  counts.resize(traffic_.size());
  for (std::size_t i = 0; i < traffic_.size(); ++i) counts[i] = {traffic_[i].bytes, traffic_[i].busy_ps};
}

void IsolatedModel::add_count(machine::LinkId link, const LinkCount& each, std::uint64_t times) {
  traffic_[link].bytes.add(each.bytes, times);
  traffic_[link].busy_ps += each.busy_ps * static_cast<TimePs>(times);
}

std::span<const LinkUse> IsolatedModel::link_uses() const {
  uses_.resize(traffic_.size());
  for (std::size_t i = 0; i < traffic_.size(); ++i) {
    const Traffic& link = traffic_[i];
    // A flow that is still under way counts up to now.
    const TimePs present = link.active > 0 ? now() - link.busy_since : 0;
    uses_[i] = {.bytes = static_cast<std::uint64_t>(std::llround(link.bytes.bytes())),
                .busy_ps = link.busy_ps + present,
                .peak_sharing = link.peak};
  }
  return uses_;
}

namespace {

std::vector<double> capacities(const machine::Network& network) {
  std::vector<double> bytes_per_second;
  bytes_per_second.reserve(network.links().size());
  for (const machine::Link& link : network.links()) bytes_per_second.push_back(solver_capacity(link));
  return bytes_per_second;
}

}  // namespace

FluidModel::FluidModel(std::shared_ptr<Lowering> lowering)
    : PhasedModel(std::move(lowering)), folded_(*this->lowering()) {
  flows_.emplace(capacities(this->lowering()->network()));
  const machine::Network& network = this->lowering()->network();
  // Only adaptive routes look at the traffic; all others are spared counting it.
  if (network.routing() == machine::Routing::adaptive) traffic_.resize(network.links().size());
}

Result<std::vector<Price>> FluidModel::estimate(std::span<const CommOp> ops) {
  FluidModel fresh(lowering());
  return run_together(fresh, ops);
}

void FluidModel::reset(LinkRecorder* recorder) {
  PhasedModel::reset(recorder);
  flows_.emplace(capacities(lowering()->network()), recorder);
  traffic_.assign(traffic_.size(), 0);
  folded_.restart();
}

NetworkFolding* FluidModel::folding() {
  const machine::Routing routing = lowering()->network().routing();
  return routing == machine::Routing::ecmp || routing == machine::Routing::adaptive ? nullptr : &folded_;
}

Result<Lowering::SharedPlan> FluidModel::plan_of(const CommOp& op) {
  return folded_.is_folded() ? folded_.plan(op) : lowering()->plan(op, traffic_);
}

void FluidModel::begin_flow(Slot slot, TimePs now) {
  const PlanPhase& phase = running(slot).current();
  const FluidNetwork::FlowId flow = flows_->add(running(slot).bytes * phase.bytes_per_byte, phase.shares, now);
  // Before the slot is noted: the flow may have the id of one that was called off for it.
  for (const FluidNetwork::FlowId other : flows_->called_off()) flow_called_off(slot_of_flow_[other]);
  note_slot(flow, slot);
}

/// A flow whose links are free is announced with its latency: mostly nobody comes in between, and one event is saved.
bool FluidModel::begin_flow_later(Slot slot, TimePs when) {
  const PlanPhase& phase = running(slot).current();
  const FluidNetwork::FlowId flow =
      flows_->reserve(running(slot).bytes * phase.bytes_per_byte, phase.shares, now(), when, phase.route);
  if (flow == FluidNetwork::kNoFlow) return false;
  note_slot(flow, slot);
  return true;
}

std::optional<PredictedOp> FluidModel::predict(const CommOp& op, TimePs start) {
  if (!traffic_.empty()) return std::nullopt;  // adaptive: its way depends on what is under way when it starts
  const std::optional<OnlyFlow> flow = only_flow(op, start);
  if (!flow) return std::nullopt;
  return flows_->predict(flow->bytes, flow->phase().shares, flow->begin_ps, flow->phase().route);
}

void FluidModel::note_slot(FluidNetwork::FlowId flow, Slot slot) {
  if (slot_of_flow_.size() <= flow) slot_of_flow_.resize(std::size_t{flow} + 1);
  slot_of_flow_[flow] = slot;
}

void FluidModel::end_flows(TimePs now) {
  finished_.clear();
  flows_->advance(now, finished_);
  // The next phases of those that ended first may take the ids of the others.
  ended_.clear();
  for (const FluidNetwork::FlowId flow : finished_) ended_.push_back({slot_of_flow_[flow], flows_->bottleneck(flow)});
  for (const EndedFlow& flow : ended_) flow_ended(flow.slot, now, flow.bottleneck);
}

void FluidModel::count_traffic(const Running& op, double sign) {
  if (traffic_.empty()) return;
  for (const PlanPhase& phase : op.plan->phases) {
    // Added at the start and taken off at the end, so that adaptive routes see what is under way.
    for (const LinkShare& share : phase.shares) traffic_[share.link] += sign * share.weight;
  }
}

void FluidModel::count_links(std::vector<LinkCount>& counts) const {
  counts.resize(lowering()->network().links().size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = flows_->count(static_cast<machine::LinkId>(i));
}

std::span<const LinkUse> FluidModel::link_uses() const {
  uses_.resize(lowering()->network().links().size());
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    // A link that another stands for did the same.
    const LinkTotals totals = flows_->totals(folded_.representative(static_cast<machine::LinkId>(i)));
    uses_[i] = {.bytes = static_cast<std::uint64_t>(std::llround(totals.bytes)),
                .busy_ps = totals.busy_ps,
                .peak_sharing = totals.peak_flows};
  }
  return uses_;
}

}  // namespace orrery::simulate
