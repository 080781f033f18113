#include "match/process_groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace orrery::match {

ProcessGroups::ProcessGroups(const trace::Trace& trace) : numbers_(trace.ranks.size()) {
  for (const trace::RankTrace& rank : trace.ranks)
    world_size_ =
        std::max(world_size_, static_cast<std::size_t>(std::max<std::int64_t>(0, rank.source.world_size.value_or(0))));
  // A world size that no list of members bears out is not written out as one: a file may claim any number.
  std::size_t longest = trace.ranks.size();
  for (const trace::RankTrace& rank : trace.ranks) {
    for (const trace::ProcessGroup& group : rank.source.groups) longest = std::max(longest, group.ranks.size());
  }
  world_size_ = world_size_ == 0 ? longest : std::min(world_size_, longest);
  std::vector<std::int64_t> everybody(world_size_);
  std::iota(everybody.begin(), everybody.end(), 0);
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::uint32_t> known;
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    for (const trace::ProcessGroup& group : trace.ranks[r].source.groups) {
      const std::vector<std::int64_t>& ranks = group.ranks.empty() ? everybody : group.ranks;
      const auto [at, is_new] = known.try_emplace({group.name, ranks}, static_cast<std::uint32_t>(groups_.size()));
      if (is_new) groups_.push_back({group.name, ranks, {}});
      std::vector<std::uint32_t>& listed = groups_[at->second].listed;
      if (listed.empty() || listed.back() != r) listed.push_back(r);
      numbers_[r].push_back(at->second);
    }
  }
}

std::vector<std::string> ProcessGroups::reused_names() const {
  std::set<std::string> seen, reused;
  for (const Group& group : groups_) {
    if (!seen.insert(group.name).second) reused.insert(group.name);
  }
  return {reused.begin(), reused.end()};
}

}  // namespace orrery::match
