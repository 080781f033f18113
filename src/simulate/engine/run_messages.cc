// The part of Run that deals with messages.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "simulate/engine/run.h"

namespace orrery::simulate {

using workload::ChannelKey;
using workload::LinePlace;
using workload::Membership;

MessageKey Run::key_of_send(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity) const {
  const LinePlace place = window.planned->lines->places[activity - window.first];
  return {state_.first_channel[rank] + place.line, window.planned->first_on_channel[place.line] + place.place};
}

void Run::start_message_side(std::uint32_t rank, LiveWindow& window, std::uint64_t activity, bool is_send) {
  start(rank, window, activity, is_send ? Resource::send : Resource::recv);
  const LinePlace place = window.planned->lines->places[activity - window.first];
  const ChannelKey& channel = membership_.structure(first_of(rank)).channels[place.line];
  const std::uint32_t other = membership_.peer(first_of(rank), channel);
  // Who takes which message is not known from the programs: the order in which sides are posted decides.
  if (other == Membership::kNoRank || membership_.takes_as_posted(is_send ? other : first_of(rank)))
    return post(rank, activity, is_send);
  if (is_send) return send_is_ready(key_of_send(rank, window, activity), rank, activity);
  const std::uint64_t line =
      state_.first_channel[state_.classes.class_of[other]] + membership_.facing(first_of(rank), channel);
  recv_is_ready({line, window.planned->first_on_channel[place.line] + place.place}, rank, activity);
}

// Sides of one moment are matched in an order that does not depend on how they came to be ready: see match_posted().
void Run::post(std::uint32_t rank, std::uint64_t activity, bool is_send) {
  const LiveWindow& window = *state_.ranks[rank].find(activity);
  const LinePlace place = window.planned->lines->places[activity - window.first];
  const std::uint32_t receiver =
      is_send ? membership_.peer(rank, membership_.structure(rank).channels[place.line]) : rank;
  posted_.push_back({receiver, !is_send, rank, is_send ? window.planned->first_send + place.send : activity, activity});
  if (is_send) send_is_ready(key_of_send(rank, window, activity), rank, activity);
}

void Run::match_posted() {
  std::sort(posted_.begin(), posted_.end());
  for (const PostedSide& side : posted_) {
    const LiveWindow& window = *state_.ranks[side.rank].find(side.activity);
    const ChannelKey& channel =
        membership_.structure(side.rank).channels[window.planned->lines->places[side.activity - window.first].line];
    const std::uint32_t sender = side.is_recv ? membership_.peer(side.rank, channel) : side.rank;
    const workload::Envelope envelope{side.receiver, sender, channel.role, channel.tag};
    const MessageKey key = side.is_recv ? MessageKey{} : key_of_send(side.rank, window, side.activity);
    const std::uint64_t handle = next_handle_++;
    const std::uint64_t partner =
        side.is_recv ? matcher_.recv_is_posted(handle, envelope) : matcher_.message_arrives(handle, envelope);
    const WaitingSide here{{side.rank, side.activity}, key, window.planned};
    if (partner == workload::MessageMatcher::kNobody) {
      unmatched_.emplace(handle, here);
      continue;
    }
    const WaitingSide other = std::move(unmatched_.extract(partner).mapped());
    const WaitingSide &send = side.is_recv ? other : here, &recv = side.is_recv ? here : other;
    const std::int64_t bytes = state_.messages.find(send.key)->second.bytes;
    sink_.message_taken({send.place.rank, recv.place.rank, send.place.activity, recv.place.activity, bytes});
    recv_is_ready(send.key, recv.place.rank, recv.place.activity);
  }
  posted_.clear();
}

void Run::send_is_ready(const MessageKey& key, std::uint32_t rank, std::uint64_t activity) {
  const LiveWindow& window = *state_.ranks[rank].find(activity);
  const auto in_window = static_cast<std::uint32_t>(activity - window.first);
  const LinePlace place = window.planned->lines->places[in_window];
  MessageState& state = state_.messages[key];
  state.send = activity;
  state.send_ps = state_.now;
  state.sender = rank;
  state.channel = place.line;
  state.order = window.planned->first_send + place.send;
  state.bytes = window.planned->program->bytes[in_window];
  const TimePs recorded = window.plan(activity).duration_ps;
  // In a replay the shorter of both sides is the message; the longer one waited as well.
  state.recorded_ps = shorter_recorded(state.recorded_ps, recorded);
  // Its send does not wait for anybody; when it has ended, send_ended() lets the message leave.
  if (is_eager(state.bytes)) {
    schedule_end(rank, activity, options_.replay ? recorded : options_.eager_overhead_ps);
    if (causes_) tell_last_side(state, true);
  }
  if (state.recv == kNoActivity) return;
  check_sizes(state);
  if (moves_when_both_are_ready(state.bytes)) start_messages(key, state);
}

void Run::recv_is_ready(const MessageKey& key, std::uint32_t rank, std::uint64_t activity) {
  const auto found = state_.messages.try_emplace(key).first;
  MessageState& state = found->second;
  state.recv = activity;
  state.receiver = rank;
  state.recorded_ps =
      shorter_recorded(state.recorded_ps, state_.ranks[rank].find(activity)->plan(activity).duration_ps);
  if (state.send == kNoActivity) return;
  check_sizes(state);
  if (moves_when_both_are_ready(state.bytes)) return start_messages(key, state);
  // An eager message that is still under way ends its receive when it arrives.
  if (!state.arrived) return;
  if (causes_) tell_last_side(state, false);
  state_.messages.erase(found);
  finish(rank, activity);
}

void Run::check_sizes(const MessageState& state) {
  const std::uint32_t target = first_of(state.receiver), source = first_of(state.sender);
  if (is_checked_ || membership_.takes_as_posted(target)) return;
  const auto side = [](const LiveWindow& window, std::uint32_t rank, std::uint64_t activity) {
    return workload::Side{rank, window.planned->program.get(), static_cast<std::uint32_t>(activity - window.first)};
  };
  const workload::Side recv = side(*state_.ranks[state.receiver].find(state.recv), target, state.recv);
  if (const LiveWindow* const window = state_.ranks[state.sender].find(state.send)) {
    const Status agree = check_sizes_agree(job_, side(*window, source, state.send), recv);
    if (!agree && !problem_) problem_ = agree.error();
    return;
  }
  // An eager send may be long done, and its window retired: then it has no name any more.
  const std::int64_t expected = recv.program->bytes[recv.activity];
  if (state.bytes == expected || !recv.program->has(recv.activity, workload::activity::kHasBytes) || problem_) return;
  problem_ = Error{.message = fmt::format("rank {} sends {} bytes but {} expects {}", source, state.bytes,
                                          job_.describe(recv.rank, *recv.program, recv.activity), expected)};
}

void Run::start_messages(const MessageKey& key, const MessageState& state) {
  moving_.emplace(numbers_.message(first_of(state.sender), state.order), key);
  for (const std::uint32_t member : started_operations_.of_channel(state.sender, state.channel))
    starting_.push_back(numbers_.message(member, state.order));
}

// Of a rendezvous the side that was ready last, to both. An eager send waits for nobody, and its receive for the
// message unless that was there.
void Run::tell_last_side(const MessageState& state, bool to_send) {
  const std::uint32_t rank = to_send ? state.sender : state.receiver;
  const std::uint64_t activity = to_send ? state.send : state.recv;
  const LiveWindow& window = *state_.ranks[rank].find(activity);
  const std::uint32_t line = window.planned->lines->places[activity - window.first].line;
  // A receive from anybody was ready before it was known whose message it takes, so that its start counts.
  const TimePs recv_ps = state.recv == kNoActivity ? state_.now : causes_->start_of(state.receiver, state.recv);
  LastArrival last{first_of(rank), kItself, line, to_send ? state.send_ps : recv_ps, to_send ? recv_ps : state.send_ps};
  const bool moved_from_both = moves_when_both_are_ready(state.bytes);
  const bool waits_for_other = moved_from_both ? last.last_ps > last.arrived_ps : !to_send && state_.now > recv_ps;
  if (to_send && is_eager(state.bytes)) {
    last.place = kNobody;
  } else if (waits_for_other) {
    const std::uint32_t peer = membership_.peer(first_of(rank), membership_.structure(first_of(rank)).channels[line]);
    // A receive from anybody: then every rank is a class of its own.
    last.rank = peer != Membership::kNoRank ? peer : first_of(to_send ? state.receiver : state.sender);
    last.place = to_send ? 1 : 0;
  }
  if (last.place == kItself || last.place == kNobody) last.last_ps = last.arrived_ps;
  sink_.last_arrival_known(
      {rank, activity, window.planned->program.get(), static_cast<std::uint32_t>(activity - window.first)}, last);
}

// An eager message leaves when its send has ended.
void Run::send_ended(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity) {
  if (moves_when_both_are_ready(window.planned->program->bytes[activity - window.first])) return;
  const MessageKey key = key_of_send(rank, window, activity);
  MessageState& state = state_.messages.find(key)->second;
  state.send_ps = state_.now;
  start_messages(key, state);
}

Status Run::start_message(OpId id) {
  const auto [source, order] = numbers_.find(id);
  const OpId first = numbers_.message(first_of(state_.classes.class_of[source]), order);
  // The messages of a class start together, one after the other.
  if (first != starting_first_ || starting_message_ == nullptr) {
    starting_first_ = first;
    starting_message_ = &state_.messages.find(moving_.find(first)->second)->second;
  }
  const MessageState& state = *starting_message_;
  const std::uint32_t ends[2] = {source,
                                 membership_.peer(source, membership_.structure(source).channels[state.channel])};
  CommOp op;
  op.flow = id;
  op.bytes = state.bytes;
  op.ranks = ends;
  op.alike = started_operations_.alike_messages(source, state.channel);
  op.recorded_ps = state.recorded_ps;
  return network_.start(id, op, state_.now);
}

std::uint32_t Run::message_ended(OpId id) {
  const auto [source, order] = numbers_.find(id);
  const std::uint32_t rank = state_.classes.class_of[source];
  const auto moving = moving_.find(numbers_.message(first_of(rank), order));
  const auto found = state_.messages.find(moving->second);
  MessageState& state = found->second;
  if (++state.finished == 1) ++incomplete_;
  if (state.finished < started_operations_.of_channel(rank, state.channel).size()) return state.channel;
  --incomplete_;
  moving_.erase(moving);
  state.arrived = true;
  // A copy, because finish() may start others, which moves the table.
  const MessageState ended = state;
  if (ended.recv != kNoActivity) state_.messages.erase(found);
  if (causes_ && !is_eager(ended.bytes)) tell_last_side(ended, true);
  if (causes_ && ended.recv != kNoActivity) tell_last_side(ended, false);
  if (!is_eager(ended.bytes)) finish(rank, ended.send);
  if (ended.recv != kNoActivity) finish(ended.receiver, ended.recv);
  return ended.channel;
}

// Receives are all done; but sends that did not wait for one may be left over where who takes what was open.
Status Run::check_received() const {
  const WaitingSide* first = nullptr;
  for (const std::uint64_t handle : matcher_.kept_messages()) {
    const WaitingSide& side = unmatched_.at(handle);
    const auto key = [](const WaitingSide& other) { return std::tuple(other.place.rank, other.place.activity); };
    if (first == nullptr || key(side) < key(*first)) first = &side;
  }
  if (first == nullptr) return {};
  const auto activity = static_cast<std::uint32_t>(first->place.activity - first->window->first_activity);
  const ChannelKey& channel =
      membership_.structure(first->place.rank).channels[first->window->lines->places[activity].line];
  return Error{.message = fmt::format("the message of {} to rank {} is never received",
                                      job_.describe(first->place.rank, *first->window->program, activity),
                                      membership_.peer(first->place.rank, channel))};
}

}  // namespace orrery::simulate
