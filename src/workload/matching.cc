#include "workload/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace orrery::workload {
namespace {

Status check_shape(const Workload& workload) {
  if (workload.rank_count() > std::numeric_limits<std::int32_t>::max()) return Error{.message = "there are more than 2^31 ranks"};
  for (const Role& role : workload.roles) {
    const Status status = role.check(workload.rank_count());
    if (!status) return Error{.message = fmt::format("role \"{}\": {}", workload.strings.text(role.name), status.error().message)};
  }
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::uint32_t program = workload.program_of_rank[rank];
    if (program >= workload.programs.size())
      return Error{.message = fmt::format("rank {} runs program {}, which does not exist", rank, program)};
    const Program& made = workload.programs[program];
    if (made.dependencies.node_count() != made.size()) {
      return Error{.message = fmt::format("rank {} has {} activities but dependencies between {}", rank, made.size(),
                                          made.dependencies.node_count())};
    }
  }
  return {};
}

}  // namespace

Result<Matching> Matching::of(const Workload& workload) {
  if (const Status status = check_shape(workload); !status) return status.error();
  Matching matching(workload);
  for (const Program& program : workload.programs) matching.programs_.push_back(lines_of(workload, program));
  matching.all_ranks_.resize(workload.rank_count());
  std::iota(matching.all_ranks_.begin(), matching.all_ranks_.end(), 0);
  matching.first_stream_.push_back(0);
  matching.first_send_.push_back(0);
  for (const std::uint32_t program : workload.program_of_rank) {
    matching.first_stream_.push_back(matching.first_stream_.back() + matching.programs_[program].streams.size());
    matching.first_send_.push_back(matching.first_send_.back() + matching.programs_[program].sends.size());
  }
  if (const Status status = match_collectives(matching); !status) return status.error();
  if (const Status status = match_messages(matching); !status) return status.error();
  return matching;
}

std::uint32_t Matching::root_place(const Communicator& communicator, std::uint32_t rank, std::uint32_t activity) const {
  const Program& program = workload_->program(rank);
  if (!program.has(activity, activity::kHasPeer)) return 0;
  if (communicator.is_role) return static_cast<std::uint32_t>(program.peers[activity]);
  const auto at = std::find(communicator.ranks.begin(), communicator.ranks.end(), static_cast<std::uint32_t>(program.peers[activity]));
  return static_cast<std::uint32_t>(at - communicator.ranks.begin());
}

std::uint32_t Matching::peer(std::uint32_t rank, std::uint32_t activity) const {
  const std::int64_t peer = workload_->peer_rank(rank, activity);
  return peer < 0 ? kNoRank : static_cast<std::uint32_t>(peer);
}

std::uint32_t Matching::source_of_message(std::uint64_t number) const {
  return static_cast<std::uint32_t>(std::upper_bound(first_send_.begin(), first_send_.end(), number) - first_send_.begin()) - 1;
}

std::optional<Message> Matching::message(std::uint32_t rank, std::uint32_t activity) const {
  const LinePlace here = place(rank, activity);
  const ChannelKey& key = lines(rank).channels[here.line].key;
  const std::uint32_t other = peer(rank, activity);
  if (other == kNoRank || takes_as_posted_[key.is_send ? other : rank]) return std::nullopt;
  ChannelKey facing = key;
  facing.is_send = !key.is_send;
  if (key.role == 0) {
    facing.peer = rank;
  } else {  // as far back as the other is ahead
    const std::int64_t size = workload_->find_role(key.role)->size();
    facing.peer = (size - key.peer) % size;
  }
  const ProgramLines& program = lines(other);
  const std::uint32_t line = program.find_channel(facing);
  if (line == kNoLine || here.place >= program.channels[line].activities.size()) return std::nullopt;
  const std::uint32_t partner = program.channels[line].activities[here.place];
  Message message{rank, other, activity, partner, 0};
  if (!key.is_send) message = {other, rank, partner, activity, 0};
  message.bytes = workload_->program(message.source).bytes[message.send];
  return message;
}

}  // namespace orrery::workload
