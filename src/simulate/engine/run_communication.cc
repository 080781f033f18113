// The part of Run that deals with collectives, messages and the network.
#include <algorithm>

#include "simulate/engine/run.h"

namespace orrery::simulate {
namespace {

// A model that says "something happens now" this often in a row without anything happening would keep the engine for ever.
constexpr std::uint32_t kMostIdleAdvances = 1u << 20;

}  // namespace

// --- collectives ---

const Communicator& Run::communicator_of(OpId collective) const {
  const auto after = std::upper_bound(plan_.communicators.begin(), plan_.communicators.end(), collective,
                                      [](OpId id, const Communicator& communicator) { return id < communicator.first_operation; });
  return *(after - 1);
}

void Run::arrive(std::uint32_t rank, std::uint32_t activity) {
  const ProgramPlan& program = plan_of(rank);
  const std::uint32_t number = plan_.communicator_of[workload_.program_of_rank[rank]][program.activities[activity].stream];
  const OpId id = plan_.communicators[number].first_operation + program.activities[activity].place;
  CollectiveState& state = state_.collectives[id];
  if (state.arrived++ == 0) state_.schedule.collectives[id].first_arrival_ps = state_.now;
  if (state.arrived == state.awaited) starting_.push_back(id);
}

void Run::finish_collective(OpId id) {
  const Communicator& communicator = communicator_of(id);
  state_.schedule.collectives[id].end_ps = state_.now;
  const auto place = static_cast<std::size_t>(id - communicator.first_operation);
  for (std::size_t m = 0; m < communicator.ranks.size(); ++m) {
    const std::uint32_t rank = communicator.ranks[m];
    if (rank < rank_count_) finish(rank, plan_of(rank).streams[communicator.stream_of_rank[m]].activities[place]);
  }
}

// --- messages ---

std::uint32_t Run::message_of(std::uint32_t rank, std::uint32_t activity) const {
  return plan_.message_numbers[plan_.first_message[rank] + plan_of(rank).activities[activity].stream];
}

void Run::start_message_side(std::uint32_t rank, std::uint32_t activity, bool is_send) {
  start(rank, activity, is_send ? Resource::send : Resource::recv);
  const std::uint32_t number = message_of(rank, activity);
  MessageState& state = state_.messages[number];
  (is_send ? state.send_ready : state.recv_ready) = true;
  if (!is_eager(plan_.messages[number])) {
    if (state.send_ready && state.recv_ready) starting_.push_back(plan_.collective_count + number);
    return;
  }
  if (is_send) schedule_end(rank, activity, options_.eager_overhead_ps);
  else if (state.arrived) finish(rank, activity);
}

void Run::finish_message(std::uint32_t number) {
  const Message& message = plan_.messages[number];
  state_.messages[number].arrived = true;
  if (!is_eager(message)) finish(message.source, message.send);
  if (state_.messages[number].recv_ready) finish(message.target, message.recv);
}

// --- the network ---

Status Run::take_finished_operations() {
  finished_.clear();
  network_.advance(state_.now, finished_);
  network_time_ = state_.now;
  if (!finished_.empty()) idle_advances_ = 0;
  else if (++idle_advances_ > kMostIdleAdvances) return Error{.message = "the network model does not move on"};
  for (const OpId id : finished_) {
    if (id < plan_.collective_count) finish_collective(id);
    else finish_message(static_cast<std::uint32_t>(id - plan_.collective_count));
  }
  return {};
}

Status Run::start_operations() {
  if (starting_.empty()) return {};
  if (network_time_ < state_.now) {  // so that the model shares bandwidth up to now without the newcomers
    if (Status status = take_finished_operations(); !status) return status;
  }
  std::sort(starting_.begin(), starting_.end());
  for (const OpId id : starting_) {
    if (Status status = start_operation(id); !status) return status;
  }
  starting_.clear();
  return {};
}

Status Run::start_operation(OpId id) {
  CommOp op;
  op.flow = id;
  if (id >= plan_.collective_count) {
    const Message& message = plan_.messages[id - plan_.collective_count];
    const std::uint32_t ends[2] = {message.source, message.target};
    op.bytes = message.bytes;
    op.ranks = ends;
    return network_.start(id, op, state_.now);
  }
  const Communicator& communicator = communicator_of(id);
  const std::uint32_t rank = communicator.ranks[0];
  const workload::Program& program = workload_.program(rank);
  const Stream& stream = plan_.programs[workload_.program_of_rank[rank]].streams[communicator.stream_of_rank[0]];
  const std::uint32_t activity = stream.activities[id - communicator.first_operation];
  op.kind = CommOp::Kind::collective;
  op.collective = program.collectives[activity];
  op.ranks = communicator.ranks;
  op.bytes = workload::whole_bytes(op.collective, program.bytes[activity], op.ranks.size());
  // A communicator keeps its connections, and so its way through the network.
  op.flow = static_cast<std::uint64_t>(&communicator - plan_.communicators.data());
  if (workload::is_rooted(op.collective)) {
    const auto root = std::find(op.ranks.begin(), op.ranks.end(), static_cast<std::uint32_t>(program.peers[activity]));
    op.root = static_cast<std::uint32_t>(root - op.ranks.begin());
  }
  CollectiveUse& use = state_.schedule.collectives[id];
  use.kind = op.collective;
  use.group_name = communicator.name;
  use.ranks = static_cast<std::uint32_t>(op.ranks.size());
  use.bytes = op.bytes;
  use.last_arrival_ps = state_.now;
  return network_.start(id, op, state_.now);
}

}  // namespace orrery::simulate
