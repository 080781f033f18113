#include "workload/collective_parts.h"

#include <algorithm>
#include <limits>

namespace orrery::workload {
namespace {

bool all_share_a_program(const Workload& job, const Communicator& communicator) {
  const auto& program_of = job.program_of_rank;
  const std::uint32_t program = program_of[communicator.ranks[0]];
  return std::all_of(communicator.ranks.begin(), communicator.ranks.end(),
                     [&](std::uint32_t rank) { return program_of[rank] == program; });
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
  // Rounded up: a part of a byte is one.
  parts.insert(parts.end(), ranks, program.bytes[activity] / count + (program.bytes[activity] % count != 0 ? 1 : 0));
}

}  // namespace

void collect_parts(const Workload& job, const Communicator& communicator, const SideOf& side_of,
                   std::vector<std::int64_t>& parts) {
  parts.clear();
  const Side first = side_of(communicator.ranks[0]);
  const Collective kind = first.program->collectives[first.activity];
  const auto bytes_of = [](const Side& side) { return side.program->bytes[side.activity]; };
  switch (kind) {
    case Collective::scatter:
    case Collective::reduce_scatter: {  // lists agree, but of a scatter only the root must have one
      const Side root = is_rooted(kind)
                            ? side_of(communicator.ranks[root_place(communicator, *first.program, first.activity)])
                            : first;
      const std::span<const std::int64_t> given = root.program->parts_of(root.activity);
      parts.assign(given.begin(), given.end());
      break;
    }
    case Collective::all_gather:
    case Collective::gather:
      // One program has one size for all its ranks.
      if (all_share_a_program(job, communicator)) return;
      for (const std::uint32_t rank : communicator.ranks) parts.push_back(bytes_of(side_of(rank)));
      break;
    case Collective::all_to_all: {
      const auto has_list = [](const Side& side) { return !side.program->parts_of(side.activity).empty(); };
      const auto is_plain = [&](std::uint32_t rank) {
        const Side side = side_of(rank);
        return !has_list(side) && bytes_of(side) == bytes_of(first);
      };
      if (!has_list(first) && all_share_a_program(job, communicator)) return;
      if (std::all_of(communicator.ranks.begin(), communicator.ranks.end(), is_plain)) return;
      for (const std::uint32_t rank : communicator.ranks) {
        const Side side = side_of(rank);
        append_row(*side.program, side.activity, communicator.ranks.size(), parts);
      }
      break;
    }
    default: return;
  }
  if (are_equal(parts)) parts.clear();
}

void collect_parts(const Matching& matching, const Communicator& communicator, std::uint64_t place,
                   std::vector<std::int64_t>& parts) {
  const Workload& workload = matching.workload();
  collect_parts(
      workload, communicator,
      [&](std::uint32_t rank) {
        return Side{rank, &workload.program(rank), matching.activity_of(communicator, rank, place)};
      },
      parts);
}

std::int64_t whole_bytes_of_parts(Collective collective, std::span<const std::int64_t> parts, std::size_t ranks) {
  if (collective != Collective::all_to_all) return sum_of(parts);
  std::int64_t most = 0;
  // Members go on when the one with most has sent it.
  for (std::size_t row = 0; row < ranks; ++row) most = std::max(most, sum_of(parts.subspan(row * ranks, ranks)));
  return most;
}

}  // namespace orrery::workload
