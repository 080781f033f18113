#include "workload/agreement.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/counted.h"

namespace orrery::workload {
namespace {

// Empty if they agree.
std::string difference(const Communicator& communicator, const Side& a, const Side& b) {
  const Collective kind = a.program->collectives[a.activity];
  if (kind != b.program->collectives[b.activity]) return "kind";
  // A barrier has neither size nor root.
  if (kind == Collective::barrier) return {};
  const std::int64_t bytes_a = a.program->bytes[a.activity], bytes_b = b.program->bytes[b.activity];
  if (!may_have_unequal_parts(kind) && bytes_a != bytes_b)
    return fmt::format("size: {} and {} bytes", bytes_a, bytes_b);
  // The parts of the first side were checked before; these are held against the same number.
  const std::size_t parts_b = b.program->parts_of(b.activity).size();
  if (parts_b != 0 && parts_b != communicator.ranks.size())
    return fmt::format("number of parts: {} for {}", parts_b, report::counted(communicator.ranks.size(), "rank"));
  if (!is_rooted(kind)) return {};
  const std::uint32_t root_a = root_place(communicator, *a.program, a.activity),
                      root_b = root_place(communicator, *b.program, b.activity);
  if (root_a == root_b) return {};
  const auto text = [&](std::uint32_t place, const Side& side) {
    return place < communicator.ranks.size() ? communicator.ranks[place]
                                             : static_cast<std::uint32_t>(side.program->peers[side.activity]);
  };
  return fmt::format("root: {} and {}", text(root_a, a), text(root_b, b));
}

std::string describe(const Workload& job, const Side& side) {
  return job.describe(side.rank, *side.program, side.activity);
}

}  // namespace

std::uint32_t root_place(const Communicator& communicator, const Program& program, std::uint32_t activity) {
  if (!program.has(activity, activity::kHasPeer)) return 0;
  if (communicator.is_role) return static_cast<std::uint32_t>(program.peers[activity]);
  const auto at = std::find(communicator.ranks.begin(), communicator.ranks.end(),
                            static_cast<std::uint32_t>(program.peers[activity]));
  return static_cast<std::uint32_t>(at - communicator.ranks.begin());
}

Status check_first_member(const Membership& membership, const Communicator& communicator, const Side& first) {
  const std::span<const std::int64_t> parts = first.program->parts_of(first.activity);
  if (!parts.empty() && parts.size() != communicator.ranks.size()) {
    return Error{.message = fmt::format("{} has {}, but {} has {}", describe(membership.job(), first),
                                        report::counted(parts.size(), "part"), membership.name_of(communicator),
                                        report::counted(communicator.ranks.size(), "rank"))};
  }
  if (!is_rooted(first.program->collectives[first.activity])) return {};
  if (root_place(communicator, *first.program, first.activity) < communicator.ranks.size()) return {};
  return Error{.message = fmt::format("{} has its root at {} {}, which is not in {}", describe(membership.job(), first),
                                      communicator.is_role ? "place" : "rank", first.program->peers[first.activity],
                                      membership.name_of(communicator))};
}

Status check_members_agree(const Membership& membership, const Communicator& communicator, std::uint64_t place,
                           const Side& a, const Side& b) {
  const std::string differs = difference(communicator, a, b);
  if (differs.empty()) return {};
  return Error{.message =
                   fmt::format("{} and {} are both collective {} of {} but differ in {}", describe(membership.job(), a),
                               describe(membership.job(), b), place, membership.name_of(communicator), differs)};
}

Status check_sizes_agree(const Workload& job, const Side& send, const Side& recv) {
  const std::int64_t sent = send.program->bytes[send.activity], expected = recv.program->bytes[recv.activity];
  // A receive without a size takes what comes.
  if (sent == expected || !recv.program->has(recv.activity, activity::kHasBytes)) return {};
  return Error{.message = fmt::format("{} sends {} bytes but {} expects {}", describe(job, send), sent,
                                      describe(job, recv), expected)};
}

}  // namespace orrery::workload
