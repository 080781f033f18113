// The rules for collectives.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "workload/matching.h"

namespace orrery::workload {

/// Matches the members of one communicator after the other.
class CollectiveRules {
 public:
  explicit CollectiveRules(Matching& matching) : matching_(matching), workload_(matching.workload()) {}

  Status match() {
    matching_.communicator_of_.assign(matching_.first_stream_.back(), kNoLine);
    if (Status status = add({.ranks = matching_.all_ranks_}); !status) return status;
    for (const CommGroup& group : workload_.groups) {
      if (Status status = check_members(group); !status) return status;
      if (Status status = add({.name = group.name, .ranks = group.ranks}); !status) return status;
    }
    for (const Role& role : workload_.roles) {
      if (Status status = add_groups(role); !status) return status;
    }
    return check_memberships();
  }

 private:
  [[nodiscard]] std::string_view group_text(StringId name) const { return workload_.strings.text(name); }
  [[nodiscard]] std::string name_of(const Communicator& communicator) const {
    if (communicator.name == 0) return "all ranks";
    return fmt::format("{} \"{}\"", communicator.is_role ? "role" : "group", group_text(communicator.name));
  }

  Status check_members(const CommGroup& group) const {
    std::vector<std::uint32_t> sorted = group.ranks;
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty() && sorted.back() >= workload_.rank_count()) {
      return Error{.message = fmt::format("group \"{}\" lists rank {}, but there are {} ranks", group_text(group.name), sorted.back(),
                                          workload_.rank_count())};
    }
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice == sorted.end()) return {};
    return Error{.message = fmt::format("group \"{}\" lists rank {} twice", group_text(group.name), *twice)};
  }

  Status add_groups(const Role& role) {
    const bool used = std::any_of(matching_.programs_.begin(), matching_.programs_.end(),
                                  [&](const ProgramLines& lines) { return lines.find_stream(role.name) != kNoLine; });
    if (!used) return {};
    std::vector<bool> seen(workload_.rank_count() / role.size());
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
      const std::uint32_t group = role.group_of(rank);
      if (seen[group]) continue;  // in the order of first ranks, which is that of the numbers
      seen[group] = true;
      matching_.role_groups_.push_back(role.ranks_with(rank));
      const Status status = add({.name = role.name, .ranks = matching_.role_groups_.back(), .is_role = true});
      if (!status) return status;
    }
    return {};
  }

  // The communicator, if any of its members runs anything on it.
  Status add(Communicator communicator) {
    const auto runs = [&](std::uint32_t rank) { return matching_.lines(rank).find_stream(communicator.name) != kNoLine; };
    if (std::none_of(communicator.ranks.begin(), communicator.ranks.end(), runs)) return {};
    if (Status status = compare_members(communicator); !status) return status;
    const auto number = static_cast<std::uint32_t>(matching_.communicators_.size());
    for (const std::uint32_t rank : communicator.ranks) {
      std::uint32_t& place =
          matching_.communicator_of_[matching_.first_stream_[rank] + matching_.lines(rank).find_stream(communicator.name)];
      if (place != kNoLine) return Error{.message = fmt::format("group \"{}\" is given twice", group_text(communicator.name))};
      place = number;
    }
    communicator.first_operation = matching_.collective_count_;
    communicator.operation_count = static_cast<std::uint32_t>(stream_of(communicator, communicator.ranks[0]).size());
    matching_.collective_count_ += communicator.operation_count;
    matching_.communicators_.push_back(communicator);
    return {};
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
      if (communicator.is_role && !compared_.emplace(communicator.name, program, other).second) continue;
      if (Status status = compare(communicator, communicator.ranks[m]); !status) return status;
    }
    return {};
  }

  Status compare(const Communicator& communicator, std::uint32_t rank_b) const {
    const std::uint32_t rank_a = communicator.ranks[0];
    const std::span<const std::uint32_t> a = stream_of(communicator, rank_a), b = stream_of(communicator, rank_b);
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      const std::string differs = difference(communicator, rank_a, a[i], rank_b, b[i]);
      if (differs.empty()) continue;
      return Error{.message = fmt::format("{} and {} are both collective {} of {} but differ in {}", workload_.describe(rank_a, a[i]),
                                          workload_.describe(rank_b, b[i]), i, name_of(communicator), differs)};
    }
    if (a.size() == b.size()) return {};
    const bool a_has_more = a.size() > b.size();
    const std::size_t shorter = std::min(a.size(), b.size());
    return Error{.message = fmt::format("{} waits for rank {}, which takes part in only {} collectives of {}",
                                        a_has_more ? workload_.describe(rank_a, a[shorter]) : workload_.describe(rank_b, b[shorter]),
                                        a_has_more ? rank_b : rank_a, shorter, name_of(communicator))};
  }

  [[nodiscard]] std::string difference(const Communicator& communicator, std::uint32_t rank_a, std::uint32_t i, std::uint32_t rank_b,
                                       std::uint32_t j) const {
    const Program &a = workload_.program(rank_a), &b = workload_.program(rank_b);
    const Collective kind = a.collectives[i];
    if (kind != b.collectives[j]) return "kind";
    if (kind == Collective::barrier) return {};
    if (!may_have_unequal_parts(kind) && a.bytes[i] != b.bytes[j]) return fmt::format("size: {} and {} bytes", a.bytes[i], b.bytes[j]);
    if (!is_rooted(kind)) return {};
    const std::uint32_t root_a = matching_.root_place(communicator, rank_a, i), root_b = matching_.root_place(communicator, rank_b, j);
    if (root_a == root_b) return {};
    const auto text = [&](std::uint32_t place, const Program& program, std::uint32_t activity) {
      return place < communicator.ranks.size() ? communicator.ranks[place] : static_cast<std::uint32_t>(program.peers[activity]);
    };
    return fmt::format("root: {} and {}", text(root_a, a, i), text(root_b, b, j));
  }

  // Roots and parts as the first member gives them: the others agree with it or are refused.
  [[nodiscard]] Status check_first(const Communicator& communicator) const {
    const std::uint32_t rank = communicator.ranks[0];
    const Program& program = workload_.program(rank);
    for (const std::uint32_t i : stream_of(communicator, rank)) {
      const std::span<const std::int64_t> parts = program.parts_of(i);
      if (!parts.empty() && parts.size() != communicator.ranks.size()) {
        return Error{.message = fmt::format("{} has {} parts, but {} has {} ranks", workload_.describe(rank, i), parts.size(),
                                            name_of(communicator), communicator.ranks.size())};
      }
      if (!is_rooted(program.collectives[i])) continue;
      if (matching_.root_place(communicator, rank, i) < communicator.ranks.size()) continue;
      return Error{.message = fmt::format("{} has its root at {} {}, which is not in {}", workload_.describe(rank, i),
                                          communicator.is_role ? "place" : "rank", program.peers[i], name_of(communicator))};
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
    return {.message = fmt::format("{} is in group \"{}\", which does not list rank {}", who, group_text(stream.group_name), rank)};
  }

  Matching& matching_;
  const Workload& workload_;
  std::set<std::tuple<StringId, std::uint32_t, std::uint32_t>> compared_;  // role and two programs
};

Status match_collectives(Matching& matching) { return CollectiveRules(matching).match(); }

}  // namespace orrery::workload
