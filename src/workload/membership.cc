#include "workload/membership.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "report/counted.h"

// First the communicator of all ranks, then the listed groups, then the groups of roles that some program uses, so that
// numbers do not depend on who asks. Each stream of each rank points to its communicator; a channel has no table,
// because the one that faces it follows by arithmetic.

namespace orrery::workload {
namespace {

Status check_group_members(const Workload& job, const CommGroup& group) {
  std::vector<std::uint32_t> sorted = group.ranks;
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty() && sorted.back() >= job.rank_count()) {
    return Error{.message = fmt::format("group \"{}\" lists rank {}, but the job has {}", job.strings.text(group.name),
                                        sorted.back(), report::counted(job.rank_count(), "rank"))};
  }
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return {};
  return Error{.message = fmt::format("group \"{}\" lists rank {} twice", job.strings.text(group.name), *twice)};
}

// Nothing if it does not say how many, or has none.
std::optional<std::uint64_t> announced_collectives(const ProgramStructure& program, StringId group_name) {
  const std::uint32_t stream = program.find_stream(group_name);
  if (!program.length || stream == kNoLine) return std::nullopt;
  return program.length->collectives[stream];
}

}  // namespace

Status check_roles(const Workload& job) {
  if (job.rank_count() > std::numeric_limits<std::int32_t>::max())
    return Error{.message = "there are more than 2^31 ranks"};
  for (const Role& role : job.roles) {
    const Status status = role.check(job.rank_count());
    if (!status)
      return Error{.message = fmt::format("role \"{}\": {}", job.strings.text(role.name), status.error().message)};
  }
  return {};
}

Result<Membership> Membership::of(const Workload& job, std::vector<ProgramStructure> structures) {
  if (const Status status = check_roles(job); !status) return status.error();
  for (std::size_t rank = 0; rank < job.rank_count(); ++rank) {
    if (job.program_of_rank[rank] >= structures.size())
      return Error{.message =
                       fmt::format("rank {} runs program {}, which does not exist", rank, job.program_of_rank[rank])};
  }
  Membership membership(job);
  membership.structures_ = std::move(structures);
  membership.all_ranks_.resize(job.rank_count());
  std::iota(membership.all_ranks_.begin(), membership.all_ranks_.end(), 0);
  membership.first_stream_.push_back(0);
  for (std::uint32_t rank = 0; rank < job.rank_count(); ++rank)
    membership.first_stream_.push_back(membership.first_stream_.back() + membership.structure(rank).group_names.size());
  membership.communicator_of_.assign(membership.first_stream_.back(), kNoLine);
  if (Status status = membership.add_communicators(); !status) return status.error();
  membership.find_wildcards();
  return membership;
}

Status Membership::add_communicators() {
  if (Status status = add({.ranks = all_ranks_}); !status) return status;
  for (const CommGroup& group : job_->groups) {
    if (Status status = check_group_members(*job_, group); !status) return status;
    if (Status status = add({.name = group.name, .ranks = group.ranks}); !status) return status;
  }
  for (const Role& role : job_->roles) {
    if (Status status = add_groups(role); !status) return status;
  }
  return {};
}

Status Membership::add_groups(const Role& role) {
  const bool used = std::any_of(structures_.begin(), structures_.end(), [&](const ProgramStructure& structure) {
    return structure.find_stream(role.name) != kNoLine;
  });
  if (!used) return {};
  std::vector<bool> seen(job_->rank_count() / role.size());
  for (std::uint32_t rank = 0; rank < job_->rank_count(); ++rank) {
    const std::uint32_t group = role.group_of(rank);
    // A rank meets its group when its first member is met.
    if (seen[group]) continue;  // in the order of first ranks, which is that of the numbers
    seen[group] = true;
    role_groups_.push_back(role.ranks_with(rank));
    const Status status = add({.name = role.name, .ranks = role_groups_.back(), .is_role = true});
    if (!status) return status;
  }
  return {};
}

// The communicator, if any of its members runs anything on it.
Status Membership::add(Communicator communicator) {
  const auto number = static_cast<std::uint32_t>(communicators_.size());
  bool used = false;
  for (const std::uint32_t rank : communicator.ranks) {
    const std::uint32_t stream = structure(rank).find_stream(communicator.name);
    if (stream == kNoLine) continue;
    std::uint32_t& place = communicator_of_[first_stream_[rank] + stream];
    if (place != kNoLine)
      return Error{.message = fmt::format("group \"{}\" is given twice", job_->strings.text(communicator.name))};
    place = number;
    used = true;
  }
  if (used) communicators_.push_back(communicator);
  return {};
}

