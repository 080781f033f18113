#include "simulate/models/phased_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/counted.h"

// An operation goes through latency and flow in turn. Both are moments in one heap of timers, or the flow's end is for
// the model to say. Calibration enters at two places: it divides the bytes by an efficiency, and shifts the latencies.

namespace orrery::simulate {

namespace {

Error too_long(const CommOp& op) {
  return {.message = fmt::format("an operation of {} bytes over {} would take more than 26 days", op.bytes,
                                 report::counted(op.ranks.size(), "rank"))};
}

// An efficiency below 1 is the same as more bytes.
double loading_bytes(const CommOp& op) { return bytes_moved(op) / op.calibration.efficiency; }

}  // namespace

Price isolated_price(const Plan& plan, double bytes) {
  Price price{.alpha_ps = plan.alpha_ps(), .beta_ps = plan.beta_ps(bytes)};
  price.total_ps = price.alpha_ps + price.beta_ps;
  TimePs longest = 0;
  for (const PlanPhase& phase : plan.phases) {
    const TimePs beta = phase_beta_ps(phase, bytes);
    // Strictly longer, so that of equals the first phase names the link.
    if (beta <= longest) continue;
    longest = beta;
    price.bottleneck = phase.bottleneck;
  }
  return price;
}

Result<Price> PhasedModel::estimate(const CommOp& op) {
  const auto plan = lowering_->plan(op);
  if (!plan) return plan.error();
  Price price = isolated_price(**plan, loading_bytes(op));
  // A calibration must not make latency negative.
  price.alpha_ps = std::max<TimePs>(price.alpha_ps + op.calibration.alpha_ps, 0);
  price.total_ps = price.alpha_ps + price.beta_ps;
  if (price.total_ps >= kLongestPs) return too_long(op);
  return price;
}

Status PhasedModel::start(OpId id, const CommOp& op, TimePs now) {
  auto plan = plan_of(op);
  if (!plan) return plan.error();
  const double bytes = loading_bytes(op);
  // Both sums are exact and slow, and nearly no operation is so long that they matter.
  const bool is_usual = (*plan)->is_surely_short(bytes) && op.calibration.alpha_ps < kPsPerSecond;
  if (!is_usual &&
      (*plan)->alpha_ps() + std::max<TimePs>(op.calibration.alpha_ps, 0) + (*plan)->beta_ps(bytes) >= kLongestPs)
    return too_long(op);

  now_ = now;
  const Slot slot = take_slot();
  Running& running = running_[slot];
  running = Running{.id = id, .plan = std::move(*plan), .bytes = bytes, .start_ps = now};
  const TimePs alpha = running.plan->launch_ps + (running.plan->phases.empty() ? 0 : running.current().alpha_ps) +
                       op.calibration.alpha_ps;
  // A calibration may take off more than the first latency: the phases that follow give the rest.
  running.alpha_to_take_off = std::max<TimePs>(-alpha, 0);
  op_started(running);
  await_flow(slot, now + std::max<TimePs>(alpha, 0));
  return {};
}

std::optional<PhasedModel::OnlyFlow> PhasedModel::only_flow(const CommOp& op, TimePs start) {
  if (keeps_prices_ || op.kind != CommOp::Kind::collective) return std::nullopt;
  auto plan = plan_of(op);
  // Between two phases others may come to the links: only a single one can be known to its end.
  if (!plan || (*plan)->phases.size() != 1) return std::nullopt;
  const double bytes = loading_bytes(op);
  const PlanPhase& phase = (*plan)->phases[0];
  if (!(bytes * phase.bytes_per_byte > 0) || !(*plan)->is_surely_short(bytes)) return std::nullopt;
  const TimePs alpha = (*plan)->launch_ps + phase.alpha_ps + op.calibration.alpha_ps;
  const double flowing = bytes * phase.bytes_per_byte;
  return OnlyFlow{std::move(*plan), flowing, start + std::max<TimePs>(alpha, 0)};
}

TimePs PhasedModel::next_event() const {
  return std::min(timers_.empty() ? kNever : timers_.top().when, next_flow_end());
}

void PhasedModel::advance(TimePs now, std::vector<OpId>& finished) {
  now_ = now;
  ended_.clear();
  end_flows(now);
  // Flows first, then timers: a link that is free at this moment is free for what begins at it.
  while (!timers_.empty() && timers_.top().when <= now) {
    const Slot slot = timers_.top().slot;
    timers_.pop();
    on_timer(slot, now);
  }
  // Flows and timers end in an order of their own; callers are promised that of ids.
  std::sort(ended_.begin(), ended_.end());
  finished.insert(finished.end(), ended_.begin(), ended_.end());
  if (!ended_.empty() && is_empty()) came_to_rest();
}

bool PhasedModel::is_at_rest() const {
  // ECMP hashes the ids of messages, and adaptive routing looks at the load: neither forgets the past.
  const machine::Routing routing = lowering_->network().routing();
  return is_empty() && routing != machine::Routing::ecmp && routing != machine::Routing::adaptive;
}

void PhasedModel::reset(LinkRecorder* /*recorder*/) {
  running_.clear();
  free_slots_.clear();
  timers_ = {};
  now_ = 0;
}

Price PhasedModel::price(OpId id) const {
  const auto found = prices_.find(id);
  return found == prices_.end() ? Price{} : found->second;
}

void PhasedModel::flow_ended(Slot slot, TimePs now, machine::LinkId bottleneck) {
  Running& op = running_[slot];
  const TimePs flowed = now - op.flow_start_ps;
  op.beta_ps += flowed;
  if (flowed > op.longest_flow_ps) {
    op.longest_flow_ps = flowed;
    op.bottleneck = bottleneck;
  }
  op.flowing = false;
  ++op.phase;
  enter_phase(slot, now);
}

void PhasedModel::set_timer(Slot slot, TimePs when) {
  const Running& op = running_[slot];
  timers_.push({.when = when, .flowing = op.flowing, .id = op.id, .slot = slot});
}

PhasedModel::Slot PhasedModel::take_slot() {
  if (free_slots_.empty()) {
    running_.emplace_back();
    return static_cast<Slot>(running_.size() - 1);
  }
  const Slot slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void PhasedModel::enter_phase(Slot slot, TimePs now) {
  Running& op = running_[slot];
  if (op.phase == op.plan->phases.size()) return finish(slot, now);
  const TimePs taken_off = std::min(op.alpha_to_take_off, op.current().alpha_ps);
  op.alpha_to_take_off -= taken_off;
  await_flow(slot, now + op.current().alpha_ps - taken_off);
}

/// The alpha of the present phase, or of an operation without phases, is over at `when`.
void PhasedModel::await_flow(Slot slot, TimePs when) {
  Running& op = running_[slot];
  const bool moves = op.phase < op.plan->phases.size() && op.bytes * op.current().bytes_per_byte > 0;
  // A flow that can be announced needs no timer for its latency.
  if (!moves || !begin_flow_later(slot, when)) return set_timer(slot, when);
  op.flowing = true;
  op.flow_start_ps = when;
}

void PhasedModel::flow_called_off(Slot slot) {
  running_[slot].flowing = false;
  // Somebody came in between: the latency is waited for after all.
  set_timer(slot, running_[slot].flow_start_ps);
}

void PhasedModel::on_timer(Slot slot, TimePs now) {
  Running& op = running_[slot];
  if (op.flowing) return timed_flow_ended(slot, now);
  if (op.phase == op.plan->phases.size()) return finish(slot, now);
  if (op.bytes * op.current().bytes_per_byte <= 0) {  // a barrier, or a message without content
    ++op.phase;
    return enter_phase(slot, now);
  }
  op.flowing = true;
  op.flow_start_ps = now;
  begin_flow(slot, now);
}

void PhasedModel::finish(Slot slot, TimePs now) {
  Running& op = running_[slot];
  if (keeps_prices_) {
    const TimePs total = now - op.start_ps, alone = op.plan->beta_ps(op.bytes);
    Price& price = prices_[op.id];
    price = {.total_ps = total, .alpha_ps = total - op.beta_ps, .beta_ps = op.beta_ps, .bottleneck = op.bottleneck};
    // What sharing cost, against the same bytes alone.
    if (op.beta_ps > alone && alone > 0) price.slowdown = static_cast<double>(op.beta_ps) / static_cast<double>(alone);
  }
  op_ended(op, now);
  ended_.push_back(op.id);
  op.plan.reset();
  free_slots_.push_back(slot);
}

Result<std::vector<Price>> run_together(PhasedModel& fresh, std::span<const CommOp> ops) {
  fresh.keep_prices(true);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (Status started = fresh.start(i, ops[i], 0); !started) return started.error();
  }
  std::vector<OpId> finished;
  while (fresh.next_event() != kNever) fresh.advance(fresh.next_event(), finished);
  std::vector<Price> prices;
  for (std::size_t i = 0; i < ops.size(); ++i) prices.push_back(fresh.price(i));
  return prices;
}

}  // namespace orrery::simulate
