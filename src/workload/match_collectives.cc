// The rules for collectives.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "report/counted.h"
#include "workload/agreement.h"
#include "workload/matching.h"

namespace orrery::workload {

/// Matches the members of one communicator after the other.
class CollectiveRules {
 public:
  explicit CollectiveRules(Matching& matching) : matching_(matching), workload_(matching.workload()) {}

  Status match() {
    matching_.first_operation_.assign(1, 0);
    for (const Communicator& communicator : matching_.communicators()) {
      if (Status status = compare_members(communicator); !status) return status;
      matching_.first_operation_.push_back(matching_.first_operation_.back() +
                                           stream_of(communicator, communicator.ranks[0]).size());
    }
    return check_memberships();
  }

 private:
  [[nodiscard]] std::string_view group_text(StringId name) const { return workload_.strings.text(name); }
  [[nodiscard]] Side side(std::uint32_t rank, std::uint32_t activity) const {
    return {rank, &workload_.program(rank), activity};
  }

  [[nodiscard]] std::span<const std::uint32_t> stream_of(const Communicator& communicator, std::uint32_t rank) const {
    const ProgramLines& lines = matching_.lines(rank);
    const std::uint32_t stream = lines.find_stream(communicator.name);
    if (stream == kNoLine) return {};
    return lines.streams[stream].activities;
  }

  // All with the first: what two programs agree on in one group of a role they agree on in all.
  Status compare_members(const Communicator& communicator) {
    const std::uint32_t first = communicator.ranks[0], program = workload_.program_of_rank[first];
    if (Status status = check_first(communicator); !status) return status;
    for (std::size_t m = 1; m < communicator.ranks.size(); ++m) {
      const std::uint32_t other = workload_.program_of_rank[communicator.ranks[m]];
      if (program == other) continue;
      // Within a role all groups are alike: two programs that agree in one of them agree in all.
      if (communicator.is_role && !compared_.emplace(communicator.name, program, other).second) continue;
      if (Status status = compare(communicator, communicator.ranks[m]); !status) return status;
    }
    return {};
  }

  Status compare(const Communicator& communicator, std::uint32_t rank_b) const {
    const std::uint32_t rank_a = communicator.ranks[0];
    const std::span<const std::uint32_t> a = stream_of(communicator, rank_a), b = stream_of(communicator, rank_b);
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      const Status agree =
          check_members_agree(matching_.membership(), communicator, i, side(rank_a, a[i]), side(rank_b, b[i]));
      if (!agree) return agree;
    }
    if (a.size() == b.size()) return {};
    const bool a_has_more = a.size() > b.size();
    const std::size_t shorter = std::min(a.size(), b.size());
    return Error{.message = fmt::format(
                     "{} waits for rank {}, which takes part in only {} of {}",
                     a_has_more ? workload_.describe(rank_a, a[shorter]) : workload_.describe(rank_b, b[shorter]),
                     a_has_more ? rank_b : rank_a, report::counted(shorter, "collective"),
                     matching_.membership().name_of(communicator))};
  }

  [[nodiscard]] Status check_first(const Communicator& communicator) const {
    const std::uint32_t rank = communicator.ranks[0];
    for (const std::uint32_t i : stream_of(communicator, rank)) {
      if (Status status = check_first_member(matching_.membership(), communicator, side(rank, i)); !status)
        return status;
    }
    return {};
  }

  // Every rank with collectives of a group must be listed there.
  [[nodiscard]] Status check_memberships() const {
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
      const ProgramLines& lines = matching_.lines(rank);
      for (std::uint32_t s = 0; s < lines.streams.size(); ++s) {
        if (matching_.communicator_number(rank, s) == kNoLine) return stranger(rank, lines.streams[s]);
      }
    }
    return {};
  }

  [[nodiscard]] Error stranger(std::uint32_t rank, const Stream& stream) const {
    const std::string who = workload_.describe(rank, stream.activities.front());
    if (workload_.find_group(stream.group_name) == nullptr)
      return {.message = fmt::format("{} is in group \"{}\", which is not known", who, group_text(stream.group_name))};
    return {.message = fmt::format("{} is in group \"{}\", which does not list rank {}", who,
                                   group_text(stream.group_name), rank)};
  }

  Matching& matching_;
  const Workload& workload_;
  std::set<std::tuple<StringId, std::uint32_t, std::uint32_t>> compared_;  // role and two programs
};

Status match_collectives(Matching& matching) { return CollectiveRules(matching).match(); }

}  // namespace orrery::workload