std::string Membership::name_of(const Communicator& communicator) const {
  if (communicator.name == 0) return "all ranks";
  return fmt::format("{} \"{}\"", communicator.is_role ? "role" : "group", job_->strings.text(communicator.name));
}

std::uint32_t Membership::peer(std::uint32_t rank, const ChannelKey& channel) const {
  if (channel.role == 0) return channel.peer < 0 ? kNoRank : static_cast<std::uint32_t>(channel.peer);
  const Role* const role = job_->find_role(channel.role);
  return role == nullptr ? kNoRank : role->neighbour(rank, channel.peer);
}

std::uint32_t Membership::facing(std::uint32_t rank, const ChannelKey& channel) const {
  ChannelKey key = channel;
  key.is_send = !channel.is_send;
  if (channel.role == 0) {
    key.peer = rank;
  } else {  // as far back as the other is ahead
    const std::int64_t size = job_->find_role(channel.role)->size();
    // In a ring of `size` members `peer` steps ahead and `size - peer` steps ahead are each other's opposite.
    key.peer = (size - channel.peer) % size;
  }
  return structure(peer(rank, channel)).find_channel(key);
}

void Membership::find_wildcards() {
  takes_as_posted_.assign(job_->rank_count(), false);
  std::vector<bool> is_wild;
  for (const ProgramStructure& structure : structures_) is_wild.push_back(structure.has_wildcards());
  for (std::uint32_t rank = 0; rank < job_->rank_count(); ++rank) {
    if (!is_wild[job_->program_of_rank[rank]]) continue;
    for (const ChannelKey& channel : structure(rank).channels) {
      if (!channel.is_wildcard()) continue;
      // A wildcard decides for its receiver: then also messages to it that name their sender are taken as they are
      // posted.
      const std::uint32_t receiver = channel.is_send ? peer(rank, channel) : rank;
      if (receiver >= job_->rank_count()) continue;  // an error, which is told elsewhere
      takes_as_posted_[receiver] = true;
      has_wildcards_ = true;
    }
  }
}

Status Membership::check() const {
  for (std::uint32_t rank = 0; rank < job_->rank_count(); ++rank) {
    const ProgramStructure& program = structure(rank);
    for (std::uint32_t s = 0; s < program.group_names.size(); ++s) {
      if (communicator_number(rank, s) != kNoLine) continue;
      const std::string_view group = job_->strings.text(program.group_names[s]);
      return Error{.message = fmt::format(
                       "rank {} has collectives of group \"{}\", which {}", rank, group,
                       job_->find_group(program.group_names[s]) == nullptr ? "is not known" : "does not list it")};
    }
    if (Status status = check_rank_channels(rank); !status) return status;
  }
  for (const Communicator& communicator : communicators_) {
    for (const std::uint32_t rank : communicator.ranks) {
      if (structure(rank).find_stream(communicator.name) == kNoLine)
        return Error{.message = fmt::format("rank {} has no collectives of {}, and other members have", rank,
                                            name_of(communicator))};
      const std::optional<std::uint64_t> here = announced_collectives(structure(rank), communicator.name),
                                         first =
                                             announced_collectives(structure(communicator.ranks[0]), communicator.name);
      // Lengths that programs do not announce are compared when they are executed.
      if (!here || !first || *here == *first) continue;
      return Error{.message =
                       fmt::format("rank {} has {} of {}, rank {} has {}", rank, report::counted(*here, "collective"),
                                   name_of(communicator), communicator.ranks[0], *first)};
    }
  }
  return {};
}

Status Membership::check_rank_channels(std::uint32_t rank) const {
  for (const ChannelKey& channel : structure(rank).channels) {
    if (channel.role != 0 && job_->find_role(channel.role) == nullptr) {
      return Error{.message = fmt::format("rank {} counts ranks in role \"{}\", which is not known", rank,
                                          job_->strings.text(channel.role))};
    }
    const std::uint32_t other = peer(rank, channel);
    if (other == kNoRank && !channel.is_send) continue;
    if (other >= job_->rank_count())
      return Error{.message = fmt::format("rank {} names rank {}, but the job has {}", rank, channel.peer,
                                          report::counted(job_->rank_count(), "rank"))};
    if (takes_as_posted(channel.is_send ? other : rank) || facing(rank, channel) != kNoLine) continue;
    return Error{.message = fmt::format("rank {} {} rank {} with tag {}, which never {}", rank,
                                        channel.is_send ? "sends to" : "receives from", other, channel.tag,
                                        channel.is_send ? "receives that" : "sends that")};
  }
  return {};
}

}  // namespace orrery::workload
