// The part of Run that deals with collectives, messages and the network.
#include <fmt/format.h>

#include <algorithm>

#include "simulate/engine/run.h"
#include "workload/collective_parts.h"

namespace orrery::simulate {
namespace {

// A model that says "something happens now" this often in a row without anything happening would keep the engine for ever.
constexpr std::uint32_t kMostIdleAdvances = 1u << 20;

}  // namespace

// --- collectives ---

std::uint32_t Run::communicator_of(OpId collective) const {
  const std::span<const Communicator> communicators = matching_.communicators();
  const auto after = std::upper_bound(communicators.begin(), communicators.end(), collective,
                                      [](OpId id, const Communicator& communicator) { return id < communicator.first_operation; });
  return static_cast<std::uint32_t>(after - communicators.begin()) - 1;
}

void Run::arrive(std::uint32_t rank, std::uint32_t activity) {
  const PlannedActivity& planned = plan_of(rank).activities[activity];
  const Bundle& bundle = state_.bundle(rank, planned.stream);
  const std::uint64_t number = bundle.first + planned.place;
  CollectiveState& state = state_.collectives[number];
  if (state.arrived++ == 0) state_.schedule.collectives[number].first_arrival_ps = state_.now;
  if (state.arrived < bundle.classes.size()) return;
  for (const std::uint32_t c : bundle.communicators) starting_.push_back(matching_.communicators()[c].first_operation + planned.place);
}

// When the last of the bundle has ended, its members go on.
void Run::collective_ended(OpId id) {
  const std::uint32_t number = communicator_of(id);
  const Communicator& communicator = matching_.communicators()[number];
  const Bundle& bundle = state_.bundles[state_.bundle_of_communicator[number]];
  const std::uint64_t place = id - communicator.first_operation;
  CollectiveState& state = state_.collectives[bundle.first + place];
  if (++state.finished == 1) ++incomplete_;
  if (state.finished < bundle.communicators.size()) return;
  --incomplete_;
  state_.schedule.collectives[bundle.first + place].end_ps = state_.now;
  for (const std::uint32_t rank : bundle.classes) finish(rank, matching_.activity_of(communicator, first_of(rank), place));
}

Status Run::start_collective(OpId id) {
  const std::uint32_t number = communicator_of(id);
  const Communicator& communicator = matching_.communicators()[number];
  const std::uint64_t place = id - communicator.first_operation;
  const std::uint32_t rank = communicator.ranks[0], activity = matching_.activity_of(communicator, rank, place);
  const workload::Program& program = workload_.program(rank);
  CommOp op;
  op.kind = CommOp::Kind::collective;
  op.collective = program.collectives[activity];
  op.ranks = communicator.ranks;
  op.bytes = workload::whole_bytes(op.collective, program.bytes[activity], op.ranks.size());
  workload::collect_parts(matching_, communicator, place, parts_);
  if (!parts_.empty()) {
    op.parts = parts_;
    op.bytes = workload::whole_bytes_of_parts(op.collective, parts_, op.ranks.size());
  }
  // A communicator keeps its connections, and so its way through the network.
  op.flow = number;
  if (workload::is_rooted(op.collective)) op.root = matching_.root_place(communicator, rank, activity);
  CollectiveUse& use = state_.schedule.collectives[state_.bundles[state_.bundle_of_communicator[number]].first + place];
  use.kind = op.collective;
  use.group_name = communicator.name;
  use.ranks = static_cast<std::uint32_t>(op.ranks.size());
  use.bytes = op.bytes;
  use.last_arrival_ps = state_.now;
  return network_.start(id, op, state_.now);
}

// --- messages ---

std::int64_t Run::bytes_of(std::uint32_t rank, std::uint32_t send) const { return workload_.program(first_of(rank)).bytes[send]; }

std::uint64_t Run::message_key(std::uint32_t rank, std::uint32_t send) const {
  return state_.first_message[rank] + matching_.place(first_of(rank), send).send;
}

void Run::start_message_side(std::uint32_t rank, std::uint32_t activity, bool is_send) {
  start(rank, activity, is_send ? Resource::send : Resource::recv);
  const std::optional<Message> message = matching_.message(first_of(rank), activity);
  if (!message) return post(rank, activity, is_send);
  side_is_ready({state_.classes.class_of[message->source], message->send}, message->recv, is_send);
}

// Sides of one moment are matched in an order that does not depend on how they came to be ready: see match_posted().
void Run::post(std::uint32_t rank, std::uint32_t activity, bool is_send) {
  const workload::LinePlace place = matching_.place(rank, activity);
  const std::uint32_t receiver = is_send ? matching_.peer(rank, activity) : rank;
  posted_.push_back({receiver, !is_send, rank, is_send ? place.send : activity, activity});
  if (is_send) side_is_ready({rank, activity}, kNone, true);
}

void Run::match_posted() {
  std::sort(posted_.begin(), posted_.end());
  for (const PostedSide& side : posted_) {
    const workload::ChannelKey& key = matching_.lines(side.rank).channels[matching_.place(side.rank, side.activity).line].key;
    const std::uint32_t peer = matching_.peer(side.rank, side.activity);
    const std::uint64_t handle = std::uint64_t{side.rank} << 32 | side.activity;
    const workload::Envelope envelope{side.receiver, side.is_recv ? peer : side.rank, key.role, key.tag};
    const std::uint64_t partner = side.is_recv ? matcher_.recv_is_posted(handle, envelope) : matcher_.message_arrives(handle, envelope);
    if (partner == workload::MessageMatcher::kNobody) continue;
    const std::uint64_t send = side.is_recv ? partner : handle, recv = side.is_recv ? handle : partner;
    const Place from{static_cast<std::uint32_t>(send >> 32), static_cast<std::uint32_t>(send)};
    const auto activity = static_cast<std::uint32_t>(recv);
    state_.schedule.taken.push_back({from.rank, side.receiver, from.activity, activity, bytes_of(from.rank, from.activity)});
    side_is_ready(from, activity, false);
  }
  posted_.clear();
}

// The send, or the receive that takes its message, is ready.
void Run::side_is_ready(Place send, std::uint32_t recv, bool is_send) {
  const std::int64_t bytes = bytes_of(send.rank, send.activity);
  const auto found = state_.messages.try_emplace(message_key(send.rank, send.activity)).first;
  MessageState& state = found->second;
  if (is_send) state.send_ready = true;
  else state.recv = recv;
  if (!is_eager(bytes)) {
    if (state.send_ready && state.recv != kNone) start_messages(send.rank, send.activity);
    return;
  }
  if (is_send) return schedule_end(send.rank, send.activity, options_.eager_overhead_ps);
  if (!state.arrived) return;
  state_.messages.erase(found);
  finish(state_.classes.class_of[matching_.peer(first_of(send.rank), send.activity)], recv);
}

void Run::start_messages(std::uint32_t rank, std::uint32_t send) {
  const std::uint32_t place = matching_.place(first_of(rank), send).send;
  for (const std::uint32_t member : state_.classes.members[rank])
    starting_.push_back(matching_.collective_count() + matching_.first_message(member) + place);
}

void Run::message_ended(OpId id) {
  const std::uint64_t number = id - matching_.collective_count();
  const std::uint32_t source = matching_.source_of_message(number);
  const std::uint32_t rank = state_.classes.class_of[source];
  const std::uint32_t send = matching_.lines(source).sends[number - matching_.first_message(source)];
  const auto found = state_.messages.find(message_key(rank, send));
  MessageState& state = found->second;
  if (++state.finished == 1) ++incomplete_;
  if (state.finished < state_.classes.members[rank].size()) return;
  --incomplete_;
  state.arrived = true;
  const std::uint32_t recv = state.recv, receiver = state_.classes.class_of[matching_.peer(first_of(rank), send)];
  if (recv != kNone) state_.messages.erase(found);
  if (!is_eager(bytes_of(rank, send))) finish(rank, send);
  if (recv != kNone) finish(receiver, recv);
}

// Receives are all done; but sends that did not wait for one may be left over where who takes what was open.
Status Run::check_received() const {
  const std::vector<std::uint64_t> kept = matcher_.kept_messages();
  if (kept.empty()) return {};
  const auto rank = static_cast<std::uint32_t>(kept[0] >> 32), activity = static_cast<std::uint32_t>(kept[0]);
  return Error{.message = fmt::format("the message of {} to rank {} is never received", workload_.describe(rank, activity),
                                      matching_.peer(rank, activity))};
}

// --- the network ---

Status Run::take_finished_operations() {
  finished_.clear();
  network_.advance(state_.now, finished_);
  network_time_ = state_.now;
  if (!finished_.empty()) idle_advances_ = 0;
  else if (++idle_advances_ > kMostIdleAdvances) return Error{.message = "the network model does not move on"};
  for (const OpId id : finished_) {
    if (id < matching_.collective_count()) collective_ended(id);
    else message_ended(id);
  }
  if (incomplete_ == 0) return {};
  unlike_ = true;
  return Error{.message = "ranks that do the same do not take the same time"};
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
  if (id < matching_.collective_count()) return start_collective(id);
  const std::uint64_t number = id - matching_.collective_count();
  const std::uint32_t source = matching_.source_of_message(number);
  const std::uint32_t send = matching_.lines(source).sends[number - matching_.first_message(source)];
  const std::uint32_t ends[2] = {source, matching_.peer(source, send)};
  CommOp op;
  op.flow = id;
  op.bytes = workload_.program(source).bytes[send];
  op.ranks = ends;
  return network_.start(id, op, state_.now);
}

}  // namespace orrery::simulate
