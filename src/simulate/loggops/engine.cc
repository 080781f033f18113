#include "simulate/loggops/engine.h"

#include <algorithm>

#include "graph/types.h"

namespace orrery::simulate::loggops {
namespace {

constexpr TimePs kNotEnded = -1;
constexpr std::uint32_t kNoChannel = ~std::uint32_t{0};  // searched for: its receiver uses wildcards

}  // namespace

Engine::Engine(Operations& operations, const Parameters& parameters, bool unstable_order)
    : operations_(operations),
      parameters_(parameters),
      unstable_order_(unstable_order),
      matcher_(operations.rank_count()),
      schedule_(operations.size(), 0),
      received_ps_(operations.size()),
      cpus_(operations.cpu_count()),
      nics_(operations.nic_count()) {
  const std::size_t ranks = operations.rank_count();
  schedule_.end_ps.assign(operations.size(), kNotEnded);
  cpu_free_.assign(ranks * cpus_, 0);
  nic_free_to_send_.assign(ranks * nics_, 0);
  nic_free_to_receive_.assign(ranks * nics_, 0);
  computing_.resize(ranks * cpus_);
  starting_.resize(ranks * cpus_ * nics_);
  arriving_.resize(ranks * cpus_ * nics_);
  number_channels();
}

workload::Envelope Engine::envelope_of(OpIndex message) const {
  const Operation& op = operations_[message];
  const bool is_send = op.kind == Kind::send;
  return {is_send ? op.peer : op.rank, is_send ? op.rank : op.peer, 0, operations_.tag(message)};
}

// Once, so that matching a message is looking at the head of a queue. Receivers with wildcards have none.
void Engine::number_channels() {
  for (OpIndex i = 0; i < operations_.size(); ++i) {
    if (operations_[i].kind == Kind::compute) continue;
    if (const workload::Envelope envelope = envelope_of(i); envelope.is_wildcard()) matcher_.expect_wildcards(envelope.receiver);
  }
  for (OpIndex i = 0; i < operations_.size(); ++i) {
    if (operations_[i].kind == Kind::compute) continue;
    const workload::Envelope envelope = envelope_of(i);
    operations_[i].channel = matcher_.expects_wildcards(envelope.receiver) ? kNoChannel : matcher_.channel(envelope);
  }
}

TimePs Engine::free_to_start(const Operation& op) const {
  const TimePs cpu = cpu_free_[cpu_at(op.rank, op)];
  return op.kind == Kind::send ? std::max(cpu, nic_free_to_send_[nic_at(op.rank, op)]) : cpu;
}

// A message takes the processor and the interface of its receiver that have the numbers of the sender's: it may be there before the
// receive that says otherwise.
TimePs Engine::free_to_arrive(const Operation& op) const {
  return std::max(cpu_free_[cpu_at(op.peer, op)], nic_free_to_receive_[nic_at(op.peer, op)]);
}

void Engine::wake_first(WaitingLine& line, TimePs free, Event::Kind kind) { events_.push(free, {line.first_order(), kind, line.first()}); }

Status Engine::run() {
  for (OpIndex i = 0; i < operations_.size(); ++i) {
    if (!freed_.empty() && operations_[freed_.back()].rank != operations_[i].rank) schedule_freed();
    if (operations_[i].waits_for == 0) freed_.push_back(i);
  }
  schedule_freed();
  Event event(0, Event::Kind::start, 0);
  while (events_.pop(event)) {
    now_ = events_.now();
    if (now_ > graph::kMaxFinishPs) return Error{"the simulated time passes 53 days"};
    handle(event);
    if (!freed_.empty()) schedule_freed();
  }
  return {};
}

void Engine::handle(const Event& event) {
  const Operation& op = operations_[event.operation];
  const auto line_to_start = [&]() -> WaitingLine& {
    return op.kind == Kind::send ? starting_[line_at(op.rank, op)] : computing_[cpu_at(op.rank, op)];
  };
  switch (event.kind()) {
    case Event::Kind::post: return post(event.operation);
    case Event::Kind::retry_start: {
      WaitingLine& line = line_to_start();
      if (line.first_order() != event.order()) return;  // somebody else has become the first since
      const TimePs free = free_to_start(op);
      if (free > now_) return wake_first(line, free, Event::Kind::retry_start);
      line.leave();
      start(event.operation);
      if (!line.empty()) wake_first(line, free_to_start(operations_[line.first()]), Event::Kind::retry_start);
      return;
    }
    case Event::Kind::retry_arrive: {
      WaitingLine& line = arriving_[line_at(op.peer, op)];
      if (line.first_order() != event.order()) return;
      const TimePs free = free_to_arrive(op);
      if (free > now_) return wake_first(line, free, Event::Kind::retry_arrive);
      line.leave();
      arrive(event.operation);
      if (!line.empty()) wake_first(line, free_to_arrive(operations_[line.first()]), Event::Kind::retry_arrive);
      return;
    }
    case Event::Kind::start: {
      const TimePs free = free_to_start(op);
      if (free <= now_) return start(event.operation);
      if (WaitingLine& line = line_to_start(); line.join(event.order(), event.operation)) wake_first(line, free, Event::Kind::retry_start);
      return;
    }
    case Event::Kind::arrive: {
      const TimePs free = free_to_arrive(op);
      if (free <= now_) return arrive(event.operation);
      WaitingLine& line = arriving_[line_at(op.peer, op)];
      if (line.join(event.order(), event.operation)) wake_first(line, free, Event::Kind::retry_arrive);
      return;
    }
  }
}

void Engine::start(OpIndex i) {
  const Operation& op = operations_[i];
  if (op.kind == Kind::send) return start_send(i);
  const TimePs end = now_ + op.size;
  cpu_free_[cpu_at(op.rank, op)] = end;
  has_started(i);
  has_ended(i, end);
}

void Engine::start_send(OpIndex i) {
  const Operation& op = operations_[i];
  const TimePs busy_until = now_ + parameters_.overhead_ps + Parameters::of_bytes(op.size, parameters_.overhead_per_byte_fs);
  cpu_free_[cpu_at(op.rank, op)] = busy_until;
  nic_free_to_send_[nic_at(op.rank, op)] = now_ + parameters_.gap_ps + Parameters::of_bytes(op.size, parameters_.gap_per_byte_fs);
  events_.push(now_ + parameters_.overhead_ps + parameters_.latency_ps, {next_order_++, Event::Kind::arrive, i});
  has_started(i);
  if (op.size <= parameters_.largest_eager_message_bytes) has_ended(i, busy_until);
}

void Engine::post(OpIndex recv) {
  has_started(recv);
  const std::uint32_t channel = operations_[recv].channel;
  const auto send = channel == kNoChannel ? matcher_.recv_is_posted(recv, envelope_of(recv)) : matcher_.recv_is_posted(recv, channel);
  if (send == workload::MessageMatcher::kNobody) return;
  --kept_;
  match(static_cast<OpIndex>(send), recv);
}

void Engine::arrive(OpIndex send) {
  const Operation& op = operations_[send];
  const TimePs bytes_ps = Parameters::of_bytes(op.size, parameters_.gap_per_byte_fs);
  const TimePs end = now_ + parameters_.overhead_ps + std::max(bytes_ps, Parameters::of_bytes(op.size, parameters_.overhead_per_byte_fs));
  cpu_free_[cpu_at(op.peer, op)] = end;
  nic_free_to_receive_[nic_at(op.peer, op)] = now_ + parameters_.gap_ps + bytes_ps;
  received_ps_[send] = end;
  const auto recv =
      op.channel == kNoChannel ? matcher_.message_arrives(send, envelope_of(send)) : matcher_.message_arrives(send, op.channel);
  if (recv == workload::MessageMatcher::kNobody) {
    ++kept_;
    return;
  }
  match(send, static_cast<OpIndex>(recv));
}

/// The message is there and the receive is posted. A receive that finds its message waiting costs nothing more: the processor was charged
/// when the message came. A send too large to be eager ends now, without the way back being charged, and its rank cannot go on before.
void Engine::match(OpIndex send, OpIndex recv) {
  const Operation& op = operations_[send];
  if (op.size > parameters_.largest_eager_message_bytes) {
    TimePs& cpu = cpu_free_[cpu_at(op.rank, op)];
    TimePs& nic = nic_free_to_send_[nic_at(op.rank, op)];
    cpu = std::max(cpu, now_);
    nic = std::max(nic, now_);
    const TimePs sent =
        schedule_.start_ps[send] + parameters_.overhead_ps + Parameters::of_bytes(op.size, parameters_.overhead_per_byte_fs);
    has_ended(send, std::max(now_, sent));
  }
  has_ended(recv, std::max(now_, received_ps_[send]));
}

void Engine::has_started(OpIndex i) {
  schedule_.start_ps[i] = now_;
  const OpIndex first = operations_.first(operations_[i].rank);
  for (const std::uint32_t waiting : operations_.waiting_for_start(i)) count_down(first + waiting, now_);
}

void Engine::has_ended(OpIndex i, TimePs end) {
  schedule_.end_ps[i] = end;
  ++done_;
  const OpIndex first = operations_.first(operations_[i].rank);
  for (const std::uint32_t waiting : operations_.waiting_for_end(i)) count_down(first + waiting, end);
}

void Engine::count_down(OpIndex i, TimePs at) {
  schedule_.start_ps[i] = std::max(schedule_.start_ps[i], at);
  if (--operations_[i].waits_for == 0) freed_.push_back(i);
}

/// What one event frees starts rank by rank, sends before receives before computations, otherwise in the order in which it was freed.
void Engine::schedule_freed() {
  const auto earlier = [&](OpIndex a, OpIndex b) {
    const Operation &x = operations_[a], &y = operations_[b];
    return x.rank != y.rank ? x.rank < y.rank : x.kind < y.kind;
  };
  // Nearly always one or two: only more are worth the memory that stable_sort asks for.
  if (freed_.size() == 2 && earlier(freed_[1], freed_[0])) std::swap(freed_[0], freed_[1]);
  if (freed_.size() > 2 && !unstable_order_) std::stable_sort(freed_.begin(), freed_.end(), earlier);
  if (freed_.size() > 2 && unstable_order_) std::sort(freed_.begin(), freed_.end(), earlier);
  for (const OpIndex i : freed_) {
    const Operation& op = operations_[i];
    const std::uint64_t order = next_order_++;
    const TimePs free = free_to_start(op), ready = schedule_.start_ps[i];
    if (op.kind == Kind::recv) {
      events_.push(std::max(free, ready), {order, Event::Kind::post, i});
    } else if (ready > free) {
      events_.push(ready, {order, Event::Kind::start, i});
    } else {
      WaitingLine& line = op.kind == Kind::send ? starting_[line_at(op.rank, op)] : computing_[cpu_at(op.rank, op)];
      if (line.join(order, i)) wake_first(line, free, Event::Kind::retry_start);
    }
  }
  freed_.clear();
}

}  // namespace orrery::simulate::loggops
