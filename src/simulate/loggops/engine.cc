#include "simulate/loggops/engine.h"

#include <algorithm>

#include "graph/graph.h"
#include "simulate/loggops/operations.h"

// LogGOPSim's rules: an operation takes its processor (o, O) and its interface (g, G) when both are free, and a message
// is at its receiver L later, where it takes the same again. Whoever finds them taken joins a line, of which only the
// first has an event in the queue. Numbers of orders are given as LogGOPSim gives them: they break ties.

namespace orrery::simulate::loggops {

Engine::Engine(Operations& operations, const Parameters& parameters, bool unstable_order)
    : operations_(operations),
      parameters_(parameters),
      unstable_order_(unstable_order),
      matcher_(operations.rank_count()),
      cpus_(operations.cpu_count()),
      nics_(operations.nic_count()),
      free_per_rank_(cpus_ + 2 * nics_) {
  const std::size_t ranks = operations.rank_count();
  free_.assign(ranks * free_per_rank_, 0);
  computing_.resize(ranks * cpus_);
  starting_.resize(ranks * cpus_ * nics_);
  arriving_.resize(ranks * cpus_ * nics_);
  number_channels(operations_, matcher_);
}

Schedule Engine::schedule() const {
  Schedule schedule(operations_.size(), 0);
  for (OpIndex i = 0; i < operations_.size(); ++i) {
    schedule.start_ps[i] = operations_[i].start_ps;
    schedule.end_ps[i] = operations_[i].end_ps;
  }
  return schedule;
}

TimePs Engine::free_to_start(const Operation& op) {
  const TimePs cpu = cpu_free(op.rank, op);
  return op.kind == Kind::send ? std::max(cpu, free_to_send(op.rank, op)) : cpu;
}

// A message takes the processor and the interface of its receiver that have the numbers of the sender's: it may be
// there before the receive that says otherwise.
TimePs Engine::free_to_arrive(const Operation& op) {
  return std::max(cpu_free(op.peer, op), free_to_receive(op.peer, op));
}

void Engine::wake_first(WaitingLine& line, TimePs free, Event::Kind kind) {
  events_.push(free, {line.first_order(), kind, line.first()});
}

Status Engine::run() {
  for (std::uint32_t rank = 0; rank < operations_.rank_count(); ++rank) {
    for (const std::uint32_t starter : operations_.starters(rank)) freed_.push_back(operations_.first(rank) + starter);
    schedule_freed();
  }
  while (!events_.empty()) {
    const Event event = events_.pop();
    prefetch();
    now_ = events_.now();
    if (now_ > graph::kMaxFinishPs) return Error{"the simulated time passes 53 days"};
    handle(event);
    if (!freed_.empty()) schedule_freed();
  }
  return {};
}

/// Of the events that come next at this moment the operations are known: with many ranks these are out of the caches,
/// and waiting for them one by one would take most of the time. First the operation, a little later what it leads to.
void Engine::prefetch() const {
  constexpr std::size_t kOperationAhead = 18, kQueueAhead = 10, kPartnerAhead = 5;
  if (const Event* const event = events_.ahead(kOperationAhead)) __builtin_prefetch(&operations_[event->operation], 1);
  const auto matches = [](const Event* event, const Operation& op) {
    return (event->kind() == Event::Kind::arrive || event->kind() == Event::Kind::post) && op.channel != kNoChannel;
  };
  if (const Event* const event = events_.ahead(kQueueAhead)) {
    const Operation& op = operations_[event->operation];
    __builtin_prefetch(&free_[(event->kind() == Event::Kind::arrive ? op.peer : op.rank) * free_per_rank_], 1);
    if (matches(event, op)) matcher_.prefetch(op.channel);
  }
  if (const Event* const event = events_.ahead(kPartnerAhead)) {
    const Operation& op = operations_[event->operation];
    if (!matches(event, op)) return;
    const auto partner = matcher_.first_waiting(op.channel);
    if (partner != workload::MessageMatcher::kNobody) __builtin_prefetch(&operations_[partner], 1);
  }
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
      if (WaitingLine& line = line_to_start(); line.join(event.order(), event.operation))
        wake_first(line, free, Event::Kind::retry_start);
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
  Operation& op = operations_[i];
  if (op.kind == Kind::send) return start_send(i);
  const TimePs end = now_ + op.size;
  cpu_free(op.rank, op) = end;
  has_started(i, op);
  has_ended(i, op, end);
}

void Engine::start_send(OpIndex i) {
  Operation& op = operations_[i];
  const TimePs busy_until =
      now_ + parameters_.overhead_ps + Parameters::of_bytes(op.size, parameters_.overhead_per_byte_fs);
  cpu_free(op.rank, op) = busy_until;
  free_to_send(op.rank, op) = now_ + parameters_.gap_ps + Parameters::of_bytes(op.size, parameters_.gap_per_byte_fs);
  // The first byte: bytes follow at the gap per byte, which the receiver is charged with when they arrive.
  events_.push(now_ + parameters_.overhead_ps + parameters_.latency_ps, {next_order_++, Event::Kind::arrive, i});
  has_started(i, op);
  if (op.size <= parameters_.largest_eager_message_bytes) has_ended(i, op, busy_until);
}

void Engine::post(OpIndex recv) {
  Operation& op = operations_[recv];
  has_started(recv, op);
  const auto send = op.channel == kNoChannel ? matcher_.recv_is_posted(recv, envelope_of(operations_, recv))
                                             : matcher_.recv_is_posted(recv, op.channel);
  if (send == workload::MessageMatcher::kNobody) return;
  // The message was there before: it need not be kept any longer.
  --kept_;
  match(static_cast<OpIndex>(send), recv);
}

void Engine::arrive(OpIndex send) {
  Operation& op = operations_[send];
  const TimePs bytes_ps = Parameters::of_bytes(op.size, parameters_.gap_per_byte_fs);
  const TimePs end = now_ + parameters_.overhead_ps +
                     std::max(bytes_ps, Parameters::of_bytes(op.size, parameters_.overhead_per_byte_fs));
  cpu_free(op.peer, op) = end;
  free_to_receive(op.peer, op) = now_ + parameters_.gap_ps + bytes_ps;
  op.received_ps = end;
  const auto recv = op.channel == kNoChannel ? matcher_.message_arrives(send, envelope_of(operations_, send))
                                             : matcher_.message_arrives(send, op.channel);
  if (recv == workload::MessageMatcher::kNobody) {
    ++kept_;
    return;
  }
  match(send, static_cast<OpIndex>(recv));
}

/// The message is there and the receive is posted. A receive that finds its message waiting costs nothing more: the
/// processor was charged when the message came. A send too large to be eager ends now, without the way back being
/// charged, and its rank cannot go on before.
void Engine::match(OpIndex send, OpIndex recv) {
  Operation& op = operations_[send];
  if (op.size > parameters_.largest_eager_message_bytes) {
    TimePs& cpu = cpu_free(op.rank, op);
    TimePs& nic = free_to_send(op.rank, op);
    cpu = std::max(cpu, now_);
    nic = std::max(nic, now_);
    // The processor was not free before the overhead was over, however early the partner came.
    const TimePs sent =
        op.start_ps + parameters_.overhead_ps + Parameters::of_bytes(op.size, parameters_.overhead_per_byte_fs);
    has_ended(send, op, std::max(now_, sent));
  }
  has_ended(recv, operations_[recv], std::max(now_, op.received_ps));
}

// Differences may run through 0, so that they count backwards too.
void Engine::has_started(OpIndex i, Operation& op) {
  op.start_ps = now_;
  for (const std::uint32_t after : operations_.dependents_of(op).on_start)
    count_down(i + static_cast<std::int32_t>(after), now_);
}

void Engine::has_ended(OpIndex i, Operation& op, TimePs end) {
  op.end_ps = end;
  ++done_;
  for (const std::uint32_t after : operations_.dependents_of(op).on_end)
    count_down(i + static_cast<std::int32_t>(after), end);
}

void Engine::count_down(OpIndex i, TimePs at) {
  Operation& op = operations_[i];
  op.start_ps = std::max(op.start_ps, at);
  if (--op.waits_for == 0) freed_.push_back(i);
}

/// What one event frees starts rank by rank, sends before receives before computations, otherwise in the order in which
/// it was freed.
void Engine::schedule_freed() {
  const auto earlier = [&](OpIndex a, OpIndex b) {
    const Operation &x = operations_[a], &y = operations_[b];
    return x.rank != y.rank ? x.rank < y.rank : x.kind < y.kind;
  };
  // Nearly always one or two: only more are worth the memory that stable_sort asks for.
  if (freed_.size() == 2 && earlier(freed_[1], freed_[0])) std::swap(freed_[0], freed_[1]);
  if (freed_.size() > 2 && !unstable_order_) std::stable_sort(freed_.begin(), freed_.end(), earlier);
  if (freed_.size() > 2 && unstable_order_) std::sort(freed_.begin(), freed_.end(), earlier);
  // Who can start at once needs no line, but of many only the first can: the others would find the processor busy and
  // join it then.
  const bool few = freed_.size() <= 2;
  for (const OpIndex i : freed_) {
    const Operation& op = operations_[i];
    const std::uint64_t order = next_order_++;
    const TimePs free = free_to_start(op), ready = op.start_ps;
    if (op.kind == Kind::recv) {
      events_.push(std::max(free, ready), {order, Event::Kind::post, i});
    } else if (ready > free || (ready == free && few)) {
      events_.push(ready, {order, Event::Kind::start, i});
    } else {
      WaitingLine& line = op.kind == Kind::send ? starting_[line_at(op.rank, op)] : computing_[cpu_at(op.rank, op)];
      if (line.join(order, i)) wake_first(line, free, Event::Kind::retry_start);
    }
  }
  freed_.clear();
}

}  // namespace orrery::simulate::loggops
