#include "replay/mpi/replay_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <set>

#include "base/units.h"
#include "replay/mpi/plan_rank.h"
#include "workload/collective_parts.h"

namespace orrery::replay {
namespace {

using workload::ActivityKind;
using workload::Program;

constexpr std::int64_t kMostCount = INT_MAX;

/// MPI counts in ints: whole elements of up to 16 bytes (mpi_plugin/replay_calls.cc).
bool fits_counts(std::int64_t bytes) {
  for (const std::int64_t element : {1, 4, 8, 16}) {
    if (bytes % element == 0 && bytes / element <= kMostCount) return true;
  }
  return false;
}

}  // namespace

Result<ReplayPlan> ReplayPlan::of(const workload::Workload& workload) {
  Result<workload::Matching> matching = workload::Matching::of(workload);
  if (!matching) return matching.error();
  ReplayPlan plan(std::move(*matching));
  if (Status planned = plan.plan_programs(); !planned) return planned.error();
  if (Status numbered = plan.number_tags(); !numbered) return numbered.error();
  if (Status checked = plan.check_sizes(); !checked) return checked.error();
  plan.find_roles();
  return plan;
}

Status ReplayPlan::plan_programs() {
  const workload::Workload& job = workload();
  plans_.resize(job.programs.size());
  for (std::uint32_t rank = 0; rank < job.rank_count(); ++rank) {
    const std::uint32_t number = job.program_of_rank[rank];
    const Program& program = job.programs[number];
    // Ranks that run one program share its plan.
    if (plans_[number].size() > 0 || program.size() == 0) continue;
    auto made = simulate::plan_program(job, rank, program, matching_.lines_of_program(number), {});
    if (!made) return made.error();
    plans_[number] = std::move(*made);
  }
  return {};
}

Status ReplayPlan::number_tags() {
  const workload::Workload& job = workload();
  std::set<std::int64_t> tags;
  for (std::uint32_t rank = 0; rank < job.rank_count(); ++rank) {
    for (const workload::Channel& channel : matching_.lines(rank).channels) {
      if (channel.key.tag != workload::kAnyTag) tags.insert(channel.key.tag);
      else if (channel.key.is_send)
        return Error{
            .message = job.describe(rank, channel.activities.front()) + ": a send of any tag, which MPI does not have",
            .hint = "give sends and receives a tag"};
    }
  }
  // Tags that MPI takes are kept, so that a trace of the replay has the recorded ones.
  if (tags.empty() || (*tags.begin() >= 0 && *tags.rbegin() <= INT_MAX)) return {};
  std::int32_t next = 0;
  // In the order of tags, so that all ranks give the same numbers.
  for (const std::int64_t tag : tags) tags_[tag] = next++;
  return {};
}

Status ReplayPlan::check_sizes() const {
  const workload::Workload& job = workload();
  for (std::uint32_t rank = 0; rank < job.rank_count(); ++rank) {
    const Program& program = job.program(rank);
    for (std::uint32_t i = 0; i < program.size(); ++i) {
      if (program.kinds[i] != ActivityKind::send && program.kinds[i] != ActivityKind::collective) continue;
      const std::size_t members =
          program.kinds[i] == ActivityKind::collective ? matching_.communicator(rank, i).ranks.size() : 1;
      const bool is_gathered = program.kinds[i] == ActivityKind::collective && program.part_lists[i] == 0;
      // What one rank holds at the end may be more than what it sends.
      const std::int64_t most =
          is_gathered ? workload::whole_bytes(program.collectives[i], program.bytes[i], members) : program.bytes[i];
      if (fits_counts(program.bytes[i]) && most / 16 <= kMostCount) continue;
      return Error{.message = fmt::format("{}: {} in one call is beyond the counts of MPI, which are 32 bits wide",
                                          job.describe(rank, i), format_bytes(static_cast<std::uint64_t>(most))),
                   .hint = "sizes above 2 GiB have to be multiples of 4, 8 or 16 bytes, and below 32 GiB"};
    }
  }
  return {};
}

void ReplayPlan::find_roles() {
  const workload::Workload& job = workload();
  std::set<StringId> roles;
  largest_to_.assign(job.rank_count(), 0);
  for (std::uint32_t rank = 0; rank < job.rank_count(); ++rank) {
    for (const workload::Channel& channel : matching_.lines(rank).channels) {
      if (channel.key.role != 0) roles.insert(channel.key.role);
      const std::uint32_t peer = matching_.membership().peer(rank, channel.key);
      if (!channel.key.is_send || peer == workload::Membership::kNoRank) continue;
      for (const std::uint32_t send : channel.activities)
        // So much room a rank needs for the largest message that may come to it.
        largest_to_[peer] = std::max(largest_to_[peer], job.program(rank).bytes[send]);
    }
  }
  message_roles_.assign(roles.begin(), roles.end());
}

RankProgram ReplayPlan::program(std::uint32_t rank) const {
  const std::uint32_t number = workload().program_of_rank[rank];
  return plan_rank({matching_, plans_[number], tags_, message_roles_, largest_to_[rank]}, rank);
}

}  // namespace orrery::replay
