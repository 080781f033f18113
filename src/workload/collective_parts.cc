#include "workload/collective_parts.h"

#include <algorithm>
#include <limits>

namespace orrery::workload {
namespace {

bool all_share_a_program(const Matching& matching, const Communicator& communicator) {
  const auto& program_of = matching.workload().program_of_rank;
  const std::uint32_t program = program_of[communicator.ranks[0]];
  return std::all_of(communicator.ranks.begin(), communicator.ranks.end(), [&](std::uint32_t rank) { return program_of[rank] == program; });
}

bool are_equal(std::span<const std::int64_t> parts) {
  return std::all_of(parts.begin(), parts.end(), [&](std::int64_t part) { return part == parts[0]; });
}

std::int64_t sum_of(std::span<const std::int64_t> parts) {
  std::int64_t sum = 0;
  for (const std::int64_t part : parts) {
    if (__builtin_add_overflow(sum, part, &sum)) return std::numeric_limits<std::int64_t>::max();
  }
  return sum;
}

// What one member sends to each of the others.
void append_row(const Program& program, std::uint32_t activity, std::size_t ranks, std::vector<std::int64_t>& parts) {
  const std::span<const std::int64_t> given = program.parts_of(activity);
  if (!given.empty()) {
    parts.insert(parts.end(), given.begin(), given.end());
    return;
  }
  const auto count = static_cast<std::int64_t>(ranks);
  parts.insert(parts.end(), ranks, program.bytes[activity] / count + (program.bytes[activity] % count != 0 ? 1 : 0));
}

}  // namespace

void collect_parts(const Matching& matching, const Communicator& communicator, std::uint64_t place, std::vector<std::int64_t>& parts) {
  parts.clear();
  const Workload& workload = matching.workload();
  const std::uint32_t first = communicator.ranks[0], activity = matching.activity_of(communicator, first, place);
  const Program& program = workload.program(first);
  const Collective kind = program.collectives[activity];
  switch (kind) {
    case Collective::scatter:
    case Collective::reduce_scatter: {  // lists agree, but of a scatter only the root must have one
      const std::uint32_t root = is_rooted(kind) ? communicator.ranks[matching.root_place(communicator, first, activity)] : first;
      const std::span<const std::int64_t> given = workload.program(root).parts_of(matching.activity_of(communicator, root, place));
      parts.assign(given.begin(), given.end());
      break;
    }
    case Collective::all_gather:
    case Collective::gather:
      if (all_share_a_program(matching, communicator)) return;
      for (const std::uint32_t rank : communicator.ranks)
        parts.push_back(workload.program(rank).bytes[matching.activity_of(communicator, rank, place)]);
      break;
    case Collective::all_to_all: {
      const auto has_list = [&](std::uint32_t rank) {
        return !workload.program(rank).parts_of(matching.activity_of(communicator, rank, place)).empty();
      };
      const auto sends_as_much = [&](std::uint32_t rank) {
        return workload.program(rank).bytes[matching.activity_of(communicator, rank, place)] == program.bytes[activity];
      };
      if (!has_list(first) && all_share_a_program(matching, communicator)) return;
      if (!std::any_of(communicator.ranks.begin(), communicator.ranks.end(), has_list) &&
          std::all_of(communicator.ranks.begin(), communicator.ranks.end(), sends_as_much))
        return;
      for (const std::uint32_t rank : communicator.ranks)
        append_row(workload.program(rank), matching.activity_of(communicator, rank, place), communicator.ranks.size(), parts);
      break;
    }
    default: return;
  }
  if (are_equal(parts)) parts.clear();
}

std::int64_t whole_bytes_of_parts(Collective collective, std::span<const std::int64_t> parts, std::size_t ranks) {
  if (collective != Collective::all_to_all) return sum_of(parts);
  std::int64_t most = 0;
  for (std::size_t row = 0; row < ranks; ++row) most = std::max(most, sum_of(parts.subspan(row * ranks, ranks)));
  return most;
}

}  // namespace orrery::workload
