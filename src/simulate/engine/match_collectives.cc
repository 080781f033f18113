#include <fmt/format.h>

#include <algorithm>

#include "simulate/engine/job_plan.h"

namespace orrery::simulate {
namespace {

/// Matches the members of one communicator after the other.
class CollectiveMatcher {
 public:
  CollectiveMatcher(const workload::Workload& workload, JobPlan& plan) : workload_(workload), plan_(plan) {}

  Status match() {
    plan_.communicator_of.resize(plan_.programs.size());
    for (std::size_t p = 0; p < plan_.programs.size(); ++p) plan_.communicator_of[p].assign(plan_.programs[p].streams.size(), kNone);
    if (Status status = add(0, plan_.all_ranks); !status) return status;
    for (const workload::CommGroup& group : workload_.groups) {
      if (Status status = check_members(group); !status) return status;
      if (Status status = add(group.name, group.ranks); !status) return status;
    }
    return check_memberships();
  }

 private:
  [[nodiscard]] const ProgramPlan& plan_of(std::uint32_t rank) const { return plan_.programs[workload_.program_of_rank[rank]]; }
  [[nodiscard]] std::string_view group_text(StringId name) const { return workload_.strings.text(name); }

  Status check_members(const workload::CommGroup& group) {
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

  // The communicator, if any of its members runs anything on it.
  Status add(StringId name, std::span<const std::uint32_t> ranks) {
    Communicator communicator{name, ranks, {}, plan_.collective_count, 0};
    bool used = false;
    for (const std::uint32_t rank : ranks) {
      communicator.stream_of_rank.push_back(plan_of(rank).find_stream(name));
      used = used || communicator.stream_of_rank.back() != kNone;
    }
    if (!used) return {};
    if (Status status = compare_members(communicator); !status) return status;
    const auto number = static_cast<std::uint32_t>(plan_.communicators.size());
    for (std::size_t m = 0; m < ranks.size(); ++m)
      plan_.communicator_of[workload_.program_of_rank[ranks[m]]][communicator.stream_of_rank[m]] = number;
    communicator.operation_count = static_cast<std::uint32_t>(stream_of(communicator, 0).size());
    plan_.collective_count += communicator.operation_count;
    plan_.communicators.push_back(std::move(communicator));
    return {};
  }

  [[nodiscard]] std::span<const std::uint32_t> stream_of(const Communicator& communicator, std::size_t member) const {
    const std::uint32_t stream = communicator.stream_of_rank[member];
    if (stream == kNone) return {};
    return plan_of(communicator.ranks[member]).streams[stream].activities;
  }

  Status compare_members(const Communicator& communicator) {
    const std::uint32_t first = communicator.ranks[0];
    if (Status status = check_roots(communicator); !status) return status;
    for (std::size_t m = 1; m < communicator.ranks.size(); ++m) {
      const std::uint32_t other = communicator.ranks[m];
      if (workload_.program_of_rank[first] == workload_.program_of_rank[other]) continue;
      if (Status status = compare(communicator, m); !status) return status;
    }
    return {};
  }

  Status compare(const Communicator& communicator, std::size_t member) {
    const std::span<const std::uint32_t> a = stream_of(communicator, 0), b = stream_of(communicator, member);
    const std::uint32_t rank_a = communicator.ranks[0], rank_b = communicator.ranks[member];
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      const std::string differs = difference(workload_.program(rank_a), a[i], workload_.program(rank_b), b[i]);
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

  static std::string difference(const workload::Program& a, std::uint32_t i, const workload::Program& b, std::uint32_t j) {
    if (a.collectives[i] != b.collectives[j]) return "kind";
    if (a.collectives[i] == workload::Collective::barrier) return {};
    if (a.bytes[i] != b.bytes[j]) return fmt::format("size: {} and {} bytes", a.bytes[i], b.bytes[j]);
    if (workload::is_rooted(a.collectives[i]) && a.peers[i] != b.peers[j]) return fmt::format("root: {} and {}", a.peers[i], b.peers[j]);
    return {};
  }

  // Of the first member: the others agree with it or are refused.
  Status check_roots(const Communicator& communicator) {
    const std::uint32_t rank = communicator.ranks[0];
    const workload::Program& program = workload_.program(rank);
    for (const std::uint32_t i : stream_of(communicator, 0)) {
      if (!workload::is_rooted(program.collectives[i])) continue;
      const auto at = std::find(communicator.ranks.begin(), communicator.ranks.end(), static_cast<std::uint32_t>(program.peers[i]));
      if (program.peers[i] >= 0 && at != communicator.ranks.end()) continue;
      return Error{.message = fmt::format("{} has its root at rank {}, which is not in {}", workload_.describe(rank, i), program.peers[i],
                                          name_of(communicator))};
    }
    return {};
  }

  // Every rank with collectives of a group must be listed there. Ranks that share a program share its groups, so all of them are looked up.
  Status check_memberships() {
    std::vector<std::vector<std::uint32_t>> listed(plan_.programs.size());  // per program and stream: how many of its ranks are members
    for (std::size_t p = 0; p < listed.size(); ++p) listed[p].assign(plan_.programs[p].streams.size(), 0);
    for (const Communicator& communicator : plan_.communicators) {
      for (std::size_t m = 0; m < communicator.ranks.size(); ++m)
        ++listed[workload_.program_of_rank[communicator.ranks[m]]][communicator.stream_of_rank[m]];
    }
    std::vector<std::uint32_t> ranks_of(plan_.programs.size(), 0);
    for (const std::uint32_t program : workload_.program_of_rank) ++ranks_of[program];
    for (std::size_t p = 0; p < listed.size(); ++p) {
      for (std::size_t s = 0; s < listed[p].size(); ++s) {
        if (listed[p][s] != ranks_of[p]) return stranger(p, s);
      }
    }
    return {};
  }

  Error stranger(std::size_t p, std::size_t s) {
    const Stream& stream = plan_.programs[p].streams[s];
    const workload::CommGroup* group = stream.group_name == 0 ? nullptr : workload_.find_group(stream.group_name);
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
      if (workload_.program_of_rank[rank] != p) continue;
      if (group != nullptr && std::find(group->ranks.begin(), group->ranks.end(), rank) != group->ranks.end()) continue;
      const std::string who = workload_.describe(rank, stream.activities.front());
      if (group == nullptr)
        return {.message = fmt::format("{} is in group \"{}\", which is not known", who, group_text(stream.group_name))};
      return {.message = fmt::format("{} is in group \"{}\", which does not list rank {}", who, group_text(stream.group_name), rank)};
    }
    return {.message = fmt::format("group \"{}\" is given twice", group_text(stream.group_name))};
  }

  [[nodiscard]] std::string name_of(const Communicator& communicator) const {
    return communicator.name == 0 ? std::string("all ranks") : fmt::format("group \"{}\"", group_text(communicator.name));
  }

  const workload::Workload& workload_;
  JobPlan& plan_;
};

}  // namespace

Status match_collectives(const workload::Workload& workload, JobPlan& plan) { return CollectiveMatcher(workload, plan).match(); }

}  // namespace orrery::simulate
