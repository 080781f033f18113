#include "link/group_inference.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace orrery::link {
namespace {

using workload::Collective;

/// Deals out the collectives of all ranks, the next of each at a time.
class Dealer {
 public:
  Dealer(const std::vector<std::vector<std::uint32_t>>& ungrouped, const std::vector<workload::CommGroup>& groups,
         const workload::Workload& workload)
      : ungrouped_(ungrouped), groups_(groups), workload_(workload), next_(ungrouped.size(), 0), group_of_(ungrouped.size()) {
    for (std::uint32_t rank = 0; rank < ungrouped.size(); ++rank) everybody_.push_back(rank);
  }

  /// Per rank and collective: the number of its group, groups.size() for all ranks. Nothing if it does not come out even.
  std::optional<std::vector<std::vector<std::size_t>>> deal() {
    while (!is_done()) {
      if (agree(everybody_)) {
        take(everybody_, groups_.size());
        continue;
      }
      const std::size_t group = choose();
      if (group == groups_.size()) return std::nullopt;
      take(groups_[group].ranks, group);
    }
    return std::move(group_of_);
  }

 private:
  // Of the groups whose members agree: one after whose collective all ranks agree again, else the one that has done least so far.
  [[nodiscard]] std::size_t choose() {
    std::size_t best = groups_.size(), least_done = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::vector<std::uint32_t>& ranks = groups_[g].ranks;
      if (!agree(ranks)) continue;
      for (const std::uint32_t rank : ranks) ++next_[rank];
      const bool all_agree = agree(everybody_);
      for (const std::uint32_t rank : ranks) --next_[rank];
      if (all_agree) return g;
      if (best == groups_.size() || next_[ranks.front()] < least_done) best = g, least_done = next_[ranks.front()];
    }
    return best;
  }

  [[nodiscard]] bool is_done() const {
    for (std::size_t rank = 0; rank < next_.size(); ++rank) {
      if (next_[rank] < ungrouped_[rank].size()) return false;
    }
    return true;
  }

  // Sizes of rooted collectives differ between the root and the others.
  [[nodiscard]] std::pair<Collective, std::int64_t> next_of(std::uint32_t rank) const {
    const workload::Program& program = workload_.program(rank);
    const std::uint32_t activity = ungrouped_[rank][next_[rank]];
    const Collective kind = program.collectives[activity];
    return {kind, workload::is_rooted(kind) ? 0 : program.bytes[activity]};
  }

  [[nodiscard]] bool agree(const std::vector<std::uint32_t>& ranks) const {
    for (const std::uint32_t rank : ranks) {
      if (rank >= next_.size() || next_[rank] >= ungrouped_[rank].size() || next_of(rank) != next_of(ranks.front())) return false;
    }
    return !ranks.empty();
  }

  void take(const std::vector<std::uint32_t>& ranks, std::size_t group) {
    for (const std::uint32_t rank : ranks) group_of_[rank].push_back(group), ++next_[rank];
  }

  const std::vector<std::vector<std::uint32_t>>& ungrouped_;
  const std::vector<workload::CommGroup>& groups_;
  const workload::Workload& workload_;
  std::vector<std::uint32_t> everybody_;
  std::vector<std::size_t> next_;                   // per rank
  std::vector<std::vector<std::size_t>> group_of_;  // per rank and collective
};

}  // namespace

std::size_t infer_groups(const std::vector<std::vector<std::uint32_t>>& ungrouped, std::vector<workload::CommGroup> groups,
                         workload::Workload& workload) {
  std::stable_sort(groups.begin(), groups.end(), [](const workload::CommGroup& a, const workload::CommGroup& b) {
    return a.ranks.size() != b.ranks.size() ? a.ranks.size() < b.ranks.size() : a.ranks < b.ranks;
  });
  const auto dealt = Dealer(ungrouped, groups, workload).deal();
  if (!dealt) return 0;
  std::size_t changed = 0;
  for (std::size_t rank = 0; rank < ungrouped.size(); ++rank) {
    workload::Program& program = workload.programs[workload.program_of_rank[rank]];
    for (std::size_t i = 0; i < ungrouped[rank].size(); ++i) {
      if ((*dealt)[rank][i] == groups.size()) continue;
      const workload::CommGroup& group = groups[(*dealt)[rank][i]];
      program.group_names.set(ungrouped[rank][i], group.name);
      if (workload.find_group(group.name) == nullptr) workload.groups.push_back(group);
      ++changed;
    }
    program.group_names.complete(program.size());
  }
  return changed;
}

}  // namespace orrery::link
