// The part of Run that deals with collectives.
#include <algorithm>
#include <functional>

#include "simulate/engine/run.h"
#include "workload/collective_parts.h"

namespace orrery::simulate {

void Run::arrive(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity) {
  const PlannedActivity& planned = window.plan(activity);
  const std::uint64_t place = window.planned->first_on_stream[planned.stream] + planned.place;
  const std::uint32_t number = state_.bundles.number(rank, planned.stream);
  const Bundle& bundle = state_.bundles.all[number];
  OpenCollective& open = state_.collectives[number].at(place);
  if (causes_) {
    const std::uint32_t here = causes_->place_in_group(rank, planned.stream);
    const bool is_last_so_far = open.arrived == 0 || open.use.last_arrival_ps != state_.now;
    open.last_place = is_last_so_far ? here : std::min(open.last_place, here);
    open.use.last_arrival_ps = state_.now;
  }
  if (open.arrived++ == 0) open.use.first_arrival_ps = state_.now;
  if (rank == bundle.classes[0]) open.first_activity = activity;
  open.recorded_ps = shorter_recorded(open.recorded_ps, planned.duration_ps);
  if (open.arrived < bundle.classes.size()) return;
  for (const std::uint32_t communicator : started_operations_.of_bundle(number))
    starting_.push_back(numbers_.collective(communicator, place));
}

// When the last of the bundle has ended, its members go on.
void Run::collective_ended(OpId id) {
  const auto [number, place] = numbers_.find(id);
  const std::uint32_t bundle_number = state_.bundles.of_communicator[number];
  const Bundle& bundle = state_.bundles.all[bundle_number];
  OpenCollectives& line = state_.collectives[bundle_number];
  OpenCollective& open = line.at(place);
  if (++open.finished == 1) ++incomplete_;
  if (open.finished < started_operations_.of_bundle(bundle_number).size()) return;
  --incomplete_;
  open.use.end_ps = state_.now;
  open.is_over = true;
  sink_.collective_ended(bundle_number, place, open.use);
  for (std::size_t i = 0; i < bundle.classes.size(); ++i) {
    const std::uint32_t rank = bundle.classes[i], stream = bundle.streams[i];
    const std::uint64_t activity = i == 0 ? open.first_activity : state_.ranks[rank].on_stream(stream, place);
    if (causes_) tell_last_member(rank, stream, activity, open);
    finish(rank, activity);
  }
  line.drop_over();
}

void Run::tell_last_member(std::uint32_t rank, std::uint32_t stream, std::uint64_t activity,
                           const OpenCollective& open) {
  const LiveWindow& window = *state_.ranks[rank].find(activity);
  LastArrival last{first_of(rank), kItself, stream, causes_->start_of(rank, activity), open.use.last_arrival_ps};
  if (last.arrived_ps < last.last_ps) {
    // In the group of the rank that was executed: the groups of the others have somebody else at that place.
    const Communicator& own = membership_.communicators()[membership_.communicator_number(first_of(rank), stream)];
    last.place = open.last_place;
    last.rank = own.ranks[last.place];
  }
  sink_.last_arrival_known(
      {rank, activity, window.planned->program.get(), static_cast<std::uint32_t>(activity - window.first)}, last);
}

Status Run::start_collective(OpId id) {
  const auto [number, place_found] = numbers_.find(id);
  const std::uint64_t place = place_found;
  const Communicator& communicator = membership_.communicators()[number];
  const std::uint32_t bundle_number = state_.bundles.of_communicator[number];
  const Bundle& bundle = state_.bundles.all[bundle_number];
  // What the communicators of a bundle do is the same: it is held against the rules once.
  if (!is_checked_ && number == bundle.communicators[0]) {
    if (Status status = check_agreement(membership_, state_, communicator, bundle, place); !status) return status;
  }
  OpenCollective& open = state_.collectives[bundle_number].at(place);
  const workload::Side first = state_.side(communicator.ranks[0], open.first_activity);
  CommOp op;
  op.kind = CommOp::Kind::collective;
  op.collective = first.program->collectives[first.activity];
  op.ranks = communicator.ranks;
  op.bytes = workload::whole_bytes(op.collective, first.program->bytes[first.activity], op.ranks.size());
  // Members of one class have one program, and so equal parts unless that lists them.
  const bool has_parts = bundle.classes.size() > 1 || !first.program->parts_of(first.activity).empty();
  const auto side_of_member = [&](std::uint32_t member) {
    return member_side(membership_, state_, communicator, member, place);
  };
  if (has_parts) workload::collect_parts(job_, communicator, std::cref(side_of_member), parts_);
  if (has_parts && !parts_.empty()) {
    op.parts = parts_;
    op.bytes = workload::whole_bytes_of_parts(op.collective, parts_, op.ranks.size());
  }
  // A communicator keeps its connections, and so its way through the network.
  op.flow = number;
  op.alike = started_operations_.alike_collectives(number);
  if (workload::is_rooted(op.collective)) op.root = workload::root_place(communicator, *first.program, first.activity);
  op.recorded_ps = open.recorded_ps;
  open.use.kind = op.collective;
  open.use.group_name = communicator.name;
  open.use.ranks = static_cast<std::uint32_t>(op.ranks.size());
  open.use.bytes = op.bytes;
  open.use.last_arrival_ps = state_.now;
  open.use.is_measured = network_.is_measured(op);
  return network_.start(id, op, state_.now);
}

}  // namespace orrery::simulate
