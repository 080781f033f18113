#include "workload/matching.h"

#include <fmt/format.h>

#include <utility>

#include "report/counted.h"

namespace orrery::workload {
namespace {

Status check_programs(const Workload& workload) {
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::uint32_t program = workload.program_of_rank[rank];
    if (program >= workload.programs.size())
      return Error{.message = fmt::format("rank {} runs program {}, which does not exist", rank, program)};
    const Program& made = workload.programs[program];
    if (made.dependencies.node_count() != made.size()) {
      return Error{.message = fmt::format("rank {} has {} but dependencies between {}", rank,
                                          report::counted(made.size(), "activity", "activities"),
                                          made.dependencies.node_count())};
    }
  }
  return {};
}

}  // namespace

Result<Matching> Matching::of(const Workload& workload) {
  if (const Status status = check_roles(workload); !status) return status.error();
  if (const Status status = check_programs(workload); !status) return status.error();
  std::vector<ProgramLines> programs;
  std::vector<ProgramStructure> structures;
  for (const Program& program : workload.programs) {
    programs.push_back(lines_of(workload, program));
    structures.push_back(structure_of(programs.back()));
  }
  Result<Membership> membership = Membership::of(workload, std::move(structures));
  if (!membership) return membership.error();
  Matching matching(std::move(*membership), std::move(programs));
  matching.first_send_.push_back(0);
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    matching.first_send_.push_back(matching.first_send_.back() + matching.lines(rank).sends.size());
  if (const Status status = match_collectives(matching); !status) return status.error();
  if (const Status status = match_messages(matching); !status) return status.error();
  return matching;
}

std::optional<Message> Matching::message(std::uint32_t rank, std::uint32_t activity) const {
  const LinePlace here = place(rank, activity);
  const ChannelKey& key = lines(rank).channels[here.line].key;
  const std::uint32_t other = membership_.peer(rank, key);
  // Whoever takes what comes first has no partner that could be told beforehand.
  if (other == Membership::kNoRank || membership_.takes_as_posted(key.is_send ? other : rank)) return std::nullopt;
  const std::uint32_t line = membership_.facing(rank, key);
  if (line == kNoLine || here.place >= lines(other).channels[line].activities.size()) return std::nullopt;
  const std::uint32_t partner = lines(other).channels[line].activities[here.place];
  Message message{rank, other, activity, partner, 0};
  if (!key.is_send) message = {other, rank, partner, activity, 0};
  message.bytes = workload().program(message.source).bytes[message.send];
  return message;
}

}  // namespace orrery::workload
